import { useParams } from '@tanstack/react-router'
import { CardLoader } from './card-loader.tsx'

export function CardPage() {
  const { cardId } = useParams({ from: '/app/cards/$cardId' })
  return <CardLoader key={cardId} cardId={cardId} />
}
