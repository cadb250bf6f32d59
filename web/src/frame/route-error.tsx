import type { ErrorComponentProps } from '@tanstack/react-router'
import { ErrorState } from '../ui/states.tsx'

export const RouteError = ({ error, reset }: ErrorComponentProps) => (
  <main className="pt-16">
    <ErrorState error={error} onRetry={reset} />
  </main>
)
