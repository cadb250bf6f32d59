import { getRouteApi } from '@tanstack/react-router'
import { CardLoader } from './card-view.tsx'

const route = getRouteApi('/app/cards/$cardId')

export function CardPage() {
  const { cardId } = route.useParams()
  const { merged_from } = route.useSearch()
  return <CardLoader key={cardId} cardId={cardId} mergedFrom={merged_from} />
}
