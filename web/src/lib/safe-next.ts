/** Only an address inside this app is followed after signing in; anything else could lead to a stranger's site. */
export function safeNext(value: unknown): string | undefined {
  if (typeof value !== 'string' || !value.startsWith('/')) return undefined
  if (!URL.canParse(value, location.origin)) return undefined
  const url = new URL(value, location.origin)
  // `/.//other.example` is a path here, and a host to whoever reads it once more.
  if (url.origin !== location.origin || url.pathname.startsWith('//')) return undefined
  return url.pathname + url.search + url.hash
}

/** The consent page for apps is the server's own, not one of this app: the browser has to load it. */
export function leaveForConsent(next: string | undefined): boolean {
  if (!next?.startsWith('/oauth/')) return false
  location.assign(next)
  return true
}
