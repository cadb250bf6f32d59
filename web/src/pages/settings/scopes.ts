import type { Scope } from '../../api/settings.ts'

/** What a key may do, in words. */
export const SCOPES: { value: Scope; may: string }[] = [
  { value: 'search', may: 'Search and read cards, memory and workspaces' },
  { value: 'record', may: 'Write memory, share cards with private teams, give feedback' },
  { value: 'case:write', may: 'Create and edit cards (together with record)' },
  {
    value: 'publish',
    may: 'Publish cards to the library, open them to strangers elsewhere, and take them back',
  },
  { value: 'workspace:write', may: 'Create workspaces, invite and remove people' },
  { value: 'account', may: 'Settings, keys, billing: everything about your account' },
]

/** What the tools need, and nothing of the account. */
export const toolScopes: Scope[] = SCOPES.map((scope) => scope.value).filter((scope) => scope !== 'account')

/** Enough for an agent, without the people and the money. */
export const AGENT_SCOPES: readonly Scope[] = ['search', 'record', 'case:write', 'publish']
