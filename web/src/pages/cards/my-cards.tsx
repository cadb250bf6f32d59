import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FileText, Plus } from 'lucide-react'
import { useState } from 'react'
import { listCards } from '../../api/cards.ts'
import { listWorkspaces } from '../../api/workspaces.ts'
import { plural } from '../../lib/format.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Segmented, Select } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorState, PastTheEnd, SkeletonList } from '../../ui/states.tsx'
import { Pager } from '../../ui/table.tsx'
import { AddSamples, SampleNotice } from '../first-steps/samples.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { CardList } from './card-list.tsx'
import { CardStatsPanel } from './card-stats.tsx'
import type { ListState } from './list-state.ts'
import { TrackFilter } from './track-filter.tsx'

const route = getRouteApi('/app/cards')
const PAGE_SIZE = 20

/** What I wrote, or what my team shares; with numbers beside it. */
export function MyCards() {
  const state = route.useSearch()
  const navigate = route.useNavigate()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const change = (next: Partial<ListState>) => {
    setChosen(new Set())
    void navigate({ search: (before) => ({ ...before, page: undefined, ...next }), replace: true })
  }
  const scope = state.scope ?? 'personal'
  const cards = useQuery({
    queryKey: ['cards', 'list', state],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      listCards(
        {
          scope,
          ...(state.workspace && { workspace_id: state.workspace }),
          ...(state.status && { status: state.status }),
          ...(state.track && { track: state.track }),
          page: state.page ?? 1,
          page_size: PAGE_SIZE,
        },
        { signal },
      ),
  })
  const toggle = (cardId: string) => {
    const next = new Set(chosen)
    if (!next.delete(cardId)) next.add(cardId)
    setChosen(next)
  }
  const items = cards.data?.items ?? []
  return (
    <Page
      title={scope === 'workspace' ? 'Team cards' : 'My cards'}
      lead={
        scope === 'workspace' ? 'What your workspaces share.' : 'Private until you share or publish them.'
      }
      actions={
        <>
          <LinkButton to="/review">Review queue</LinkButton>
          <LinkButton to="/cards/new" look="primary">
            <Plus size={14} aria-hidden />
            New card
          </LinkButton>
        </>
      }
    >
      <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_--spacing(70)]">
        <div className="min-w-0">
          <CardFilters state={state} change={change} />
          <SampleNotice />
          {cards.error ? (
            <ErrorState error={cards.error} onRetry={() => void cards.refetch()} />
          ) : !cards.data ? (
            <SkeletonList />
          ) : items.length === 0 && cards.data.total > 0 ? (
            <PastTheEnd onFirst={() => change({})} />
          ) : items.length === 0 ? (
            <NoCards state={state} change={change} />
          ) : (
            <>
              <BulkBar
                cards={items}
                chosen={chosen}
                total={plural(cards.data.total, 'card')}
                onAll={() => setChosen(new Set(items.map((card) => card.card_id)))}
                onNone={() => setChosen(new Set())}
              />
              <CardList
                cards={items}
                {...(scope === 'personal' ? { chosen, onChoose: toggle } : { showOwner: true })}
              />
              <Pager
                page={state.page ?? 1}
                pageSize={PAGE_SIZE}
                total={cards.data.total}
                onPage={(page) => change({ page })}
              />
            </>
          )}
        </div>
        <CardStatsPanel scope={scope} workspaceId={state.workspace} />
      </div>
    </Page>
  )
}

type Filtered = { state: ListState; change: (next: Partial<ListState>) => void }

function CardFilters({ state, change }: Filtered) {
  const scope = state.scope ?? 'personal'
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <Segmented
        label="Whose cards"
        value={scope}
        onChange={(next) => change({ scope: next === 'workspace' ? next : undefined, workspace: undefined })}
        options={[
          { value: 'personal', label: 'Mine' },
          { value: 'workspace', label: 'Team' },
        ]}
      />
      <TrackFilter value={state.track} onChange={(track) => change({ track })} />
      <Select
        aria-label="Status"
        className="w-auto!"
        value={state.status ?? ''}
        onChange={(event) => change({ status: (event.target.value || undefined) as ListState['status'] })}
      >
        <option value="">Any status</option>
        <option value="unpublished">Private</option>
        <option value="published">Shared or published</option>
      </Select>
      {scope === 'workspace' && (
        <WorkspaceFilter value={state.workspace} onChange={(workspace) => change({ workspace })} />
      )}
    </div>
  )
}

/** Nothing was written yet, or the filters let nothing through. */
function NoCards({ state, change }: Filtered) {
  const filtered = Boolean(state.status || state.track || state.workspace)
  const scope = state.scope ?? 'personal'
  return (
    <EmptyState
      icon={<FileText size={18} />}
      title={
        filtered
          ? 'No card fits these filters'
          : scope === 'workspace'
            ? 'Nothing shared yet'
            : 'No cards yet'
      }
      action={
        filtered ? (
          <Button onClick={() => change({ status: undefined, track: undefined, workspace: undefined })}>
            Drop the filters
          </Button>
        ) : (
          <div className="flex flex-wrap justify-center gap-2">
            <LinkButton to="/cards/new" look="primary">
              Write a card
            </LinkButton>
            {scope === 'personal' && <AddSamples />}
          </div>
        )
      }
      example={
        !filtered && (
          <>
            <span className="block font-medium text-ink">Connection pool exhausted after deploy</span>
            Symptom: requests time out after 30 s. Fix: release the client in a finally block.
          </>
        )
      }
    >
      {filtered
        ? 'Change or drop a filter.'
        : 'A card is one problem and its solution, written so that a search finds it.'}
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
  const workspaces = useQuery({
    queryKey: ['workspaces', 'mine'],
    queryFn: () => listWorkspaces({ include_public: false }),
  })
  return (
    <Select
      aria-label="Workspace"
      className="w-auto! max-w-48"
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value || undefined)}
    >
      <option value="">All workspaces</option>
      {workspaces.data?.items.map((workspace) => (
        <option key={workspace.workspace_id} value={workspace.workspace_id}>
          {workspace.name}
        </option>
      ))}
    </Select>
  )
}
