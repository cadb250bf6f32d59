/** The texts of these pages, in English. */

// Kept searches
export const yourSearches = 'Your searches'
export const clearTheHistory = 'Clear the history'
export const forgetSearch = (search: string) => `Forget ${search}`
export const savedBefore = 'Saved:'
export const searchedEarlier = 'Searched before:'
export const searchSaved = 'Saved. You find it in the empty search box and in the palette.'

// Panes
export const cautionAbout = (warning: string) => `Caution: ${warning}`
export const actionCard = 'Action card'
export const copy = 'Copy'
export const fromCard = (title: string) => `from ${title}`
export const onlyYou = 'Only you'
export const openInMemory = 'Open in memory'

// Search bar
export const filtersButton = (count: string) => `Filters${count}`
export const savedRemoveIt = 'Saved; remove it'
export const saveThisSearch = 'Save this search'
export const search = 'Search'
export const searchPlaceholder = 'An error, a question, a goal'
export const clear = 'Clear'
export const tags = 'Tags'
export const tagsHint = 'All of them, separated by commas.'
export const tagsExample = 'postgres, docker'
export const environment = 'Environment'
export const environmentHint = 'Name and version; 20 also finds 20.11.'
export const environmentExample = 'node: 20, os: linux'
export const environmentUnread = 'Write it as name: version'
export const yourWorkspaces = 'Your workspaces'
export const workspace = 'Workspace'
export const allOfMine = 'All of mine'
export const personal = 'Personal'
export const makeActionCard = 'Make an action card'
export const makeActionCardHint = 'One plan from the best hits. Choose it before you search the library.'

// Search page
export const card = 'Card'

// Sections
export const weakHitsOfSection = 'Nothing fits well. These share some words:'
export const weakHitsOnly = 'These only share some words:'
export const mine = 'Mine'
export const team = 'Team'
export const memory = 'Memory'
export const orMore = ' or more'
export const allCardsWithTheseWords = 'All cards with these words'
export const moreHits = (count: string) => `${count} more`
export const searchingForBefore = 'Searching for '
export const searchInstead = (words: string) => `search for ${words} instead`
export const nothingCharged = 'nothing charged'
export const freeSearch = 'free'
export const summary = (results: string, ms: number, charge: string) =>
  [results, `${ms} ms`, charge].filter(Boolean).join(' · ')
export const libraryHasIt = 'Neither your cards, nor your team’s, nor your memory has it. The library has.'
export const fewerWordsHint = (reason: string) => `${reason} Use fewer words or the exact error text`
export const nothingFound = 'Nothing found'
export const dropTheFilters = 'Drop the filters'
export const writeTheCard = 'Write the card'
export const orAskLibrary = ', or ask the library below'
export const library = 'Library'
export const libraryHasNothing = 'The library has nothing on this. Once you have solved it, write the card.'
export const notAskedYet = 'not asked yet'
export const searchLibrary = (price: string) => `Search the library${price}`
export const libraryOffer = (price: string, balance: string) =>
  `${price}, only if it finds something. You have ${balance}.`
export const errorNothingCharged = (error: string) => `${error} Nothing was charged.`
export const getCredits = 'Get credits'
export const outdated = 'Outdated?'
export const onlyWithTag = (tag: string) => `Only with the tag ${tag}`
export const projectOnlyYou = (project: string) => `${project} · Only you`

// Start
export const exampleError = 'connection pool exhausted'
export const exampleGoal = 'how to rotate a signing key'
export const exampleCode = 'ENOSPC inotify watchers'
export const emptyVaultHint =
  'A card is one problem and its solution. Write one by hand, or let your agent record what it solves.'
export const emptyVaultTitle = 'Your vault is empty'
export const writeFirstCard = 'Write the first card'
export const connectYourAgent = 'Connect your agent'
export const orTrySearch = 'Or try a search; the library is its last section: '
export const changedLast = 'Changed last'
export const inYourTeams = 'New in your teams'
export const emptyTeamTitle = 'Your team has shared nothing yet'
export const emptyTeamHint =
  'What you and the agents of your colleagues share appears here. Connect your agent, and it finds and records for the team too.'

// Home
export const waitsForYou = 'Waits for you'
export const nothingWaits = 'Nothing waits for you.'
export const draftsWait = (drafts: string) => `${drafts} to accept or dismiss`
export const unreadWait = (notices: string) => `${notices} in your inbox`
export const cardsToLookAt = (cards: string) => `${cards} of yours to look at again`
export const needSomebody = (team: string, cards: string) => `${team}: ${cards} to look at`
export const workedIn = (team: string) => `What worked in ${team}`
export const workedFor = (person: string) => `worked for ${person}`
export const connectTitle = 'Your agents can use this too'
export const connectHint =
  'One command connects them. They search your cards and those of your team before they debug, and record what they solve.'
export const keyToSearch = 'to search'
export const keyToMove = 'to move'
export const keyForEveryKey = 'for every key'
export const chosenCardOpensHere = 'The card you choose opens here.'
