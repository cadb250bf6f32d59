// The tool table of the interface, written down once more by hand: the registry test compares the declarations with it.

export type Field = {
  required?: true
  type: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'string | string[]'
  default?: unknown
  values?: readonly string[]
  min?: number
  max?: number
}
export type InterfaceTool = {
  scopes: readonly string[]
  readOnly?: true
  destructive?: true
  idempotent?: true
  fields: Record<string, Field>
}

const text: Field = { type: 'string' }
const NEED: Field = { type: 'string', required: true }
const OBJECT: Field = { type: 'object' }
const ARRAY: Field = { type: 'array' }
const EMAIL: Field = { type: 'string', required: true, min: 3, max: 320 }
const flag = (value?: boolean): Field =>
  value === undefined ? { type: 'boolean' } : { type: 'boolean', default: value }
const count = (min: number, max: number, value: number): Field => ({
  type: 'integer',
  min,
  max,
  default: value,
})
const ROLES = ['admin', 'editor', 'viewer'] as const
const ROLE: Field = { type: 'string', values: ROLES, default: 'viewer' }
const KINDS = ['debug_fix', 'how_to', 'lesson_learned', 'decision', 'reference'] as const
const CONFIRMED: Field = { type: 'boolean', required: true }

const CARD_FIELDS = {
  environment: OBJECT,
  root_cause: text,
  steps: ARRAY,
  tags: ARRAY,
  card_payload: OBJECT,
  body: text,
  evidences: ARRAY,
} satisfies Record<string, Field>

export const INTERFACE_TOOLS: Record<string, InterfaceTool> = {
  search_records: {
    scopes: ['search'],
    readOnly: true,
    fields: {
      query: NEED,
      track: { type: 'string', values: ['debug', 'build'] },
      scope: { type: 'string', values: ['personal', 'workspace', 'public'], default: 'personal' },
      workspace_ids: ARRAY,
      tags: ARRAY,
      environment: OBJECT,
      limit: count(1, 20, 5),
      // Added to what the interface names; optional, as every addition is.
      min_score: { type: 'number', min: 0, max: 1 },
    },
  },
  get_card: { scopes: ['search'], readOnly: true, fields: { card_id: NEED, include_evidences: flag(true) } },
  get_ai_guide: { scopes: ['search'], readOnly: true, fields: { base_url: text } },
  list_workspaces: { scopes: ['search'], readOnly: true, fields: { include_public: flag(false) } },
  create_workspace: {
    scopes: ['workspace:write'],
    fields: {
      name: { type: 'string', required: true, min: 1, max: 120 },
      type: { type: 'string', values: ['org', 'personal'], default: 'org' },
      visibility: { type: 'string', values: ['private', 'unlisted', 'public'], default: 'private' },
      policy_json: OBJECT,
    },
  },
  add_workspace_member_by_email: {
    scopes: ['workspace:write'],
    fields: { workspace_id: NEED, email: EMAIL, role: ROLE },
  },
  list_workspace_members: { scopes: ['search'], readOnly: true, fields: { workspace_id: NEED } },
  update_workspace_member_role: {
    scopes: ['workspace:write'],
    fields: { workspace_id: NEED, user_id: NEED, role: { type: 'string', values: ROLES, required: true } },
  },
  remove_workspace_member: {
    scopes: ['workspace:write'],
    destructive: true,
    fields: { workspace_id: NEED, user_id: NEED },
  },
  invite_workspace_member: {
    scopes: ['workspace:write'],
    fields: { workspace_id: NEED, email: EMAIL, role: ROLE },
  },
  list_workspace_invites: {
    scopes: ['workspace:write'],
    readOnly: true,
    fields: { workspace_id: NEED, include_history: flag(false) },
  },
  resend_workspace_invite: { scopes: ['workspace:write'], fields: { workspace_id: NEED, invite_id: NEED } },
  revoke_workspace_invite: {
    scopes: ['workspace:write'],
    destructive: true,
    fields: { workspace_id: NEED, invite_id: NEED },
  },
  accept_workspace_invite: {
    scopes: ['workspace:write'],
    fields: { token: { type: 'string', required: true, min: 10, max: 400 } },
  },
  get_project_context: {
    scopes: ['search'],
    readOnly: true,
    fields: {
      project_key: NEED,
      workspace_id: text,
      limit_events: count(1, 100, 20),
      max_chars_per_event: count(200, 20000, 2000),
    },
  },
  search_project_context: {
    scopes: ['search'],
    readOnly: true,
    fields: { project_key: NEED, query: NEED, workspace_id: text, limit: count(1, 50, 10) },
  },
  record_card: {
    scopes: ['record', 'case:write'],
    fields: {
      title: NEED,
      symptom: NEED,
      fix_summary: NEED,
      workspace_id: text,
      card_type: { type: 'string', values: KINDS, default: 'debug_fix' },
      ...CARD_FIELDS,
    },
  },
  append_context_event: {
    scopes: ['record'],
    fields: {
      project_key: NEED,
      event_type: {
        type: 'string',
        required: true,
        values: ['user_message', 'agent_report', 'turn', 'summary', 'fact_snapshot'],
      },
      content: NEED,
      workspace_id: text,
      title: text,
      session_id: text,
      client: text,
      meta: OBJECT,
    },
  },
  append_context_turn: {
    scopes: ['record'],
    fields: {
      project_key: NEED,
      user_message: NEED,
      agent_report: NEED,
      workspace_id: text,
      summary: { type: 'string | string[]' },
      facts: { type: 'string | string[]' },
      project_preferences: { type: 'string | string[]' },
      title: text,
      session_id: text,
      client: text,
      meta: OBJECT,
    },
  },
  transfer_preferences: {
    scopes: ['record'],
    fields: {
      source_project_key: NEED,
      target_project_key: NEED,
      confirmed_by_user: CONFIRMED,
      workspace_id: text,
      items: ARRAY,
      replace_target: flag(false),
      note: text,
      client: text,
    },
  },
  delete_context_event: {
    scopes: ['record'],
    destructive: true,
    fields: { raw_id: NEED, confirmed_by_user: CONFIRMED, client: text },
  },
  update_card: {
    scopes: ['record', 'case:write'],
    fields: {
      card_id: NEED,
      card_type: { type: 'string', values: KINDS },
      title: text,
      symptom: text,
      fix_summary: text,
      scope_notes: text,
      ...CARD_FIELDS,
    },
  },
  publish_card: { scopes: ['publish'], fields: { card_id: NEED, target_workspace_id: text } },
  share_card: { scopes: ['record'], idempotent: true, fields: { card_id: NEED } },
  unpublish_card: { scopes: ['publish'], fields: { card_id: NEED } },
}

export const CORE_PROFILE = [
  'search_records',
  'get_card',
  'record_card',
  'update_card',
  'get_project_context',
  'append_context_turn',
  'get_ai_guide',
  'verify_card',
  'recall',
  'search_project_context',
]

/** Optional inputs that we add to tools of the interface. */
export const ADDED_FIELDS: Record<string, string[]> = {
  search_records: ['include_workspaces'],
  get_project_context: ['max_total_chars'],
}

/** Tools that extend the interface, in the order in which the manifest lists them. */
export const EXTENSION_TOOLS = ['get_context_event', 'verify_card', 'recall']
