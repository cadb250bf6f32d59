/** The texts of these pages, in English. */

// Attachments
export const openTheExchange = 'open the exchange'
export const fromMergedCard = 'from a merged card'
export const copyEvidence = (kind: string) => `Copy ${kind}`
export const pictureOf = (number: number, count: number) => `${number} of ${count} on this card`

// Card actions
export const openPageOfCard = 'Open the page of this card'
export const share = 'Share'
export const edit = 'Edit'
export const copiedAs = (what: string) => `Copied as ${what}.`
export const copy = 'Copy'
export const copyAsMarkdown = 'Copy as Markdown'
export const markdown = 'Markdown'
export const copyAsPrompt = 'Copy as a prompt'
export const aPrompt = 'a prompt'
export const copyLink = 'Copy link'
export const aLink = 'a link'
export const more = 'More'
export const editCitesPending = 'Edit cites …'
export const linkToAnotherPending = 'Link to another card …'
export const mergeIntoAnotherPending = 'Merge into another card …'
export const historyLabel = 'History'
export const deleteLabel = 'Delete'
export const reportPending = 'Report …'
export const ownerLooksAfter = (owner: string) => `${owner} looks after this card`
export const documentSteps = '## Steps'
export const documentNotes = '## Notes'
export const documentEvidence = (kind: string) => `## Evidence: ${kind}`
export const documentEnvironment = '## Environment'
export const documentTags = (tags: string) => `Tags: ${tags}`
export const promptLead =
  'Somebody solved a problem like ours before. Use the card below as a lead: check that its environment matches ours, verify each step, and say where it does not fit.'
export const cardDeleted = 'Deleted. It can be brought back for 30 days.'

// Card badges
export const fix = 'Fix'
export const fixHint = 'Something broke and you found out why.'
export const symptom = 'Symptom'
export const symptomHint = 'What was seen: the exact error text, when it happens, what was tried.'
export const fixTextHint = 'What made it go away, and how you know.'
export const howTo = 'How-to'
export const howToHint = 'A way to get something done, for the next person.'
export const goal = 'Goal'
export const goalHint = 'What somebody wants to reach, in the words they would search for.'
export const way = 'Way'
export const wayHint = 'The short version; the steps below have the details.'
export const lesson = 'Lesson'
export const lessonHint = 'What you would do differently next time.'
export const situation = 'Situation'
export const situationHint = 'What happened, and what it cost.'
export const lessonTextHint = 'What to do instead, stated so that it can be followed.'
export const decision = 'Decision'
export const decisionHint = 'What was chosen, and why the others were not.'
export const question = 'Question'
export const decisionQuestionHint = 'What had to be decided, and under which constraints.'
export const decisionTextHint = 'The choice, its reasons, and when to look at it again.'
export const reference = 'Reference'
export const referenceHint = 'Facts that people look up again and again.'
export const referenceQuestionHint = 'What is being looked up.'
export const answer = 'Answer'
export const answerHint = 'The facts, with their source and date.'

// Card content
export const rootCause = 'Root cause'
export const steps = 'Steps'
export const notes = 'Notes'
export const evidence = 'Evidence'
export const thePictures = 'The pictures'
export const pictures = 'Pictures'
export const whereItApplies = 'Where it applies'
export const environment = 'Environment'
export const tags = 'Tags'
export const licenceAndOrigin = 'Licence and origin'
export const byAuthor = ' · by '
export const publishedAt = (time: string) => ` · published ${time}`
export const pulledFrom = 'Pulled from '
export const pulledOrigin = (version: number, change: string, owner: string) =>
  `, version ${version}${change}. Author and origin are as ${owner} states them. Strangers wrote it: read it before you rely on it.`
export const sha256Before = 'SHA-256 '
export const licenceDetails = 'Details'
export const copyTheHash = 'Copy the hash'
export const editCites = 'Edit cites'
export const cites = 'About'
export const page = 'page'
export const file = 'file'

