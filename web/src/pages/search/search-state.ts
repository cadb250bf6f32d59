import type { WordFilters } from '#server/shared/card-fields.ts'
import type { BoxInput } from '../../api/types.ts'
import { filtersIn, NO_WORD_FILTERS, readFilters } from '../cards/card-filters.tsx'

/** The state of the page in the address bar, so that reload, back and sharing work. */
export type SearchState = WordFilters & {
  q?: string | undefined
  workspace?: string | undefined
  tags?: string | undefined
  env?: string | undefined
  plan?: boolean | undefined
  card?: string | undefined
  event?: string | undefined
}

const text = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined

export const readSearch = (raw: Record<string, unknown>): SearchState => ({
  q: text(raw.q),
  workspace: text(raw.workspace),
  tags: text(raw.tags),
  env: text(raw.env),
  ...readFilters(raw),
  plan: raw.plan === true || undefined,
  card: text(raw.card),
  event: text(raw.event),
})

export const listOf = (value: string | undefined) =>
  (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

/** Reads "node: 20" and "node 20" as name and version. */
function pairOf(part: string): [string, string] | undefined {
  const [, name, version] =
    /^([^:=]*[^:=\s])\s*[:=]\s*(.+)$/.exec(part) ?? /^([^:=]+)\s+([^:=\s]+)$/.exec(part) ?? []
  return name && version ? [name.trim(), version] : undefined
}

/** Reads "node: 20, os linux" as the filter object; incomplete parts are left out. */
export const environmentOf = (value: string | undefined): Record<string, string> =>
  Object.fromEntries(
    listOf(value)
      .map(pairOf)
      .filter((pair) => pair !== undefined),
  )

export const hasUnreadEnvironment = (value: string | undefined): boolean =>
  listOf(value).some((part) => !pairOf(part))

export const NO_FILTERS = { ...NO_WORD_FILTERS, tags: undefined, env: undefined, workspace: undefined }

/** Returns the filters in use, as the address has them. */
export const usedFilters = ({ tags, env, workspace, ...others }: SearchState) => ({
  ...(tags && { tags }),
  ...(env && { env }),
  ...filtersIn(others),
  ...(workspace && { workspace }),
})

export const NOTHING_CHOSEN = { card: undefined, event: undefined }

export const HITS_AT_ONCE = 20

export function searchInput(state: SearchState): BoxInput {
  const tags = listOf(state.tags)
  const environment = environmentOf(state.env)
  return {
    query: (state.q ?? '').trim(),
    ...(state.workspace ? { workspace_ids: [state.workspace] } : {}),
    ...(tags.length ? { tags } : {}),
    ...(Object.keys(environment).length ? { environment } : {}),
    ...filtersIn(state),
    ...(state.plan ? { generate_action_card: true } : {}),
  }
}

/** Asks for all hits at once: asking for more later would be charged again. */
export function librarySearchInput(state: SearchState): BoxInput {
  const { workspace_ids: _, ...question } = searchInput(state)
  return { ...question, sections: ['library'], limit: 1000 }
}

/** The part of a query that is paid for. A plan is made from the same hits at no extra cost. */
export const paidInput = ({ generate_action_card: _, ...question }: BoxInput): BoxInput => question

/** Two halves of 32 bits, enough to tell the queries of one person and day apart. */
function hashOf(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9e3779b9]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 0x01000193)
    b = Math.imul(b ^ code, 0x85ebca6b) ^ (b >>> 13)
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('')
}

/** Made from query, filters and day, so that the server charges a query once a day, in all windows. */
export const idempotencyKey = (question: BoxInput, now: Date): string => {
  const text = JSON.stringify(paidInput(question))
  return `library-${now.toISOString().slice(0, 10)}-${text.length}-${hashOf(text)}`
}

export const quoted = (query: string, words: readonly string[]): string =>
  query.replace(/[\p{L}\p{N}\p{M}_]+/gu, (word) =>
    words.includes(word.normalize('NFKC').toLowerCase()) ? `+"${word}"` : word,
  )
