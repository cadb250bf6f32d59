import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { type Ctx, inTx } from '../../core/context.ts'
import { newId } from '../../db/ids.ts'
import { holdLock } from '../../db/locks.ts'
import { contentOf } from '../cards/content.ts'
import { storedOrigin } from '../cards/origin.ts'
import { authorOf } from '../cards/publication.ts'
import {
  type CardLine,
  type LineOrigin,
  lineHash,
  MOST_LINE_BYTES,
  NO_LINE,
  SNAPSHOT_FORMAT,
  signEnding,
  writeLine,
} from './format.ts'
import { activeKeyId, type SigningKey, signingKey } from './signing-keys.ts'
import {
  addPart,
  countGiven,
  finishSnapshot,
  type GivenRow,
  givenAfter,
  hasChangedSince,
  isBeingMade,
  newestSnapshot,
  outlived,
  removeSnapshot,
  startSnapshot,
} from './snapshot.store.ts'

const HOUR_MS = 3_600_000
const NEW_AFTER_MS = 24 * HOUR_MS
/** When cards have come, gone or changed: what was taken back should not be handed out for a day. */
const NEW_AFTER_CHANGE_MS = HOUR_MS
/** A process that dies leaves its claim behind; another may start after this time. Each written part renews the claim. */
const CLAIM_MS = 10 * 60_000
const PAGE = 50
/** Both engines handle rows of this size well. All parts but the last have this size. */
export const PART_BYTES = 192 * 1024
/** Cards above this size in the database are left out. Escaping makes text longer, so a line has room for four times as much. */
const MOST_CARD_BYTES = MOST_LINE_BYTES / 4
const KEPT = 2

async function isDue(ctx: Ctx, keyId: string | undefined): Promise<boolean> {
  const newest = await newestSnapshot(ctx.db, ctx.now().toISOString())
  if (!newest || newest.key_id !== keyId) return true
  const age = ctx.now().getTime() - Date.parse(newest.made_at ?? '')
  if (age >= NEW_AFTER_MS) return true
  if (age < NEW_AFTER_CHANGE_MS) return false
  // One that came in place of one that went leaves the number as it was.
  return (
    (await countGiven(ctx.db, MOST_CARD_BYTES)) !== newest.cards ||
    (await hasChangedSince(ctx.db, newest.made_at ?? ''))
  )
}

type Claim = { snapshotId: string; key: SigningKey; madeAt: string }

const claimedUntil = (ctx: Ctx) => new Date(ctx.now().getTime() + CLAIM_MS).toISOString()

/** Only one process makes a snapshot: the first to hold the lock leaves a claim that the others see. */
const claim = (ctx: Ctx): Promise<Claim | undefined> =>
  inTx(ctx, async (ctx) => {
    await holdLock(ctx.db, ctx.database.engine, 'librarySnapshot')
    const madeAt = ctx.now().toISOString()
    if (await isBeingMade(ctx.db, madeAt)) return undefined
    const key = await signingKey(ctx)
    if (!(await isDue(ctx, key.keyId))) return undefined
    const snapshotId = newId()
    await startSnapshot(ctx.db, {
      snapshot_id: snapshotId,
      key_id: key.keyId,
      started_at: madeAt,
      claimed_until: claimedUntil(ctx),
    })
    return { snapshotId, key, madeAt }
  })

/** A pulled card names the server where it was written, even after passing through several servers. */
function originOf(row: GivenRow): { origin?: LineOrigin } {
  const origin = storedOrigin(row)
  if (origin === null) return {}
  const { card_id, content_hash, version, server, first_server } = origin
  return { origin: { card_id, content_hash, server: first_server ?? server, version } }
}

function lineOf(row: GivenRow, prev: string): CardLine | undefined {
  const { content_hash, licence, version_published_at } = row
  if (content_hash === null || licence === null || version_published_at === null) return undefined
  return {
    author: authorOf(row),
    card: contentOf(row),
    card_id: row.card_id,
    content_hash,
    licence,
    ...originOf(row),
    prev,
    published_at: version_published_at,
    version: row.version,
  }
}

