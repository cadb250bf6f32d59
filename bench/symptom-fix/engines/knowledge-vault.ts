import { loadCards } from '../../search/load.ts'
import { openVault, register } from '../../search/vault.ts'
import type { Card } from '../data.ts'
import type { Engine } from '../score.ts'

const LIMIT = 50
/** The longest query that the search takes. */
const LONGEST_QUERY = 20_000

type Hit = { card_id: string; score: number; weak?: boolean }

/** Our search, used as a client does: POST /api/v1/search over own cards, where weak results are shown and marked. */
export async function knowledgeVault(cards: readonly Card[]): Promise<Engine> {
  const vault = await openVault('sqlite')
  const owner = await register(vault.app, 'benchmark')
  const home = { ownerId: owner.userId, workspaceId: owner.workspaceId, status: 'unpublished' as const }
  const idOf = new Map<string, string>()
  await loadCards(
    vault.app.services,
    cards.map(({ fix, id: _, ...card }) => ({ ...card, fix_summary: fix })),
    () => home,
    { onCard: (cardId, at) => idOf.set(cardId, (cards[at] as Card).id) },
  )
  const search = async (query: string) => {
    const answer = await vault.app.server.inject({
      method: 'POST',
      url: '/api/v1/search',
      headers: { authorization: `Bearer ${owner.token}` },
      payload: { query: query.slice(0, LONGEST_QUERY), limit: LIMIT },
    })
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.payload}`)
    const hits: Hit[] = answer.json().results
    return hits.map(({ card_id, score, weak = false }) => ({ id: idOf.get(card_id) ?? '', score, weak }))
  }
  return { name: '**Knowledge Vault**', search, close: vault.destroy }
}
