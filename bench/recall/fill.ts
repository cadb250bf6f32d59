import { loadCards } from '../search/load.ts'
import { type Account, type BenchVault, register } from '../search/vault.ts'
import type { Named } from './cases.ts'

export type Filled = { owner: Account; nameOf: ReadonlyMap<string, string> }

/** Somebody with these cards of their own, and which card has which id. */
export async function fill(vault: BenchVault, name: string, cards: readonly Named[]): Promise<Filled> {
  const owner = await register(vault.app, name)
  const nameOf = new Map<string, string>()
  const target = { ownerId: owner.userId, workspaceId: owner.workspaceId, status: 'unpublished' as const }
  await loadCards(
    vault.app.services,
    cards.map(({ card }) => card),
    () => target,
    { onCard: (id, n) => nameOf.set(id, cards[n]?.name ?? '') },
  )
  return { owner, nameOf }
}
