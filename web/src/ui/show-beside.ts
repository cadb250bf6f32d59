export type Side = 'top' | 'bottom'

const GAP = 4
const MARGIN = 8

/** Places a floating element beside its button, on the side with more room, and always on the screen. */
export function showBeside(element: HTMLElement, button: DOMRect, side: Side, align: 'start' | 'end'): void {
  const { clientWidth, clientHeight } = document.documentElement
  const below = clientHeight - button.bottom - GAP - MARGIN
  const above = button.top - GAP - MARGIN
  const wanted = side === 'bottom' ? below : above
  const other = side === 'bottom' ? above : below
  const isFlipped = element.scrollHeight > wanted && other > wanted
  const isBelow = (side === 'bottom') !== isFlipped
  element.style.maxHeight = `${Math.max(isBelow ? below : above, 0)}px`
  const { width, height } = element.getBoundingClientRect()
  const left = align === 'start' ? button.left : button.right - width
  element.style.left = `${Math.max(MARGIN, Math.min(left, clientWidth - width - MARGIN))}px`
  element.style.top = `${isBelow ? button.bottom + GAP : button.top - GAP - height}px`
}
