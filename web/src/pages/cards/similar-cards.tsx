import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { searchCards } from '../../api/search.ts'
import type { Card } from '../../api/types.ts'
import { TypeBadge } from './card-badges.tsx'

/** Neighbours among what is free to search: one's own cards and those of the team. */
export function SimilarCards({ card }: { card: Card }) {
  const query = card.title.slice(0, 300)
  const similar = useQuery({
    queryKey: ['search', 'similar', card.card_id, query],
    staleTime: 300_000,
    enabled: query.trim().length >= 3,
    queryFn: async ({ signal }) => {
      const answers = await Promise.all(
        (['personal', 'workspace'] as const).map((scope) =>
          searchCards({ query, scope, limit: 5 }, { signal }),
        ),
      )
      const found = new Map(answers.flatMap((answer) => answer.results).map((hit) => [hit.card_id, hit]))
      found.delete(card.card_id)
      return [...found.values()].toSorted((a, b) => b.score - a.score).slice(0, 4)
    },
  })
  if (!similar.data || similar.data.length === 0) return null
  return (
    <section aria-label="Similar cards" className="border-t border-line pt-5">
      <h3 className="mb-1 text-sm text-soft">Similar cards</h3>
      <ul className="-mx-2 grid">
        {similar.data.map((hit) => (
          <li key={hit.card_id}>
            <Link
              to="/cards/$cardId"
              params={{ cardId: hit.card_id }}
              className="flex min-h-9 items-center gap-2 rounded-md px-2 text-sm hover:bg-hover"
            >
              <TypeBadge type={hit.card_type} />
              <span className="truncate">{hit.title}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