// Card dialogs
export const isRelatedTo = 'is related to'
export const supersedesHint = 'The other card leaves search. Its address still works, and points to this one.'
export const isReplacedBy = 'is replaced by'
export const supersededByHint =
  'This card leaves search. Its address still works, and points to the other one.'
export const saysTheSameAs = 'says the same as'
export const linkToAnother = 'Link to another card'
export const link = 'Link'
export const thisCard = 'This card'
export const theOtherCard = 'The other card'
export const why = 'Why'
export const reasonHint = 'Read by everybody who reads both cards.'
export const mergeIntoAnother = 'Merge into another card'
export const mergeLead = 'For two cards that say the same. The text of the other one stays as it is.'
export const merge = 'Merge'
export const intoWhichCard = 'Into which card'
export const whatHappens = 'What happens'
export const verdictsCountOnOther = (verdicts: string, evidence: string) =>
  `${verdicts} and ${evidence} of evidence count on the other card.`
export const mergedAddress = 'It leaves search. Its address opens the other card and says so.'
export const creditsStay = 'Credits stay as they are.'
export const mergeCanBeUndone = 'It can be undone for 30 days, at its old address.'
export const wordsOfOtherCard = 'Words of the other card'
export const whoseCards = 'Whose cards'
export const mine = 'Mine'
export const team = 'Team'
export const noCardFound = 'No card found.'
export const cardsToChoose = 'Cards to choose from'
export const openThatCard = 'Open that card'
export const citesSaved = 'Cites saved. They stay as you wrote them.'
export const citesReadAgain = 'Cites are read from the card again, now and whenever it is saved.'
export const citesTitle = 'What this card cites'
export const citesLead =
  'Packages with a range, files with a commit, addresses. When they change, the card may no longer be true.'
export const save = 'Save'
export const addACite = 'Add a cite'
export const citeNumber = (number: number) => `Cite ${number}`
export const removeCite = (number: number) => `Remove cite ${number}`
export const citesStayHint =
  'Cites that you save stay as they are. They can be read from environment, steps and texts instead.'
export const readCitesFromCard = 'Read them from the card'

// Card filters
export const title = 'Title'

// Card form
export const rootCauseHint = 'Why it happened, once you know.'
export const postgresPoolDeploy = 'postgres, pool, deploy'
export const separatedByCommas = 'Separated by commas.'
export const notesHint = 'The long version. Markdown, with code in fences.'
export const whereItAppliesHint = 'Versions or conditions under which this is true.'
export const dataForAgents = 'Structured data for agents'
export const payload = 'Payload'
export const payloadHint = 'A JSON object with what belongs to this type.'
export const titleExample = 'Connection pool exhausted after deploy'
export const titleHint = 'What somebody would type into the search box.'
export const type = 'Type'
export const write = 'Write'
export const preview = 'Preview'
export const addAStep = 'Add a step'
export const stepAction = (number: number) => `Step ${number}, action`
export const whatToDo = 'What to do'
export const stepResult = (number: number) => `Step ${number}, result`
export const stepResultPlaceholder = 'What you see then'
export const moveStepUp = (number: number) => `Move step ${number} up`
export const moveStepDown = (number: number) => `Move step ${number} down`
export const removeStep = (number: number) => `Remove step ${number}`
export const canOnlyBeAdded = 'can be added, not changed'
export const addEvidence = 'Add evidence'
export const evidenceKind = (number: number) => `Evidence ${number}, kind`
export const evidenceContent = (number: number) => `Evidence ${number}, content`
export const evidencePlaceholder = 'The log line, the output, the link'
export const removeEvidence = (number: number) => `Remove evidence ${number}`
export const pictureDeleted = 'The picture is deleted.'
export const picturesOfCard = 'The pictures of this card'
export const deletePictureNamed = (name: string) => `Delete ${name}`
export const picturesHint =
  'All readers of the card see them: in its text, or below it if no text shows them.'
export const deletePictureWarning =
  'It is deleted at once and for good, also from former versions of the card.'
