import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Search, SearchX } from 'lucide-react'
import { useState } from 'react'
import type { EventType, MemoryHit, MemorySearchAnswer } from '../../api/types.ts'
import { formatNumber, formatTime, plainLine, plural } from '../../lib/format.ts'
import { useQueryText } from '../../lib/hooks.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Input, Segmented } from '../../ui/field.tsx'
import { LazyMarkdown } from '../../ui/lazy.tsx'
import { EmptyState, FormError, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { CommitList } from './commits.tsx'
import { MakeCard } from './event-page.tsx'
import { DeleteEvents, MarkEvents } from './mark-events.tsx'
import { type Commit, commitSearchQuery, eventQuery, memorySearchQuery } from './memory-queries.ts'
import * as strings from './strings.ts'

const route = getRouteApi('/app/memory/project')

const TYPE_NAMES: Record<EventType, string> = {
  user_message: strings.you,
  agent_report: strings.agent,
  turn: strings.turn,
  summary: strings.summary,
  fact_snapshot: strings.document,
}

export function MemorySearchBox() {
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const { text, setText } = useQueryText(
    q,
    (words) => void navigate({ search: (before) => ({ ...before, q: words || undefined }), replace: true }),
  )
  return (
    <div className="relative min-w-48 grow sm:max-w-96">
      <Search size={14} aria-hidden className="absolute top-1/2 left-2.5 -translate-y-1/2 text-faint" />
      <Input
        data-search-box=""
        type="search"
        aria-label={strings.searchThisProject}
        placeholder={strings.searchThisProject}
        className="pl-8"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && (text ? setText('') : event.currentTarget.blur())}
      />
    </div>
  )
}

export function MemorySearchResults() {
  const { key, workspace, q = '', by } = route.useSearch()
  const navigate = route.useNavigate()
  const results = useInfiniteQuery(memorySearchQuery({ key, workspace }, q, by === 'words'))
  const hits = results.data?.pages.flatMap((page) => page.results)
  const first = results.data?.pages[0]
  const total = first?.total ?? 0
  const related = first?.related ?? []
  const likely = useQuery(commitSearchQuery({ key, workspace }, q)).data ?? []
  const literal = likely.filter((commit) => hasText(commit, q))
  const isExact = by !== 'words' && (literal.length > 0 || (hits?.length ?? 0) > 0)
  const commits = isExact ? literal : likely
  const isByWords = by === 'words' || related.length > 0
  const words = isByWords ? [...q.split(/\s+/), ...Object.values(first?.corrected ?? {})] : [q]
  return (
    <section aria-label={strings.results} aria-busy={results.isFetching}>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-3">
        <p role="status" className="text-xs text-faint">
          {hits ? shownOf(hits.length, total, commits.length) : strings.searchingPending}
        </p>
        <Segmented
          label={strings.match}
          value={by ?? 'text'}
          options={[
            { value: 'text', label: strings.exactText },
            { value: 'words', label: strings.words },
          ]}
          onChange={(next) =>
            void navigate({
              search: (before) => ({ ...before, by: next === 'words' ? next : undefined }),
              replace: true,
            })
          }
        />
      </div>
      {isByWords && first && <SearchExplanation corrected={first.corrected} period={first.period} />}
      {!results.data && (
        <NotLoaded query={results}>
          <SkeletonList rows={4} />
        </NotLoaded>
      )}
      {hits?.length === 0 && related.length === 0 && commits.length === 0 && (
        <EmptyState
          icon={<SearchX size={18} />}
          title={strings.nothingWithWords}
          action={
            <Button
              onClick={() =>
                void navigate({
                  search: (before) => ({ ...before, q: undefined, by: undefined }),
                  replace: true,
                })
              }
            >
              {strings.backToTimeline}
            </Button>
          }
        >
          {by === 'words' ? strings.tryOtherWords : strings.exactTextHint}
        </EmptyState>
      )}
      {related.length > 0 && <p className="mb-2 text-sm text-soft">{strings.nothingExact}</p>}
      <ol className="divide-y divide-line border-y border-line empty:hidden">
        {(related.length > 0 ? related : hits)?.map((hit) => (
          <Hit key={hit.raw_id} hit={hit} words={words} />
        ))}
      </ol>
      {results.hasNextPage && (
        <Button
          className="mt-4"
          busy={results.isFetchingNextPage}
          onClick={() => void results.fetchNextPage()}
        >
          {strings.showMore}
        </Button>
      )}
      {results.isFetchNextPageError && <FormError error={results.error} />}
      {commits.length > 0 && (
        <>
          <h2 className="mt-6 mb-2 text-sm font-semibold">{strings.fromTheRepository}</h2>
          <CommitList commits={commits} />
        </>
      )}
    </section>
  )
}

