/** The texts of these pages, in English. */

// Account card
export const knowledgeVault = 'Knowledge Vault'

// Agents
export const runInTerminal = 'Run this once in a terminal.'
export const putIntoCursor = 'Put this into ~/.cursor/mcp.json.'
export const putIntoVsCode = 'Put this into .vscode/mcp.json of the project, or into your user configuration.'
export const anyProgramCanCall = 'Any program can call a tool with one request.'

// Connect
export const keyNameOfAgent = (agent: string) => `${agent} (connect page)`
export const connectYourAgent = 'Connect your agent'
export const connectLead =
  'Your agent searches before it debugs, records what it solved, and remembers the project.'
export const goToSearch = 'Go to search'
export const keyForAgent = 'A key for it'
export const theConfiguration = 'The configuration'
export const agent = 'Agent'
export const theFirstCall = 'The first call'
export const createKeyFirst = 'It shows here as soon as the agent uses its key.'
export const connectedAgents = 'Connected'
export const lastUsed = (ago: string) => `last used ${ago}`
export const byHand = 'By hand'
export const oneCommand = 'One command'
export const oneCommandHint =
  'This finds the agents on your computer (Claude Code, Codex, Cursor, VS Code and ten others), signs you in and connects each. It needs Node 20 or newer.'
export const command = 'Command'
export const claudeDesktopBefore = 'For Claude Desktop there is also '
export const orByHand = '.'
export const claudeDesktopBundle = 'a bundle to open'
export const keyActsForYou =
  'With the key your agent searches, records, and edits cards for you. It does not open your account. You can remove it at any time.'
export const createAKey = 'Create a key'
export const waitingForFirstCall = 'Waiting for the first call …'
export const firstCallCame = 'Connected. Your agent has made its first call.'

// Google return
export const googleFailed = 'Google sign-in did not work'
export const signingYouIn = 'Signing you in'
export const backToSignUp = 'Back to sign up'
export const backToSignIn = 'Back to sign in'

// Google
export const continueWithGoogle = 'Continue with Google'
export const or = 'or'
export const googleRefused = 'Google did not sign you in.'
export const googleOtherTab = 'This answer does not belong to a sign-in from this tab.'

// Landing
export const sampleCommand = 'npx prisma migrate deploy'
export const sampleError = 'Error: P3009  migrate found failed migrations in the target database'
export const sampleTitle = '`npx prisma migrate deploy` fails: P3009, a migration stopped half way'
export const sampleCause =
  'A migration lost its connection. Prisma applies no other until somebody says how it ended.'
export const sampleFix = 'Undo what it changed, mark it as rolled back, and deploy again.'
export const sampleFixCommand =
  'npx prisma migrate resolve --rolled-back 20251101_add_orders\nnpx prisma migrate deploy'
export const sampleTrust = 'Worked for 3 people, last on 2 Nov, node 22'
export const sampleLabel = 'An example of a card'
export const cause = 'Cause'
export const fix = 'Fix'
export const slogan = 'Nobody solves the same problem twice'
export const landingLead =
  'Your agent is handed this card when the command fails. What one of you has solved is found by all the others, people and agents.'
export const createFirstAccount = 'Create the first account'
export const signIn = 'Sign in'
export const haveInvitation = 'I have an invitation'
export const createAnAccount = 'Create an account'
export const readPublicLibrary = 'Read the Public Library'
export const guide = 'Guide'
export const api = 'API'
export const help = 'Help'

// Reset password
export const resetYourPassword = 'Reset your password'
export const resetLead = 'We send a link to your e-mail address. It works once, for one hour.'
export const askAdministratorForLink =
  'This server sends no mail. Ask its administrator for a link: they make one with '
export const resetMailSent = (email: string) => `If there is an account for ${email}, a mail is on its way.`
export const eMail = 'E-mail'
export const sendTheLink = 'Send the link'
export const newPasswordSet = 'New password set. Sign in with it.'
export const chooseNewPassword = 'Choose a new password'
export const newPasswordLead = 'Every session, API key and connected app of this account ends.'
export const newPassword = 'New password'
export const atLeast8Characters = 'At least 8 characters.'
export const askForNewLink = 'Ask for a new link'
export const setPassword = 'Set password'

// Sign in
export const signInLead = 'What your team has solved before, for people and their agents.'
export const newHere = 'New here? '
export const password = 'Password'
export const forgotIt = 'Forgot it?'

// Sign up
export const signUpLead = 'Your cards are private until you share them.'
export const alreadyHaveOne = 'Already have one? '
export const registrationClosed = 'This server takes no new accounts. Ask its administrator.'
export const accountExists = 'There is an account with this e-mail. Sign in instead.'
export const createAccount = 'Create account'
export const nameLabel = 'Name'
export const nameHint = 'Shown beside what you publish.'
export const inviteCode = 'Invite code'

// Verify email
export const addressConfirmed = 'Address confirmed'
export const addressIsConfirmed = 'Your e-mail address is confirmed.'
export const confirmYourAddress = 'Confirm your e-mail address'
export const confirmLead = 'One click, and the address is yours here.'
export const resetThePassword = 'Reset the password'
export const confirm = 'Confirm'
export const linkIsIncomplete = 'A part of the link is missing. Open it again from the mail.'

// Welcome
export const whatDoYouDo = 'What do you mostly do?'
export const howManyPeople = 'How many people share what they learn?'
export const whichAgents = 'Which agents do you work with?'
export const whatFirst = 'What do you want first?'
export const welcome = 'Welcome'
export const welcomeLead =
  'Four short questions, so that the vault starts with what you need. Leave out what you like.'
export const anyNumber = ' Any number.'
export const continueLabel = 'Continue'
