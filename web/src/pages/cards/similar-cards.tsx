import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { similarCards } from '../../api/search.ts'
import type { Card } from '../../api/types.ts'
import { TypeBadge } from './card-badges.tsx'
import { nearestFirst } from './nearest-first.ts'
import { ReadersLine } from './sharing/readers.tsx'

/** Similar cards among all that the person may find, free of charge. */
export function SimilarCards({ card }: { card: Card }) {
  const similar = useQuery({
    queryKey: ['search', 'similar', card.card_id, card.version],
    staleTime: 300_000,
    queryFn: ({ signal }) => similarCards({ card_id: card.card_id }, { signal }),
  })
  if (!similar.data || similar.data.length === 0) return null
  return (
    <section aria-label="Similar cards" className="border-t border-line pt-5">
      <h3 className="mb-1 text-sm text-soft">Similar cards</h3>
      <ul className="-mx-2 grid">
        {nearestFirst(similar.data).map((hit) => (
          <li key={hit.card_id}>
            <Link
              to="/cards/$cardId"
              params={{ cardId: hit.card_id }}
              className="flex min-h-9 items-center gap-2 rounded-md px-2 py-1 text-sm hover:bg-hover"
            >
              <TypeBadge type={hit.card_type} />
              <span className="grid min-w-0 grow">
                <span className="truncate">{hit.title}</span>
                <ReadersLine card={hit} />
              </span>
              {hit.similarity >= 0.5 && (
                <span className="shrink-0 text-xs text-faint">
                  {Math.round(hit.similarity * 100)} % the same
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
