export {
  byTrust,
  type FoundCards,
  findOwnAndTeam,
  type Information,
  lookInLibrary,
} from './hits.ts'
export { cardVectors } from './meaning.ts'
export type { FoundCard } from './results.ts'
export { EnvironmentAsked } from './schemas.ts'
export { searchCards } from './search.ts'
export { searchEverywhere } from './search-box.ts'
export {
  clearSearchHistory,
  forgetHistory,
  forgetSearch,
  listKeptSearches,
  rememberSearch,
  saveSearch,
} from './search-history.ts'
export {
  dropOldMissedSearches,
  forgetMissedSearches,
  missedByWeek,
  missedSearches,
  missedSearchSubscribers,
} from './search-misses.ts'
