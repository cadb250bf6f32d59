import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { FileText, Plus, Users } from 'lucide-react'
import { type MouseEvent, type ReactNode, useRef, useState } from 'react'
import { call } from '../../api/client.ts'
import type { ListedCard } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { neighbourGetsFocus } from '../../lib/focus.ts'
import { formatAgo, formatNumber, plural } from '../../lib/format.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, PartNotLoaded, Skeleton, SkeletonList } from '../../ui/states.tsx'
import { AddSamples, SampleNotice } from '../first-steps/first-steps.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import { typeOf } from './card-badges.tsx'
import { filtersIn, isFiltered, type ListState, NO_FILTERS, scopeInput } from './card-filters.tsx'
import { CardRows, ListFilters, type ListInput, useFirstPage } from './card-list.tsx'
import { CardTabs } from './card-tabs.tsx'
import { ShareDialog } from './lazy-parts.tsx'
import * as strings from './strings.ts'

const route = getRouteApi('/app/cards')

const inputOf = (state: ListState): ListInput => ({
  ...(state.status && { status: state.status }),
  ...scopeInput(state),
  ...filtersIn(state),
  ...(state.q && { contains: state.q }),
  ...(state.tag && { tag: state.tag }),
  sort: state.sort ?? 'changed',
})

const NONE: ReadonlyMap<string, ListedCard> = new Map()

export function MyCards() {
  const state = route.useSearch()
  const navigate = route.useNavigate()
  const [chosen, setChosen] = useState(NONE)
  const change = (next: Partial<ListState>) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true })
  const isTeam = state.scope === 'workspace'
  const input = inputOf(state)
  const list = JSON.stringify(input)
  const [chosenIn, setChosenIn] = useState(list)
  // Cards that are out of sight in another list are not chosen.
  if (chosenIn !== list) {
    setChosenIn(list)
    setChosen(NONE)
  }
  const first = useFirstPage(input)
  const toggle = (card: ListedCard) => {
    const next = new Map(chosen)
    if (!next.delete(card.card_id)) next.set(card.card_id, card)
    setChosen(next)
  }
  const choosable = first.data?.items.filter((card) => card.can_edit) ?? []
  return (
    <Page
      title={isTeam ? strings.teamCards : strings.myCards}
      lead={isTeam ? strings.teamCardsLead : strings.myCardsLead}
      actions={
        <>
          <LinkButton to="/review">{strings.reviewQueue}</LinkButton>
          {/* On a wide screen the side bar has this button. */}
          <LinkButton to="/cards/new" look="primary" className="md:hidden">
            <Plus size={14} aria-hidden />
            {strings.newCard}
          </LinkButton>
        </>
      }
    >
      <CardTabs shown={isTeam ? 'team' : 'mine'} />
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_--spacing(70)]">
        <div className="min-w-0">
          <CardFilters
            state={state}
            change={change}
            isEmpty={first.data?.total === 0 && !isFiltered(state)}
          />
          <SampleNotice />
          {!first.data ? (
            <NotLoaded query={first}>
              <SkeletonList />
            </NotLoaded>
          ) : first.data.total === 0 ? (
            <NoCards state={state} change={change} />
          ) : (
            <>
              <BulkBar
                chosen={chosen}
                total={first.data.total}
                choosable={choosable.length}
                onAll={() => setChosen(new Map(choosable.map((card) => [card.card_id, card])))}
                onLeft={(left) =>
                  setChosen(
                    (all) => new Map([...all].filter(([id]) => left.some((card) => card.card_id === id))),
                  )
                }
              />
              <CardRows
                input={input}
                total={first.data.total}
                chosen={chosen}
                onChoose={toggle}
                tags={{ to: '/cards', state }}
                showOwner={isTeam}
              />
            </>
          )}
        </div>
        <CardStatsPanel state={state} />
      </div>
    </Page>
  )
}

type Filtered = { state: ListState; change: (next: Partial<ListState>) => void }

function CardFilters({ state, change, isEmpty }: Filtered & { isEmpty: boolean }) {
  const isTeam = state.scope === 'workspace'
  return (
    <ListFilters state={state} change={change} sort="changed" isEmpty={isEmpty}>
      {isTeam ? (
        <WorkspaceFilter value={state.workspace} onChange={(workspace) => change({ workspace })} />
      ) : isEmpty ? null : (
        <Select
          aria-label={strings.statusLabel}
          className="w-auto!"
          value={state.status ?? ''}
          onChange={(event) => change({ status: (event.target.value || undefined) as ListState['status'] })}
        >
          <option value="">{strings.anyStatus}</option>
          <option value="unpublished">{strings.privateAndDrafts}</option>
          <option value="published">{strings.sharedOrPublished}</option>
        </Select>
      )}
    </ListFilters>
  )
}

