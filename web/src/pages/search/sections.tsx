import { ChevronDown, SearchX } from 'lucide-react'
import type { MouseEvent, ReactNode, Ref } from 'react'
import type { BoxAnswer, BoxEvent, BoxHit } from '../../api/search.ts'
import { credits, formatNumber, plural } from '../../lib/format.ts'
import { neighbourGetsFocus } from '../../lib/neighbour-focus.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { EmptyState, FormError } from '../../ui/states.tsx'
import { CardHit, EventHit } from './hit-row.tsx'
import { isChosen } from './hits.ts'
import { NOTHING_CHOSEN, quoted, type SearchState } from './search-state.ts'
import { type FreeSection, useMore } from './use-search.ts'

type CardsFound = NonNullable<BoxAnswer['mine']>
type Change = (next: Partial<SearchState>, replace?: boolean) => void

type SectionProps = {
  title: string
  note?: ReactNode
  children: ReactNode
  /** For a section that takes the focus once it has its answer. */
  heading?: Ref<HTMLHeadingElement>
}

export const Section = ({ title, note, children, heading }: SectionProps) => (
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

export function CardHits({ label, results, state, selected, wide }: CardListProps) {
  const firstWeak = results.findIndex((hit) => hit.weak)
  return (
    <ol aria-label={label} className="divide-y divide-line">
      {results.map((hit, i) => (
        <li key={hit.card_id} data-hit={hit.card_id}>
          {i === firstWeak && (
            <p className="bg-sunken/50 px-4 py-0.5 text-xs text-faint">
              {i === 0 ? 'Nothing fits well. These share some words:' : 'These only share some words:'}
            </p>
          )}
          <CardHit hit={hit} state={state} isChosen={isChosen(selected, { card: hit.card_id })} wide={wide} />
        </li>
      ))}
    </ol>
  )
}

type Props = { answer: BoxAnswer; state: SearchState; selected: SearchState; change: Change; wide: boolean }

const TITLES = { mine: 'Mine', team: 'Team', memory: 'Memory' } as const

/** Own cards, team cards and memory; a section without a hit takes no room. */
export function FreeSections({ answer, state, selected, change, wide }: Props) {
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
          <ol aria-label="Memory" className="divide-y divide-line">
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

type Found = { results: (BoxHit | BoxEvent)[]; total: number } | null
type MoreProps = {
  section: FreeSection
  found: Found
  state: SearchState
  children: (results: (BoxHit | BoxEvent)[]) => ReactNode
}

/** A ranking has some hundreds of cards, so from here on their number is only the least; a list has all of them. */
const RANKED_END = 200

const isRankedToItsEnd = (found: { total: number } | null) => (found?.total ?? 0) >= RANKED_END

function MoreOf({ section, found, state, children }: MoreProps) {
  const { answer, loading, error, more } = useMore(state, section)
  const shown: Found = answer ?? found
  if (!shown || shown.results.length === 0) return null
  const { results, total } = shown
  const hits = results.filter((hit) => !hit.weak).length
  const isLeast = section !== 'memory' && isRankedToItsEnd(shown)
  return (
    <Section
      title={TITLES[section]}
      note={`${hits < total ? `${hits} of ` : ''}${formatNumber(total)}${isLeast ? ' or more' : ''}`}
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
          All cards with these words
        </LinkButton>
      )}
    </Section>
  )
}

type MoreButton = { left: number; busy: boolean; error?: unknown; onMore: () => void }

/** Stands below its list. With the last hits it goes, and the first of those that came gets the focus. */
export function More({ left, busy, error, onMore }: MoreButton) {
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
        {formatNumber(left)} more
      </Button>
      {!busy && <FormError error={error} />}
    </>
  )
}

/** What was searched in place of a word that no card has, and the way back to the word itself. */
function Corrected({ answer, change }: { answer: BoxAnswer; change: Change }) {
  const read: Pick<CardsFound, 'corrected'>[] = [answer.mine, answer.team].filter((found) => found !== null)
  const corrected = Object.assign({}, ...read.map((found) => found.corrected)) as Record<string, string>
  const words = Object.entries(corrected)
  if (words.length === 0) return null
  return (
    <p className="px-4 py-2 text-sm text-soft">
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
        onClick={() => change({ q: quoted(answer.query, Object.keys(corrected)), ...NOTHING_CHOSEN }, false)}
      >
        search for {words.map(([typed]) => typed).join(', ')} instead
      </button>
    </p>
  )
}

export const chargedWords = ({ credits_charged }: BoxAnswer): string =>
  credits_charged > 0 ? `${credits(credits_charged)} charged` : 'nothing charged'

/** How many hits there are, and how long the search took; also announced by screen readers. */
export const Summary = ({ answer, library }: { answer: BoxAnswer; library: BoxAnswer | undefined }) => {
  const found = [answer.mine, answer.team, answer.memory].reduce((sum, part) => sum + (part?.total ?? 0), 0)
  const total = found + (library?.library?.results.length ?? 0)
  const isLeast = [answer.mine, answer.team].some(isRankedToItsEnd)
  return (
    <p role="status" className="px-4 py-1 text-xs text-faint tabular-nums">
      {isLeast ? `${formatNumber(total)} or more results` : plural(total, 'result')} ·{' '}
      {Math.max(1, Math.round(answer.took_ms))} ms · {library?.library ? chargedWords(library) : 'free'}
    </p>
  )
}

type NothingProps = { state: SearchState; change: Change; library: BoxAnswer | undefined }

/** Once the library has been asked, its own section says what it has. */
export function NothingFound({ state, change, library }: NothingProps) {
  const filtered = state.tags || state.env || state.workspace || state.track
  if (library?.library?.results.length)
    return (
      <p className="px-4 py-2 text-sm text-soft">
        Neither your cards, nor your team’s, nor your memory has it. The library has.
      </p>
    )
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
          <LinkButton to="/cards/new" look="primary">
            Write the card
          </LinkButton>
        </div>
      }
    >
      {library?.library
        ? 'Neither you, nor your team, nor the library has it.'
        : 'Neither your cards, nor your team’s, nor your memory has it.'}{' '}
      Use fewer words or the exact error text{!library?.library && ', or ask the library below'}.
    </EmptyState>
  )
}
