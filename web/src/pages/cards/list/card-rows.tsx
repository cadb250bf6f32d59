import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'
import type { ListedCard } from '../../../api/types.ts'
import { useShortcut } from '../../../lib/shortcuts.ts'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/states.tsx'
import { CardRow, EmptyRow, type TagLinks } from './card-row.tsx'
import { type ListInput, useCardsAt } from './use-card-pages.ts'

/** A row of two lines; the real height is measured once it is drawn. */
const ROW_HEIGHT = 61
const ROWS_BEYOND = 8

type Props = {
  input: ListInput
  total: number
  chosen?: ReadonlyMap<string, ListedCard>
  onChoose?: (card: ListedCard) => void
  tags: TagLinks
  showOwner?: boolean
}

/** A list of thousands of cards: only visible rows are drawn and loaded. j and k move the focus, Enter opens. */
export function CardRows({ input, total, chosen, onChoose, tags, showOwner = false }: Props) {
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
    // React 19 warns when a scroll flushes synchronously while it renders.
    useFlushSync: false,
  })
  const drawn = rows.getVirtualItems()
  const { cardAt, retry } = useCardsAt(input, drawn[0]?.index ?? 0, drawn.at(-1)?.index ?? 0)
  useMovingFocus(total, (index) => rows.scrollToIndex(index, { align: 'auto' }))
  return (
    <>
      <ul
        ref={list}
        aria-label="Cards"
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
          <Notice tone="bad" action={<Button onClick={retry}>Try again</Button>}>
            Some of these cards did not load.
          </Notice>
        </div>
      )}
    </>
  )
}

const linkAt = (index: number) => document.querySelector<HTMLElement>(`[data-index="${index}"] a[data-focus]`)

/** Moves from the focused row, or from above the first. A row that is not drawn yet gets the focus later. */
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
