/** The texts of these pages, in English. */

// Audit log
export const emptyLogHint =
  'Members, invitations, roles and publishing are written down here, and nobody can change it.'
export const emptyLogTitle = 'Nothing has happened yet'
export const auditLog = 'Audit log'
export const when = 'When'
export const what = 'What'
export const details = 'Details'
export const createdTheWorkspace = 'created the workspace'
export const changedTheWorkspace = 'changed the workspace'
export const joinedTheWorkspace = 'joined the workspace'
export const leftTheWorkspace = 'left the workspace'
export const changedRoleOf = (whom: string) => `changed the role of ${whom}`
export const anInvitation = 'an invitation'
export const acceptedAnInvitation = 'accepted an invitation'
export const declinedAnInvitation = 'declined an invitation'
export const publishedACard = 'published a card'
export const sharedACard = 'shared a card'
export const tookCardBack = 'took a card back'
export const movedCardIn = 'moved a card in'
export const movedCardOut = 'moved a card out'
export const deletedACard = 'deleted a card'
export const broughtCardBack = 'brought a card back'
export const linkedCards = 'linked a card with another'
export const unlinkedCards = 'removed the link between a card and another'
export const mergedCards = 'merged a card into another'
export const unmergedCards = 'took a card out of another'
export const deletedComment = 'deleted a comment on a card'
export const deletedPicture = 'deleted a picture of a card'
export const anotherServer = 'another server'
export const hidCard = 'hid a card after reports'
export const appealed = 'appealed about a card'
export const askedModerators = 'asked moderators to look at a card'
export const banned = (whom: string) => `banned ${whom} from publishing`
export const liftedBan = (whom: string) => `let ${whom} publish again`
export const deletedRawMaterial = 'deleted a raw material'
export const deletedEvent = 'deleted an event of their memory'
export const deletedProject = 'deleted a project of their memory'
export const deletedCommits = 'deleted what was learned from a repository'
export const aModerator = 'A moderator'
export const theSystem = 'The system'
export const aMember = 'a member'
export const aCard = 'a card'

// Invitation page
export const unknownInvitation =
  'This link leads to no invitation. It was revoked, replaced by a newer one, or a part of it is missing.'
export const expiredInvitation =
  'This invitation has expired. Ask the person who invited you for a new link; it takes them one click.'
export const noInvitationHere = 'No invitation here'
export const goToVault = 'Go to Knowledge Vault'
export const invitation = 'Invitation'
export const invitationTo = (workspace: string) => `Invitation to ${workspace}`
export const alreadyAccepted = (workspace: string, inviter: string) =>
  `This invitation has already been accepted. If that was you, ${workspace} is among your workspaces. If not, ask ${inviter} for a new link.`
export const openMyWorkspaces = 'Open my workspaces'
export const signIn = 'Sign in'
export const joinWorkspace = (workspace: string) => `Join ${workspace}`
export const inviterInvites = (inviter: string) => `${inviter} invites `
export const asRole = (role: string) => ` as ${role}: `
export const linkExpires = (day: string) => `The link works once, until ${day}.`
export const createAccountAndJoin = 'Create an account and join'
export const haveAccount = 'I have an account'
export const joinedAs = (role: string, workspace: string) => `You are ${role} of ${workspace} now.`
export const signedInAs = (email: string) =>
  `You are signed in as ${email}. The workspace will show this account. `
export const useAnother = 'Use another'
export const acceptAndJoin = 'Accept and join'
export const notNow = 'Not now'

// Invitations
export const sentInvitations = 'Sent invitations'
export const showSettledInvitations = 'Show accepted, declined and revoked'
export const noInvitationsHint =
  'Enter an e-mail address above. The person gets a link that works once, for seven days.'
export const noInvitationsTitle = 'Nobody was invited so far'
export const noOpenInvitations = 'No open invitations'
export const invitedNotice = (person: string) => `${person} is invited.`
export const eMailAddress = 'E-mail address'
export const role = 'Role'
export const invite = 'Invite'
export const invitationLink = 'Invitation link'
export const mailIsOnItsWay = (person: string) => `An e-mail is on its way to ${person}.`
export const invitationExists = (person: string) => `There is an invitation for ${person}.`
export const sendLinkYourself = (hint: string, day: string) =>
  `${hint} It works once, until ${day}, and is shown only now.`
