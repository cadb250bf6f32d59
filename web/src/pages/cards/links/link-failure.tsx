import { Link } from '@tanstack/react-router'
import { ApiError } from '../../../api/client.ts'
import { FormError, Notice } from '../../../ui/states.tsx'

/** Why a link or a merge was refused, with the other card if the server names one. */
export function LinkFailure({ error }: { error: unknown }) {
  const inTheWay = error instanceof ApiError ? error.extra.superseded_by : undefined
  if (!(error instanceof ApiError) || typeof inTheWay !== 'string') return <FormError error={error} />
  return (
    <Notice tone="bad">
      {error.message}{' '}
      <Link to="/cards/$cardId" params={{ cardId: inTheWay }} className="underline">
        Open that card
      </Link>
    </Notice>
  )
}
