/** The snapshot of the library and the keys that sign it, where PUBLIC_PAGES is on. */
import { Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { noBody } from '../../core/http/no-body.ts'
import type { RawRoute } from '../../core/http/raw-route.ts'
import type { Db } from '../../db/db.ts'
import { countedIn, refuseCrowd } from './download-slots.ts'
import { SERVER_FORMAT, SNAPSHOT_PATH, WELL_KNOWN } from './format.ts'
import { PART_BYTES } from './make-snapshot.ts'
import { byteRange } from './range.ts'
import { listedKeys } from './signing-keys.ts'
import { newestSnapshot, partOf, type SnapshotRow } from './snapshot.store.ts'

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

/** The bytes from `from` to `to`, one part in memory at a time. */
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

/** Text is packed to a tenth at best. */
const MOST_UNPACKED = 10

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
  return reply.send(countedIn(compressed.pipe(plain), request.clientHost, row.size_bytes * MOST_UNPACKED))
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
