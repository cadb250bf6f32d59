export const SCOPES = ['search', 'record', 'case:write', 'publish', 'workspace:write', 'account'] as const

/**
 * Lets a program on a person's computer make keys for the agents there. An app can be granted it, and nothing else carries
 * it: it is not a scope of a key. A key makes keys only with `account`.
 */
export const AGENT_KEYS = 'agent-keys'

export type Scope = (typeof SCOPES)[number] | typeof AGENT_KEYS

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
