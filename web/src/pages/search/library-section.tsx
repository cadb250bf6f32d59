import { useQuery } from '@tanstack/react-query'
import { Globe } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { credits, formatNumber } from '../../lib/format.ts'
import { isFocusLost } from '../../lib/neighbour-focus.ts'
import { configQuery, creditsPolicyQuery, useMe } from '../../session.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { FormError, Notice } from '../../ui/states.tsx'
import { HITS_AT_ONCE, type SearchState } from './search-state.ts'
import { CardHits, chargedWords, More, Section } from './sections.tsx'
import { remember } from './use-kept-searches.ts'
import type { useLibrarySearch } from './use-search.ts'

/** What a search of the library costs here; 0 if credits are switched off. */
function usePrice(): number {
  const { data: config } = useQuery(configQuery)
  const { data: policy } = useQuery(creditsPolicyQuery)
  return config?.credits === false ? 0 : (policy?.public_search_cost_credits ?? 5)
}

type Props = {
  library: ReturnType<typeof useLibrarySearch>
  state: SearchState
  selected: SearchState
  wide: boolean
}

/** The last section. It is searched on a click; the button shows the price, and the hits show what was charged. */
export function LibrarySection({ library, state, selected, wide }: Props) {
  const [shown, setShown] = useState({ q: state.q, hits: HITS_AT_ONCE })
  const { answer } = library
  const heading = useAnswerFocus(library)
  const found = answer?.library
  if (!answer || !found) return <Offer library={library} state={state} />
  const count = shown.q === state.q ? shown.hits : HITS_AT_ONCE
  return (
    <Section
      title="Library"
      note={`${formatNumber(found.results.length)} · ${chargedWords(answer)}`}
      heading={heading}
    >
      {found.results.length === 0 && (
        <p className="px-4 py-3 text-sm text-soft">
          The library has nothing on this. Nothing was charged. Once you have solved it, write the card.
        </p>
      )}
      <CardHits
        label="Library"
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

/** The answer takes the place of its button, and the focus too: the heading says what was found and charged. */
function useAnswerFocus({ sending, answer }: Props['library']) {
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

/** Before the search: what it costs, when it is free, and the balance. */
function Offer({ library, state }: Pick<Props, 'library' | 'state'>) {
  const price = usePrice()
  const me = useMe()
  const send = () => {
    remember(state)
    void library.send()
  }
  return (
    <Section title="Library" note="not asked yet">
      <div className="grid gap-2 px-4 py-3">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <Button busy={library.sending} onClick={send}>
            <Globe size={14} aria-hidden />
            Search the library{price > 0 ? ` · ${credits(price)}` : ''}
          </Button>
          {price > 0 && (
            <p className="min-w-0 grow basis-40 text-xs text-faint">
              {credits(price)} if it finds something by others, else nothing; once a day for one question. You
              have {credits(me.credits_balance)}.
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
          Get credits
        </LinkButton>
      }
    >
      {error.message} Nothing was charged.
    </Notice>
  )
}
