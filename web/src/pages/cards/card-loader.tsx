import { useQuery } from '@tanstack/react-query'
import { LinkButton } from '../../ui/button.tsx'
import { ErrorState, SkeletonPage } from '../../ui/states.tsx'
import { cardQuery } from './card-queries.ts'
import { CardView } from './card-view.tsx'

export function CardLoader({
  cardId,
  terms = [],
  inPane,
}: {
  cardId: string
  terms?: string[]
  inPane?: boolean
}) {
  const card = useQuery(cardQuery(cardId))
  if (card.data) return <CardView card={card.data} terms={terms} inPane={inPane ?? false} />
  if (card.error)
    return (
      <ErrorState
        error={card.error}
        onRetry={() => void card.refetch()}
        action={<LinkButton to="/cards">My cards</LinkButton>}
      />
    )
  return <SkeletonPage />
}
