/** All of the index that others use. DESIGN.md beside this file says how it works. */
export {
  countWords,
  type DocumentTexts,
  type DocumentWords,
  MAX_FURTHER_WORDS,
  type SearchDocument,
  type WeighedText,
} from './document.ts'
export { type Found, findBest } from './find-best.ts'
export { fuse } from './fusion.ts'
export { documentsByNumber, documentsNamedBy, numbersOf } from './index.store.ts'
export { type IndexView, viewIndex } from './index-view.ts'
export { Kept } from './kept.ts'
export { isNumberOfCode, type LikeWord, likeWords, type Vocabulary } from './like-words.ts'
export { maintainIndex } from './maintain.ts'
export { type Match, passes, type Without } from './match.ts'
export type { Candidate } from './packing.ts'
export { PUBLIC_FILTER } from './public-documents.ts'
export { putDocuments, refilterDocuments, removeDocuments } from './put.ts'
export { wordsOfDocuments } from './scope-words.ts'
export { matches, ranked, type Scored, type Wanted } from './score.ts'
export { positionOf } from './sorted-numbers.ts'
export { MINOR_LEVEL, PROMINENT_LEVEL } from './term-levels.ts'
export { type SearchTuning, usualTuning } from './tuning.ts'
export { strayEntries, wronglyIndexed, wronglyListed } from './verify.ts'
export {
  countsInDocuments,
  countsInLists,
  countsInPublic,
  type VisibleCount,
  type VisibleCounts,
} from './visible-counts.ts'
export { foldChanges } from './vocabulary.ts'
