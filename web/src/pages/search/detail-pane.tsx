import { CardLoader } from '../cards/card-loader.tsx'

export const DetailPane = ({ cardId, terms }: { cardId: string; terms: string[] }) => (
  <CardLoader key={cardId} cardId={cardId} terms={terms} inPane />
)
