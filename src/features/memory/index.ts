export { type Conversation, laterThanDocument, remember } from './conversations.ts'
export { indexDifference } from './event-index.ts'
export { FoundEvent, type ShownEvent, searchAllMemory } from './event-search.ts'
export { appendEvent, deleteEvent, listEvents, readEvent } from './events.ts'
export { contradictionsOf, type ExcerptLine, excerptOf, spokenLines } from './excerpt.ts'
export { type Marked, markedIn, withoutMarked } from './mark-store.ts'
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
  type ResolvedProject,
  refuseUnfitKey,
  renameProject,
  resolveProject,
} from './projects.ts'
export { proposeCard, recordFromMemory } from './propose-card.ts'
export { ProjectKey, spread } from './schemas.ts'
export { fillEventIndex, reindexEvents, reindexRescanned } from './store.ts'
