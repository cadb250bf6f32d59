/** The texts of these pages, in English. */

// Account
export const you = 'You'
export const hereSince = (day: string) => `Here since ${day}.`
export const eMailAddress = 'E-mail address'
export const emailAddressLead = 'You sign in with it, and mails go there.'
export const password = 'Password'
export const passwordLead = 'Changing it signs you out everywhere else.'
export const passwordChanged = 'Your password is changed. Other sessions are signed out.'
export const currentPassword = 'Current password'
export const currentPasswordHint = 'Leave it empty if you sign in with Google and have none yet.'
export const newPassword = 'New password'
export const atLeast8Characters = 'At least 8 characters.'
export const alsoEndKeysAndApps = 'Also delete my API keys and disconnect all apps'
export const alsoEndKeysAndAppsHint =
  'Tick it if somebody else may know your password. Connected agents then have to be connected again.'
export const changePassword = 'Change password'
export const nameChanged = 'Your name is changed.'
export const nameLabel = 'Name'
export const nameHint = 'It is shown on your cards, comments and invitations.'
export const saveName = 'Save name'
export const newMailIsOnItsWay = (email: string) => `A new mail is on its way to ${email}.`
export const addressStays = 'Your address stays as it is.'
export const confirmed = 'Confirmed'
export const notConfirmed = 'Not confirmed'
export const giveUpChange = 'Give up this change'
export const confirmationLink = 'confirmation link'
export const changeAddress = 'Change address'
export const sendConfirmationAgain = 'Send the confirmation again'
export const openLinkToConfirm = (email: string) =>
  `This server sends no mail. Open this link to confirm ${email}.`
export const waitsForLinkInMail = (email: string) =>
  `${email} waits to be confirmed: open the link in the mail that was sent there.`
export const waitsForNewLink = (email: string) =>
  `${email} waits to be confirmed. Change the address again to see the link once more.`
export const newEmailAddress = 'New e-mail address'
export const newEmailAddressHint =
  'It is yours once you open the link that is sent there. Until then nothing changes.'
export const yourPassword = 'Your password'
export const passwordWithGoogleHint =
  'If you sign in with Google and have none, leave it empty and sign in again first.'
export const sendTheLink = 'Send the link'
export const cancel = 'Cancel'
export const sessionEnded = 'That session is over.'
export const whereSignedIn = 'Where you are signed in'
export const endEverythingLead = 'If you lost a device or doubt something, end everything at once.'
export const onlyHereLead = 'Only here. If you lost a device or doubt something, end everything at once.'
export const sessionsLead = (browsers: string) =>
  `In ${browsers}. End one that you do not know, or everything at once.`
export const signOutEverywhere = 'Sign out everywhere'
export const sessionList = 'The list'
export const sessions = 'Sessions'
export const signedInAndLastSeen = (signedIn: string, lastSeen: string) =>
  `Signed in ${signedIn}, last seen ${lastSeen}`
export const signedInHere = (signedIn: string) => `Signed in ${signedIn}, in use now`
export const thisOne = 'This one'
export const end = 'End'
export const sessionOf = (time: string) => ` the session of ${time}`
export const showMore = (count: number) => `Show ${count} more`
export const signedOutEverywhere = 'You are signed out everywhere.'
export const apiKey = 'API key'
export const connectedApp = 'connected app'
export const allKeysAndApps = 'all API keys and connected apps'
export const signOutEverywhereWarning =
  'Every session ends at once, this one too. You sign in again with your password.'
export const alsoEnd = (what: string) => `Also end ${what}`
export const alsoEndHint = 'Agents and scripts need a new key then.'
export const yourData = 'Your data'
export const yourDataLead =
  'Take everything with you as one file: cards with their history, memory, raw materials, bookings.'
export const downloadMyData = 'Download my data'
export const deleteAccount = 'Delete account'
export const unsharedCard = 'unshared card'
export const yourUnsharedCards = 'your unshared cards'
export const oneSharedCardStays = 'card that you shared or published stays'
export const sharedCardsStay = 'cards that you shared or published stay'
export const allSharedCardsStay = 'The cards that you shared or published stay'
export const accountDeleted = 'Your account is deleted.'
export const deleteYourAccount = 'Delete your account'
export const passwordToDeleteHint =
  'If you sign in with Google and have none, leave it empty; you must have signed in within 10 minutes.'
