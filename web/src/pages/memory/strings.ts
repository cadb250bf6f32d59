/** The texts of these pages, in English. */

// Documents
export const changedAgo = (ago: string) => `Changed ${ago}`
export const empty = 'Empty'
export const copyAsMarkdown = (title: string) => `Copy ${title} as Markdown`
export const editTitled = (title: string) => `Edit ${title}`
export const writeIt = 'Write it'
export const savedWithoutSecrets = (secrets: string) => `Saved without ${secrets} that it contained.`
export const savedForAgents = 'Saved. Agents read it from their next start on.'
export const edit = 'Edit'
export const write = 'Write'
export const save = 'Save'
export const draftIsBack = 'What you wrote before is back.'
export const discardIt = 'Discard it'
export const currentFocus = 'Current focus'
export const noSummary = 'No summary yet. Agents write one at the end of a turn.'
export const summaryHint = 'What is being worked on now, not the whole specification.'
export const summaryExample = 'Moving the checkout to the new payment provider; refunds are next.'
export const facts = 'Facts'
export const projectFacts = 'Project facts'
export const noFacts =
  'No facts yet. Stable things about the project belong here: how to build it, where it runs, what never to touch.'
export const factsHint = 'One line each. Agents read this at the start of every session.'
export const factsExample =
  '- Node 24, SQLite in development, PostgreSQL in production\n- The suite needs a running mail catcher'
export const preferences = 'Preferences'
export const projectPreferences = 'Project preferences'
export const noPreferences = 'No preferences yet. How you want things done in this project.'
export const preferencesHint = 'One line each. A line that starts with “- ” is one preference.'
export const projectPreferencesExample = '- Tests before the change\n- Small commits that say why'
export const yourPreferences = 'Your preferences'
export const myPreferences = 'My preferences'
export const noOwnPreferences = 'Nothing written yet. How you want every agent to work, in every project.'
export const ownPreferencesExample = '- Answer in short sentences\n- Never push without asking'

// Event page
export const memory = 'Memory'
export const anExchange = 'An exchange'
export const exchangeLead = (time: string) => `${time}. Nobody but you can read it.`
export const you = 'You'
export const agent = 'Agent'
export const note = 'Note'
export const copySide = (who: string) => `Copy: ${who}`
export const readingTheRestPending = 'Reading the rest …'
export const restDidNotLoad = (error: string) => `The rest did not load. ${error}`
export const makeACard = 'Make a card'

// Materials page
export const rawMaterials = 'Raw materials'
export const materialsLead = 'Logs, transcripts and notes as they were stored, without the secrets in them.'
export const agentMemory = 'Agent Memory'
export const materialsHint = 'Agents and scripts store them with POST /api/v1/raw-materials.'
export const noRawMaterials = 'No raw materials'
export const deleteMaterial = (name: string) => `Delete ${name}`
export const copy = 'Copy'
export const materialDeleted = 'The raw material is deleted.'
export const deleteRawMaterial = 'Delete raw material'
export const deleteLabel = 'Delete'
export const deleteMaterialWarning = (name: string) => `This deletes “${name}” for good. It cannot be undone.`

// Project page
export const allProjects = 'All projects'
export const lastEventAgo = (ago: string) => ` · last ${ago}`
export const alsoKnownAs = (aliases: string) => ` · also ${aliases}`
export const documents = 'Documents'
export const transferPreferences = 'Transfer preferences'
export const moreActions = 'More actions'
export const renameOrMerge = 'Rename or merge'
export const deleteProject = 'Delete project'
export const view = 'View'
export const timeline = 'Timeline'
export const loading = 'Loading'
export const givenAtStart = 'What an agent is given at its start'
export const eventsMoved = (events: string, project: string) => `${events} moved into ${project}.`
export const projectRenamed = 'Renamed. Agents find it under the new key.'
export const projectKeyHint =
  'The key is how agents find the project: a repository address, org/repo, or any stable name.'
export const mergeEvents = (events: string) => `Merge ${events}`
export const rename = 'Rename'
export const newKey = 'New key'
export const projectExists = (others: string, events: string) =>
  `This project exists${others}. All ${events} of `
export const mergeWarning = ' move into it; the newer summary and documents count. This cannot be undone.'
export const projectDeleted = (project: string, events: string) => `${project} and its ${events} are deleted.`
export const deleteProjectWarning = (events: string) =>
  `This deletes ${events} for good: messages, reports, summary, facts and preferences of this project. Cards stay. It cannot be undone.`

