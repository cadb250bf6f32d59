/** The public interface of the index. DESIGN.md in this folder explains how it works. */
export {
  countWords,
  type DocumentTexts,
  type DocumentWords,
  MAX_FURTHER_WORDS,
  type SearchDocument,
  type WeighedText,
} from './document.ts'
export { findBest, type RankedMatches } from './find-best.ts'
export {
  documentsByNumber,
  documentsNamedBy,
  type IndexView,
  numbersOf,
  viewIndex,
  wordsOfDocuments,
} from './index-store.ts'
export { isNumberOfCode, type LikeWord, likeWords, type Vocabulary } from './like-words.ts'
export {
  type Candidate,
  type Match,
  MINOR_LEVEL,
  PROMINENT_LEVEL,
  PUBLIC_FILTER,
  passes,
  positionOf,
  type Without,
} from './packing.ts'
export { type SearchTuning, usualTuning } from './postings.ts'
export { fuse, matches, ranked, type Scored, type Wanted } from './score.ts'
export { strayEntries, wronglyIndexed, wronglyListed } from './verify.ts'
export {
  countsInDocuments,
  countsInLists,
  countsInPublic,
  type VisibleCount,
  type VisibleCounts,
} from './visible-counts.ts'
export { foldChanges } from './vocabulary.ts'
export { maintainIndex, putDocuments, refilterDocuments, removeDocuments } from './write.ts'
