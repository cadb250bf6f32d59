import { Link } from '@tanstack/react-router'
import { ApiError } from '../../../api/client.ts'
import { plural } from '../../../lib/format.ts'
import { Notice, Why } from '../../../ui/states.tsx'
import type { Refusal } from './use-sharing.ts'

/** The cards that were not changed, and why. */
export function Refusals({ refused, many }: { refused: readonly Refusal[]; many: boolean }) {
  if (refused.length === 0) return null
  return (
    <Notice tone="bad">
      {many && <p className="font-medium">{plural(refused.length, 'card')} stayed as before:</p>}
      <ul className="grid gap-1.5">
        {refused.map(({ card, error }) => (
          <li key={card.card_id}>
            {many && <span className="block truncate font-medium">{card.title}</span>}
            <Reason error={error} />
          </li>
        ))}
      </ul>
    </Notice>
  )
}

function Reason({ error }: { error: unknown }) {
  if (!(error instanceof ApiError)) return <Why error={error} />
  if (error.code === 'duplicate_card')
    return (
      <>
        The library has this already.{' '}
        <Link to="/cards/$cardId" params={{ cardId: String(error.extra.duplicate_of) }} className="underline">
          Open that card
        </Link>
        . Nothing was charged.
      </>
    )
  const reasons =
    error.code === 'quality_rejected' ? (error.extra.reasons as { rule: string; message: string }[]) : []
  return (
    <>
      <Why error={error} />
      {reasons.length > 0 && (
        <ul className="mt-1 list-disc pl-4">
          {reasons.map((reason) => (
            <li key={reason.rule + reason.message}>{reason.message}</li>
          ))}
        </ul>
      )}
    </>
  )
}
