import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { NetworkError, whenBack } from '../lib/reachable.ts'
import { LinkButton } from '../ui/button.tsx'
import { EmptyState, ErrorState } from '../ui/states.tsx'
import * as strings from './strings.ts'

export function NotFound() {
  return (
    <main className="pt-16">
      <EmptyState
        isPage
        icon={<Compass size={18} />}
        title={strings.noPageTitle}
        action={
          <LinkButton to="/" look="primary">
            {strings.goHome}
          </LinkButton>
        }
      >
        {strings.noPageHint}
      </EmptyState>
    </main>
  )
}

/** Tells whether a file of the app could not be loaded, by the messages of the browsers. */
const isLoadFailure = (error: unknown) =>
  error instanceof Error && /dynamically imported module|importing a module script/i.test(error.message)

function useRetry({ error, reset }: ErrorComponentProps): () => void {
  const router = useRouter()
  const retry = () => {
    // A page never asks again for a file that failed, so it is reloaded.
    if (isLoadFailure(error)) location.reload()
    void router.invalidate()
    reset()
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: listens once for each error
  useEffect(() => (isAway(error) ? whenBack(retry) : undefined), [error])
  return retry
}

const isAway = (error: unknown) => error instanceof NetworkError || isLoadFailure(error)
const shownError = (error: unknown) => (isLoadFailure(error) ? new NetworkError(error) : error)

export function PageError(props: ErrorComponentProps): ReactNode {
  const retry = useRetry(props)
  return (
    <div className="pt-8">
      <ErrorState error={shownError(props.error)} onRetry={retry} isPage />
    </div>
  )
}

/** For failures before the frame is drawn. */
export function RouteError(props: ErrorComponentProps): ReactNode {
  const retry = useRetry(props)
  return (
    <main className="pt-16">
      <ErrorState error={shownError(props.error)} onRetry={retry} isPage />
    </main>
  )
}
