import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { similarToText } from '../../api/search.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import type { Draft } from './draft.ts'
import { nearestFirst } from './nearest-first.ts'
import { ReadersLine } from './sharing/readers.tsx'

const WAIT_MS = 600
const SHORTEST_TITLE = 10
const SHORTEST_SYMPTOM = 20

/** Shows similar cards while a person writes, beside the form. If it fails, it shows nothing. */
export function NearCards({ draft }: { draft: Pick<Draft, 'title' | 'symptom' | 'fix_summary'> }) {
  // As one text: an object would differ at every render, and the value would never settle.
  const written = useDebounced(
    JSON.stringify({
      title: draft.title.trim(),
      symptom: draft.symptom.trim(),
      fix_summary: draft.fix_summary.trim(),
    }),
    WAIT_MS,
  )
  const { title, symptom, fix_summary } = JSON.parse(written) as typeof draft
  const isEnough = title.length >= SHORTEST_TITLE && symptom.length >= SHORTEST_SYMPTOM
  const near = useQuery({
    queryKey: ['search', 'near', written],
    enabled: isEnough,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => similarToText({ title, symptom, fix_summary }, { signal }),
  })
  const cards = isEnough ? nearestFirst(near.data ?? []) : []
  return (
    <section aria-label="Near cards" aria-live="polite">
      {cards.length > 0 && (
        <>
          <h2 className="mb-1 text-sm font-semibold">Is it one of these?</h2>
          <ul className="-mx-2 grid">
            {cards.map((card) => (
              <li key={card.card_id}>
                <a
                  href={`/cards/${card.card_id}`}
                  target="_blank"
                  rel="noreferrer"
                  className="flex min-h-8 items-center gap-2 rounded-md px-2 py-1 text-sm hover:bg-hover"
                >
                  <span className="grid min-w-0 grow">
                    <span className="line-clamp-2">{card.title}</span>
                    <ReadersLine card={card} />
                  </span>
                  {card.similarity >= 0.1 && (
                    <span className="shrink-0 text-xs text-faint tabular-nums">
                      {Math.round(card.similarity * 100)} % the same
                    </span>
                  )}
                  <ExternalLink size={12} className="shrink-0 text-faint" aria-hidden />
                  <span className="sr-only">opens in a new tab</span>
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