function useReadsOnly({ scope, workspace }: ListState): boolean {
  const workspaces = useQuery(workspacesQuery).data?.items ?? []
  const teams = workspaces.filter(
    (one) => one.type !== 'personal' && (!workspace || one.workspace_id === workspace),
  )
  return scope === 'workspace' && teams.length > 0 && teams.every(({ role }) => role === 'viewer')
}

function NoCards({ state, change }: Filtered) {
  const filtered = isFiltered(state)
  const isTeam = state.scope === 'workspace'
  const readsOnly = useReadsOnly(state)
  return (
    <EmptyState
      icon={<FileText size={18} />}
      title={filtered ? strings.noCardFitsFilters : isTeam ? strings.nothingSharedYet : strings.noCardsYet}
      action={
        filtered ? (
          <Button onClick={() => change(NO_FILTERS)}>{strings.dropTheFilters}</Button>
        ) : readsOnly ? undefined : (
          <div className="flex flex-wrap justify-center gap-2">
            <LinkButton to="/cards/new" look="primary">
              {strings.writeACard}
            </LinkButton>
            {!isTeam && <AddSamples />}
          </div>
        )
      }
      example={
        !filtered && (
          <>
            <span className="block font-medium text-ink">{strings.titleExample}</span>
            {strings.cardExample}
          </>
        )
      }
    >
      {filtered
        ? strings.changeFilterHint
        : readsOnly
          ? strings.teamCardsViewerHint
          : isTeam
            ? strings.teamCardsHint
            : strings.myCardsHint}
    </EmptyState>
  )
}

function WorkspaceFilter({
  value,
  onChange,
}: {
  value: string | undefined
  onChange: (value: string | undefined) => void
}) {
  const workspaces = useQuery(workspacesQuery)
  return (
    <PartNotLoaded what={strings.yourTeams} query={workspaces}>
      <Select
        aria-label={strings.workspace}
        className="w-auto! max-w-48"
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value || undefined)}
      >
        <option value="">{strings.allMyTeams}</option>
        {workspaces.data?.items
          .filter((workspace) => workspace.type !== 'personal')
          .map((workspace) => (
            <option key={workspace.workspace_id} value={workspace.workspace_id}>
              {workspace.name}
            </option>
          ))}
      </Select>
    </PartNotLoaded>
  )
}

type Props = {
  chosen: ReadonlyMap<string, ListedCard>
  total: number
  choosable: number
  onAll: () => void
  onLeft: (cards: readonly Pick<ListedCard, 'card_id'>[]) => void
}

function BulkBar({ chosen, total, choosable, onAll, onLeft }: Props) {
  const [asking, setAsking] = useState(false)
  const cards = [...chosen.values()]
  // Back leads to another list, where no card is chosen.
  if (asking && cards.length === 0) setAsking(false)
  const bar = useRef<HTMLDivElement>(null)
  /** Moves the focus to the buttons that replace those for choosing. */
  const then = (run: () => void) => (event: MouseEvent<Element>) => {
    neighbourGetsFocus(event.currentTarget, () => (bar.current ? [bar.current] : []))
    run()
  }
  return (
    <div
      ref={bar}
      className={cx(
        'flex min-h-8 flex-wrap items-center gap-2 pb-1 text-sm',
        // Stays in reach while cards far down the list are chosen.
        cards.length > 0 && 'sticky top-0 z-10 bg-page py-1',
      )}
    >
      <span role="status" className={cards.length > 0 ? 'font-medium' : 'text-xs text-faint'}>
        {cards.length > 0 ? `${plural(cards.length, 'card')} chosen` : plural(total, 'card')}
      </span>
      {cards.length > 0 ? (
        <>
          <Button size="sm" onClick={() => setAsking(true)}>
            <Users size={14} aria-hidden />
            {strings.shareCardsPending(plural(cards.length, 'card'))}
          </Button>
          <Button size="sm" look="ghost" onClick={then(() => onLeft([]))}>
            {strings.clear}
          </Button>
        </>
      ) : (
        choosable > 1 && (
          <Button look="ghost" size="sm" className="ml-auto" onClick={then(onAll)}>
            {strings.chooseFirst(choosable)}
          </Button>
        )
      )}
      {asking && <ShareDialog cards={cards} onClose={() => setAsking(false)} onShared={onLeft} />}
    </div>
  )
}