export const cancelPlanFirst = (plan: string) =>
  `Your plan ${plan} is running. Cancel it under Billing first; the account cannot be deleted before.`
export const planEndsWithAccount = (plan: string) =>
  `Your plan ${plan} is cancelled, and the rest of the paid time ends with the account.`
export const deleteAccountWarning = (cards: string, credits: string | null, published: string) =>
  `This deletes ${cards}, your comments, all of your agents’ memory, your keys${credits ? `, connected apps and ${credits}` : ' and connected apps'} for good, at once. ${published}, by “deleted user”. It cannot be undone.`

// Api keys
export const apiKeys = 'API keys'
export const apiKeysLead =
  'A key stands for you. Give each agent and script its own, so that you can remove one without the others.'
export const newKey = 'New key'
export const noKeysHint = 'Agents and scripts need a key to search and record for you.'
export const noKeysYet = 'No keys yet'
export const connectAnAgent = 'Connect an agent'
export const keyHeaderBefore = 'A key goes into the header '
export const keyHeaderAfter = ' of a request.'
export const key = 'Key'
export const may = 'May'
export const lastUsed = 'Last used'
export const actions = 'Actions'
export const deleteKeyNamed = (name: string) => `Delete key ${name}`
export const everything = 'Everything'
export const expired = 'Expired'
export const never = 'Never'
export const untilDay = (day: string) => `until ${day}`
export const keyDeleted = (name: string) => `The key “${name}” no longer works.`
export const deleteThisKey = 'Delete this key'
export const deleteKey = 'Delete key'
export const deleteKeyWarning = (name: string, lastUse: string) =>
  `“${name}” stops working at once, for every agent and script that uses it. ${lastUse} What they recorded stays.`
export const newApiKey = 'New API key'
export const createKey = 'Create key'
export const keyNameExample = 'Agent on my laptop'
export const keyNameHint = 'So that you recognise it in this list.'
export const itMay = 'It may'
export const itMayAlso = 'It may also'
export const expires = 'Expires'
export const in30Days = 'In 30 days'
export const in90Days = 'In 90 days'
export const inAYear = 'In a year'
export const yourNewKey = 'Your new key'
export const done = 'Done'

// Connected apps
export const connectedApps = 'Connected apps'
export const connectedAppsLead =
  'Apps and agents that you signed in to through this vault, without giving them a key.'
export const noConnectedAppsHint =
  'When an app asks for access, a page here names it and what it may do. What you allow appears in this list.'
export const noConnectedApps = 'No connected apps'
export const connectYourAgent = 'Connect your agent'
export const app = 'App'
export const disconnectApp = (name: string) => `Disconnect ${name}`
export const nameNotVerified = (day: string) => `Name not verified, since ${day}`
export const appDisconnected = (name: string) => `${name} is disconnected.`
export const disconnect = 'Disconnect'
export const disconnectWarning =
  'Its access ends at once. What it recorded stays. It has to ask you again to come back.'

// General
export const languageAsBrowser = 'As the browser; mails in English'
export const asTheSystem = 'As the system'
export const light = 'Light'
export const dark = 'Dark'
export const saved = 'Saved.'
export const searching = 'Searching'
export const keepSearchHistory = 'Keep a history of my searches'
export const keepSearchHistoryHint =
  'The last 50, for you alone, in the empty search box and in the palette. Switching it off deletes them.'
export const look = 'Appearance'
export const theme = 'Theme'
export const storage = 'Storage'
export const storageUsed = (used: string, limit: string) =>
  `Your texts take ${used} of ${limit} MB: cards with their versions, comments, memory and raw materials.`
export const storageOfDeletedCards = (size: string) =>
  ` Deleted cards take ${size} MB more for up to 30 days.`
export const publishing = 'Publishing'
export const mayPublish = 'I may publish cards to the library'
export const mayPublishHint =
  'When this is off, neither you nor an agent with your key can publish. Taking cards back stays possible.'
export const workspaceList = 'The list of your workspaces'
export const newCardsGoTo = 'New cards go to'
export const newCardsGoToHint =
  'Where the editor and the command line put a card unless you choose otherwise. What agents record goes where their API key says, else to your personal workspace.'
