import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Selectable } from 'kysely'
import type { RawRoute } from '../../core/capability.ts'
import { type Ctx, inTx, type Services } from '../../core/context.ts'
import { AppError, notFound } from '../../core/errors.ts'
import { noBody } from '../../core/http.ts'
import type { Db } from '../../db/db.ts'
import { newId, PUBLIC_LIBRARY_ID } from '../../db/ids.ts'
import type { LibrarySnapshotsTable } from '../../db/knowledge-schema.ts'
import { acquireLock } from '../../db/locks.ts'
import { contentOf } from '../../shared/card-checks.ts'
import { WORD_COLUMNS, WRITTEN_COLUMNS } from '../../shared/card-fields.ts'
import {
  type CardLine,
  type LineOrigin,
  lineHash,
  MAX_LINE_BYTES,
  NO_LINE,
  SERVER_FORMAT,
  SNAPSHOT_FORMAT,
  SNAPSHOT_PATH,
  signEnding,
  WELL_KNOWN,
  writeLine,
} from '../../shared/library-snapshot.ts'
import { authorOf, isCurrent, isListed, storedOrigin, writtenBytes } from '../cards/index.ts'
import { activeKeyId, listedKeys, type SigningKey, signingKey } from './signing-keys.ts'

type SnapshotRow = Selectable<LibrarySnapshotsTable>

/** The viewer id without a sign-in: only cards that everybody can read are found. */
const NOBODY = ''

/** Queries the cards of a snapshot: public library cards with a licence. */
const givenCards = (db: Db) =>
  db
    .selectFrom('cards')
    // Repeats a part of the condition above, so that the planner uses the index with this order.
    .where('cards.workspace_id', '=', PUBLIC_LIBRARY_ID)
    .where(isListed(db, NOBODY, 'public', [PUBLIC_LIBRARY_ID]))
    .where(isCurrent())
    .where('cards.licence', 'is not', null)
    .where('cards.content_hash', 'is not', null)

/** Queries the next page after the id `last`, sorted by id. Cards too long for a line are left out. */
const givenAfter = (db: Db, last: string, limit: number, mostBytes: number) =>
  givenCards(db)
    .innerJoin('users', 'users.user_id', 'cards.owner_id')
    .select(['cards.card_id', 'cards.version', ...WORD_COLUMNS, ...WRITTEN_COLUMNS, 'cards.content_hash'])
    .select(['cards.licence', 'cards.version_published_at', 'cards.origin'])
    .select('users.display_name as owner_name')
    .where('cards.card_id', '>', last)
    .where(writtenBytes, '<=', mostBytes)
    .orderBy('cards.card_id')
    .limit(limit)
    .execute()

type GivenRow = Awaited<ReturnType<typeof givenAfter>>[number]

