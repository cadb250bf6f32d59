/** Whether this is the first time in this frame that something happens to the subject. */
export function oncePerFrame(nextFrame: (forget: () => void) => void): (subject: object) => boolean {
  const seen = new Set<object>()
  return (subject) => {
    if (seen.has(subject)) return false
    seen.add(subject)
    nextFrame(() => seen.delete(subject))
    return true
  }
}

/** Two frames: the first draws what the click has changed. */
const afterDrawing = (done: () => void) => requestAnimationFrame(() => requestAnimationFrame(done))

const buttonOrForm = ({ target }: Event): object | null =>
  target instanceof HTMLFormElement ? target : target instanceof Element ? target.closest('button') : null

/**
 * A button is disabled by the next render, so two clicks before it would both count. Nobody clicks twice within one
 * frame on purpose: the second click on a button, or the second submit of a form, is ignored. The document sees it
 * before React.
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