export const sharingTitle = 'Sharing with your team'
export const team = 'Team'
export const sharedWith = 'What you and your agents record is shared with'
export const nobodyByItself = 'Nobody, until you share a card'
export const shareRecordedQuestion = (name: string) => `Share what you and your agents record with ${name}?`
export const sharedWithHint =
  'Colleagues then find a card as soon as it is recorded. A card with a secret or something dangerous stays private.'
export const shareRecordedHint = `${sharedWithHint} You can change this under Settings.`
export const shareRecorded = 'Share'
export const keepPrivate = 'Keep it private'
export const shareEarlierQuestion = (count: number) =>
  count === 1 ? 'Share the card that you recorded before, too?' : `Share your ${count} cards too?`
export const shareThem = 'Share them'
export const keepThemPrivate = 'Keep them private'
export const earlierShared = (shared: number, kept: number) =>
  `${shared === 1 ? '1 card is' : `${shared} cards are`} shared.${kept > 0 ? ` ${kept} ${kept === 1 ? 'stays' : 'stay'} private, because sharing would not be safe.` : ''}`
export const sharedAtOnce = 'Shared there at once'
export const myPersonalWorkspace = 'My personal workspace'
export const mailAndLanguage = 'Mail and language'
export const askBeforeAddingMe = 'Ask me before I am added to a workspace'
export const askBeforeAddingMeHint = 'You get an invitation instead of becoming a member at once.'
export const mailAboutCards = 'Mail me about my cards and teams'
export const mailAboutCardsHint =
  'Feedback (once a day at most) and changes in your teams. Needs a confirmed address. Invitations and password mails always come.'
export const mailWeekly = 'Mail me once a week what happened in my teams'
export const mailWeeklyHint =
  'On Mondays, if anything did: new cards, what helped whom, what waits. Needs the mails above and a confirmed address.'
export const languageOfDates = 'Language of dates and numbers'
export const languageOfDatesHint = (now: string) => `Also in mails. The words stay English. Now it is ${now}.`
export const agentLibraryTitle = 'What agents get by themselves'
export const alsoLookInLibrary = 'Also look in the public library'
export const alsoLookInLibraryHint =
  'When a command fails or you ask something, hooks look in your memory, your cards and those of your teams. With this on they also look in the library where those have nothing.'
export const atPriceOfSearch = ' It costs what a public search costs.'
export const creditsAMonth = 'Credits a month, at most'
export const creditsAMonthHint = 'Calendar months, UTC. Your credit history shows what was found and paid.'
export const noCreditsSpent = 'None: nothing is spent'

// Key parts
export const yourTeams = 'Your teams'
export const recordsGoTo = 'What it records goes to'
export const recordsGoToHint =
  'As a draft that the editors of a team can read. Used where the agent names no workspace.'
export const recordsInATeam = 'Records in a team'
export const recordsInTeam = (team: string) => `Records in ${team}`
export const recordsInPersonal = 'Records in your personal workspace: you can no longer write in its team'
export const keyShownOnce = 'This is the only time the key is shown. Keep it out of cards and repositories.'
/** What a key or an app may, in one or two words. */
export const scopeNames: Record<string, string> = {
  search: 'Search',
  record: 'Record',
  'case:write': 'Edit cards',
  publish: 'Publish',
  'workspace:write': 'Manage teams',
  account: 'Account',
}
export const maySearch = 'Search and read cards, memory and workspaces'
export const mayRecord = 'Write memory, share cards with private teams, give feedback'
export const mayWriteCards = 'Create and edit cards (together with record)'
export const mayPublishCards =
  'Publish cards to the library, open them to strangers elsewhere, and take them back'
export const mayManageWorkspaces = 'Create workspaces, invite and remove people'
export const mayManageAccount = 'Settings and keys: everything about your account'

// Server
export const creditsOfServer = 'Credits'
export const useCredits = 'Use credits on this server'
export const useCreditsHint =
  'Searching the public library costs credits, and publishing earns some. Without them everything is free for everybody. Balances, plans and history are kept.'
export const creditsAreOn = 'Credits are on for everybody.'
export const creditsAreOff = 'Credits are off for everybody.'
export const setByVariable = (variable: string) =>
  `The variable ${variable} of the server decides. To change it here, remove the variable and start the server again.`
export const changedBy = (name: string, time: string) => `Changed by ${name}, ${time}.`

// Settings page
export const server = 'Server'
export const settings = 'Settings'
export const general = 'General'
export const account = 'Account'
