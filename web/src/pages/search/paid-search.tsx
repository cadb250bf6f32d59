import { useQuery } from '@tanstack/react-query'
import { Globe } from 'lucide-react'
import { creditsPolicy } from '../../api/account.ts'
import { ApiError } from '../../api/client.ts'
import { credits } from '../../lib/format.ts'
import { configQuery, useMe } from '../../session.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'

/** What a public search costs here; 0 where credits are switched off. */
export function usePrice(): number {
  const { data: config } = useQuery(configQuery)
  const { data: policy } = useQuery({
    queryKey: ['credits-policy'],
    queryFn: () => creditsPolicy(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return config?.credits === false ? 0 : (policy?.public_search_cost_credits ?? 5)
}

/** Before the money: what it costs, when it does not, and what is left. */
function Offer({ query, onSend, onFree }: { query: string; onSend: () => void; onFree: () => void }) {
  const price = usePrice()
  const me = useMe()
  return (
    <EmptyState
      icon={<Globe size={18} />}
      title="Search the public library"
      action={
        <div className="flex flex-wrap justify-center gap-2">
          <Button look="primary" onClick={onSend}>
            Search{price > 0 ? ` · ${credits(price)}` : ''}
          </Button>
          <Button onClick={onFree}>Search my cards, free</Button>
        </div>
      }
    >
      Nothing has been sent yet for “{query}”.
      {price > 0 &&
        ` It costs ${credits(price)} if it finds something by others, and nothing if it does not. You have ${credits(me.credits_balance)}.`}
    </EmptyState>
  )
}

function Failed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const poor = error instanceof ApiError && error.code === 'insufficient_credits'
  return poor ? (
    <ErrorState
      error={error}
      action={
        <LinkButton to="/billing" look="primary">
          Get credits
        </LinkButton>
      }
    />
  ) : (
    <ErrorState error={error} onRetry={onRetry} />
  )
}

export const PaidSearch = { Offer, Error: Failed }
