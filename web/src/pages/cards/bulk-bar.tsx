import { Users } from 'lucide-react'
import { type MouseEvent, useRef, useState } from 'react'
import type { ListedCard } from '../../api/types.ts'
import { cx } from '../../lib/cx.ts'
import { plural } from '../../lib/format.ts'
import { neighbourGetsFocus } from '../../lib/neighbour-focus.ts'
import { Button } from '../../ui/button.tsx'
import { ShareDialog } from './lazy-dialogs.tsx'

type Props = {
  chosen: ReadonlyMap<string, ListedCard>
  total: number
  /** How many of the visible cards can be chosen at once. */
  choosable: number
  onAll: () => void
  /** Only these stay chosen. */
  onLeft: (cards: readonly Pick<ListedCard, 'card_id'>[]) => void
}

/** How many cards there are, or how many are chosen and what can be done with them. */
export function BulkBar({ chosen, total, choosable, onAll, onLeft }: Props) {
  const [asking, setAsking] = useState(false)
  const cards = [...chosen.values()]
  // Back leads to another list, where none of them is chosen.
  if (asking && cards.length === 0) setAsking(false)
  const bar = useRef<HTMLDivElement>(null)
  /** Other buttons take the place of those that choose. */
  const then = (run: () => void) => (event: MouseEvent<Element>) => {
    neighbourGetsFocus(event.currentTarget, () => (bar.current ? [bar.current] : []))
    run()
  }
  return (
    <div
      ref={bar}
      className={cx(
        'flex min-h-8 flex-wrap items-center gap-2 pb-1 text-sm',
        // Cards far down the list are chosen too, and what to do with them stays in reach.
        cards.length > 0 && 'sticky top-0 z-10 bg-page py-1',
      )}
    >
      <span role="status" className={cards.length > 0 ? 'font-medium' : 'text-xs text-faint'}>
        {cards.length > 0 ? `${plural(cards.length, 'card')} chosen` : plural(total, 'card')}
      </span>
      {cards.length > 0 ? (
        <>
          <Button size="sm" onClick={() => setAsking(true)}>
            <Users size={14} aria-hidden />
            Share {plural(cards.length, 'card')} …
          </Button>
          <Button size="sm" look="ghost" onClick={then(() => onLeft([]))}>
            Clear
          </Button>
        </>
      ) : (
        choosable > 1 && (
          <Button look="ghost" size="sm" className="ml-auto" onClick={then(onAll)}>
            Choose the first {choosable}
          </Button>
        )
      )}
      {asking && <ShareDialog cards={cards} onClose={() => setAsking(false)} onShared={onLeft} />}
    </div>
  )
}
