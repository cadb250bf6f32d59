import { getRouteApi, Navigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { randomId } from '../../lib/random.ts'
import { CardFromMemory } from './card-from-memory.tsx'
import { CardEditor } from './new-card.tsx'

const route = getRouteApi('/app/cards/new')

/** Each new card has a draft of its own, named in the address: two tabs write two cards. */
export function NewCard() {
  const { draft, from, also } = route.useSearch()
  // Another one each time that the address names none: the link to a new card works on this page too.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the draft is what makes it another one
  const fresh = useMemo(randomId, [draft])
  if (from) return <CardFromMemory key={from} from={from} also={also} />
  if (!draft) return <Navigate to="/cards/new" search={{ draft: fresh }} replace />
  return <CardEditor key={draft} draftId={draft} />
}
