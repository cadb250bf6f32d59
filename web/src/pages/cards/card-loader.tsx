import { useQuery } from '@tanstack/react-query'
import { useShortcut } from '../../lib/shortcuts.ts'
import { LinkButton } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy-button.tsx'
import { ErrorState, SkeletonPage } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { cardQuery } from './card-queries.ts'
import { CardView, cardLink } from './card-view.tsx'

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
  // The link is known before the card has come.
  useShortcut('y', () => void copyText(cardLink(cardId)).then(() => toast('Link copied.'), toastError))
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
