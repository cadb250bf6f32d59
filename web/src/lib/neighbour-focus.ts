/** A list is read again before its row goes, which takes as long as the server does. */
const WAITS_MS = 10_000

/** The rows after this one, those before it, then the rows beside the row it is in: the last of a group takes the group with it. */
function rowsBeside(row: Element): Element[] {
  const all = [...(row.parentElement?.children ?? [])]
  const at = all.indexOf(row)
  const outer = row.parentElement?.closest('li, tr')
  return [...all.slice(at + 1), ...all.slice(0, at).reverse(), ...(outer ? rowsBeside(outer) : [])]
}

function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('main h1')
  if (!heading) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}

function focusOneOf(rows: readonly Element[]): void {
  for (const row of rows) {
    const target = row.isConnected && row.querySelector<HTMLElement>('button:enabled, a[href]')
    if (!target) continue
    target.focus()
    return
  }
  focusHeading()
}

/** What had the focus is gone. */
export const isFocusLost = () => document.activeElement === document.body

/**
 * For a button whose work may take it away. If it goes, with its row or alone, and takes the focus with it, the next row
 * gets the focus, or the first of `find` with something to press, or the heading of the page.
 */
export function neighbourGetsFocus(button: Element, find?: () => Element[]): void {
  const row = button.closest('li, tr')
  const beside = row ? rowsBeside(row) : []
  const until = performance.now() + WAITS_MS
  const look = () => {
    const isGone = !button.isConnected
    if (isGone && isFocusLost()) focusOneOf(find?.() ?? beside)
    // Still lost while a dialog is open, which lets nothing behind it have the focus.
    if ((!isGone || isFocusLost()) && performance.now() < until) requestAnimationFrame(look)
  }
  look()
}
