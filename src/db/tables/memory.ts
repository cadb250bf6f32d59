import type { Generated } from 'kysely'

export type ContextEventType = 'user_message' | 'agent_report' | 'turn' | 'summary' | 'fact_snapshot'

/** What the event is in the snapshot: part of the recent window, or a document that the next of its kind replaces. */
export type ContextSlot = 'recent' | 'summary' | 'facts' | 'preferences'

export type ContextProjectsTable = {
  project_id: string
  user_id: string
  workspace_id: string
  /** The canonical key that answers carry. */
  project_key: string
  /** Null while the host of an `org/repo` is not known, and for keys that are no repository. */
  host: string | null
  events: number
  last_event_at: string | null
  created_at: string
}

/** Every spelling, after normalisation, that finds the project. */
export type ContextProjectAliasesTable = {
  user_id: string
  workspace_id: string
  alias: string
  project_id: string
}

export type ContextPartitionsTable = {
  partition_no: Generated<number>
  user_id: string
  project_id: string
  last_seq: number
}

export type ContextEventsTable = {
  /** partition_no and the position in the partition, see features/memory/events.search.ts. */
  event_no: number
  raw_id: string
  user_id: string
  project_id: string
  workspace_id: string
  event_type: ContextEventType
  slot: ContextSlot
  created_at: string
  title: string | null
  session_id: string | null
  client: string | null
  meta: string | null
  redactions: string
  content: string
  /** Title and content without their case, for the substring search. */
  search_text: string
}

export type RawMaterialsTable = {
  raw_id: string
  owner_id: string
  workspace_id: string
  kind: string
  title: string | null
  source_url: string | null
  tags: string
  meta: string | null
  redactions: string
  created_at: string
  content: string
}
