export const SCOPES = ['search', 'record', 'case:write', 'publish', 'workspace:write', 'account'] as const

export type Scope = (typeof SCOPES)[number]

/** What agents and apps need: every tool, and nothing of the account (keys, settings, billing). */
export const TOOL_SCOPES = [
  'search',
  'record',
  'case:write',
  'publish',
  'workspace:write',
] as const satisfies readonly Scope[]

/** Any credential will do, whatever it carries. */
export const ANY_SCOPE: readonly Scope[] = []
