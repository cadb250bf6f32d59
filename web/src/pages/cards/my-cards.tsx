import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FileText, Plus } from 'lucide-react'
import { useState } from 'react'
import type { ListedCard } from '../../api/types.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Segmented, Select } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, PartNotLoaded, SkeletonList } from '../../ui/states.tsx'
import { AddSamples, SampleNotice } from '../first-steps/samples.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import { BulkBar } from './bulk-bar.tsx'
import { CardStatsPanel } from './card-stats.tsx'
import { CardRows } from './list/card-rows.tsx'
import { ListFilters } from './list/list-filters.tsx'
import { type ListInput, useFirstPage } from './list/use-card-pages.ts'
import { isFiltered, type ListState, NO_FILTERS, whoseCards } from './list-state.ts'

const route = getRouteApi('/app/cards')

const inputOf = (state: ListState): ListInput => ({
  ...(state.status && { status: state.status }),
  ...whoseCards(state),
  ...(state.track && { track: state.track }),
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
  // Another list, by a filter, a link or Back: cards that are no longer in sight are not chosen.
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
      title={isTeam ? 'Team cards' : 'My cards'}
      lead={isTeam ? 'What your teams share.' : 'The cards you own, and who can read each of them.'}
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

function CardFilters({ state, change }: Filtered) {
  const isTeam = state.scope === 'workspace'
  return (
    <ListFilters state={state} change={change} sort="changed">
      <Segmented
        label="Whose cards"
        value={isTeam ? 'workspace' : 'personal'}
        onChange={(next) =>
          change({
            scope: next === 'workspace' ? next : undefined,
            workspace: undefined,
            status: undefined,
          })
        }
        options={[
          { value: 'personal', label: 'Mine' },
          { value: 'workspace', label: 'Team' },
        ]}
      />
      {isTeam ? (
        <WorkspaceFilter value={state.workspace} onChange={(workspace) => change({ workspace })} />
      ) : (
        <Select
          aria-label="Status"
          className="w-auto!"
          value={state.status ?? ''}
          onChange={(event) => change({ status: (event.target.value || undefined) as ListState['status'] })}
        >
          <option value="">Any status</option>
          <option value="unpublished">Private and drafts</option>
          <option value="published">Shared or published</option>
        </Select>
      )}
    </ListFilters>
  )
}

/** Whether the person is no more than a viewer of the teams whose cards are listed. */
function useReadsOnly({ scope, workspace }: ListState): boolean {
  const workspaces = useQuery(workspacesQuery).data?.items ?? []
  const teams = workspaces.filter(
    (one) => one.type !== 'personal' && (!workspace || one.workspace_id === workspace),
  )
  return scope === 'workspace' && teams.length > 0 && teams.every(({ role }) => role === 'viewer')
}

/** There is no card yet, or none passes the filters. */
function NoCards({ state, change }: Filtered) {
  const filtered = isFiltered(state)
  const isTeam = state.scope === 'workspace'
  const readsOnly = useReadsOnly(state)
  return (
    <EmptyState
      icon={<FileText size={18} />}
      title={filtered ? 'No card fits these filters' : isTeam ? 'Nothing shared yet' : 'No cards yet'}
      action={
        filtered ? (
          <Button onClick={() => change(NO_FILTERS)}>Drop the filters</Button>
        ) : readsOnly ? undefined : (
          <div className="flex flex-wrap justify-center gap-2">
            <LinkButton to="/cards/new" look="primary">
              Write a card
            </LinkButton>
            {!isTeam && <AddSamples />}
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
        : readsOnly
          ? 'What editors share with the team is listed here, and your search finds it.'
          : isTeam
            ? 'Open a card of yours and choose Share, or write one. Members find it here and by search.'
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
  const workspaces = useQuery(workspacesQuery)
  return (
    <PartNotLoaded what="Your teams" query={workspaces}>
      <Select
        aria-label="Workspace"
        className="w-auto! max-w-48"
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value || undefined)}
      >
        <option value="">All my teams</option>
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
