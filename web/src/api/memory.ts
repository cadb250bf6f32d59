import type { OutputOf } from '#server/core/capability.ts'
import type {
  appendEvent as AppendEvent,
  deleteEvent as DeleteEvent,
  listEvents as ListEvents,
  readEvent as ReadEvent,
} from '#server/features/memory/events.ts'
import type { transferPreferences as TransferPreferences } from '#server/features/memory/preferences.ts'
import type {
  readSnapshot as ReadSnapshot,
  searchMemory as SearchMemory,
} from '#server/features/memory/project-context.ts'
import type {
  deleteProject as DeleteProject,
  listProjects as ListProjects,
  renameProject as RenameProject,
} from '#server/features/memory/projects.ts'
import type {
  proposeCard as ProposeCard,
  recordFromMemory as RecordFromMemory,
} from '#server/features/memory/propose-card.ts'
import { call } from './client.ts'

/** An event as lists show it; a single event also has its provenance. */
export type MemoryEvent = Omit<OutputOf<typeof ReadEvent>, 'provenance'>
export type EventType = MemoryEvent['event_type']
export type MemoryProject = OutputOf<typeof ListProjects>['items'][number]
export type MemorySearchAnswer = OutputOf<typeof SearchMemory>
export type MemoryHit = MemorySearchAnswer['results'][number]
export type CardProposal = OutputOf<typeof ProposeCard>

export const listProjects = call<typeof ListProjects>('GET /api/v1/project-context/projects')
export const readSnapshot = call<typeof ReadSnapshot>('GET /api/v1/project-context/snapshot')
export const listEvents = call<typeof ListEvents>('GET /api/v1/project-context/events')
export const appendEvent = call<typeof AppendEvent>('POST /api/v1/project-context/events')
export const readEvent = call<typeof ReadEvent>('GET /api/v1/project-context/events/{raw_id}')
export const deleteEvent = call<typeof DeleteEvent>('DELETE /api/v1/project-context/events/{raw_id}')
export const proposeCard = call<typeof ProposeCard>(
  'POST /api/v1/project-context/events/{raw_id}/card-proposal',
)
export const recordFromMemory = call<typeof RecordFromMemory>(
  'POST /api/v1/project-context/events/{raw_id}/card',
)
export const searchMemory = call<typeof SearchMemory>('GET /api/v1/project-context/search')
export const renameProject = call<typeof RenameProject>('POST /api/v1/project-context/projects/rename')
export const deleteProject = call<typeof DeleteProject>('DELETE /api/v1/project-context/projects')
export const transferPreferences = call<typeof TransferPreferences>(
  'POST /api/v1/project-context/preferences/transfer',
)
