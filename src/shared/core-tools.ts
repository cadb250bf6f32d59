import type { Scope } from './scopes.ts'

/** The smaller tool profile, for clients to which every listed tool costs tokens. `kvault connect` gives it to agents. */
export const CORE_TOOL_NAMES = [
  'search_records',
  'get_card',
  'record_card',
  'update_card',
  'verify_card',
  'recall',
  'get_project_context',
  'search_project_context',
  'append_context_turn',
  'get_ai_guide',
] as const

/** The scopes of the core tools: search, record and edit cards; neither publishing nor members. */
export const CORE_SCOPES = ['search', 'record', 'case:write'] as const satisfies readonly Scope[]
