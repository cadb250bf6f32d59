import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { BookOpen } from 'lucide-react'
import { useEffect, useState } from 'react'
import { listCards } from '../../api/cards.ts'
import { plural } from '../../lib/format.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState, ErrorState, PastTheEnd, SkeletonList } from '../../ui/states.tsx'
import { Pager } from '../../ui/table.tsx'
import { CardList } from './card-list.tsx'
import type { ListState } from './list-state.ts'
import { TrackFilter } from './track-filter.tsx'

const route = getRouteApi('/app/library')
const PAGE_SIZE = 20

/** The public library, newest first. Browsing is free; ranked search is on the search page. */
export function Library() {
  const state = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: Partial<ListState>) =>
    void navigate({ search: (before) => ({ ...before, page: undefined, ...next }), replace: true })
  const cards = useQuery({
    queryKey: ['cards', 'library', state],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      listCards(
        {
          scope: 'public',
          ...(state.q && { q: state.q }),
          ...(state.track && { track: state.track }),
          page: state.page ?? 1,
          page_size: PAGE_SIZE,
        },
        { signal },
      ),
  })
  const filtered = Boolean(state.q || state.track)
  return (
    <Page
      title="Library"
      lead="What others solved and published. Browsing is free."
      actions={
        <LinkButton to="/" search={{ scope: 'public' }}>
          Search the library
        </LinkButton>
      }
    >
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <TextFilter value={state.q ?? ''} onChange={(q) => change({ q: q || undefined })} />
        <TrackFilter value={state.track} onChange={(track) => change({ track })} />
      </div>
      {cards.error ? (
        <ErrorState error={cards.error} onRetry={() => void cards.refetch()} />
      ) : !cards.data ? (
        <SkeletonList />
      ) : cards.data.items.length === 0 && cards.data.total > 0 ? (
        <PastTheEnd onFirst={() => change({})} />
      ) : cards.data.items.length === 0 ? (
        <EmptyState
          icon={<BookOpen size={18} />}
          title={filtered ? 'No card fits these filters' : 'The library is empty'}
          action={
            filtered ? (
              <Button onClick={() => change({ q: undefined, track: undefined })}>Drop the filters</Button>
            ) : (
              <LinkButton to="/cards" look="primary">
                Publish one of mine
              </LinkButton>
            )
          }
        >
          {filtered
            ? 'Use fewer words, or look at both tracks.'
            : 'Publish a card that would have saved somebody an hour.'}
        </EmptyState>
      ) : (
        <>
          <p role="status" className="pb-2 text-xs text-faint">
            {plural(cards.data.total, 'card')}
          </p>
          <CardList cards={cards.data.items} showOwner />
          <Pager
            page={state.page ?? 1}
            pageSize={PAGE_SIZE}
            total={cards.data.total}
            onPage={(page) => change({ page })}
          />
        </>
      )}
    </Page>
  )
}

function TextFilter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text.trim()), 200)
    return () => clearTimeout(timer)
  }, [text, value, onChange])
  return (
    <TextField
      label="Filter"
      hideLabel
      data-search-box=""
      className="w-full sm:w-64"
      placeholder="Words in the card"
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}
