import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { ErrorState, SkeletonPage } from '../ui/states.tsx'
import { isReachable, NetworkError, whenBack } from './reachable.ts'
import { tab } from './storage.ts'

type Loaded<T> = { value?: T; error?: unknown; retry: () => void }

/** After an update the old page asks for files that are gone: load the new page instead, once for each address. */
function reloadOnce(): void {
  if (tab.read('kv-reloaded') === location.href) return
  tab.write('kv-reloaded', location.href)
  location.reload()
}

/** Vite reports every file of the app that could not be loaded. If the server answers, the page is from an older version. */
export const reloadAfterUpdate = () =>
  addEventListener('vite:preloadError', () => void isReachable().then((isThere) => isThere && reloadOnce()))

/** Why a file was not loaded: the server is unreachable, or it has a newer version. */
async function explain(error: unknown): Promise<unknown> {
  return (await isReachable()) ? error : new NetworkError(error)
}

/**
 * A part of the app that is loaded on demand. Unlike React's own `lazy`, it recovers from a failure: it is
 * tried again when the server is back.
 */
export function loadable<T>(load: () => Promise<T>) {
  let value: T | undefined
  let loading: Promise<void> | undefined
  const preload = (): Promise<void> => {
    loading ??= load()
      .then((loaded) => {
        value = loaded
      })
      .finally(() => {
        loading = undefined
      })
    return loading
  }
  function useLoaded(): Loaded<T> {
    const [attempt, setAttempt] = useState(0)
    const [error, setError] = useState<unknown>()
    const [, redraw] = useState(false)
    const retry = () => setAttempt((count) => count + 1)
    // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt loads again
    useEffect(() => {
      if (value !== undefined) return
      let isCurrent = true
      preload().then(
        () => isCurrent && redraw(true),
        async (reason) => {
          const explained = await explain(reason)
          if (isCurrent) setError(explained)
        },
      )
      const stop = whenBack(retry)
      return () => {
        isCurrent = false
        stop()
      }
    }, [attempt])
    return value === undefined ? { error, retry } : { value, retry }
  }
  return { preload, useLoaded }
}

/** A part of a page in a file of its own, for what only some people see, or only later. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  const part = loadable(async () => ({ Part: await load() }))
  function LazyPart(props: Props) {
    const { value, error, retry } = part.useLoaded()
    if (value) return <value.Part {...props} />
    return error ? <ErrorState error={error} onRetry={retry} /> : <SkeletonPage />
  }
  return Object.assign(LazyPart, { preload: () => part.preload().catch(() => {}) })
}

/** A page in a file of its own. The router loads it before it shows it; if that fails, the frame stays and says so. */
export function lazyPage<Name extends string>(
  // Not by its own type: pages are typed by the router, and the router by its pages.
  load: () => Promise<Record<Name, unknown>>,
  name: Name,
): (() => ReactNode) & { preload: () => Promise<void> } {
  const page = loadable(async () => ({ Page: (await load())[name] as () => ReactNode }))
  function LazyPage() {
    const { value, error, retry } = page.useLoaded()
    if (value) return <value.Page />
    return error ? <ErrorState error={error} onRetry={retry} isPage /> : <SkeletonPage />
  }
  return Object.assign(LazyPage, { preload: () => page.preload().catch(() => {}) })
}

/**
 * Uses a part of the app that is loaded on demand. If it cannot be loaded now, because the server is away, nothing
 * happens; whoever asks again tries again.
 */
export const whenLoaded = <T,>(part: Promise<T>, use: (part: T) => void): void => {
  part.then(use, () => {})
}