export const deleteThisPicture = 'Delete this picture?'
export const deleteForGood = 'Delete for good'
export const cannotBePublished = 'cannot be published like this.'
export const isMarkedForReaders = 'is marked for its readers.'

// Card links
export const supersedes = 'Supersedes'
export const supersededBy = 'Superseded by'
export const saysTheSameAsLink = 'Says the same as'
export const contradicts = 'Contradicts'
export const contradictedBy = 'Contradicted by'
export const relatedTo = 'Related to'
export const theLinkedCards = 'The linked cards'
export const linkedCards = 'Linked cards'
export const takeBackLink = (title: string) => `Take back the link to ${title}`
export const supersededByBefore = 'Superseded by '
export const searchShowsThatOne = '. Search shows that one.'
export const wasMergedIntoThis = 'You asked for another card, which was merged into this card.'
export const undoTheMerge = 'Undo the merge'
export const similarCards = 'Similar cards'
export const percentTheSame = (percent: number) => `${percent} % the same`

// Card list
export const cards = 'Cards'
export const someCardsNotLoaded = 'Some of these cards did not load.'
export const tryAgain = 'Try again'
export const chooseCard = (title: string) => `Choose ${title}`
export const onlyWithTag = (tag: string) => `Only with the tag ${tag}`
export const superseded = 'Superseded'
export const outdatedQuestion = 'Outdated?'
export const sortBy = 'Sort by'
export const tag = 'Tag'
export const dropTag = (tag: string) => `Drop the tag ${tag}`
export const filter = 'Filter'
export const wordsInCard = 'Words in the card'

// Card notices
export const publishedWithFinding = 'Published, but its last review found something.'
export const sharedWithFinding = 'Shared with the team, but the review found something.'
export const reviewRefused = 'The last review refused it.'
export const findingOrders = 'sentences that speak to agents'
export const findingConversation = 'marks of a conversation with an agent'
export const findingToolCall = 'text in the form of a tool call'
export const findingHiddenText = 'text that is easily overlooked'
export const findingDownloadAndRun = 'commands that execute what they download'
export const findingDelete = 'commands that delete or overwrite'
export const findingSend = 'commands that send data elsewhere'
export const findingCheckOff = 'a check that is switched off'
export const findingTrust = 'a new key, registry or certificate to trust'
export const findingUnknownHost = 'downloads from a host that is not well known'
export const findingPackageName = 'a package whose name is close to a well-known one'
export const findingPersonal = 'an address, phone number or home folder'
export const readerWarning =
  'Look twice before you, or an agent of yours, follow this card. The review marks:'
export const appealIsOpen = 'You have appealed; a moderator will look again.'
export const reportedAndHidden = 'People reported it. A moderator has not looked yet.'
export const moderatorDecided = (reason: string) => `A moderator decided: ${reason}`
export const appealPending = 'Appeal …'
export const hiddenSince = (day: string) => `Hidden from everybody but you since ${day}.`
export const bannedToo = 'You are also banned from publishing. An appeal covers the ban too.'
export const whatModeratorsSaid = 'What moderators said'
export const appealSent = 'A moderator will look again.'
export const appeal = 'Appeal'
export const appealLead =
  'You can appeal once for each decision. Moderators see the card as it is now, so correct it first if needed.'
export const sendTheAppeal = 'Send the appeal'
export const appealQuestion = 'What should they know?'
export const moderatorWillLook = 'A moderator of the library will look at it.'
export const moderatorsDecided = (decision: string) => `Moderators: ${decision}. `
export const askModerator = 'Ask a moderator to look'

// Card queries
export const mergedIntoAnother = 'This card was merged into another.'

// Card view
export const linkCopied = 'Link copied.'
export const myCards = 'My cards'
export const distrustedWarning =
  'Several people say that it failed or is outdated. Check it before you rely on it.'
