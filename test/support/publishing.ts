import { zstdDecompressSync } from 'node:zlib'
import { contextFor } from '../../src/core/context.ts'
import { makeDueSnapshot } from '../../src/features/library/snapshot.ts'
import { type Person, record } from './cards.ts'
import type { Answer } from './client.ts'
import type { TestVault } from './engines.ts'

/** The settings of a server that hands out its library. */
export const OPEN_LIBRARY = {
  PUBLIC_PAGES: 'on',
  BASE_URL: 'https://vault.example',
  LIBRARY_LICENCE: 'CC-BY-SA-4.0',
}

export const publish = (me: Person, cardId: string, query = ''): Promise<Answer> =>
  me.post(`/api/v1/cards/${cardId}/publish${query}`)

/** A new card, published. */
export async function published(
  me: Person,
  query = '',
  more: Record<string, unknown> = {},
): Promise<Answer['body']> {
  const card = await record(me, more)
  const answer = await publish(me, card.card_id, query)
  if (answer.status !== 200) throw new Error(`publish: ${answer.status} ${answer.text}`)
  return answer.body
}

export const makeSnapshot = (t: TestVault): Promise<boolean> => makeDueSnapshot(contextFor(t.app.services))

/** The snapshot as it is handed out, in lines. */
export async function snapshotLines(t: TestVault): Promise<string[]> {
  const answer = await t.app.server.inject('/library/snapshot.jsonl.zst')
  if (answer.statusCode !== 200) throw new Error(`snapshot: ${answer.statusCode} ${answer.payload}`)
  return zstdDecompressSync(answer.rawPayload).toString('utf8').trimEnd().split('\n')
}
