/** Returns the address to follow after signing in; only addresses inside this app are safe. */
export function safeNext(value: unknown): string | undefined {
  if (typeof value !== 'string' || !value.startsWith('/')) return undefined
  if (!URL.canParse(value, location.origin)) return undefined
  const url = new URL(value, location.origin)
  // `/.//other.example` is a path here, and a host once it is read again.
  if (url.origin !== location.origin || url.pathname.startsWith('//')) return undefined
  return url.pathname + url.search + url.hash
}

/** Loads the consent page for apps, which belongs to the server. */
export function leaveForConsent(next: string | undefined): boolean {
  if (!next?.startsWith('/oauth/')) return false
  location.assign(next)
  return true
}
