export const SCOPES = ['search', 'record', 'case:write', 'publish', 'workspace:write', 'account'] as const

export type Scope = (typeof SCOPES)[number]

/** Any credential will do, whatever it carries. */
export const ANY_SCOPE: readonly Scope[] = []
