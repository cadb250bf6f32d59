/** Returns a function that tells whether something happens to its subject for the first time in this frame. */
export function oncePerFrame(nextFrame: (forget: () => void) => void): (subject: object) => boolean {
  const seen = new Set<object>()
  return (subject) => {
    if (seen.has(subject)) return false
    seen.add(subject)
    nextFrame(() => seen.delete(subject))
    return true
  }
}

/** Two frames: the first draws the change made by the click. */
const afterDrawing = (done: () => void) => requestAnimationFrame(() => requestAnimationFrame(done))

const buttonOrForm = ({ target }: Event): object | null =>
  target instanceof HTMLFormElement ? target : target instanceof Element ? target.closest('button') : null

/**
 * Ignores a second click or submit within one frame, before a render can disable the button. Listens in the
 * capture phase, so it runs before React.
 */
export function guardAgainstDoubleClicks(page: Document): void {
  for (const type of ['click', 'submit']) {
    const isFirst = oncePerFrame(afterDrawing)
    page.addEventListener(
      type,
      (event) => {
        const subject = buttonOrForm(event)
        if (!subject || isFirst(subject)) return
        event.preventDefault()
        event.stopImmediatePropagation()
      },
      true,
    )
  }
}