function CardStatsPanel({ state }: { state: ListState }) {
  const whose = scopeInput(state)
  const stats = useQuery({
    queryKey: ['cards', 'stats', whose],
    queryFn: () => call('GET /api/v1/cards/stats', whose),
  })
  if (!stats.data && stats.error) return null
  if (!stats.data)
    return (
      <aside aria-label={strings.numbers} className="grid content-start gap-3">
        <Skeleton className="h-6 w-1/2" />
        <Skeleton className="w-full" />
        <Skeleton className="w-3/4" />
      </aside>
    )
  const { total, published, unpublished, by_type, top_tags, feedback, last_activity_at } = stats.data
  if (total === 0) return null
  const types = Object.entries(by_type).filter(([, count]) => count > 0)
  return (
    <aside aria-label={strings.numbers} className="grid content-start gap-6">
      <dl className="grid grid-cols-3 gap-3">
        <Figure name="Cards" value={total} />
        {whose.scope === 'personal' && (
          <>
            <Figure name="Shared" value={published} />
            <Figure name="Not shared" value={unpublished} />
          </>
        )}
      </dl>
      {whose.scope === 'personal' && <Split published={published} total={total} />}
      {types.length > 0 && (
        <Block title={strings.byType}>
          <Bars
            label={strings.cardsByType}
            rows={types
              .toSorted((a, b) => b[1] - a[1])
              .map(([type, value]) => ({ name: typeOf(type).label, value }))}
          />
        </Block>
      )}
      {top_tags.length > 0 && (
        <Block title={strings.mostUsedTags}>
          <Bars
            label={strings.mostUsedTags}
            rows={top_tags.slice(0, 6).map(({ tag, count }) => ({ name: tag, value: count }))}
            link={(tag) => (
              <Link
                to="/cards"
                search={{ ...state, tag }}
                aria-label={strings.onlyWithTag(tag)}
                className="rounded-sm hover:text-ink hover:underline"
              >
                {tag}
              </Link>
            )}
          />
        </Block>
      )}
      {feedback.useful + feedback.not_applicable + feedback.outdated > 0 && (
        <Block title={strings.didTheyWork}>
          <Bars
            label={strings.didTheyWork}
            rows={[
              { name: strings.worked, value: feedback.useful },
              { name: strings.failed, value: feedback.not_applicable },
              { name: strings.outdated, value: feedback.outdated },
            ]}
          />
        </Block>
      )}
      {last_activity_at && (
        <p className="text-xs text-faint">{strings.lastChange(formatAgo(last_activity_at))}</p>
      )}
    </aside>
  )
}

const Figure = ({ name, value }: { name: string; value: number }) => (
  <div className="flex flex-col-reverse">
    <dt className="text-xs text-faint">{name}</dt>
    <dd className="text-lg font-semibold tabular-nums">{formatNumber(value)}</dd>
  </div>
)

const Block = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <h2 className="mb-2 text-xs font-medium text-faint">{title}</h2>
    {children}
  </section>
)

const Split = ({ published, total }: { published: number; total: number }) => (
  <div
    role="img"
    aria-label={strings.sharedOfTotal(published, total)}
    className="-mt-3 flex h-1.5 overflow-hidden rounded-full bg-sunken"
  >
    <span className="bg-ok" style={{ width: `${(published / total) * 100}%` }} />
  </div>
)

type BarsProps = {
  label: string
  rows: { name: string; value: number }[]
  link?: (name: string) => ReactNode
}

function Bars({ label, rows, link }: BarsProps) {
  const most = Math.max(1, ...rows.map((row) => row.value))
  return (
    <ul aria-label={label} className="grid gap-2">
      {rows.map((row) => (
        <li
          key={row.name}
          className="grid grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)_auto] items-center gap-3 text-sm"
        >
          <span className="truncate text-soft">{link ? link(row.name) : row.name}</span>
          <span aria-hidden className="h-1.5 overflow-hidden rounded-full bg-sunken">
            <span
              className="block h-full rounded-full bg-accent"
              style={{ width: `${(row.value / most) * 100}%` }}
            />
          </span>
          <span className="min-w-6 text-right tabular-nums">{formatNumber(row.value)}</span>
        </li>
      ))}
    </ul>
  )
}
