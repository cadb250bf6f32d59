export { indexDifference } from './event-index.ts'
export { FoundEvent, type ShownEvent, searchAllMemory } from './event-search.ts'
export { eventVectors } from './event-vectors.ts'
export { appendEvent, deleteEvent, listEvents, readEvent } from './events.ts'
export { type CapturedTurn, MINING, MINING_JOB, turnsOfSession } from './mining-queue.ts'
export { transferPreferences } from './preferences.ts'
export {
  appendTurn,
  eventsFor,
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