// Project search
export const turn = 'Turn'
export const summary = 'Summary'
export const document = 'Document'
export const searchThisProject = 'Search this project'
export const results = 'Results'
export const searchingPending = 'Searching …'
export const match = 'Match'
export const exactText = 'Exact text'
export const words = 'Words'
export const nothingWithWords = 'Nothing with these words'
export const backToTimeline = 'Back to the timeline'
export const tryOtherWords = 'Try fewer or other words.'
export const exactTextHint = 'Exact text finds the letters as typed. Words also finds other forms and order.'
export const nothingExact = 'Nothing has exactly this text. These fit its words best:'
export const showMore = 'Show more'
export const searchingFor = (words: string) => `Searching for ${words}. `
export const fromTo = (from: string, to: string) => `From ${from} to ${to}.`
export const sharesSomeWords = 'shares some words only'

// Projects page
export const memoryLead =
  'What your agents noted down per project. Only you read it, whatever the workspace; secrets are taken out before it is stored.'
export const projects = 'Projects'
export const filterProjects = 'Filter projects'
export const filter = 'Filter'
export const noProjectByName = 'No project by that name.'
export const olderProjects = (projects: string) =>
  `${projects} not listed. Search also finds what is in there.`
export const noProjectHint =
  'A project appears when an agent writes its first event. It restores the context at its next start.'
export const noProjectYet = 'No project yet'
export const connectYourAgent = 'Connect your agent'
export const exampleBeforeFolder = 'Example: an agent in the folder of '
export const exampleAfterFolder =
  ' calls append_context_turn after each task. The next session starts with what it learned.'
export const preferencesEverywhere = 'Your preferences in every project'
export const preferencesEverywhereHint = 'Agents read these at the start of each session, in any project.'
export const alsoNamed = (others: string) => `also ${others}`

// Timeline
export const nothingFitsFilter = 'Nothing in this project fits the filter. Show all to see the rest.'
export const noSuchEvents = 'No such events'
export const timelineHint = 'Each session of an agent becomes an entry: what you asked, what it reported.'
export const nothingHereYet = 'Nothing here yet'
export const showOlder = 'Show older'
export const typeOfEvents = 'Type of events'
export const allTypes = 'All types'
export const sessionBefore = 'Session '
export const showAll = 'Show all'
export const onlyThisSession = 'Only this session'
export const secretsRemovedCount = (secrets: string) => `${secrets} removed`
export const deletedFromMemory = (what: string) => `${what} deleted.`
export const deleteFromMemory = 'Delete from memory'
export const deleteEventsWarning = (events: string) =>
  `This removes ${events} for good: the text, and what search knows of it. Agents no longer read it. It cannot be undone.`

// Commits
export const repository = 'Repository'
export const fromTheRepository = 'From the repository'
export const commit = 'Commit'
export const pullRequest = 'Pull request'
export const record = 'Record'
export const takenBackIn = (ref: string) => `Taken back by ${ref}`
export const whatItSays = 'What it says'
export const filesOfCommit = 'Files'
export const writtenByOthers = 'Written in the repository, so not by you alone.'
export const commitComesBack =
  'It comes back if the history is read from its beginning again. Marked as outdated, it stays away.'

export const outdated = 'Outdated'
export const wrong = 'Wrong'
export const marked = (reason: 'outdated' | 'wrong', whole: boolean) =>
  `${reason === 'wrong' ? wrong : outdated}${whole ? '' : ' in part'}`
export const markOutdated = 'Outdated or wrong'
export const mark = 'Mark'
export const markReason = 'What is it?'
export const markPassage = 'Only this passage'
export const markPassageHint = 'Copy whole sentences from the text. Left empty, all of it is marked.'
export const markHint =
  'Agents no longer get it by themselves, also when the same text is captured again. It stays here, and search finds it.'
export const markKept = 'Marked. Agents no longer get it by themselves.'
export const takeMarkBack = 'Take the mark back'
export const markTakenBack = 'Agents may get it again.'

// Transfer dialog
export const preferencesCopied = (preferences: string, project: string) =>
  `${preferences} copied to ${project}.`
export const transferLead =
  'Nothing is written before you confirm. The document before it stays in the timeline.'
export const replaceCounts = (added: number, removed: number) => `Replace: ${added} added, ${removed} removed`
export const copyPreferences = (preferences: string) => `Copy ${preferences}`
export const from = 'From'
export const to = 'To'
export const sourceIsEmpty = (project: string) => `${project} has no preferences yet. Choose another source.`
export const result = 'Result'
export const afterwards = (project: string) => `${project} afterwards`
export const whatToCopy = 'What to copy'
export const replaceTarget = 'Replace what is there'
export const replaceHint = 'Lines that only the target has are removed.'
export const replaceNeedsAll = 'Possible only when everything is copied.'
export const myPreferencesEverywhere = 'My preferences (every project)'
export const emptyDocument = 'Empty.'
export const alreadyThere = 'already there'