export const linksOfCard = 'The links of this card'
export const whatPeopleFound = 'What people found'
export const theComments = 'The comments'
export const similarCardsList = 'The list of similar cards'
export const changedAgo = (ago: string) => `changed ${ago}`
export const versionNumber = (version: number) => `version ${version}`
export const fromYourMemory = 'from your memory'
export const matchesBefore = ' · matches '

// Comments
export const comments = 'Comments'
export const showMoreComments = 'Show more comments'
export const commentHint = (workspace: string, exception: string) =>
  `Read by members of ${workspace}${exception}. @ mentions somebody. Markdown works.`
export const commentAdded = 'Your comment is added.'
export const newComment = 'New comment'
export const comment = 'Comment'
export const edited = 'edited'
export const commentNow = 'It now says:'
export const yourComment = 'Your comment'
export const yourCommentName = 'your comment'
export const commentOf = (person: string) => `the comment of ${person}`
export const commentDeleted = 'The comment is deleted.'
export const deleteCommentOf = (whose: string) => `Delete ${whose}?`
export const deleteCommentWarning = 'It is gone for everybody, and cannot be brought back.'
export const cancel = 'Cancel'
export const secretInComment = 'This looks like it contains a secret. A placeholder will replace it.'
export const membersMatch = (members: string) => `${members}. Arrow keys choose, Enter mentions.`
export const members = 'Members'

// Draft
export const notAnObject = 'This has to be a JSON object.'
export const notValidJson = 'This is not valid JSON.'
export const nameTwice = (name: string) => `${name} is there twice. Keep one of the lines.`
export const payloadProblem = (problem: string) => `Structured data for agents: ${problem}`
export const environmentProblem = (problem: string) => `Environment: ${problem}`

// Edit card
export const mayNotEditHint = 'Its owner can change it, and so can editors and admins of its workspace.'
export const mayNotEditTitle = 'You can read this card, not change it'
export const readTheCard = 'Read the card'
export const savedWithFinding = 'Saved. The review found something, see the card.'
export const saved = 'Saved.'
export const savedWithTheirs = 'Saved, with what others changed meanwhile.'
export const editCard = 'Edit card'
export const saveForAllReaders = 'Save for all readers'
export const draftIsBack = (ago: string) => `Your draft from ${ago} is back.`
export const conflictLead = (ago: string) =>
  `Somebody else changed this card ${ago}, and you both changed what is below. Nothing is saved yet, and your text is still here. What only one of you changed is kept.`
export const takeTheirs = (label: string) => `Take theirs: ${label}`
export const keepMine = (label: string) => `Keep mine: ${label}`
export const goOn = 'Go on'

// Editor frame
export const saveWaitsForServer =
  'The server cannot be reached. Your text waits here and is saved once, when the server is back. Until then, keep this page open; the draft stays in this browser in any case.'
export const waitingForServer = 'Waiting for the server'
export const discardDraft = 'Discard draft'
export const draftKept = (ago: string) => `Draft kept in this browser, ${ago}`
export const savedCard = (title: string) => `Saved: ${title}`
export const openLabel = 'Open'

// Fields
export const addALine = 'Add a line'
export const environmentName = (number: number) => `Environment ${number}, name`
export const environmentValue = (number: number) => `Environment ${number}, value`
export const removeEnvironment = (number: number) => `Remove environment ${number}`
export const looksLikeSecret = (names: string) =>
  `This looks like a secret: ${names}. A card that holds one cannot be shared.`
export const putAPlaceholder = 'Put a placeholder'

// History page
export const historyLead = 'Every change is kept here, with what it changed and a way back.'
export const oneVersionSoFar = 'One version so far'
export const versions = 'Versions'
export const versionTitle = (version: number) => `Version ${version}`
export const nowMark = ' · now'
export const versionIsBack = (former: number, version: number) =>
  `Version ${former} is back, as version ${version}.`
export const whatVersionChanged = (version: number) => `What version ${version} changed`
export const firstVersion = 'Version 1, the first'
export const restoreVersion = (version: number) => `Restore version ${version}`
export const loading = 'Loading'

