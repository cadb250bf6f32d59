import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { NetworkError } from '../lib/network-error.ts'
import { whenBack } from '../lib/reachable.ts'
import { ErrorState } from '../ui/states.tsx'

function useRetry({ error, reset }: ErrorComponentProps): () => void {
  const router = useRouter()
  const retry = () => {
    void router.invalidate()
    reset()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: listens once for each error
  useEffect(() => (error instanceof NetworkError ? whenBack(retry) : undefined), [error])
  return retry
}

/** A page failed: the frame around it stays. */
export function PageError(props: ErrorComponentProps): ReactNode {
  const retry = useRetry(props)
  return (
    <div className="pt-8">
      <ErrorState error={props.error} onRetry={retry} />
    </div>
  )
}

/** There is no frame yet, such as before it is known who is signed in. */
export function RouteError(props: ErrorComponentProps): ReactNode {
  const retry = useRetry(props)
  return (
    <main className="pt-16">
      <ErrorState error={props.error} onRetry={retry} />
    </main>
  )
}
