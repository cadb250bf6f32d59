import { useEffect } from 'react'

/** A browser tells screen readers the title of a page that it loads. For a page that is opened inside the app, this does. */
let region: HTMLElement | undefined
let isNext = false

/** Called once, before the first page: only changes of a region that is there already are spoken. */
export function startSayingTitles(): void {
  const host = document.body.appendChild(document.createElement('div'))
  host.className = 'sr-only'
  region = document.createElement('p')
  region.setAttribute('aria-live', 'polite')
  // Closed, so that whoever searches in the page or copies it finds the title once.
  host.attachShadow({ mode: 'closed' }).append(region)
}

/** Another page opens. Its title may come later, together with its data; those after it are changes of the same page. */
export const sayNextTitle = (): void => {
  isNext = true
}

function sayTitle(title: string): void {
  if (isNext && region) region.textContent = title
  isNext = false
}

const APP = 'Knowledge Vault'

/** Without a title, another part of the page names the tab, or nothing does: a page that is gone, or not loaded. */
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
