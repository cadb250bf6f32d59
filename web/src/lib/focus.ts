import type { AnyRouter } from '@tanstack/react-router'
import { sayNextTitle, startSayingTitles } from './title.ts'

/** A list is read again before its row goes, which takes as long as the server does. */
const NEIGHBOUR_WAIT_MS = 10_000

/** Where to look for something to press: the first of them that has it gets the focus. */
type Find = () => Element[]

type Watch = { until: number; beside: Element[]; find: Find | undefined }

const watches = new WeakMap<Element, Watch>()

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

function watch(button: Element): void {
  // Another page gets the focus itself: see guideFocus.
  const page = location.pathname
  const look = () => {
    const known = watches.get(button)
    if (!known) return
    const isGone = !button.isConnected
    if (isGone && isFocusLost()) focusOneOf(known.find?.() ?? known.beside)
    // Still lost while a dialog is open, which lets nothing behind it have the focus.
    const isOpen = (!isGone || isFocusLost()) && location.pathname === page
    if (isOpen && performance.now() < known.until) requestAnimationFrame(look)
    else watches.delete(button)
  }
  look()
}

/**
 * The work of a button may take it away. If it goes, with its row or alone, and takes the focus with it, the next row
 * gets the focus, or the first of `find` with something to press, or the heading of the page.
 */
export function neighbourGetsFocus(button: Element, find?: Find): void {
  const known = watches.get(button)
  const row = button.closest('li, tr')
  watches.set(button, {
    until: performance.now() + NEIGHBOUR_WAIT_MS,
    beside: row ? rowsBeside(row) : [],
    find: find ?? known?.find,
  })
  if (!known) watch(button)
}

let pressed: Element | undefined

/** Whoever presses another button has left the former, which may still go. */
function endFormer(button: Element): void {
  if (pressed && pressed !== button) watches.delete(pressed)
  pressed = button
}

/**
 * Looks after every button that is pressed, so that none is forgotten. A button that sends a dialog is left to the
 * dialog, which knows what opened it.
 */
export function keepFocusNear(page: Document): void {
  page.addEventListener(
    'click',
    ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null
      if (!button || button.matches('dialog [type=submit]')) return
      if (!button.closest('dialog')) endFormer(button)
      neighbourGetsFocus(button)
    },
    true,
  )
}

const PAGE_WAIT_MS = 2000

const focusNames = () =>
  document.activeElement instanceof HTMLElement
    ? document.activeElement.closest<HTMLElement>('[data-focus]')?.dataset.focus
    : undefined

const keyOf = (location: { state: object } | undefined): string | undefined => {
  const key = location && Reflect.get(location.state, '__TSR_key')
  return typeof key === 'string' ? key : undefined
}

/** Lists appear shortly after their page, so this waits for the element, unless the person acts meanwhile. */
function focusWhenThere(name: string) {
  const until = performance.now() + PAGE_WAIT_MS
  let isFree = true
  const stop = () => {
    isFree = false
  }
  addEventListener('keydown', stop, { once: true })
  addEventListener('pointerdown', stop, { once: true })
  const look = () => {
    if (!isFree || performance.now() > until) return
    const found = document.querySelector<HTMLElement>(`[data-focus="${CSS.escape(name)}"]`)
    if (found) found.focus({ preventScroll: true })
    else requestAnimationFrame(look)
  }
  look()
}

/** The page has the focus, unless it has given it to a part of its own, as a field or a tab. */
function focusPage() {
  const main = document.querySelector('main')
  if (!main || (main !== document.activeElement && main.contains(document.activeElement))) return
  main.tabIndex = -1
  main.focus({ preventScroll: true })
}

/**
 * Another page gets the focus and is told to screen readers, as if the browser had loaded it. After Back, the element that
 * had the focus when the page was left gets it again.
 */
export function guideFocus(router: AnyRouter) {
  const left = new Map<string, string>()
  let isBack = false
  startSayingTitles()
  router.history.subscribe(({ action }: { action: { type: string } }) => {
    isBack = action.type !== 'PUSH' && action.type !== 'REPLACE'
  })
  router.subscribe('onBeforeNavigate', ({ fromLocation, pathChanged }) => {
    const key = keyOf(fromLocation)
    const name = focusNames()
    if (key && name) left.set(key, name)
    if (fromLocation && pathChanged) sayNextTitle()
  })
  router.subscribe('onRendered', ({ fromLocation, toLocation, pathChanged }) => {
    if (!fromLocation || !pathChanged) return
    const name = left.get(keyOf(toLocation) ?? '')
    if (name) focusWhenThere(name)
    else if (!isBack) focusPage()
  })
}
