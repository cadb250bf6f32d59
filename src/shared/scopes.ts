export const SCOPES = ['search', 'record', 'case:write', 'publish', 'workspace:write', 'account'] as const

/** Only an app's grant can carry this scope; an API key makes keys only with `account`. */
export const AGENT_KEYS = 'agent-keys'

export type Scope = (typeof SCOPES)[number] | typeof AGENT_KEYS

/** Scopes for agents and apps: every tool, but no access to the account (keys, settings, billing). */
export const TOOL_SCOPES = [
  'search',
  'record',
  'case:write',
  'publish',
  'workspace:write',
] as const satisfies readonly Scope[]

export const ANY_SCOPE: readonly Scope[] = []
