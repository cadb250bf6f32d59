import type { AnyRouter } from '@tanstack/react-router'

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

/** After Back, the element that had the focus when the page was left gets it again. */
export function returnFocus(router: AnyRouter) {
  const left = new Map<string, string>()
  router.subscribe('onBeforeNavigate', ({ fromLocation }) => {
    const key = keyOf(fromLocation)
    const name = focusNames()
    if (key && name) left.set(key, name)
  })
  router.subscribe('onRendered', ({ toLocation, pathChanged }) => {
    const name = pathChanged ? left.get(keyOf(toLocation) ?? '') : undefined
    if (name) focusWhenThere(name)
  })
}
