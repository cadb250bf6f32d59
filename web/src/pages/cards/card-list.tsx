import { keepPreviousData, queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { FILTER_NAMES } from '#server/shared/card-fields.ts'
import { call } from '../../api/client.ts'
import type { RouteInput } from '../../api/routes.ts'
import type { ListedCard } from '../../api/types.ts'
import { excerpt, formatAgo } from '../../lib/format.ts'
import { useQueryText } from '../../lib/hooks.ts'
import { useShortcut } from '../../lib/shortcuts.ts'
import { Badge, Tag } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox, Input, Select, TextField } from '../../ui/field.tsx'
import { Notice, Skeleton } from '../../ui/states.tsx'
import { TrustWords, TypeBadge } from './card-badges.tsx'
import { type ListState, SORTS, type Sort, WordFilter } from './card-filters.tsx'
import { ReadersLine } from './readers.tsx'
import * as strings from './strings.ts'

/** An estimate; rows are measured once they are drawn. */
const ROW_HEIGHT = 61
const ROWS_BEYOND = 8

type CardRowsProps = {
  input: ListInput
  total: number
  chosen?: ReadonlyMap<string, ListedCard>
  onChoose?: (card: ListedCard) => void
  tags: TagLinks
  showOwner?: boolean
}

/** Draws and loads only the visible rows. j and k move the focus, Enter opens. */
export function CardRows({ input, total, chosen, onChoose, tags, showOwner = false }: CardRowsProps) {
  const list = useRef<HTMLUListElement>(null)
  const [above, setAbove] = useState(0)
  useLayoutEffect(() => {
    if (list.current) setAbove(list.current.getBoundingClientRect().top + scrollY)
  }, [])
  const rows = useWindowVirtualizer({
    count: total,
    estimateSize: () => ROW_HEIGHT,
    overscan: ROWS_BEYOND,
    scrollMargin: above,
    // React 19 warns when a scroll flushes synchronously during render.
    useFlushSync: false,
  })
  const drawn = rows.getVirtualItems()
  const { cardAt, retry } = useCardsAt(input, drawn[0]?.index ?? 0, drawn.at(-1)?.index ?? 0)
  useMovingFocus(total, (index) => rows.scrollToIndex(index, { align: 'auto' }))
  return (
    <>
      <ul
        ref={list}
        aria-label={strings.cards}
        className="relative border-t border-line"
        style={{ height: rows.getTotalSize() }}
      >
        {drawn.map(({ index, start }) => {
          const card = cardAt(index)
          return (
            <li
              key={index}
              ref={rows.measureElement}
              data-index={index}
              aria-setsize={total}
              aria-posinset={index + 1}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start - above}px)` }}
            >
              {card ? (
                <CardRow
                  card={card}
                  isChosen={chosen?.has(card.card_id) ?? false}
                  onChoose={onChoose}
                  tags={tags}
                  showOwner={showOwner}
                />
              ) : (
                <EmptyRow />
              )}
            </li>
          )
        })}
      </ul>
      {retry && (
        <div className="sticky bottom-2 z-10 mt-2">
          <Notice tone="bad" action={<Button onClick={retry}>{strings.tryAgain}</Button>}>
            {strings.someCardsNotLoaded}
          </Notice>
        </div>
      )}
    </>
  )
}

const linkAt = (index: number) => document.querySelector<HTMLElement>(`[data-index="${index}"] a[data-focus]`)

/** Moves from the focused row. A row that is not drawn yet gets the focus later. */
function useMovingFocus(total: number, scrollTo: (index: number) => void) {
  const awaited = useRef<number | null>(null)
  const focusAt = (index: number): boolean => {
    const link = linkAt(index)
    link?.focus({ preventScroll: true })
    return link !== null
  }
  const move = (by: number) => {
    const here =
      awaited.current ?? document.activeElement?.closest<HTMLElement>('[data-index]')?.dataset.index
    const next = here === undefined ? 0 : Math.min(total - 1, Math.max(0, Number(here) + by))
    scrollTo(next)
    awaited.current = focusAt(next) ? null : next
    if (awaited.current === null) return
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (awaited.current !== next) return
        awaited.current = null
        focusAt(next)
      }),
    )
  }
  useShortcut('j', () => move(1))
  useShortcut('k', () => move(-1))
}

type TagLinks = { to: '/cards' | '/library'; state: ListState }

type CardRowProps = {
  card: ListedCard
  isChosen: boolean
  onChoose: ((card: ListedCard) => void) | undefined
  tags: TagLinks
  showOwner: boolean
}

function CardRow({ card, isChosen, onChoose, tags, showOwner }: CardRowProps) {
  return (
    <div className="relative flex items-start gap-3 border-b border-line px-2 py-2 transition-colors focus-within:bg-chosen hover:bg-hover">
      {onChoose && (
        <span className="relative z-10 w-4 shrink-0">
          {card.can_edit && (
            <Checkbox
              label={strings.chooseCard(card.title)}
              hideLabel
              checked={isChosen}
              onChange={() => onChoose(card)}
            />
          )}
        </span>
      )}
      <div className="min-w-0 grow">
        <p className="flex min-w-0 items-baseline gap-2">
          <Link
            to="/cards/$cardId"
            params={{ cardId: card.card_id }}
            data-focus={`card-${card.card_id}`}
            dir="auto"
            className="max-w-full shrink-0 truncate text-sm font-semibold after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
          >
            {card.title}
          </Link>
          <span className="min-w-0 truncate text-sm text-faint max-sm:hidden">
            {excerpt(card.fix_summary)}
          </span>
        </p>
        <div className="mt-1 flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <TypeBadge type={card.card_type} />
          <ReadersLine card={card} className="max-w-72" />
          {card.tags.slice(0, 3).map((tag) => (
            <Link
              key={tag}
              to={tags.to}
              search={{ ...tags.state, tag }}
              aria-label={strings.onlyWithTag(tag)}
              className="relative z-10 max-w-40 min-w-0 rounded-sm hover:bg-chosen"
            >
              <Tag>{tag}</Tag>
            </Link>
          ))}
          {card.superseded_by && <Badge>{strings.superseded}</Badge>}
          {card.likely_outdated && <Badge tone="warn">{strings.outdatedQuestion}</Badge>}
          <TrustWords trust={card.trust} />
          <span className="text-xs wrap-anywhere text-faint">
            {showOwner && (
              <>
                <bdi>{card.owner_name}</bdi>
                {' · '}
              </>
            )}
            {formatAgo(card.updated_at)}
          </span>
        </div>
      </div>
    </div>
  )
}

const EmptyRow = () => (
  <div className="grid gap-2.5 border-b border-line px-2 py-3.5">
    <Skeleton className="w-1/2" />
    <Skeleton className="h-2.5 w-1/3" />
  </div>
)

type ListFiltersProps = {
  state: ListState
  change: (next: Partial<ListState>) => void
  sort: Sort
  /** An empty list has nothing to filter. */
  isEmpty?: boolean
  children?: ReactNode
}

export function ListFilters({ state, change, sort, isEmpty = false, children }: ListFiltersProps) {
  if (isEmpty)
    return children ? <div className="mb-3 flex flex-wrap items-center gap-2">{children}</div> : null
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <TextFilter value={state.q ?? ''} onChange={(q) => change({ q: q || undefined })} />
      <TagFilter value={state.tag} onChange={(tag) => change({ tag })} />
      {children}
      {FILTER_NAMES.map((name) => (
        <WordFilter key={name} name={name} filters={state} onChange={change} />
      ))}
      <Select
        aria-label={strings.sortBy}
        className="w-auto!"
        value={state.sort ?? sort}
        onChange={(event) => change({ sort: event.target.value as Sort })}
      >
        {Object.entries(SORTS).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
    </div>
  )
}

type TagFilterProps = { value: string | undefined; onChange: (tag: string | undefined) => void }

function TagFilter({ value, onChange }: TagFilterProps) {
  const isTyped = useRef(false)
  const drop = useRef<HTMLButtonElement>(null)
  // The box that had the focus is removed.
  useEffect(() => {
    if (value && isTyped.current) drop.current?.focus()
    isTyped.current = false
  }, [value])
  if (!value)
    return (
      <Input
        aria-label={strings.tag}
        placeholder={strings.tag}
        maxLength={100}
        className="w-28!"
        onBlur={(event) => onChange(event.target.value.trim() || undefined)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          isTyped.current = true
          onChange(event.currentTarget.value.trim() || undefined)
        }}
      />
    )
  return (
    <button
      ref={drop}
      type="button"
      onClick={() => onChange(undefined)}
      aria-label={strings.dropTag(value)}
      className="inline-flex h-8 max-w-60 items-center gap-1.5 rounded-md bg-chosen px-2.5 font-mono text-xs text-accent-strong pointer-coarse:h-10"
    >
      <span className="truncate">{value}</span>
      <X size={12} aria-hidden className="shrink-0" />
    </button>
  )
}

function TextFilter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { text, setText } = useQueryText(value, onChange)
  return (
    <TextField
      label={strings.filter}
      hideLabel
      data-search-box=""
      data-focus="filter"
      className="min-w-32 grow sm:max-w-60"
      placeholder={strings.wordsInCard}
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  )
}

const PAGE_SIZE = 50

export type ListInput = Omit<RouteInput<'GET /api/v1/cases'>, 'page' | 'page_size'>

const pageQuery = (input: ListInput, page: number) =>
  queryOptions({
    queryKey: ['cards', 'list', input, page],
    queryFn: ({ signal }) => call('GET /api/v1/cases', { ...input, page, page_size: PAGE_SIZE }, { signal }),
  })

/** The former page stays visible until the new one is loaded. */
export const useFirstPage = (input: ListInput) =>
  useQuery({ ...pageQuery(input, 1), placeholderData: keepPreviousData })

/** Returns the cards at these positions; only visible pages are requested. */
function useCardsAt(input: ListInput, first: number, last: number) {
  const from = Math.floor(Math.max(0, first) / PAGE_SIZE) + 1
  const to = Math.floor(Math.max(0, last) / PAGE_SIZE) + 1
  const pages = Array.from({ length: to - from + 1 }, (_, i) => from + i)
  const answers = useQueries({ queries: pages.map((page) => pageQuery(input, page)) })
  const missing = answers.filter(({ data, error }) => error && !data)
  return {
    cardAt: (index: number): ListedCard | undefined =>
      answers[Math.floor(index / PAGE_SIZE) + 1 - from]?.data?.items[index % PAGE_SIZE],
    retry: missing.length > 0 ? () => missing.forEach(({ refetch }) => void refetch()) : undefined,
  }
}
