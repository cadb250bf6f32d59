import { getRouteApi } from '@tanstack/react-router'
import { BookOpen } from 'lucide-react'
import { plural } from '../../lib/format.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { filtersIn, isFiltered, type ListState, NO_FILTERS } from './card-filters.tsx'
import { CardRows, ListFilters, type ListInput, useFirstPage } from './card-list.tsx'
import { CardTabs } from './card-tabs.tsx'
import * as strings from './strings.ts'

const route = getRouteApi('/app/library')

const inputOf = (state: ListState): ListInput => ({
  scope: 'public',
  ...(state.q && { contains: state.q }),
  ...filtersIn(state),
  ...(state.tag && { tag: state.tag }),
  sort: state.sort ?? 'created',
})

export function Library() {
  const state = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: Partial<ListState>) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true })
  const input = inputOf(state)
  const first = useFirstPage(input)
  return (
    <Page title={strings.library} lead={strings.libraryLead}>
      <CardTabs shown="library" />
      <ListFilters
        state={state}
        change={change}
        sort="created"
        isEmpty={first.data?.total === 0 && !isFiltered(state)}
      />
      {!first.data ? (
        <NotLoaded query={first}>
          <SkeletonList />
        </NotLoaded>
      ) : first.data.total === 0 ? (
        <NoCards filtered={isFiltered(state)} onDrop={() => change(NO_FILTERS)} />
      ) : (
        <>
          <p role="status" className="pb-2 text-xs text-faint">
            {plural(first.data.total, 'card')}
          </p>
          <CardRows input={input} total={first.data.total} tags={{ to: '/library', state }} showOwner />
        </>
      )}
    </Page>
  )
}

const NoCards = ({ filtered, onDrop }: { filtered: boolean; onDrop: () => void }) => (
  <EmptyState
    icon={<BookOpen size={18} />}
    title={filtered ? strings.noCardFitsFilters : strings.libraryIsEmpty}
    action={
      filtered ? (
        <Button onClick={() => onDrop()}>{strings.dropTheFilters}</Button>
      ) : (
        <LinkButton to="/cards" look="primary">
          {strings.publishOneOfMine}
        </LinkButton>
      )
    }
  >
    {filtered ? strings.libraryFilterHint : strings.libraryEmptyHint}
  </EmptyState>
)