type Written = { cards: number; head: string }

/** Only one page of cards is in memory at a time. */
async function* linesOf(
  ctx: Ctx,
  { key, madeAt }: Claim,
  written: Written,
  stopping: AbortSignal,
): AsyncGenerator<string> {
  const server = ctx.config.baseUrl
  const about = { format: SNAPSHOT_FORMAT, key_id: key.keyId, made_at: madeAt, server }
  const first = writeLine({ ...about, prev: NO_LINE })
  written.head = lineHash(first)
  yield `${first}\n`
  for (let last = '', full = true; full; ) {
    const rows = await givenAfter(ctx.db, last, PAGE, MOST_CARD_BYTES)
    stopping.throwIfAborted()
    for (const row of rows) {
      const line = lineOf(row, written.head)
      if (!line) continue
      const text = writeLine(line)
      if (Buffer.byteLength(text) > MOST_LINE_BYTES) continue
      written.head = lineHash(text)
      written.cards += 1
      yield `${text}\n`
    }
    last = rows.at(-1)?.card_id ?? last
    full = rows.length === PAGE
  }
  yield `${writeLine(signEnding({ ...about, cards: written.cards, head: written.head }, key.privateKey))}\n`
}

/** Cuts the compressed stream into parts of equal size and stores each in its own transaction. */
async function keepParts(ctx: Ctx, snapshotId: string, chunks: AsyncIterable<Buffer>): Promise<number> {
  let waiting = Buffer.alloc(0)
  let part = 0
  let size = 0
  const keep = async (bytes: Buffer) => {
    const added = await inTx(ctx, (ctx) =>
      addPart(ctx.db, {
        snapshotId,
        part,
        content: bytes.toString('base64'),
        claimedUntil: claimedUntil(ctx),
      }),
    )
    if (!added) throw new Error('Another process has taken over making the snapshot.')
    part += 1
    size += bytes.length
  }
  for await (const chunk of chunks) {
    waiting = Buffer.concat([waiting, chunk])
    while (waiting.length >= PART_BYTES) {
      await keep(waiting.subarray(0, PART_BYTES))
      waiting = waiting.subarray(PART_BYTES)
    }
  }
  if (waiting.length > 0) await keep(waiting)
  return size
}

async function dropOutlived(ctx: Ctx): Promise<void> {
  for (const id of await outlived(ctx.db, ctx.now().toISOString(), KEPT))
    await inTx(ctx, (ctx) => removeSnapshot(ctx.db, id))
}

/** Housekeeping: makes a signed snapshot of the library when one is due. Returns whether it did. */
export async function makeDueSnapshot(
  ctx: Ctx,
  stopping: AbortSignal = new AbortController().signal,
): Promise<boolean> {
  if (!ctx.config.publicPages) return false
  // Check without writing first, because nearly always no snapshot is due.
  if (!(await isDue(ctx, await activeKeyId(ctx)))) return false
  const claimed = await claim(ctx)
  if (!claimed) return false
  const { snapshotId, madeAt } = claimed
  const written: Written = { cards: 0, head: NO_LINE }
  try {
    let size_bytes = 0
    await pipeline(
      Readable.from(linesOf(ctx, claimed, written, stopping), { objectMode: false }),
      createZstdCompress(),
      async (chunks: AsyncIterable<Buffer>) => {
        size_bytes = await keepParts(ctx, snapshotId, chunks)
      },
    )
    await inTx(ctx, (ctx) => finishSnapshot(ctx.db, snapshotId, { ...written, size_bytes, made_at: madeAt }))
  } catch (error) {
    await inTx(ctx, (ctx) => removeSnapshot(ctx.db, snapshotId))
    if (stopping.aborted) return false
    throw error
  }
  await dropOutlived(ctx)
  return true
}
