import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronDown, Globe, Lock, SearchX } from 'lucide-react'
import { Fragment, type MouseEvent, type ReactNode, type Ref, useEffect, useRef, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import type { BoxAnswer, BoxEvent, BoxHit } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { isFocusLost, neighbourGetsFocus } from '../../lib/focus.ts'
import { credits, formatAgo, formatNumber, plainLine, plural } from '../../lib/format.ts'
import { creditsPolicyQuery, useMe, useShowsCredits } from '../../session.ts'
import { Badge, Tag } from '../../ui/badge.tsx'
import { Button, LinkButton } from '../../ui/button.tsx'
import { EmptyState, FormError, Notice } from '../../ui/states.tsx'
import { ReadersLine } from '../cards/readers.tsx'
import { EVENT_TYPES } from '../memory/routes.ts'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import { remember } from './kept-searches.tsx'
import {
  HITS_AT_ONCE,
  NO_FILTERS,
  NOTHING_CHOSEN,
  quoted,
  type SearchState,
  usedFilters,
} from './search-state.ts'
import * as strings from './strings.ts'
import { type FreeSection, tellMissed, type useLibrarySearch, useMore } from './use-search.ts'

type CardsFound = NonNullable<BoxAnswer['mine']>
type Change = (next: Partial<SearchState>, replace?: boolean) => void

type SectionProps = {
  title: string
  note?: ReactNode
  children: ReactNode
  /** Receives the focus once the answer is there. */
  heading?: Ref<HTMLHeadingElement>
}

const Section = ({ title, note, children, heading }: SectionProps) => (
  <section aria-label={title}>
    <h2
      ref={heading}
      tabIndex={heading ? -1 : undefined}
      className="sticky top-0 z-11 flex items-baseline gap-1.5 border-y border-line bg-sunken px-4 py-1 text-xs font-medium text-soft max-md:static"
    >
      {title}
      {note && <span className="font-normal text-faint tabular-nums">{note}</span>}
    </h2>
    {children}
  </section>
)

type CardListProps = {
  label: string
  results: BoxHit[]
  state: SearchState
  selected: SearchState
  wide: boolean
}

function CardHits({ label, results, state, selected, wide }: CardListProps) {
  const firstWeak = results.findIndex((hit) => hit.weak)
  return (
    <ol aria-label={label} className="divide-y divide-line">
      {results.map((hit, i) => (
        <li key={hit.card_id} data-hit={hit.card_id}>
          {i === firstWeak && (
            <p className="bg-sunken/50 px-4 py-0.5 text-xs text-faint">
              {i === 0 ? strings.weakHitsOfSection : strings.weakHitsOnly}
            </p>
          )}
          <CardHit
            hit={hit}
            place={label}
            state={state}
            isChosen={isChosen(selected, { card: hit.card_id })}
            wide={wide}
          />
        </li>
      ))}
    </ol>
  )
}

type SectionsProps = {
  answer: BoxAnswer
  state: SearchState
  selected: SearchState
  change: Change
  wide: boolean
}

const TITLES = { mine: strings.mine, team: strings.team, memory: strings.memory } as const

export function FreeSections({ answer, state, selected, change, wide }: SectionsProps) {
  return (
    <>
      <Corrected answer={answer} change={change} />
      {(['mine', 'team'] as const).map((section) => (
        <MoreOf key={section} section={section} found={answer[section]} state={state}>
          {(results) => (
            <CardHits
              label={TITLES[section]}
              results={results as BoxHit[]}
              state={state}
              selected={selected}
              wide={wide}
            />
          )}
        </MoreOf>
      ))}
      <MoreOf section="memory" found={answer.memory} state={state}>
        {(results) => (
          <ol aria-label={strings.memory} className="divide-y divide-line">
            {(results as BoxEvent[]).map((event) => (
              <li key={event.raw_id} data-hit={event.raw_id}>
                <EventHit
                  event={event}
                  state={state}
                  isChosen={isChosen(selected, { event: event.raw_id })}
                  wide={wide}
                />
              </li>
            ))}
          </ol>
        )}
      </MoreOf>
    </>
  )
}

type SectionHits = { results: (BoxHit | BoxEvent)[]; total: number } | null
type MoreProps = {
  section: FreeSection
  found: SectionHits
  state: SearchState
  children: (results: (BoxHit | BoxEvent)[]) => ReactNode
}

/** Rankings end here, so their total is a minimum; lists are complete. */
const RANKED_END = 200

const isRankedToItsEnd = (found: { total: number } | null) => (found?.total ?? 0) >= RANKED_END

function MoreOf({ section, found, state, children }: MoreProps) {
  const { answer, loading, error, more } = useMore(state, section)
  const shown: SectionHits = answer ?? found
  if (!shown || shown.results.length === 0) return null
  const { results, total } = shown
  const hits = results.filter((hit) => !hit.weak).length
  const isLeast = section !== 'memory' && isRankedToItsEnd(shown)
  return (
    <Section
      title={TITLES[section]}
      note={`${hits < total ? `${hits} of ` : ''}${formatNumber(total)}${isLeast ? strings.orMore : ''}`}
    >
      {children(results)}
      {hits < total && <More left={total - hits} busy={loading} error={error} onMore={more} />}
      {isLeast && (
        <LinkButton
          look="ghost"
          size="sm"
          className="mx-2 my-1"
          to="/cards"
          search={{ q: state.q, ...(section === 'team' ? { scope: 'workspace' } : {}) }}
        >
          {strings.allCardsWithTheseWords}
        </LinkButton>
      )}
    </Section>
  )
}

type MoreButton = { left: number; busy: boolean; error?: unknown; onMore: () => void }

/** Disappears with the last hits; the first of the new ones gets the focus. */
function More({ left, busy, error, onMore }: MoreButton) {
  const show = ({ currentTarget: button }: MouseEvent<Element>) => {
    const list = button.previousElementSibling
    const before = list?.children.length
    neighbourGetsFocus(button, () => [...(list?.children ?? [])].slice(before))
    onMore()
  }
  return (
    <>
      <Button look="ghost" size="sm" busy={busy} className="mx-2 my-1" onClick={show}>
        <ChevronDown size={14} aria-hidden />
        {strings.moreHits(formatNumber(left))}
      </Button>
      {!busy && <FormError error={error} />}
    </>
  )
}

/** Shows the corrected words of a search, and a way back to the typed ones. */
function Corrected({ answer, change }: { answer: BoxAnswer; change: Change }) {
  const read: Pick<CardsFound, 'corrected'>[] = [answer.mine, answer.team].filter((found) => found !== null)
  const corrected = Object.assign({}, ...read.map((found) => found.corrected)) as Record<string, string>
  const words = Object.entries(corrected)
  if (words.length === 0) return null
  return (
    <p className="px-4 py-2 text-sm text-soft">
      {strings.searchingForBefore}
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
        onClick={() => change({ q: quoted(answer.query, Object.keys(corrected)), ...NOTHING_CHOSEN }, false)}
      >
        {strings.searchInstead(words.map(([typed]) => typed).join(', '))}
      </button>
    </p>
  )
}

/** A charge is always named; that there was none, only where prices are shown. */
function chargedWords({ credits_charged }: BoxAnswer, showsCredits: boolean): string {
  if (credits_charged > 0) return `${credits(credits_charged)} charged`
  return showsCredits ? strings.nothingCharged : ''
}

type SummaryProps = { answer: BoxAnswer; library: BoxAnswer | undefined; showsCredits: boolean }

export const Summary = ({ answer, library, showsCredits }: SummaryProps) => {
  const found = [answer.mine, answer.team, answer.memory].reduce((sum, part) => sum + (part?.total ?? 0), 0)
  const total = found + (library?.library?.results.length ?? 0)
  const isLeast = [answer.mine, answer.team].some(isRankedToItsEnd)
  return (
    <p role="status" className="px-4 py-1 text-xs text-faint tabular-nums">
      {strings.summary(
        isLeast ? `${formatNumber(total)} or more results` : plural(total, 'result'),
        Math.max(1, Math.round(answer.took_ms)),
        library?.library ? chargedWords(library, showsCredits) : showsCredits ? strings.freeSearch : '',
      )}
    </p>
  )
}

/** After this time without a key, a query is taken as whole. */
const STOPPED_TYPING_MS = 2500

type NothingProps = { state: SearchState; change: Change; library: BoxAnswer | undefined }

/** After a library search, its own section reports the result. */
export function NothingFound({ state, change, library }: NothingProps) {
  const filtered = Object.keys(usedFilters(state)).length > 0
  useEffect(() => {
    const timer = setTimeout(() => tellMissed(state), STOPPED_TYPING_MS)
    return () => clearTimeout(timer)
  }, [state])
  if (library?.library?.results.length)
    return <p className="px-4 py-2 text-sm text-soft">{strings.libraryHasIt}</p>
  return (
    <EmptyState
      icon={<SearchX size={18} />}
      title={strings.nothingFound}
      action={
        <div className="flex flex-wrap justify-center gap-2">
          {filtered && <Button onClick={() => change(NO_FILTERS)}>{strings.dropTheFilters}</Button>}
          <LinkButton to="/cards/new" look="primary">
            {strings.writeTheCard}
          </LinkButton>
        </div>
      }
    >
      {strings.fewerWordsHint(
        library?.library
          ? 'Neither you, nor your team, nor the library has it.'
          : 'Neither your cards, nor your team’s, nor your memory has it.',
      )}
      {!library?.library && strings.orAskLibrary}.
    </EmptyState>
  )
}

/** Returns the price to show; 0 where nothing costs. */
function usePrice(): number {
  const isShown = useShowsCredits()
  const { data: policy } = useQuery({ ...creditsPolicyQuery, enabled: isShown })
  return isShown ? (policy?.public_search_cost_credits ?? 5) : 0
}

type LibrarySectionProps = {
  library: ReturnType<typeof useLibrarySearch>
  state: SearchState
  selected: SearchState
  wide: boolean
}

/** The library is searched on a click; the button shows the price, and the hits show the charge. */
export function LibrarySection({ library, state, selected, wide }: LibrarySectionProps) {
  const [shown, setShown] = useState({ q: state.q, hits: HITS_AT_ONCE })
  const { answer } = library
  const showsCredits = useShowsCredits()
  const heading = useAnswerFocus(library)
  const found = answer?.library
  if (!answer || !found) return <Offer library={library} state={state} />
  const count = shown.q === state.q ? shown.hits : HITS_AT_ONCE
  return (
    <Section
      title={strings.library}
      note={[formatNumber(found.results.length), chargedWords(answer, showsCredits)]
        .filter(Boolean)
        .join(' · ')}
      heading={heading}
    >
      {found.results.length === 0 && (
        <p className="px-4 py-3 text-sm text-soft">{strings.libraryHasNothing}</p>
      )}
      <CardHits
        label={strings.library}
        results={found.results.slice(0, count)}
        state={state}
        selected={selected}
        wide={wide}
      />
      {count < found.results.length && (
        <More
          left={found.results.length - count}
          busy={false}
          onMore={() => setShown({ q: state.q, hits: count * 5 })}
        />
      )}
    </Section>
  )
}

/** The answer replaces its button, so its heading gets the focus. */
function useAnswerFocus({ sending, answer }: LibrarySectionProps['library']) {
  const heading = useRef<HTMLHeadingElement>(null)
  const isAwaited = useRef(false)
  useEffect(() => {
    if (sending) isAwaited.current = true
    if (sending || !answer || !isAwaited.current) return
    isAwaited.current = false
    if (isFocusLost()) heading.current?.focus({ preventScroll: true })
  }, [sending, answer])
  return heading
}

function Offer({ library, state }: Pick<LibrarySectionProps, 'library' | 'state'>) {
  const price = usePrice()
  const me = useMe()
  const send = () => {
    remember(state)
    void library.send()
  }
  return (
    <Section title={strings.library} note={strings.notAskedYet}>
      <div className="grid gap-2 px-4 py-3">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <Button busy={library.sending} onClick={send}>
            <Globe size={14} aria-hidden />
            {strings.searchLibrary(price > 0 ? ` · ${credits(price)}` : '')}
          </Button>
          {price > 0 && (
            <p className="min-w-0 grow basis-40 text-xs text-faint">
              {strings.libraryOffer(credits(price), formatNumber(me.credits_balance))}
            </p>
          )}
        </div>
        <Failed error={library.error} />
      </div>
    </Section>
  )
}

function Failed({ error }: { error: unknown }) {
  const isPoor = error instanceof ApiError && error.code === 'insufficient_credits'
  if (!isPoor) return <FormError error={error} />
  return (
    <Notice
      tone="bad"
      action={
        <LinkButton to="/billing" look="primary">
          {strings.getCredits}
        </LinkButton>
      }
    >
      {strings.errorNothingCharged(error.message)}
    </Notice>
  )
}

const ROW_LINK =
  'min-w-0 truncate text-sm font-semibold after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent'

type RowProps = { isChosen: boolean; first: ReactNode; second: ReactNode }

const Row = ({ isChosen, first, second }: RowProps) => (
  <div
    className={cx(
      'relative px-4 py-1.5 transition-colors',
      isChosen
        ? 'bg-chosen before:absolute before:inset-y-0 before:left-0 before:w-0.5 before:bg-accent'
        : 'hover:bg-hover',
    )}
  >
    <div className="flex min-w-0 items-baseline justify-between gap-2">{first}</div>
    <div className="flex min-w-0 items-center gap-2">{second}</div>
  </div>
)

type HitRowProps = { state: SearchState; isChosen: boolean; wide: boolean }

const TAGS_SHOWN = 1

/** Short, so that the title keeps its room. */
const shortTrust = ({ worked, failed, stale }: NonNullable<BoxHit['trust']>): string => {
  const counts = { worked, failed, outdated: stale }
  const words = Object.entries(counts).filter(([, count]) => count > 0)
  const text = words.map(([outcome, count]) => `${outcome} for ${count}`).join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

type CardHitProps = HitRowProps & { hit: BoxHit; place: string }

function CardHit({ hit, place, state, isChosen, wide }: CardHitProps) {
  const isUsual = useUsualReaders()(hit, place)
  const link = wide
    ? ({ to: '/', search: { ...state, card: hit.card_id, event: undefined }, replace: true } as const)
    : cardPage(hit)
  return (
    <Row
      isChosen={isChosen}
      first={
        <>
          <Link
            {...link}
            resetScroll={!wide}
            onClick={() => remember(state)}
            data-focus={`card-${hit.card_id}`}
            aria-current={isChosen || undefined}
            dir="auto"
            className={ROW_LINK}
          >
            {hit.title}
          </Link>
          <span className="flex max-w-1/2 shrink-0 items-center gap-1.5">
            {hit.trust && hit.trust.people > 0 && (
              <span className="truncate text-xs text-soft" title={hit.trust.summary}>
                {shortTrust(hit.trust)}
              </span>
            )}
            {hit.likely_outdated && (
              <span className="shrink-0">
                <Badge tone="warn">{strings.outdated}</Badge>
              </span>
            )}
            {hit.tags.slice(0, hit.trust?.people ? 0 : TAGS_SHOWN).map((tag) => (
              <Link
                key={tag}
                to="/"
                search={{ ...state, tags: tag, card: undefined, event: undefined }}
                aria-label={strings.onlyWithTag(tag)}
                className="relative z-10 max-w-24 rounded-sm hover:bg-chosen max-sm:hidden"
              >
                <Tag>{tag}</Tag>
              </Link>
            ))}
          </span>
        </>
      }
      second={
        <>
          <span className="min-w-0 grow truncate text-sm text-soft">
            <MarkedWords text={plainLine(hit.fix)} words={hit.matched_terms} />
          </span>
          {!isUsual && <ReadersLine card={hit} className="max-w-2/5 shrink-0" />}
        </>
      }
    />
  )
}

function EventHit({ event, state, isChosen, wide }: HitRowProps & { event: BoxEvent }) {
  const link = wide
    ? ({ to: '/', search: { ...state, event: event.raw_id, card: undefined }, replace: true } as const)
    : eventPage(event, state.q ?? '')
  return (
    <Row
      isChosen={isChosen}
      first={
        <>
          <Link
            {...link}
            resetScroll={!wide}
            onClick={() => remember(state)}
            data-focus={`event-${event.raw_id}`}
            aria-current={isChosen || undefined}
            dir="auto"
            className={ROW_LINK}
          >
            {plainLine(event.title ?? event.snippet)}
          </Link>
          <span className="shrink-0 text-xs text-faint">{formatAgo(event.created_at)}</span>
        </>
      }
      second={
        <>
          <span className="min-w-0 grow truncate text-sm text-soft">
            {event.title ? plainLine(event.snippet) : EVENT_TYPES[event.event_type]}
          </span>
          <span className="inline-flex max-w-1/2 shrink-0 items-center gap-1 text-xs text-faint">
            <Lock size={12} aria-hidden className="shrink-0" />
            <span className="truncate">{strings.projectOnlyYou(event.project_key)}</span>
          </span>
        </>
      }
    />
  )
}

type ReadCard = Pick<BoxHit, 'home' | 'readers'>

/** Readers are named where they are not the person alone, the only team, or everybody in the list of the library. */
export function useUsualReaders(): (card: ReadCard, place?: string) => boolean {
  const { data } = useQuery(workspacesQuery)
  const teams = data?.items.filter(({ type }) => type !== 'personal') ?? []
  const only = teams.length === 1 ? teams[0]?.workspace_id : undefined
  return ({ home, readers }, place) =>
    readers.kind === 'owner' ||
    (readers.kind === 'members' && home.workspace_id === only) ||
    (place === strings.library && home.kind === 'library' && !home.published_from)
}

export type Chosen = { card?: string | undefined; event?: string | undefined }

const isChosen = (state: Chosen, one: Chosen): boolean =>
  one.event === undefined ? state.card === one.card : state.event === one.event

export const eventPage = ({ project_key, workspace_id }: BoxEvent, query: string) =>
  ({
    to: '/memory/project',
    search: { key: project_key, workspace: workspace_id, q: query, by: 'words' },
  }) as const

export const cardPage = ({ card_id }: Pick<BoxHit, 'card_id'>) =>
  ({ to: '/cards/$cardId', params: { cardId: card_id } }) as const

/** Returns the hit after or before the chosen one, or the first. */
export function neighbour(all: readonly Chosen[], state: SearchState, by: number): Chosen | undefined {
  const at = all.findIndex((one) => isChosen(state, one))
  return all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))]
}

const asPattern = (word: string) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Marks the matched words in a text. */
export function MarkedWords({ text, words }: { text: string; words: readonly string[] }) {
  const all = words.filter((word) => word !== '').map(asPattern)
  if (all.length === 0) return text
  const found = new RegExp(`(?<![\\p{L}\\p{N}])(${all.join('|')})(?![\\p{L}\\p{N}])`, 'giu')
  return text
    .split(found)
    .map((part, index) =>
      index % 2 === 1 ? <mark key={index}>{part}</mark> : <Fragment key={index}>{part}</Fragment>,
    )
}