function shownOf(shown: number, total: number, commits: number): string {
  const events =
    shown < total ? `${formatNumber(shown)} of ${plural(total, 'result')}` : plural(total, 'result')
  return commits > 0 ? `${events} · ${plural(commits, 'commit')}` : events
}

const hasText = ({ subject, message, files }: Commit, text: string): boolean =>
  [subject, message, ...files].join('\n').toLowerCase().includes(text.trim().toLowerCase())

type Reading = Pick<MemorySearchAnswer, 'corrected' | 'period'>

/** Shows the corrected words of a search and its time range. */
function SearchExplanation({ corrected = {}, period }: Reading) {
  const meant = Object.values(corrected)
  if (meant.length === 0 && !period) return null
  return (
    <p className="mb-2 text-sm text-soft">
      {meant.length > 0 && strings.searchingFor(meant.join(', '))}
      {period && strings.fromTo(formatTime(period.from), formatTime(period.to))}
    </p>
  )
}

function Hit({ hit, words }: { hit: MemoryHit; words: string[] }) {
  const [open, setOpen] = useState(false)
  const event = useQuery({ ...eventQuery(hit.raw_id), enabled: open })
  const isMarkAsked = words.some((word) => /[`*#]/.test(word))
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="grid w-full gap-1 px-2 py-2.5 text-left transition-colors hover:bg-hover"
      >
        <span className="flex items-center gap-2 text-xs text-faint">
          <Badge>{TYPE_NAMES[hit.event_type]}</Badge>
          <time dateTime={hit.created_at}>{formatTime(hit.created_at)}</time>
          {hit.client && <span className="truncate">{hit.client}</span>}
          {hit.weak && <span className="ml-auto shrink-0">{strings.sharesSomeWords}</span>}
        </span>
        {hit.title && <span className="text-sm font-medium">{hit.title}</span>}
        <span className="text-sm break-words text-soft">
          <Highlight text={isMarkAsked ? hit.snippet : plainLine(hit.snippet)} words={words} />
        </span>
      </button>
      {open && (
        <div className="animate-enter px-2 pt-1 pb-4">
          {event.data ? (
            <div className="grid gap-3">
              <LazyMarkdown>{event.data.content}</LazyMarkdown>
              <div className="flex flex-wrap items-center gap-2">
                <MakeCard rawIds={[hit.raw_id]} />
                <MarkEvents events={[event.data]} />
                <DeleteEvents events={[event.data]} />
              </div>
            </div>
          ) : (
            <NotLoaded query={event}>
              <SkeletonList rows={1} />
            </NotLoaded>
          )}
        </div>
      )}
    </li>
  )
}

type Piece = { text: string; isHit: boolean }

/** Splits the text, with every occurrence of the words marked, ignoring case. */
export function piecesOf(text: string, words: readonly string[]): Piece[] {
  const wanted = words.map((word) => word.trim()).filter(Boolean)
  if (wanted.length === 0) return [{ text, isHit: false }]
  const longestFirst = wanted.toSorted((a, b) => b.length - a.length).map(escapeRegExp)
  const pattern = new RegExp(`(${longestFirst.join('|')})`, 'giu')
  return text
    .split(pattern)
    .map((piece, index) => ({ text: piece, isHit: index % 2 === 1 }))
    .filter((piece) => piece.text !== '')
}

const escapeRegExp = (text: string) =>
  text.replace(/[\\^$.*+?()[\]{}|/-]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16)}`)

const Highlight = ({ text, words }: { text: string; words: readonly string[] }) =>
  piecesOf(text, words).map((piece, index) =>
    piece.isHit ? <mark key={index}>{piece.text}</mark> : piece.text,
  )