// Library
export const library = 'Library'
export const libraryLead = 'What others solved and published.'
export const noCardFitsFilters = 'No card fits these filters'
export const libraryIsEmpty = 'The library is empty'
export const dropTheFilters = 'Drop the filters'
export const publishOneOfMine = 'Publish one of mine'
export const libraryFilterHint = 'Use fewer words, or look at both tracks.'
export const libraryEmptyHint = 'Publish a card that would have saved somebody an hour.'

// My cards
export const teamCards = 'Team cards'
export const teamCardsLead = 'What your teams share.'
export const myCardsLead = 'The cards you own, and who can read each of them.'
export const reviewQueue = 'Review queue'
export const newCard = 'New card'
export const statusLabel = 'Status'
export const anyStatus = 'Any status'
export const privateAndDrafts = 'Private and drafts'
export const sharedOrPublished = 'Shared or published'
export const nothingSharedYet = 'Nothing shared yet'
export const noCardsYet = 'No cards yet'
export const writeACard = 'Write a card'
export const cardExample =
  'Symptom: requests time out after 30 s. Fix: release the client in a finally block.'
export const changeFilterHint = 'Change or drop a filter.'
export const teamCardsViewerHint =
  'What editors share with the team is listed here, and your search finds it.'
export const teamCardsHint =
  'Open a card of yours and choose Share, or write one. Members find it here and by search.'
export const myCardsHint = 'A card is one problem and its solution, written so that a search finds it.'
export const yourTeams = 'Your teams'
export const workspace = 'Workspace'
export const allMyTeams = 'All my teams'
export const shareCardsPending = (cards: string) => `Share ${cards} …`
export const clear = 'Clear'
export const chooseFirst = (count: number) => `Choose the first ${count}`
export const numbers = 'Numbers'
export const byType = 'By type'
export const cardsByType = 'Cards by type'
export const mostUsedTags = 'Most used tags'
export const didTheyWork = 'Did they work?'
export const lastChange = (ago: string) => `Last change ${ago}`
export const sharedOfTotal = (shared: number, total: number) => `${shared} of ${total} shared or published`

// New card
export const writeEmptyCard = 'Write an empty card'
export const filledInFrom = 'Filled in from '
export const readBeforeSaving = '. Read it before you save; the card keeps a link that only you can follow.'
export const thereIsADraft = ' The same work has made a draft: '
export const draftHasEvidence =
  '. It has the commands and their output; accept it instead, if it says the same.'
export const exchangeInMemory = 'an exchange in your memory'
export const byLanguageModel = ' by the language model of this server'
export const savedUnshared = (field: string) =>
  `Saved for you alone: ${field ? `“${field}” holds` : 'it holds'} a secret or something dangerous. Look at it before you share it.`
export const savedWithReaders = (readers: string) => `Saved. Who can read it: ${readers}.`
export const saveCard = 'Save card'
export const aDraftWaits = 'A draft waits:'
export const draftsWait = (count: number) => `${count} drafts wait:`
export const withoutATitle = 'Without a title'
export const nearCards = 'Near cards'
export const isItOneOfThese = 'Is it one of these?'
export const opensInNewTab = 'opens in a new tab'
export const newCardShared = (team: string) => `Members of ${team} find it as soon as you save it.`
export const newCardLead =
  'Until you share it, only the editors of a team can read a card there; in Personal only you.'
export const personal = 'Personal'
export const loadingPending = 'Loading …'
export const yourWorkspaces = 'Your workspaces'
export const savedInPersonal = 'It is saved in Personal: only you can read it until you share it.'
export const workspaceIsLost =
  'You can no longer write in the workspace that this draft was for. It will be saved in Personal.'

// Paste
export const picture = 'Picture'
export const fileNotTaken = (file: string, allowed: string) =>
  `${file} was not taken: ${allowed} can be put here.`
