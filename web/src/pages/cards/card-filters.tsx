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

export type ListState = {
  scope?: 'workspace' | undefined
  workspace?: string | undefined
  status?: 'published' | 'unpublished' | undefined
  track?: 'debug' | 'build' | undefined
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
  track: oneOf(raw.track, ['debug', 'build']),
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
export const isFiltered = ({ status, track, q, tag }: ListState): boolean =>
  Boolean(status || track || q || tag)

export const NO_FILTERS: Partial<ListState> = {
  status: undefined,
  track: undefined,
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

export function TrackFilter({
  value,
  onChange,
}: {
  value: ListState['track']
  onChange: (value: ListState['track']) => void
}) {
  return (
    <Segmented
      label={strings.track}
      value={value ?? 'all'}
      onChange={(next) => onChange(next === 'all' ? undefined : next)}
      options={[
        { value: 'all', label: strings.all },
        { value: 'debug', label: strings.fixes },
        { value: 'build', label: strings.knowHow },
      ]}
    />
  )
}
