/** Checks whether the server answers: the browser only knows whether there is a network. */
import { onlineManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

const FIRST_PAUSE_MS = 1000
const MAX_PAUSE_MS = 15_000

const REACH_TIMEOUT_MS = 10_000

/** Asks the server without any cache. A network with a sign-in page answers too, but not in JSON. */
export const isReachable = (): Promise<boolean> =>
  fetch('/health', {
    cache: 'no-store',
    credentials: 'omit',
    signal: AbortSignal.timeout(REACH_TIMEOUT_MS),
  }).then(
    ({ ok, headers }) => ok && (headers.get('content-type') ?? '').startsWith('application/json'),
    () => false,
  )

let timer: ReturnType<typeof setTimeout> | undefined

/** Asks with growing pauses until the server answers. */
function askAgain(pauseMs: number): void {
  clearTimeout(timer)
  timer = setTimeout(async () => {
    if (await isReachable()) onlineManager.setOnline(true)
    else askAgain(Math.min(pauseMs * 1.5, MAX_PAUSE_MS))
  }, pauseMs)
}

export function reportUnreachable(): void {
  if (!onlineManager.isOnline()) return
  onlineManager.setOnline(false)
  askAgain(FIRST_PAUSE_MS)
}

/** Asks whether the server is away after one request stayed without an answer. */
export function reportTimeout<Cause>(cause: Cause): Cause {
  void isReachable().then((isThere) => isThere || reportUnreachable())
  return cause
}

/** The library's own listener only knows whether there is a network. */
onlineManager.setEventListener(() => {
  if (typeof addEventListener === 'undefined') return undefined
  const look = () => {
    if (!onlineManager.isOnline()) askAgain(0)
  }
  const onVisible = () => document.visibilityState === 'visible' && look()
  addEventListener('offline', reportUnreachable)
  addEventListener('online', look)
  document.addEventListener('visibilitychange', onVisible)
  return () => {
    removeEventListener('offline', reportUnreachable)
    removeEventListener('online', look)
    document.removeEventListener('visibilitychange', onVisible)
  }
})

/** Calls `run` when the server is back. Returns a function that stops listening. */
export const whenBack = (run: () => void): (() => void) =>
  onlineManager.subscribe((isOnline) => {
    if (isOnline) run()
  })

export const useReachable = (): boolean =>
  useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  )

/** The server took a request and says nothing. Nothing is sent again by itself. */
export class ServerTimeout extends Error {
  constructor(method = 'GET') {
    super(
      method === 'GET'
        ? 'The server does not answer.'
        : 'The server does not answer. What you sent may have arrived: look before you send it again.',
    )
    this.name = 'ServerTimeout'
  }
}

export class NetworkError extends Error {
  constructor(cause: unknown) {
    super('The server cannot be reached.', { cause })
    this.name = 'NetworkError'
  }
}
