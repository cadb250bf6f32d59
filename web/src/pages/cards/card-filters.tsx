import {
  FILTER_NAMES,
  type FilterName,
  type FilterWord,
  pick,
  type WordFilters,
  wordsOfFilter,
} from '#server/shared/card-fields.ts'
import { Segmented } from '../../ui/field.tsx'

/** The texts of this file, which is part of the first load. */
const strings = {
  changed: 'Changed',
  created: 'Created',
  mostUseful: 'Most useful',
  title: 'Title',
  track: 'Track',
  all: 'All',
  fixes: 'Fixes',
  knowHow: 'Know-how',
}

/** The labels of the filters by fixed words, and of their words. */
const FILTER_LABELS: { [F in FilterName]: { label: string; words: Record<FilterWord<F>, string> } } = {
  track: { label: strings.track, words: { debug: strings.fixes, build: strings.knowHow } },
}

const labelsOf = (name: FilterName): { label: string; words: Record<string, string> } => FILTER_LABELS[name]

export const filterLabel = (name: FilterName): string => labelsOf(name).label

/** Returns the labels of the chosen words. */
export const chosenLabels = (filters: WordFilters): string[] =>
  FILTER_NAMES.flatMap((name) => {
    const label = labelsOf(name).words[filters[name] ?? '']
    return label === undefined ? [] : [label]
  })

export const readFilters = (raw: Record<string, unknown>): WordFilters =>
  Object.fromEntries(FILTER_NAMES.map((name) => [name, oneOf(raw[name], wordsOfFilter(name))]))

/** Returns the filters in use, as requests have them. */
export const filtersIn = (state: WordFilters): WordFilters =>
  pick(
    state,
    FILTER_NAMES.filter((name) => state[name] !== undefined),
  )

export const NO_WORD_FILTERS: WordFilters = Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined]))

export type ListState = WordFilters & {
  scope?: 'workspace' | undefined
  workspace?: string | undefined
  status?: 'published' | 'unpublished' | undefined
  q?: string | undefined
  tag?: string | undefined
  sort?: Sort | undefined
}

export const SORTS = {
  changed: strings.changed,
  created: strings.created,
  useful: strings.mostUseful,
  title: strings.title,
} as const
export type Sort = keyof typeof SORTS

const text = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) || undefined : undefined
const oneOf = <T extends string>(value: unknown, allowed: readonly T[]): T | undefined =>
  allowed.find((one) => one === value)

export const readListState = (raw: Record<string, unknown>): ListState => ({
  scope: oneOf(raw.scope, ['workspace']),
  workspace: raw.scope === 'workspace' ? text(raw.workspace) : undefined,
  status: oneOf(raw.status, ['published', 'unpublished']),
  ...readFilters(raw),
  q: text(raw.q),
  tag: text(raw.tag),
  sort: oneOf(raw.sort, Object.keys(SORTS) as Sort[]),
})

/**
 * Mine is what the person owns, in any workspace. Team is what teams share, without drafts and private
 * cards of others.
 */
export const scopeInput = ({ scope, workspace }: ListState) =>
  scope === 'workspace'
    ? ({
        scope,
        without_personal: true,
        status: 'published',
        ...(workspace && { workspace_id: workspace }),
      } as const)
    : ({ scope: 'personal' } as const)

export const listOf = ({ workspace_id, type }: { workspace_id: string; type: string }): ListState =>
  type === 'personal' ? {} : { scope: 'workspace', workspace: workspace_id }

/** The scope is not a filter: a team that shares nothing yet is empty. */
export const isFiltered = ({ status, q, tag, ...others }: ListState): boolean =>
  Boolean(status || q || tag || chosenLabels(others).length > 0)

export const NO_FILTERS: Partial<ListState> = {
  ...NO_WORD_FILTERS,
  status: undefined,
  q: undefined,
  tag: undefined,
}

type CardState = { merged_from?: string | undefined }

export const readCardState = (raw: Record<string, unknown>): CardState => ({
  merged_from: text(raw.merged_from),
})

/** The draft of a new card, or its source in memory. */
type NewCardState = {
  draft?: string | undefined
  from?: string | undefined
  also?: string | undefined
}

export const readNewCardState = (raw: Record<string, unknown>): NewCardState => ({
  draft: typeof raw.draft === 'string' && /^[\w-]{1,64}$/.test(raw.draft) ? raw.draft : undefined,
  from: text(raw.from),
  also: text(raw.also),
})

type WordFilterProps = {
  name: FilterName
  filters: WordFilters
  onChange: (filters: WordFilters) => void
}

export function WordFilter({ name, filters, onChange }: WordFilterProps) {
  const { label, words } = labelsOf(name)
  return (
    <Segmented
      label={label}
      value={filters[name] ?? 'all'}
      onChange={(next) => onChange({ [name]: next === 'all' ? undefined : next })}
      options={[
        { value: 'all', label: strings.all },
        ...wordsOfFilter(name).map((word) => ({ value: word, label: words[word] })),
      ]}
    />
  )
}
