import { getRouteApi } from '@tanstack/react-router'
import { CardFromMemory } from './card-from-memory.tsx'
import { CardEditor } from './new-card.tsx'

const route = getRouteApi('/app/cards/new')

export function NewCard() {
  const { from, also } = route.useSearch()
  return from ? <CardFromMemory key={from} from={from} also={also} /> : <CardEditor key="new" />
}