export const recognisedAs = (kind: string) => `Recognised as ${kind} and put into a code block.`
export const keepAsText = 'Keep as text'
export const thePicture = 'The picture'
export const fileTooLarge = (name: string) => `${name} is larger than 5 MiB.`
export const uploading = (name: string) => `Uploading ${name} …`
export const pictureNotThere = 'The picture is not there yet. Save when it is in the text.'
export const pictureInserted = 'The picture is in the text. It is kept without its metadata.'
export const pictureNotTaken = 'The picture was not taken.'
export const addAPicture = 'Add a picture'
export const pasteWasCut = (limit: string, cut: string, start: string) =>
  `There is room for ${limit}. ${cut} at the end of the paste were cut, from “${start}” on.`
export const aDiff = 'a diff'
export const aStackTrace = 'a stack trace'
export const aLog = 'a log'
export const outputOfCommand = 'the output of a command'

// Review checklist
export const review = 'Review'
export const whatPublishingAsks = 'What the library asks for'
export const readyToPublish = 'Ready to publish'
export const notReadyToPublish = 'Not ready to publish yet'
export const done = 'Done:'
export const toDo = 'To do:'
export const missing = 'Missing:'
export const betterWith = 'Better with:'
export const reviewHint = 'Saving and sharing with your team do not need this, except the last two lines.'
export const atLeastCharacters = (label: string, characters: number) =>
  `${label}: at least ${characters} characters`
export const atLeastWords = (label: string, words: number) => `${label}: at least ${words} words`
export const differentWords = (label: string, words: number) => `${label}: at least ${words} different words`
export const saysMoreThan = (label: string, than: string) => `${label}: says more than “${than}”`
export const noPlaceholderText = 'No placeholder text such as TODO'
export const causeStepOrEvidence = 'A root cause, a step or evidence'
export const noSecrets = 'No secrets'
export const nothingDangerous = 'Nothing too dangerous to publish'
export const notSavedBecause = 'Not saved. It is said below, beside the field.'
export const notPublishedBecause = 'Not published. The card needs:'

// Review queue
export const due = 'Due'
export const doubted = 'Doubted'
export const contradiction = 'Contradiction'
export const reviewQueueOfWorkspace = 'Cards of this workspace to look at again.'
export const reviewQueueLead = 'Your cards to look at again.'
export const reviewQueueHint =
  'Cards appear here when somebody says that they failed or are outdated, when their review interval is over, or when another card contradicts them.'
export const nothingToLookAt = 'Nothing to look at'
export const cardsToLookAt = 'Cards to look at again'
export const sameSymptom = 'The same symptom, another fix: '
export const notConfirmedSince = (ago: string) => `Nobody has confirmed it since ${ago}.`
export const confirmed = 'Confirmed.'
export const stillWorks = 'Still works'
export const compare = 'Compare'
export const somebody = 'somebody'
export const openTheCard = 'Open the card'
export const dismiss = 'Dismiss'
export const dismissed = 'Dismissed. It comes back if somebody doubts it again.'
export const failedFor = (person: string, ago: string) => `Failed for ${person}, ${ago}`
export const outdatedBy = (person: string, ago: string) => `Called outdated by ${person}, ${ago}`

// Share dialog
export const shareThisCard = 'Share this card'
export const shareCards = (cards: string) => `Share ${cards}`
export const nowReadBy = (readers: string) => `Now: ${readers}.`
export const teamsList = 'The list of your teams'
export const noOtherPlace = (cards: string) => `There is no other place to which you may bring ${cards}.`
export const leavesLibrary = (cards: string) => `${cards} will leave the library.`
export const earnedStays = ' Credits that were earned stay; publishing again earns nothing.'
export const nowReadByMany = (readers: string, others: string) => `Now: ${readers}${others}.`
export const keepToYourself = 'Keep it to yourself'
export const makePrivate = (what: string) => `Make${what} private`
export const makeDraft = 'Make it a draft'
export const publishCards = (what: string, reward: string) => `Publish${what}${reward}`
export const shareWith = (what: string, name: string) => `Share${what} with ${name}`
export const whoCanRead = 'Who can read it'
export const nowBadge = 'Now'
export const earnsOnce = (credits: string) => `Earns ${credits} the first time.`
export const earnsUpTo = (credits: string, cards: number) =>
  `Earns up to ${credits}: each card the first time, ${cards} cards a day.`
