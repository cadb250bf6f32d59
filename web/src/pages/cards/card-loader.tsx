import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { useShortcut } from '../../lib/shortcuts.ts'
import { LinkButton } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy-button.tsx'
import { NotLoaded, SkeletonPage } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { cardLink } from './card-link.ts'
import { cardQuery } from './card-queries.ts'
import { CardView } from './card-view.tsx'
import { KeptText } from './lazy-kept-text.ts'
import { isOutOfReach } from './out-of-reach.ts'

type Props = {
  cardId: string
  terms?: string[]
  inPane?: boolean
  /** The id that was asked for, where this card answers for it. */
  mergedFrom?: string | undefined
}

export function CardLoader({ cardId, terms = [], inPane = false, mergedFrom }: Props) {
  const card = useQuery(cardQuery(cardId))
  // The link is known before the card has come.
  useShortcut('y', () => void copyText(cardLink(cardId)).then(() => toast('Link copied.'), toastError))
  const answers = card.data?.merged_from && card.data.card_id
  if (answers && inPane)
    return <CardLoader key={answers} cardId={answers} terms={terms} inPane mergedFrom={cardId} />
  if (answers)
    return (
      <Navigate to="/cards/$cardId" params={{ cardId: answers }} search={{ merged_from: cardId }} replace />
    )
  if (card.data) return <CardView card={card.data} terms={terms} inPane={inPane} mergedFrom={mergedFrom} />
  return (
    <>
      <NotLoaded isPage={!inPane} query={card} action={<LinkButton to="/cards">My cards</LinkButton>}>
        <SkeletonPage narrow />
      </NotLoaded>
      {isOutOfReach(card.error) && <KeptText cardId={cardId} />}
    </>
  )
}
