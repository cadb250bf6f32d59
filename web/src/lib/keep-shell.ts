/** Lets the browser open the app even while the server is unreachable; docs/decisions/0033-paste-and-images.md says why. */
export function keepShell(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return
  // After the page itself: nobody waits for it.
  addEventListener('load', () => void navigator.serviceWorker.register('/sw.js').catch(() => {}))
}
