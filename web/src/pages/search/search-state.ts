import type { SearchInput } from '../../api/search.ts'
import type { Scope, SearchResult } from '../../api/types.ts'

/** What the address bar holds: the whole state of the page, so that reload, back and sharing work. */
export type SearchState = {
  q?: string | undefined
  scope?: Scope | undefined
  workspace?: string | undefined
  tags?: string | undefined
  env?: string | undefined
  track?: 'debug' | 'build' | undefined
  plan?: boolean | undefined
  card?: string | undefined
}

const text = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined
const SCOPES: readonly string[] = ['workspace', 'public']

export const readSearch = (raw: Record<string, unknown>): SearchState => ({
  q: text(raw.q),
  scope: SCOPES.includes(String(raw.scope)) ? (raw.scope as Scope) : undefined,
  workspace: text(raw.workspace),
  tags: text(raw.tags),
  env: text(raw.env),
  track: raw.track === 'debug' || raw.track === 'build' ? raw.track : undefined,
  plan: raw.plan === true || undefined,
  card: text(raw.card),
})

export const listOf = (value: string | undefined) =>
  (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

/** "node: 20, os: linux" as the filter object; parts without a name or a value are left out. */
export function environmentOf(value: string | undefined): Record<string, string> {
  const pairs = listOf(value).map((part) => part.split(/[:=]/, 2).map((side) => side.trim()))
  return Object.fromEntries(pairs.filter((pair): pair is [string, string] => Boolean(pair[0] && pair[1])))
}

export function searchInput(state: SearchState): SearchInput {
  const tags = listOf(state.tags)
  const environment = environmentOf(state.env)
  return {
    query: (state.q ?? '').trim(),
    scope: state.scope ?? 'personal',
    limit: 30,
    ...(state.scope === 'workspace' && state.workspace ? { workspace_ids: [state.workspace] } : {}),
    ...(tags.length ? { tags } : {}),
    ...(Object.keys(environment).length ? { environment } : {}),
    ...(state.track ? { track: state.track } : {}),
    ...(state.plan ? { generate_action_card: true } : {}),
  }
}

/** The query with these words in quotation marks, so that they are searched as they are. */
export const quoted = (query: string, words: readonly string[]): string =>
  query.replace(/[\p{L}\p{N}\p{M}_]+/gu, (word) =>
    words.includes(word.normalize('NFKC').toLowerCase()) ? `"${word}"` : word,
  )

export const HIT_REASONS: Record<SearchResult['hit_reason'], string> = {
  free_personal_scope: 'Your card, free',
  free_workspace_scope: 'Team card, free',
  free_own_card: 'Your own card in the library, free',
  public_hit_charged: 'Library hit, part of this search’s price',
  credits_off: 'Free on this server',
}