export const closeLabel = 'Close'
export const invitationLinkName = 'invitation link'
export const accountWithoutAddress = 'an account that wants to be asked first'
export const newLinkMade = 'A new link was made. The old one no longer works.'
export const invitationRevoked = (person: string) => `The invitation of ${person} was revoked.`
export const invitations = 'Invitations'
export const invited = 'Invited'
export const state = 'State'
export const actions = 'Actions'
export const makeNewLinkFor = (person: string) => `Make a new link for ${person}`
export const revokeInvitationOf = (person: string) => `Revoke the invitation of ${person}`
export const accepted = 'Accepted'
export const declined = 'Declined'
export const revoked = 'Revoked'
export const expired = 'Expired'
export const openWithDaysLeft = (days: string) => `Open, ${days} left`

// Members
export const members = 'Members'
export const member = 'Member'
export const since = 'Since'
export const leaveTheWorkspace = 'Leave the workspace'
export const removeMember = (person: string) => `Remove ${person}`
export const you = 'You'
export const roleChanged = (person: string, role: string) => `${person} is ${role} now.`
export const roleOf = (person: string) => `Role of ${person}`
export const giveUpAdmin = (workspace: string) => `Give up being admin of ${workspace}`
export const becomeRole = (role: string) => `Become ${role}`
export const giveUpAdminWarning =
  'You will no longer invite or remove people, or change roles and the policy. You cannot undo this yourself: another admin has to make you admin again.'
export const youLeft = (workspace: string) => `You left ${workspace}.`
export const memberRemoved = (person: string) => `${person} was removed.`
export const leaveWorkspace = (workspace: string) => `Leave ${workspace}`
export const leave = 'Leave'
export const remove = 'Remove'
export const leaveWarning =
  'You will no longer read or find what others share in this workspace. Cards that you recorded stay yours. An admin can add you again.'
export const removeWarning = (person: string, workspace: string) =>
  `${person} will no longer read or find what others share in ${workspace}. Cards that they recorded stay theirs. You can add them again.`

// Policy editor
export const policySaved = 'Saved. It applies from now on.'
export const discardUndone = 'What you changed before is back. It is not saved yet.'
export const discard = 'Discard'
export const nameLabel = 'Name'
export const mayPublishElsewhere = 'Cards of this workspace may be published elsewhere'
export const mayPublishElsewhereHint =
  'When this is off, nobody can move a card from here to the library. Sharing inside stays possible.'
export const reviewAfter = 'Look at cards again after'
export const daysOptional = 'Days, optional'
export const reviewAfterHint =
  'Cards that nobody has confirmed for this long go to the review queue. Empty: never.'
export const halfWeightAfter = 'A verdict counts half after'
export const halfWeightDays = 'Days, 180 if empty'
export const halfWeightHint = 'How fast verdicts lose weight.'
export const otherPolicyKeys = 'The policy also carries '
export const otherPolicyKeysStay = ', set by the API. These stay as they are.'
export const save = 'Save'
export const inviteDomains = 'Invite only people of these domains'
export const optional = 'Optional'
export const domainsExample = 'example.com, example.org'
export const onlyTheseDomains = (domains: string) => `Only addresses at ${domains} can be invited.`
export const anyDomain = 'Empty: any address can be invited.'
export const defaultRole = 'Default role'
export const defaultRoleHint = 'For people added or invited by an agent or by the API without a role.'
export const showMissedSearches = 'Show the team which searches found nothing'
export const showMissedSearchesHint =
  'Only the words of members’ searches in this workspace, for a month, and nobody’s name. When this is off, none are kept.'

// Team week
export const quietWeekHint =
  'Here you read what needs somebody, which cards are new, and what worked for whom.'
