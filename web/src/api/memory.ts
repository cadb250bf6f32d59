import { call } from './client.ts'
import type { Pending } from './types.ts'

export type EventType = 'user_message' | 'agent_report' | 'turn' | 'summary' | 'fact_snapshot'

export type MemoryEvent = {
  raw_id: string
  project_key: string
  event_type: EventType
  title: string | null
  content: string
  session_id: string | null
  client: string | null
  meta: Record<string, unknown> | null
  workspace_id: string
  redactions: { kind: string; count: number }[]
  truncated: boolean
  created_at: string
}

export type MemorySnapshot = {
  project_key: string
  workspace_id: string
  summary: MemoryEvent | null
  facts: MemoryEvent | null
  project_preferences: MemoryEvent | null
  user_preferences: MemoryEvent | null
  recent_events: MemoryEvent[]
  total_events: number
  generated_at: string
}

export type MemoryProject = { project_key: string; aliases: string[]; events: number; last_event_at: string }
export type MemoryHit = MemoryEvent & { snippet: string }

export type TransferInput = {
  source_project_key: string
  target_project_key: string
  confirmed_by_user: true
  items?: string[]
  replace_target?: boolean
  note?: string
  client?: string
}

type EventInput = {
  project_key: string
  event_type: EventType
  content: string
  title?: string
  session_id?: string
  client?: string
  meta?: Record<string, unknown>
}

export const listProjects = call<Pending<{ limit?: number }, { items: MemoryProject[]; total: number }>>(
  'GET /api/v1/project-context/projects',
)
export const readSnapshot = call<
  Pending<{ project_key: string; limit_events?: number; max_chars_per_event?: number }, MemorySnapshot>
>('GET /api/v1/project-context/snapshot')
export const appendEvent = call<Pending<EventInput, MemoryEvent>>('POST /api/v1/project-context/events')
export const readEvent = call<Pending<{ raw_id: string }, MemoryEvent>>(
  'GET /api/v1/project-context/events/{raw_id}',
)
export const deleteEvent = call<Pending<{ raw_id: string }, void>>(
  'DELETE /api/v1/project-context/events/{raw_id}',
)
export const searchMemory = call<
  Pending<
    { project_key: string; query: string; limit?: number; mode?: 'ranked' },
    { items: MemoryHit[]; total: number }
  >
>('GET /api/v1/project-context/search')
export const renameProject = call<
  Pending<
    { project_key: string; new_project_key: string; merge?: boolean },
    { project_key: string; new_project_key: string; moved_events: number }
  >
>('POST /api/v1/project-context/projects/rename')
export const deleteProject = call<
  Pending<{ project_key: string; confirmed_by_user: true }, { project_key: string; deleted_events: number }>
>('DELETE /api/v1/project-context/projects')
export const transferPreferences = call<
  Pending<
    TransferInput,
    { items_copied: string[]; items_skipped: string[]; replaced: boolean; raw_id: string | null }
  >
>('POST /api/v1/project-context/preferences/transfer')
