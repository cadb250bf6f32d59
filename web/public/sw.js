/*
 * Opens the app while the server cannot be reached, instead of the browser's error page. It keeps the page of the app and
 * its files, which are the same for everybody; no answer of the API ever comes near it, so signing out leaves nothing here.
 * The network comes first for pages: an update shows at the next load.
 */
const CACHE = 'kvault-shell'
const SHELL = '/app-shell'
/** Addresses that are not pages of the app; src/doors/http/web-page.ts has the same list, held by a test. */
const NOT_PAGES = /^\/(api|mcp|docs|health|metrics|openapi\.json|ai-guide|oauth|assets|\.well-known)(\/|$)/

/** Each once: a cache refuses a list that names a file twice. */
const assetsIn = (html) => [
  ...new Set([...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path)),
]

/** Takes the page of now and its files; what belongs to a former one goes. */
async function refreshShell() {
  const answer = await fetch(SHELL, { cache: 'no-store', credentials: 'omit' })
  if (!answer.ok) return
  const cache = await caches.open(CACHE)
  const html = await answer.clone().text()
  const known = await cache.match(SHELL)
  if (known && (await known.text()) === html) return
  const paths = assetsIn(html)
  await cache.addAll(paths)
  await cache.put(SHELL, answer)
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url)
    if (pathname !== SHELL && !paths.includes(pathname)) await cache.delete(request)
  }
}

/** A proxy whose server is gone answers by itself; our server signs every answer. */
const isGone = (answer) => [502, 503, 504].includes(answer.status) && !answer.headers.has('x-request-id')

async function page(event) {
  try {
    const answer = (await event.preloadResponse) ?? (await fetch(event.request))
    if (!isGone(answer)) return answer
    return (await caches.match(SHELL)) ?? answer
  } catch (error) {
    const shell = await caches.match(SHELL)
    if (shell) return shell
    throw error
  }
}

/** The name of a file in /assets carries a hash of its content, so a kept one is never old. */
async function asset(request) {
  const cache = await caches.open(CACHE)
  const kept = await cache.match(request)
  if (kept) return kept
  const answer = await fetch(request)
  if (answer.ok) await cache.put(request, answer.clone())
  return answer
}

addEventListener('install', (event) => {
  event.waitUntil(refreshShell().then(() => skipWaiting()))
})

addEventListener('activate', (event) => {
  event.waitUntil(Promise.all([clients.claim(), registration.navigationPreload?.enable()]))
})

addEventListener('fetch', (event) => {
  const { pathname, origin } = new URL(event.request.url)
  if (event.request.method !== 'GET' || origin !== location.origin) return
  if (event.request.mode === 'navigate' && !NOT_PAGES.test(pathname)) {
    event.respondWith(page(event))
    event.waitUntil(refreshShell().catch(() => {}))
  } else if (pathname.startsWith('/assets/')) event.respondWith(asset(event.request))
  else if (pathname === '/theme.js' || pathname === '/favicon.svg')
    event.respondWith(fetch(event.request).catch(() => caches.match(event.request)))
})