export const aQuietWeek = 'A quiet week'
export const writeACard = 'Write a card'
export const needsSomebody = 'Needs somebody'
export const nothingWaits = 'Nothing waits for anybody.'
export const moreDrafts = (drafts: string) => `${drafts} more by agents are under Cards.`
export const draftByAgentOf = (owner: string) => `A draft by an agent of ${owner}`
export const readTheDraft = 'Read the draft'
export const lastWeeks = (weeks: number) => `The last ${weeks} weeks`
export const newCards = 'New and changed cards'
export const alsoInLibrary = 'also in the library'
export const by = (person: string) => `by ${person}`
export const changed = 'changed'
export const changedBy = (person: string) => `changed by ${person}`
export const whatHelpedWhom = 'What worked for whom'
export const workedFor = (person: string) => `worked for ${person}`
export const missedSearches = 'Searches that found nothing'
export const missedSearchesHint = 'Words that members looked for in this team, without names.'
export const openReviewQueue = 'Open the review queue'
export const firstOnesShown = (count: number) => `The first ${count} are shown.`

// Workspace fields
export const viewer = 'Viewer'
export const viewerMay = 'reads and finds shared cards'
export const editor = 'Editor'
export const editorMay = 'also records cards here and edits those of others'
export const admin = 'Admin'
export const adminMay = 'also invites, removes, and changes the policy'
export const privateLabel = 'Private'
export const privateHint = 'Only members read its shared cards.'
export const unlisted = 'Unlisted'
export const unlistedHint =
  'Anybody signed in who has the link of a shared card reads it. It is in no search.'
export const publicLabel = 'Public'
export const publicHint =
  'Anybody signed in finds and reads its shared cards. If this server has public pages, everybody does.'
export const team = 'Team'
export const whoReadsCards = 'Who reads its shared cards'

// Workspace page
export const allWorkspaces = 'All workspaces'
export const yourRole = (role: string) => `You are ${role}`
export const insights = 'Insights'
export const reportsAndAppeals = 'Reports and appeals'
export const cards = 'Team cards'
export const ownWorkspaceLead =
  'This is your own workspace. It has one member and takes no invitations; make a team workspace to share cards.'
export const notAMember = ' You are not a member, so the list of members is not shown.'
export const workspace = 'Workspace'
export const thisWeek = 'This week'
export const policy = 'Policy'
export const deleteTheWorkspace = 'Delete the workspace'
export const deleteWorkspaceHint =
  'Its cards go back to their owners. The workspace itself cannot be brought back.'
export const deleteWorkspace = 'Delete workspace'
export const workspaceDeleted = (workspace: string, cards: string) =>
  `${workspace} is deleted. Given back to owners: ${cards}.`
export const deleteNamed = (workspace: string) => `Delete ${workspace}`
export const whatHappens = 'What happens'
export const cardsGoHome = (own: string, others: string) =>
  `Home to their owners’ personal workspaces, unpublished: ${own} of yours, ${others} of others.`
export const cardsNoLongerRead = (cards: string) => `No longer read by others: ${cards}.`
export const deletedCardsToKeep = (cards: string) =>
  `Deleted cards that their owners can still bring back: ${cards}.`
export const rawMaterialsToOwners = (materials: string) => `To their owners: ${materials}.`
export const membersWithoutAccess = (members: string) => `Without access afterwards: ${members}.`
export const linksStopWorking = (invitations: string) => `Links that stop working: ${invitations}.`
export const whatStays =
  'Cards that were published to the library stay there. What agents remember stays with each person. It cannot be undone.'

// Workspaces page
export const workspacesLead =
  'A workspace holds the cards that a group of people shares. What you record elsewhere stays yours.'
export const yourOwn = 'Your own'
export const newWorkspace = 'New workspace'
export const noTeamHint =
  'Make a workspace, invite people by e-mail, and share the cards that are worth finding twice.'
export const noTeamYet = 'No team yet'
export const createAWorkspace = 'Create a workspace'
export const noTeamExample =
  'Example: “Platform team”, private. Two editors record what they fix, everybody else finds it.'
export const invitationsPart = 'The list of your invitations'
export const invitationsForYou = 'Invitations for you'
export const invitationDeclined = (workspace: string) => `You declined the invitation to ${workspace}.`
export const invitesYouAs = (inviter: string, role: string, day: string) =>
  `${inviter} invites you as ${role}, until ${day}.`
export const openLinkToJoin = ' To join, open the link that you were given.'
export const join = 'Join'
export const decline = 'Decline'
export const declineInvitationTo = (workspace: string) => `Decline the invitation to ${workspace}`
export const newWorkspaceHint = 'You become its admin. Inviting people is the next step.'
export const createWorkspace = 'Create workspace'
export const platformTeam = 'Platform team'
