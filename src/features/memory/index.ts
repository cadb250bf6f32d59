export { COMMITS_JOB, learnCommits } from './commit-queue.ts'
export { type FoundCommit, findCommits, projectCommit } from './commit-search.ts'
export { readCommitTexts } from './commit-store.ts'
export { deleteCommit, deleteCommits, learnFromCommits, listCommits, provenanceOfCommit } from './commits.ts'
export { type Conversation, laterThanDocument, remember } from './conversations.ts'
export { indexDifference } from './event-index.ts'
export { FoundEvent, type ShownEvent, searchAllMemory } from './event-search.ts'
export { eventVectors } from './event-vectors.ts'
export { appendEvent, deleteEvent, listEvents, readEvent } from './events.ts'
export { contradictionsOf, type ExcerptLine, excerptOf, sentencesThatAdd, spokenLines } from './excerpt.ts'
export { commitWithoutMarked, type Marked, markedIn, withoutMarked } from './mark-store.ts'
export { listMarks, markPassage, unmarkPassage } from './marks.ts'
export { type CapturedTurn, MINING, MINING_JOB, turnsOfSession } from './mining-queue.ts'
export { transferPreferences } from './preferences.ts'
export {
  appendTurn,
  readSnapshot,
  type Snapshot,
  searchMemory,
  snapshotOf,
} from './project-context.ts'
export {
  deleteProject,
  forgetMemory,
  listProjects,
  type Project,
  type ResolvedProject,
  refuseUnfitKey,
  renameProject,
  resolveProject,
} from './projects.ts'
export { proposeCard, recordFromMemory } from './propose-card.ts'
export { ProjectKey, spread, WorkspaceId } from './schemas.ts'
export { fillEventIndex, readTurnTexts, reindexEvents, reindexRescanned } from './store.ts'
