/** A list is read again before its row goes, which takes as long as the server does. */
const WAITS_MS = 5000

/** The rows beside this one, then the rows beside the row it is in: the last of a group takes the group with it. */
function rowsBeside(row: Element): (Element | null)[] {
  const outer = row.parentElement?.closest('li, tr')
  return [row.nextElementSibling, row.previousElementSibling, ...(outer ? rowsBeside(outer) : [])]
}

function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('main h1')
  if (!heading) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}

function focusOneOf(rows: readonly (Element | null)[]): void {
  for (const row of rows) {
    const target = row?.isConnected && row.querySelector<HTMLElement>('button:enabled, a[href]')
    if (!target) continue
    target.focus()
    return
  }
  focusHeading()
}

const isFocusLost = () => document.activeElement === document.body

/** When this row goes and takes the focus with it, its neighbour gets the focus, or the heading of the page. */
export function neighbourGetsFocus(row: Element): void {
  const beside = rowsBeside(row)
  const until = performance.now() + WAITS_MS
  const look = () => {
    if (isFocusLost()) focusOneOf(beside)
    // Still lost while a dialog is open, which lets nothing behind it have the focus.
    if ((row.isConnected || isFocusLost()) && performance.now() < until) requestAnimationFrame(look)
  }
  look()
}
