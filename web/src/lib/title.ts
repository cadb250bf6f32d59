import { useEffect } from 'react'

/** Tells screen readers the title of a page that is opened inside the app. */
let region: HTMLElement | undefined
let isNext = false

/** Called once, before the first page: only changes of an existing region are spoken. */
export function startSayingTitles(): void {
  const host = document.body.appendChild(document.createElement('div'))
  host.className = 'sr-only'
  region = document.createElement('p')
  region.setAttribute('aria-live', 'polite')
  // Closed, so that searching or copying the page finds the title once.
  host.attachShadow({ mode: 'closed' }).append(region)
}

/** Announces the next title. It may come later, together with the data of the page. */
export const sayNextTitle = (): void => {
  isNext = true
}

function sayTitle(title: string): void {
  if (isNext && region) region.textContent = title
  isNext = false
}

const APP = 'Knowledge Vault'

/** Undefined: another part of the page names the tab. */
export function useTitle(title: string | undefined) {
  useEffect(() => {
    if (title === undefined) return
    document.title = title ? `${title} · ${APP}` : APP
    sayTitle(title || APP)
    return () => {
      document.title = APP
    }
  }, [title])
}
