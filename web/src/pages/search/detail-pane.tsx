import { CardLoader } from '../cards/card-view.tsx'

export const DetailPane = ({ cardId, terms }: { cardId: string; terms: string[] }) => (
  <CardLoader key={cardId} cardId={cardId} terms={terms} inPane />
)
