import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { ErrorState, SkeletonPage } from '../ui/states.tsx'
import { isReachable, NetworkError, whenBack } from './reachable.ts'
import { tab } from './storage.ts'

type LoadState<T> = { value?: T; error?: unknown; retry: () => void }

/** Reloads once for each address: after an update the old page asks for files that are gone. */
function reloadOnce(): void {
  if (tab.read('kv-reloaded') === location.href) return
  tab.write('kv-reloaded', location.href)
  location.reload()
}

/** If the server answers, a file that cannot be loaded belongs to an older version. */
export const reloadAfterUpdate = () =>
  addEventListener('vite:preloadError', () => void isReachable().then((isThere) => isThere && reloadOnce()))

async function toLoadError(error: unknown): Promise<unknown> {
  return (await isReachable()) ? error : new NetworkError(error)
}

/** A part of the app that is loaded on demand. Unlike React's `lazy`, it tries again when the server is back. */
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
  function useLoaded(): LoadState<T> {
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
          const explained = await toLoadError(reason)
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

/** A part of a page that is loaded on demand. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  const part = loadable(async () => ({ Part: await load() }))
  function LazyPart(props: Props) {
    const { value, error, retry } = part.useLoaded()
    if (value) return <value.Part {...props} />
    return error ? <ErrorState error={error} onRetry={retry} /> : <SkeletonPage />
  }
  return Object.assign(LazyPart, { preload: () => part.preload().catch(() => {}) })
}

/** A page that is loaded on demand, before the router shows it; if loading fails, the frame stays and says so. */
export function lazyPage<Name extends string>(
  // `unknown`, because pages are typed by the router, and the router by its pages.
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

/** Uses a part that is loaded on demand; a failure to load it is ignored. */
export const whenLoaded = <T,>(part: Promise<T>, use: (part: T) => void): void => {
  part.then(use, () => {})
}
