import type { AnyRouter } from '@tanstack/react-router'
import { sayNextTitle, startSayingTitles } from './say-title.ts'

const WAITS_MS = 2000

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
  const until = performance.now() + WAITS_MS
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