async function countGiven(db: Db, mostBytes: number): Promise<number> {
  const { total } = await givenCards(db)
    .where(writtenBytes, '<=', mostBytes)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

const goneSince = (db: Db, way: 'hidden_at' | 'deleted_at', time: string) =>
  db
    .selectFrom('cards')
    .select('card_id')
    .where('workspace_id', '=', PUBLIC_LIBRARY_ID)
    .where(way, '>', time)
    .limit(1)
    .executeTakeFirst()

/** Returns whether a card was published in a new version, restored, hidden or deleted after this time. */
async function hasChangedSince(db: Db, time: string): Promise<boolean> {
  const given = await givenCards(db)
    .select('cards.card_id')
    .where((eb) =>
      eb.or([
        eb('cards.version_published_at', '>', time),
        eb('cards.published_at', '>', time),
        // A restored card keeps the time of its publication.
        eb('cards.updated_at', '>', time),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  if (given) return true
  return (
    (await goneSince(db, 'hidden_at', time)) !== undefined ||
    (await goneSince(db, 'deleted_at', time)) !== undefined
  )
}

/** Returns the newest snapshot, without those that a wrong clock has dated in the future. */
const newestSnapshot = (db: Db, now: string): Promise<SnapshotRow | undefined> =>
  db
    .selectFrom('library_snapshots')
    .selectAll()
    .where('made_at', '<=', now)
    .orderBy('made_at', 'desc')
    .executeTakeFirst()

async function isBeingMade(db: Db, now: string): Promise<boolean> {
  const row = await db
    .selectFrom('library_snapshots')
    .select('snapshot_id')
    .where('made_at', 'is', null)
    .where('claimed_until', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

async function startSnapshot(
  db: Db,
  row: Pick<SnapshotRow, 'snapshot_id' | 'key_id' | 'started_at' | 'claimed_until'>,
): Promise<void> {
  await db
    .insertInto('library_snapshots')
    .values({ ...row, made_at: null, cards: 0, size_bytes: 0, head: null })
    .execute()
}

/** Stores a part; returns false if another process has taken over and removed what was written. */
async function addPart(db: Db, { snapshotId, part, content, claimedUntil }: AddedPart): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('library_snapshots')
    .set({ claimed_until: claimedUntil })
    .where('snapshot_id', '=', snapshotId)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await db.insertInto('library_snapshot_parts').values({ snapshot_id: snapshotId, part, content }).execute()
  return true
}

type AddedPart = { snapshotId: string; part: number; content: string; claimedUntil: string }

async function finishSnapshot(
  db: Db,
  snapshotId: string,
  done: Pick<SnapshotRow, 'made_at' | 'cards' | 'size_bytes' | 'head'>,
): Promise<void> {
  await db.updateTable('library_snapshots').set(done).where('snapshot_id', '=', snapshotId).execute()
}

async function removeSnapshot(db: Db, snapshotId: string): Promise<void> {
  await db.deleteFrom('library_snapshot_parts').where('snapshot_id', '=', snapshotId).execute()
  await db.deleteFrom('library_snapshots').where('snapshot_id', '=', snapshotId).execute()
}

/** Returns old snapshots and abandoned ones. The newest stay, because somebody may still be reading them. */
async function outlived(db: Db, now: string, kept: number): Promise<string[]> {
  const rows = await db
    .selectFrom('library_snapshots')
    .select(['snapshot_id', 'made_at', 'claimed_until'])
    .orderBy('made_at', 'desc')
    .execute()
  const made = rows.filter((row) => row.made_at !== null)
  const left = rows.filter((row) => row.made_at === null && row.claimed_until <= now)
  return [...made.slice(kept), ...left].map((row) => row.snapshot_id)
}

async function partOf(db: Db, snapshotId: string, part: number): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('library_snapshot_parts')
    .select('content')
    .where('snapshot_id', '=', snapshotId)
    .where('part', '=', part)
    .executeTakeFirst()
  return row && Buffer.from(row.content, 'base64')
}

const HOUR_MS = 3_600_000
const NEW_AFTER_MS = 24 * HOUR_MS
/** Time until a new snapshot after a change: cards that were taken back should not be distributed for a day. */
const NEW_AFTER_CHANGE_MS = HOUR_MS
/** Time in ms after which the claim of a dead process expires. Each written part renews the claim. */
const CLAIM_MS = 10 * 60_000
const PAGE = 50
/** Size of all parts but the last, in bytes. Both engines handle rows of this size well. */
const PART_BYTES = 192 * 1024
/** Escaping makes text longer, so a line has room for four times as much. */
const MAX_CARD_BYTES = MAX_LINE_BYTES / 4
const KEPT = 2

async function isDue(ctx: Ctx, keyId: string | undefined): Promise<boolean> {
  const newest = await newestSnapshot(ctx.db, ctx.now().toISOString())
  if (!newest || newest.key_id !== keyId) return true
  const age = ctx.now().getTime() - Date.parse(newest.made_at ?? '')
  if (age >= NEW_AFTER_MS) return true
  if (age < NEW_AFTER_CHANGE_MS) return false
  // One new card and one removed card leave the count unchanged.
  return (
    (await countGiven(ctx.db, MAX_CARD_BYTES)) !== newest.cards ||
    (await hasChangedSince(ctx.db, newest.made_at ?? ''))
  )
}

type Claim = { snapshotId: string; key: SigningKey; madeAt: string }

const claimedUntil = (ctx: Ctx) => new Date(ctx.now().getTime() + CLAIM_MS).toISOString()

/** Claims the snapshot: only one process makes it. */
const claim = (ctx: Ctx): Promise<Claim | undefined> =>
  inTx(ctx, async (ctx) => {
    await acquireLock(ctx.db, ctx.database.engine, 'librarySnapshot')
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

/** Returns the server where a pulled card was written, even after it passed through several servers. */
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

/** Yields the lines of a snapshot. Only one page of cards is in memory at a time. */
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
    const rows = await givenAfter(ctx.db, last, PAGE, MAX_CARD_BYTES)
    stopping.throwIfAborted()
    for (const row of rows) {
      const line = lineOf(row, written.head)
      if (!line) continue
      const text = writeLine(line)
      if (Buffer.byteLength(text) > MAX_LINE_BYTES) continue
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

export async function makeDueSnapshot(
  ctx: Ctx,
  stopping: AbortSignal = new AbortController().signal,
): Promise<boolean> {
  if (!ctx.config.publicPages) return false
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

/** Limits parallel downloads of snapshots, which hold connections and memory. */

export const MAX_DOWNLOADS = 16
/** Enough for an office behind one address. A host that reads slowly on purpose cannot block others. */
export const MAX_PER_HOST = 3
/** A slower download is ended. A range request can continue where the transfer stopped. */
const MIN_BYTES_A_SECOND = 16 * 1024
const MIN_MS = 60_000
/** The longest delay of a timer, in ms. */
const MAX_MS = 2 ** 31 - 1

const READING = new Map<string, number>()

const allReading = () => [...READING.values()].reduce((sum, count) => sum + count, 0)

export function refuseCrowd(host: string): void {
  if (allReading() < MAX_DOWNLOADS && (READING.get(host) ?? 0) < MAX_PER_HOST) return
  throw new AppError(
    503,
    'unavailable',
    'Too many snapshots are being read. Try again in a minute.',
    {},
    { 'Retry-After': '60' },
  )
}

/** Counts a download until it ends, and ends it after a timeout that depends on its bytes. */
export function countedIn<Stream extends Readable>(stream: Stream, host: string, bytes: number): Stream {
  READING.set(host, (READING.get(host) ?? 0) + 1)
  const timeoutMs = Math.min(MAX_MS, Math.max(MIN_MS, (bytes / MIN_BYTES_A_SECOND) * 1000))
  const timer = setTimeout(() => stream.destroy(), timeoutMs).unref()
  stream.once('close', () => {
    clearTimeout(timer)
    const left = (READING.get(host) ?? 1) - 1
    if (left > 0) READING.set(host, left)
    else READING.delete(host)
  })
  return stream
}

type Range = { from: number; to: number }

const ONE_RANGE = /^bytes=(\d{1,15})-(\d{0,15})$/

/** Supports only one range with a start; other forms get the whole, as HTTP allows. */
export function byteRange(header: string | undefined, size: number): Range | 'whole' | 'none' {
  const match = ONE_RANGE.exec(header ?? '')
  if (!match) return 'whole'
  const from = Number(match[1])
  const to = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1)
  if (match[2] !== '' && Number(match[2]) < from) return 'whole'
  return from >= size ? 'none' : { from, to }
}

/** Serves the snapshot of the library and its public keys if PUBLIC_PAGES is on. */

const OFF = 'This server has no public pages (PUBLIC_PAGES is off), so it offers no snapshot of its library.'

function requirePublic({ config }: Services): void {
  if (!config.publicPages) throw notFound('Snapshot', OFF)
}

async function requireSnapshot(services: Services): Promise<SnapshotRow> {
  requirePublic(services)
  const row = await newestSnapshot(services.database.read, services.now().toISOString())
  if (!row) throw notFound('Snapshot', 'The server makes the first one within minutes after it starts.')
  return row
}

async function* bytesOf(db: Db, snapshotId: string, from: number, to: number): AsyncGenerator<Buffer> {
  for (let part = Math.floor(from / PART_BYTES); part * PART_BYTES <= to; part++) {
    const bytes = await partOf(db, snapshotId, part)
    if (!bytes) throw new Error('The snapshot was replaced while it was being read.')
    const start = part * PART_BYTES
    yield bytes.subarray(Math.max(0, from - start), Math.min(bytes.length, to + 1 - start))
  }
}

const headersOf = (row: SnapshotRow, suffix: string) => ({
  ETag: `"${row.snapshot_id}${suffix}"`,
  'Last-Modified': new Date(row.made_at ?? row.started_at).toUTCString(),
  'Cache-Control': 'public, max-age=300, no-transform',
})

function isUnchanged({ headers }: FastifyRequest, etag: string, modified: string): boolean {
  const { 'if-none-match': match, 'if-modified-since': since } = headers
  if (match !== undefined) return match.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
  return since !== undefined && Date.parse(since) >= Date.parse(modified)
}

async function sendCompressed(
  { database }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  row: SnapshotRow,
) {
  const { ETag } = headersOf(row, '')
  const { range, 'if-range': ifRange } = request.headers
  const wanted = ifRange === undefined || ifRange === ETag ? byteRange(range, row.size_bytes) : 'whole'
  reply.header('Accept-Ranges', 'bytes').type('application/zstd')
  if (wanted === 'none') return reply.code(416).header('Content-Range', `bytes */${row.size_bytes}`).send()
  const { from, to } = wanted === 'whole' ? { from: 0, to: row.size_bytes - 1 } : wanted
  if (wanted !== 'whole') reply.code(206).header('Content-Range', `bytes ${from}-${to}/${row.size_bytes}`)
  reply.header('Content-Length', to - from + 1)
  if (request.method === 'HEAD') return reply.send(noBody())
  return reply.send(
    countedIn(
      Readable.from(bytesOf(database.read, row.snapshot_id, from, to), { objectMode: false }),
      request.clientHost,
      to - from + 1,
    ),
  )
}

/** The largest expected ratio of compression. */
const MAX_UNPACKED = 10

async function sendPlain(
  { database }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  row: SnapshotRow,
) {
  reply.type('application/x-ndjson')
  if (request.method === 'HEAD') return reply.send(noBody())
  const compressed = Readable.from(bytesOf(database.read, row.snapshot_id, 0, row.size_bytes - 1), {
    objectMode: false,
  })
  const plain = createZstdDecompress()
  compressed.on('error', (error) => plain.destroy(error))
  plain.once('close', () => compressed.destroy())
  return reply.send(countedIn(compressed.pipe(plain), request.clientHost, row.size_bytes * MAX_UNPACKED))
}

const snapshotRoute = (isCompressed: boolean): RawRoute => ({
  name: isCompressed ? 'library.snapshot' : 'library.snapshot_plain',
  summary: isCompressed
    ? 'The signed snapshot of the library, compressed with zstd'
    : 'The signed snapshot of the library, without compression',
  route: `GET ${SNAPSHOT_PATH}${isCompressed ? '.zst' : ''}`,
  scopes: 'public',
  handle: async (services, request, reply) => {
    const row = await requireSnapshot(services)
    const headers = headersOf(row, isCompressed ? '' : '-plain')
    reply.headers(headers)
    if (isUnchanged(request, headers.ETag, headers['Last-Modified'])) return reply.code(304).send()
    if (request.method !== 'HEAD') refuseCrowd(request.clientHost)
    return isCompressed
      ? sendCompressed(services, request, reply, row)
      : sendPlain(services, request, reply, row)
  },
})

const wellKnown: RawRoute = {
  name: 'library.keys',
  summary: 'The keys that sign snapshots of the library, and the address of the snapshot',
  route: `GET ${WELL_KNOWN}`,
  scopes: 'public',
  handle: async (services, _request, reply) => {
    requirePublic(services)
    const { baseUrl, libraryLicence } = services.config
    return reply.header('Cache-Control', 'public, max-age=300').send({
      format: SERVER_FORMAT,
      server: baseUrl,
      library: {
        snapshot: `${baseUrl}${SNAPSHOT_PATH}.zst`,
        snapshot_plain: `${baseUrl}${SNAPSHOT_PATH}`,
        licence: libraryLicence,
      },
      keys: await listedKeys({ db: services.database.read }),
    })
  },
}

export const librarySnapshots: readonly RawRoute[] = [snapshotRoute(true), snapshotRoute(false), wellKnown]
