import type { Card } from '../../api/types.ts'
import { Notice } from '../../ui/states.tsx'

/** Says what the last review found wrong; a card that passed needs no line. */
export function ReviewNote({ card }: { card: Card }) {
  if (card.review.status !== 'rejected') return null
  return (
    <Notice tone="warn">
      <p className="font-medium">
        {card.status === 'published'
          ? 'Published, but its last review found something.'
          : 'The last review refused it.'}
      </p>
      <ul className="mt-1 list-disc pl-4">
        {card.review.reasons.map((reason) => (
          <li key={reason.rule + reason.message}>{reason.message}</li>
        ))}
      </ul>
    </Notice>
  )
}
