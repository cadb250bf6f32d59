/** The texts of these pages, in English. */

// Matter page
export const allMatters = 'All matters'
export const goneCard = 'A card that is gone'
export const moderation = 'Moderation'
export const decideAnewPending = 'Decide anew …'
export const decidePending = 'Decide …'
export const theCard = 'The card'
export const cardIsDeleted = 'The card is deleted.'
export const hiddenByReports = 'Reports have hidden it until a moderator decides.'
export const ownerSays = (note: string) => `The owner says: ${note}`
export const somebody = 'Somebody'
export const appealSays = (note: string) => `The appeal says: ${note}`
export const privateTeamReports = 'In a private team reports hide nothing by themselves. You decide.'
export const weightOfReports = (weight: number, threshold: number) =>
  `Together they weigh ${weight}. Reports hide the card when they weigh ${threshold} and come from three people who are not connected with each other.`
export const reportedAgo = (ago: string, version: number) => ` · ${ago} · version ${version}`
export const withoutAnAccount = ' · without an account'
export const thePublisher = 'The publisher'
export const banned = 'Banned'
export const publisherFacts = (since: string, cards: string, kept: number, hidden: number) =>
  `Here since ${since}. ${cards} in the open. Decided before: ${kept} kept, ${hidden} hidden or removed.`
export const reviewFindings = 'What the review finds'
export const charactersBefore = 'characters '
export const charactersTo = ' to '
export const versions = 'Versions'
export const versionNumber = (version: number) => `Version ${version}`
export const decidedNotice = 'Decided. The owner has been told.'
export const decideAboutAppeal = 'Decide about the appeal'
export const decideAboutCard = 'Decide about this card'
export const decideLead = 'The owner sees your reason, but not your name. They can appeal once.'
export const decide = 'Decide'
export const decision = 'Decision'
export const banPublisher = 'Ban the publisher from publishing'
export const banPublisherHint =
  'They cannot publish anything new for strangers until a moderator lifts the ban.'
export const reason = 'Reason'
export const reasonHint = 'Why you decide so, in a sentence or two.'
export const symptomOrGoal = 'Symptom or goal'
export const fixOrSolution = 'Fix or solution'
export const rootCause = 'Root cause'
export const stepNumber = (step: number) => `Step ${step}`
export const notes = 'Notes'
export const whereItHolds = 'Where it holds'
export const environment = 'Environment'
export const tags = 'Tags'
export const cites = 'Cites'
export const payload = 'Payload'
export const evidenceOf = (kind: string) => `Evidence: ${kind}`

// Matter words
export const isDangerous = 'It is dangerous to follow'
export const ordersAgents = 'It gives orders to agents'
export const holdsSecret = 'It holds a password, key or other secret'
export const namesPeople = 'It names private people or data'
export const isFalse = 'It is false on purpose'
export const isSpam = 'It is advertising or spam'
export const somethingElse = 'Something else'
export const keepIt = 'Keep it'
export const keepItHint = 'Everybody who could read it can read it again.'
export const hideIt = 'Hide it'
export const hideItHint = 'It stays where it is, and only its owner can read it.'
export const removeIt = 'Remove it'
export const removeItHint = 'It goes back to where its owner wrote it, and only the owner can read it.'
export const letItThrough = 'Let it through'
export const letItThroughHint = 'Its owner can publish this version as it is.'
export const doNotLetItThrough = 'Do not let it through'
export const doNotLetItThroughHint = 'It stays with its owner, unpublished.'
export const kept = 'Kept'
export const hidden = 'Hidden'
export const removed = 'Removed'
export const askedAbout = 'Asked about'
export const reported = 'Reported'
export const appealed = 'Appealed'
export const closed = 'Closed'
export const letThrough = 'Let through'
export const notLetThrough = 'Not let through'

// Queue page
export const waiting = 'Waiting'
export const decided = 'Decided'
export const bans = 'Bans'
export const queueLead =
  'Cards that somebody reported, drafts that the review refused, and appeals. Each decision needs a reason, which the owner can read.'
export const show = 'Show'
export const queueHint =
  'Reports of readers come here: about the library to the moderators of this server, about the cards of a team to its admins.'
export const nothingIsWaiting = 'Nothing is waiting'
export const nothingDecidedYet = 'Nothing decided yet'
export const matters = 'Matters'
export const goneOrChangedCard = 'A card that is gone, or was changed since'
export const bansHint = 'A decision about a card can ban its publisher.'
export const nobodyIsBanned = 'Nobody is banned'
export const everywhere = 'Everywhere'
export const inOneWorkspace = 'In one workspace'
export const bannedSince = (day: string) => `Since ${day}`
export const liftTheBan = 'Lift the ban'
export const banLifted = (person: string) => `${person} can publish again.`
export const letPublishAgain = (person: string) => `Let ${person} publish again`
export const liftBanHint = 'Cards that are hidden or removed stay hidden or removed.'

// Report
export const reportACard = 'Report a card'
export const knowledgeVault = 'Knowledge Vault'
export const report = 'Report'
export const reportThanks = 'Thank you. A moderator will look at it.'
export const reportThisCard = 'Report this card'
export const reportLead =
  'Moderators read what you write. Neither they nor the owner of the card are told who you are.'
export const whatIsWrong = 'What is wrong with it?'
export const choosePending = 'Choose …'
export const reportNote = 'What should a moderator look at?'
export const reportNoteHint = 'Optional. Secrets that are recognised are replaced by placeholders.'
