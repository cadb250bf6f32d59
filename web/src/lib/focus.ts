import type { AnyRouter } from '@tanstack/react-router'
import { sayNextTitle, startSayingTitles } from './title.ts'

/** Longer than the server takes to answer the list that is read again. */
const NEIGHBOUR_WAIT_MS = 10_000

/** Finds where to look for something to press, best first. */
type Find = () => Element[]

type Watch = { until: number; beside: Element[]; find: Find | undefined }

const watches = new WeakMap<Element, Watch>()

/** Returns the rows after this one, those before it, then the rows beside the row around it. */
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

export const isFocusLost = () => document.activeElement === document.body

function watch(button: Element): void {
  // Another page gets the focus itself: see guideFocus.
  const page = location.pathname
  const look = () => {
    const known = watches.get(button)
    if (!known) return
    const isGone = !button.isConnected
    if (isGone && isFocusLost()) focusOneOf(known.find?.() ?? known.beside)
    // The focus stays lost while a dialog is open, because the dialog blocks everything behind it.
    const isOpen = (!isGone || isFocusLost()) && location.pathname === page
    if (isOpen && performance.now() < known.until) requestAnimationFrame(look)
    else watches.delete(button)
  }
  look()
}

/**
 * Watches a button whose work may remove it. If the focus is lost with it, the next row gets the focus, or
 * the first of `find` with something to press, or the heading of the page.
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

function endFormer(button: Element): void {
  if (pressed && pressed !== button) watches.delete(pressed)
  pressed = button
}

/**
 * Watches every button that is pressed. A button that sends a dialog is left to the dialog, which knows
 * what opened it.
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

/** Waits for the element, because lists render after their page; stops if the person acts. */
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

/** Focuses the page, unless a part of it, such as a field, has the focus. */
function focusPage() {
  const main = document.querySelector('main')
  if (!main || (main !== document.activeElement && main.contains(document.activeElement))) return
  main.tabIndex = -1
  main.focus({ preventScroll: true })
}

/**
 * Focuses each new page and tells screen readers, as after a real page load. After Back, the element that
 * had the focus gets it again.
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
