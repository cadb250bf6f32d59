import { Link, useNavigate } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { useEffect } from 'react'
import type { SearchResponse, SearchResult } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { credits, formatAgo, plural } from '../../lib/format.ts'
import { useShortcut } from '../../lib/shortcuts.ts'
import { Badge, Tag } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Marked } from '../../ui/marked.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { TypeBadge, UsefulCount } from '../cards/card-badges.tsx'
import { TrustWords } from '../cards/trust/trust-line.tsx'
import { HIT_REASONS, quoted, type SearchState } from './search-state.ts'

type Props = {
  answer: SearchResponse
  state: SearchState
  change: (next: Partial<SearchState>, replace?: boolean) => void
  selected: string | undefined
  wide: boolean
}

export function ResultList({ answer, state, change, selected, wide }: Props) {
  const navigate = useNavigate()
  const hits = answer.results
  const index = hits.findIndex((hit) => hit.card_id === selected)
  const move = (by: number) => {
    const next = hits[Math.min(hits.length - 1, Math.max(0, index < 0 ? 0 : index + by))]
    if (next) change({ card: next.card_id })
  }
  useShortcut('j', () => move(1))
  useShortcut('k', () => move(-1))
  useShortcut(
    'Enter',
    () => selected && void navigate({ to: '/cards/$cardId', params: { cardId: selected } }),
    Boolean(selected),
  )
  useArrowKeys(move)

  const firstWeak = hits.findIndex((hit) => hit.weak)
  if (hits.length === 0)
    return <NothingFound state={state} change={change} charged={answer.credits_charged} />
  return (
    <>
      <p role="status" className="flex flex-wrap gap-x-1.5 px-4 py-2 text-xs text-faint tabular-nums">
        <span>
          {answer.total > hits.length
            ? `${hits.length} of ${plural(answer.total, 'result')}`
            : plural(answer.total, 'result')}
        </span>
        <span aria-hidden>·</span>
        <span>{Math.max(1, Math.round(answer.took_ms))} ms</span>
        <span aria-hidden>·</span>
        <span className={cx(answer.credits_charged > 0 && 'font-medium text-ink')}>
          {answer.credits_charged > 0 ? `${credits(answer.credits_charged)} charged` : 'free'}
        </span>
      </p>
      <Corrected answer={answer} change={change} />
      <ol aria-label="Results" className="divide-y divide-line border-y border-line">
        {hits.map((hit, i) => (
          <li key={hit.card_id} data-hit={hit.card_id}>
            {i === firstWeak && (
              <p className="border-b border-line bg-sunken px-4 py-1.5 text-xs text-faint">
                {i === 0 ? 'Nothing fits well. These share some words:' : 'These only share some words:'}
              </p>
            )}
            <Hit hit={hit} selected={hit.card_id === selected} wide={wide} />
          </li>
        ))}
      </ol>
    </>
  )
}

/** What was searched in place of a word that no card has, and the way back to the word itself. */
function Corrected({ answer, change }: Pick<Props, 'answer' | 'change'>) {
  const words = Object.entries(answer.corrected)
  if (words.length === 0) return null
  return (
    <p className="px-4 pb-2 text-sm text-soft">
      Searching for{' '}
      {words.map(([, meant], i) => (
        <span key={meant}>
          {i > 0 && ', '}
          <strong className="font-semibold text-ink">{meant}</strong>
        </span>
      ))}
      ,{' '}
      <button
        type="button"
        className="text-accent underline"
        onClick={() =>
          change({ q: quoted(answer.query, Object.keys(answer.corrected)), card: undefined }, false)
        }
      >
        search for {words.map(([typed]) => typed).join(', ')} instead
      </button>
    </p>
  )
}

function Hit({ hit, selected, wide }: { hit: SearchResult; selected: boolean; wide: boolean }) {
  const className = cx(
    'relative block px-4 py-3 transition-colors focus-visible:-outline-offset-2',
    selected
      ? 'bg-chosen before:absolute before:inset-y-0 before:left-0 before:w-0.5 before:bg-accent'
      : 'hover:bg-hover',
  )
  const content = (
    <>
      <span className="line-clamp-2 text-sm font-semibold">{hit.title}</span>
      <span className="mt-1 line-clamp-2 text-sm text-soft">
        <Marked text={hit.snippet || hit.symptom} />
      </span>
      <span className="mt-2 flex flex-wrap items-center gap-x-2 gap-y-1">
        <TypeBadge type={hit.card_type} />
        {hit.tags.slice(0, 3).map((tag) => (
          <Tag key={tag}>{tag}</Tag>
        ))}
        <UsefulCount count={hit.feedback.useful} />
        {hit.likely_outdated && <Badge tone="warn">Outdated?</Badge>}
      </span>
      <TrustWords trust={hit.trust} />
      <span className="mt-1 block text-xs text-faint">
        {hit.matched_terms.length > 0 && (
          <>
            Matches{' '}
            <span className="font-mono">
              {(hit.why.length > 0 ? [...new Set(hit.why.flatMap(({ words }) => words))] : hit.matched_terms)
                .slice(0, 6)
                .join(' ')}
            </span>
            {' · '}
          </>
        )}
        {HIT_REASONS[hit.hit_reason]}
        {hit.owner_name && hit.hit_reason !== 'free_personal_scope' && ` · by ${hit.owner_name}`}
        {` · ${formatAgo(hit.updated_at)}`}
      </span>
    </>
  )
  return wide ? (
    <Link
      to="/"
      search={(before) => ({ ...before, card: hit.card_id })}
      replace
      resetScroll={false}
      aria-current={selected || undefined}
      className={className}
    >
      {content}
    </Link>
  ) : (
    <Link to="/cards/$cardId" params={{ cardId: hit.card_id }} className={className}>
      {content}
    </Link>
  )
}

/** Down and up move through the hits while the search box keeps the focus. */
function useArrowKeys(move: (by: number) => void) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const inBox = event.target instanceof HTMLElement && event.target.matches('[data-search-box]')
      if (!inBox || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return
      event.preventDefault()
      move(event.key === 'ArrowDown' ? 1 : -1)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}

function NothingFound({ state, change, charged }: Pick<Props, 'state' | 'change'> & { charged: number }) {
  const filtered = state.tags || state.env || state.workspace || state.track
  return (
    <EmptyState
      icon={<SearchX size={18} />}
      title="Nothing found"
      action={
        <div className="flex flex-wrap justify-center gap-2">
          {filtered && (
            <Button
              onClick={() =>
                change({ tags: undefined, env: undefined, workspace: undefined, track: undefined })
              }
            >
              Drop the filters
            </Button>
          )}
          {state.scope !== 'workspace' && (
            <Button onClick={() => change({ scope: 'workspace' })}>Search the team</Button>
          )}
          {state.scope !== 'public' && (
            <Button onClick={() => change({ scope: 'public' })}>Search the library</Button>
          )}
          <LinkButton to="/cards/new" look="primary">
            Write the card
          </LinkButton>
        </div>
      }
    >
      {state.scope === 'public' && charged === 0 && 'Nothing was charged. '}
      Use fewer words or the exact error text. Once you have solved it, write the card; the next search will
      find it.
    </EmptyState>
  )
}