export const eachIsReviewed = (cards: string, reward: string) =>
  `Each of the ${cards} is reviewed. Those that do not pass stay as they are, with the reasons. ${reward}`
export const licenceNoConditions = 'no conditions at all'
export const licenceNameAuthor = 'use it, name the author'
export const licenceShareAlike = 'name the author, share alike'
export const licenceForCode = 'for code: keep the notice'
export const licencePart = 'The choice of a licence'
export const licence = 'Licence'
export const licenceIsFixed = 'It was published under this licence, which cannot change for this version.'
export const licenceIsForEver =
  'Everybody may use this version under this licence for ever. It cannot be taken back.'
export const readTheLicence = 'Read the licence'
export const cardsStayed = (cards: string) => `${cards} stayed as before:`
export const libraryHasIt = 'The library has this already. '
export const nothingWasChargedEnd = '. Nothing was charged.'
export const youEarned = (credits: string) => ` You earned ${credits}.`
export const publishedToLibrary = (what: string, reward: string) => `${what} to the library.${reward}`
export const whoCanReadNow = (who: string) => `Who can read it now: ${who}.`

// Sharing
export const onlyYou = 'Only you'
export const onlyYouHint = 'In your personal workspace.'
export const draftIn = (workspace: string) => `Draft in ${workspace}`
export const draftInHint = 'Its editors and admins can read and change it. Nobody else finds it.'
export const teamMembersRead = (people: string, move: string) =>
  `${people} can find and read it.${move ? ` ${move} there.` : ''}`
export const openTeamReads = (members: string) =>
  `Its ${members} can find and read it, and everybody once it has passed the review.`
export const everyoneReads = (name: string) => `Everyone can find and read it, with your name (${name}).`
export const staysOfTeam = (what: string, team: string) => `${what} of ${team}.`

// Use card links
export const linked = 'Linked.'
export const linkTakenBack = 'Link taken back.'
export const mergeUndone = 'The merge is undone. Both cards are as before.'
export const mergedNotice = 'Merged. It can be undone for 30 days.'

// Use draft
export const draftDiscarded = 'The draft is discarded.'
export const cardOutOfReach = 'This card was deleted, or it is no longer shared with you.'
export const browserStoresNothing = 'This browser stores nothing. Copy your text before you leave the page.'
export const saveAsNewCard = 'Save as a new card of mine'
export const textIsStillHere = (reason: string) => `${reason} Your text is still here.`
export const unsavedText = 'You have written text for it that is not saved.'
export const readOtherCard = 'Read the other card'

// Verdicts
export const didItWork = 'Did it work?'
export const doesItStillWork = 'Does it still work?'
export const worked = 'Worked'
export const failed = 'Failed'
export const outdated = 'Outdated'
export const addDetails = 'Add details'
export const takeBack = 'Take back'
export const whatPeopleSaid = 'What people said after use'
export const showMoreOf = (count: string) => `Show more of ${count}`
export const you = 'You'
export const verdictVersion = (version: number) => ` · version ${version}`
export const output = 'Output'
export const copyOutput = 'Copy output'
export const detailsOf = (outcome: string, version: number) =>
  `To “${outcome}”, for version ${version} of this card.`
export const note = 'Note'
export const noteHint = 'Read by everybody who reads the card. Your name is shown to its editors.'
export const outputHint = 'What you saw. Read by you and the editors of the card.'
export const alreadySaid = 'You have already said so.'
export const ownerEarned = (owner: string, credits: string) => ` ${owner} earned ${credits}.`
export const notedWithReward = (earned: string) => `Noted.${earned}`
export const verdictTakenBack = 'Taken back. It no longer counts.'

// Version diff
export const noDifference = 'No difference in the text.'
