import type { CardLine } from '../../../features/library-sharing/format.ts'
import { CommandError } from '../exit-codes.ts'
import type { Profile } from '../profile.ts'
import { ask, failure, type Reply } from '../vault-client.ts'

const MOST_CARDS = 50
/** Well under what the vault takes in one request. */
const MOST_BATCH_BYTES = 6 * 1024 * 1024
const SEND_TIMEOUT_MS = 300_000
const MOST_WAITS = 20

export type Taken = {
  origin_card_id: string
  title: string
  outcome: string
  card_id?: string
  reasons?: { rule: string; message: string }[]
  similar?: { card_id: string; title: string; similarity: number }[]
}

export type Target = { profile: Profile; workspaceId: string; server: string; isDry: boolean }

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Waits and tries again when the vault asks for it. */
async function patiently(call: () => Promise<Reply>): Promise<Reply> {
  for (let waits = 0; ; waits++) {
    const reply = await call()
    if (![429, 503].includes(reply.status) || waits === MOST_WAITS) return reply
    await pause(1000 * Math.min(60, Number(reply.headers['retry-after']) || 1))
  }
}

const post = ({ profile, workspaceId, server, isDry }: Target, cards: readonly CardLine[]): Promise<Reply> =>
  patiently(() =>
    ask(profile.url, '/api/v1/library/import', {
      body: {
        workspace_id: workspaceId,
        server,
        dry_run: isDry,
        cards: cards.map(({ prev: _, ...card }) => card),
      },
      isVerbatim: true,
      headers: { 'x-api-key': profile.apiKey },
      timeoutMs: SEND_TIMEOUT_MS,
      shape: { items: [] },
    }),
  )

/** Sends the cards of a refused batch one by one, so that one bad card does not keep out the others. */
async function sendEach(target: Target, cards: readonly CardLine[]): Promise<Taken[]> {
  const taken: Taken[] = []
  for (const card of cards) {
    const reply = await post(target, [card])
    if (reply.status === 200) taken.push(...(reply.body as { items: Taken[] }).items)
    else if (isAboutCards(reply))
      taken.push({
        origin_card_id: card.card_id,
        title: String(card.card.title),
        outcome: 'blocked',
        reasons: [{ rule: 'invalid', message: failure(reply).message }],
      })
    else throw failure(reply)
  }
  return taken
}

const isAboutCards = ({ status, body }: Reply): boolean => {
  const { detail } = (body ?? {}) as { detail?: unknown }
  return status === 422 && Array.isArray(detail) && detail.every((issue) => issue?.loc?.[1] === 'cards')
}

async function send(target: Target, cards: readonly CardLine[]): Promise<Taken[]> {
  const reply = await post(target, cards)
  if (reply.status === 200) return (reply.body as { items: Taken[] }).items
  if (reply.status === 404 && reply.body && (reply.body as { code?: string }).code !== 'not_found')
    throw new CommandError(`${target.profile.url} cannot take in snapshots. It needs a newer version.`)
  if (isAboutCards(reply)) return sendEach(target, cards)
  throw failure(reply)
}

/** Sends cards in batches of limited size and yields what happened to each. */
export async function* sendCards(target: Target, cards: AsyncIterable<CardLine>): AsyncGenerator<Taken> {
  let batch: CardLine[] = []
  let bytes = 0
  for await (const card of cards) {
    const size = Buffer.byteLength(JSON.stringify(card))
    if (batch.length === MOST_CARDS || (batch.length > 0 && bytes + size > MOST_BATCH_BYTES)) {
      yield* await send(target, batch)
      batch = []
      bytes = 0
    }
    batch.push(card)
    bytes += size
  }
  if (batch.length > 0) yield* await send(target, batch)
}

export type Pulled = {
  card_id: string
  origin_card_id: string
  version: number
  title: string
  /** An older vault does not say these two. */
  card_version?: number
  changed_here?: boolean
}

const PAGE = 500

/** Cards that earlier pulls brought into the workspace, by their ids on the other server. */
export async function pulledBefore({ profile, workspaceId, server }: Target): Promise<Map<string, Pulled>> {
  const known = new Map<string, Pulled>()
  for (let after = ''; ; ) {
    const query = new URLSearchParams({ workspace_id: workspaceId, server, ...(after ? { after } : {}) })
    const reply = await patiently(() =>
      ask(profile.url, `/api/v1/library/pulled?${query}`, {
        headers: { 'x-api-key': profile.apiKey },
        shape: { items: [{ origin_card_id: '' }] },
      }),
    )
    if (reply.status !== 200) throw failure(reply)
    const { items } = reply.body as { items: Pulled[] }
    for (const item of items) known.set(item.origin_card_id, item)
    if (items.length < PAGE) return known
    after = items.at(-1)?.origin_card_id ?? ''
  }
}

/** A card that the library there no longer has, and what became of it here. */
export type Withdrawn = {
  card_id: string
  title: string
  removed: boolean
  changed_here: boolean
  /** Why the vault did not delete it. */
  reason?: string
}

/**
 * Deletes what nobody has changed here: a changed card is work of this team. The version is named, so that an edit of this
 * moment is kept too. Deleted cards can be brought back for 30 days.
 */
export async function removeUnchanged({ profile }: Target, card: Pulled): Promise<Withdrawn> {
  const { card_id, title, card_version, changed_here = false } = card
  if (changed_here) return { card_id, title, removed: false, changed_here }
  const reply = await patiently(() =>
    ask(profile.url, `/api/v1/cards/${card_id}`, {
      method: 'DELETE',
      headers: {
        'x-api-key': profile.apiKey,
        ...(card_version === undefined ? {} : { 'if-match': `"${card_version}"` }),
      },
    }),
  )
  if (reply.status === 204) return { card_id, title, removed: true, changed_here: false }
  if (reply.status === 412) return { card_id, title, removed: false, changed_here: true }
  return { card_id, title, removed: false, changed_here: false, reason: failure(reply).message }
}
