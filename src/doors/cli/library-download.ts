import { createPublicKey, type KeyObject } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as zlib from 'node:zlib'
import { canonicalJson } from '../../core/crypto.ts'
import { isLoopback } from '../../core/own-addresses.ts'
import {
  type CardLine,
  contentHash,
  type FirstLine,
  isSigned,
  keyIdOf,
  type LastLine,
  type ListedKey,
  lineHash,
  MAX_LINE_BYTES,
  NO_LINE,
  SNAPSHOT_FORMAT,
  WELL_KNOWN,
} from '../../shared/library-snapshot.ts'
import { withoutEnd } from '../../text/unicode.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { reasonOf } from './http-request.ts'
import { isUuid, KVAULT, settingsFolder } from './local-files.ts'
import { writePrivate } from './profile.ts'

/** Limit in bytes, above the library of a large server. */
const MAX_DOWNLOAD_BYTES = 4 * 1024 ** 3
const TRIES = 3
const IDLE_MS = 60_000

/** Plain http can be read and changed on the way, so the caller must allow it. */
export function serverUrl(text: string, mayBePlain: boolean): string {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new CommandError(`${text} is not an address. Write it like https://vault.example.`, EXIT.usage)
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new CommandError(
      `${text} is not the address of a server: it begins with ${url.protocol}`,
      EXIT.usage,
    )
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !mayBePlain)
    throw new CommandError(`${text} is not https. If you mean it, add --http.`, EXIT.usage)
  if (url.username || url.password || url.search || url.hash)
    throw new CommandError(
      `${text} should be the address of a server and nothing more, like https://vault.example.`,
      EXIT.usage,
    )
  return withoutEnd(`${url.origin}${url.pathname}`, '/')
}

class Refused extends CommandError {}

type Answer = Response & { body: NonNullable<Response['body']> }

/** Sends a request and refuses redirects, because the key is pinned to the named address. */
async function request(
  address: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Answer> {
  const answer = await fetch(address, { headers, redirect: 'manual', signal })
  if (answer.status >= 300 && answer.status < 400)
    throw new Refused(
      `${address} leads elsewhere (${answer.headers.get('location') ?? 'redirect'}). Pull from there if you trust it.`,
    )
  if (answer.status === 404)
    throw new Refused(
      `${address} is not there. The server may have no public pages (PUBLIC_PAGES), or no snapshot yet.`,
    )
  if (!answer.ok || answer.body === null) throw new Refused(`${address} answered ${answer.status}.`)
  return answer as Answer
}

const MAX_LISTING_BYTES = 1024 * 1024

export async function readSmall(address: string): Promise<unknown> {
  try {
    const answer = await request(address, {}, AbortSignal.timeout(IDLE_MS))
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of answer.body) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length > MAX_LISTING_BYTES) throw new Refused(`${address} sent an answer that is too long.`)
    }
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`${address} cannot be read: ${reasonOf(error)}.`)
  }
}

/** Aborts a transfer that stalls or exceeds its limit. */
async function* watched(body: AsyncIterable<Uint8Array>, abort: AbortController, room: number) {
  let left = room
  let timer = setTimeout(() => abort.abort(), IDLE_MS)
  try {
    for await (const chunk of body) {
      clearTimeout(timer)
      timer = setTimeout(() => abort.abort(), IDLE_MS)
      left -= chunk.length
      if (left < 0) throw new Refused(`The snapshot has more than ${MAX_DOWNLOAD_BYTES} bytes.`)
      yield chunk
    }
  } finally {
    clearTimeout(timer)
  }
}

const sizeOf = async (file: string): Promise<number> => (await stat(file).catch(() => undefined))?.size ?? 0

type Transfer = { etag: string | null }

/** Resumes a broken transfer if the server still has the same snapshot. */
async function transfer(address: string, file: string, state: Transfer): Promise<void> {
  const had = state.etag === null ? 0 : await sizeOf(file)
  const abort = new AbortController()
  const headers: Record<string, string> =
    had > 0 ? { range: `bytes=${had}-`, 'if-range': state.etag ?? '' } : {}
  const answer = await request(address, { 'accept-encoding': 'identity', ...headers }, abort.signal)
  const isRest = answer.status === 206
  state.etag = answer.headers.get('accept-ranges') === 'bytes' ? answer.headers.get('etag') : null
  await pipeline(
    Readable.from(watched(answer.body, abort, MAX_DOWNLOAD_BYTES - (isRest ? had : 0))),
    createWriteStream(file, { flags: isRest ? 'a' : 'w', mode: 0o600 }),
  )
}

export async function download(address: string, file: string): Promise<void> {
  const state: Transfer = { etag: null }
  for (let left = TRIES; ; left--) {
    try {
      return await transfer(address, file, state)
    } catch (error) {
      if (error instanceof CommandError) throw error
      if (left === 1) throw new CommandError(`${address} cannot be read: ${reasonOf(error)}.`)
    }
  }
}

/** Whether this Node can unpack zstd; otherwise the snapshot is downloaded uncompressed. */
export const canUnpack = (): boolean => typeof zlib.createZstdDecompress === 'function'

const MAX_CARDS = 5_000_000
/** Maximum ratio of unpacked to packed size, against decompression bombs; real text reaches about 10. */
const MAX_RATIO = 100
const ALWAYS_ALLOWED = 64 * 1024 * 1024

/** The snapshot does not match its signature, so no part of it is used. */
export class BadSnapshot extends CommandError {
  constructor(what: string) {
    super(`The snapshot is refused and nothing was imported: ${what}`)
  }
}

export type SnapshotFile = { path: string; bytes: number; isPacked: boolean }

async function* chunksOf({ path, isPacked }: SnapshotFile): AsyncGenerator<Buffer> {
  const source = createReadStream(path)
  const unpack = isPacked ? zlib.createZstdDecompress() : undefined
  if (unpack) {
    source.on('error', (error) => unpack.destroy(error))
    source.pipe(unpack)
  }
  try {
    for await (const chunk of unpack ?? source) yield chunk
  } catch {
    throw new BadSnapshot('its compression is broken. It was cut short or changed on the way.')
  } finally {
    unpack?.destroy()
    source.destroy()
  }
}

const NEWLINE = 0x0a

async function* linesOf(file: SnapshotFile): AsyncGenerator<Buffer> {
  const most = Math.max(ALWAYS_ALLOWED, file.bytes * MAX_RATIO)
  let rest: Buffer[] = []
  let waiting = 0
  let read = 0
  for await (const chunk of chunksOf(file)) {
    read += chunk.length
    if (read > most) throw new BadSnapshot(`it unpacks to more than ${MAX_RATIO} times its size.`)
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, at)])
      rest = []
      waiting = 0
      from = at + 1
    }
    rest.push(chunk.subarray(from))
    waiting += chunk.length - from
    if (waiting > MAX_LINE_BYTES) throw new BadSnapshot(`a line has more than ${MAX_LINE_BYTES} bytes.`)
  }
  if (waiting > 0) throw new BadSnapshot('it ends in the middle of a line. It was cut short.')
}

function parsed(line: Buffer, number: number): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(line.toString('utf8'))
    if (canonicalJson(value) === line.toString('utf8') && value && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch {
    throw new BadSnapshot(`line ${number} is not JSON.`)
  }
  throw new BadSnapshot(`line ${number} is not in canonical form.`)
}

export type Expected = {
  server: string
  keyOf: (keyId: string) => KeyObject
}

/** Whether a text is a time in the server's format: times are compared as texts. */
const isTime = (text: unknown): boolean =>
  typeof text === 'string' && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text

function firstLine(line: Record<string, unknown>, { server }: Expected): FirstLine {
  if (line.format !== SNAPSHOT_FORMAT)
    throw new BadSnapshot(`its format is not ${SNAPSHOT_FORMAT}. A newer kvault may be able to read it.`)
  if (line.prev !== NO_LINE) throw new BadSnapshot('its first line is not the start of a chain.')
  if (line.server !== server)
    throw new BadSnapshot(
      `it belongs to ${String(line.server)}, not to ${server}. Pull from the address that the server gives for itself.`,
    )
  if (!isTime(line.made_at)) throw new BadSnapshot('its first line does not say when it was made.')
  return line as FirstLine
}

function requireLast(line: LastLine, first: FirstLine, head: string, cards: number, key: KeyObject): void {
  const isSame =
    line.format === first.format &&
    line.key_id === first.key_id &&
    line.made_at === first.made_at &&
    line.server === first.server
  if (!isSame) throw new BadSnapshot('its last line does not match its first line.')
  if (line.head !== head || line.cards !== cards)
    throw new BadSnapshot(
      'its last line does not match the lines before it: some were left out, added or changed.',
    )
  if (!isSigned(line, key)) throw new BadSnapshot("its signature was not made with the server's key.")
}

/**
 * Each line must follow the one before it and each card must match its hash. The signature comes last, so
 * nothing may be used before one full pass.
 */
export async function* readSnapshot(
  file: SnapshotFile,
  expected: Expected,
): AsyncGenerator<CardLine, FirstLine> {
  let first: FirstLine | undefined
  let key: KeyObject | undefined
  let isDone = false
  let head = NO_LINE
  let cards = 0
  let number = 0
  for await (const bytes of linesOf(file)) {
    number += 1
    if (isDone) throw new BadSnapshot('it continues after its last line.')
    const line = parsed(bytes, number)
    if (first === undefined || key === undefined) {
      first = firstLine(line, expected)
      key = expected.keyOf(first.key_id)
    } else if ('signature' in line) {
      requireLast(line as LastLine, first, head, cards, key)
      isDone = true
    } else {
      const card = line as unknown as CardLine
      if (card.prev !== head) throw new BadSnapshot(`line ${number} does not follow the line before it.`)
      if (typeof card.card !== 'object' || card.card === null || contentHash(card.card) !== card.content_hash)
        throw new BadSnapshot(`the content of line ${number} does not match its hash.`)
      if (!isUuid(String(card.card_id))) throw new BadSnapshot(`the card of line ${number} has no id.`)
      if (++cards > MAX_CARDS) throw new BadSnapshot(`it has more than ${MAX_CARDS} cards.`)
      yield card
    }
    head = lineHash(bytes)
  }
  if (first === undefined || !isDone) throw new BadSnapshot('it has no signed last line. It was cut short.')
  return first
}

/** A server's key from the first pull, and the time of the last pulled snapshot. */
type Pin = { keyId: string; publicKey: string; madeAt?: string }

const pinsFile = () => join(settingsFolder(), 'library-keys.json')

function allPins(): Record<string, Pin> {
  try {
    return JSON.parse(readFileSync(pinsFile(), 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw new CommandError(
      `${pinsFile()} cannot be read, so no key is known. Repair it, or remove it to start again.`,
    )
  }
}

export const pinOf = (server: string): Pin | undefined => allPins()[server]

export const savePin = (server: string, pin: Pin): void =>
  writePrivate(pinsFile(), `${JSON.stringify({ ...allPins(), [server]: pin }, null, 2)}\n`)

/** 32 bytes as base64url. */
const PUBLIC_KEY = /^[\w-]{43}$/
const KEY_ID = /^[0-9a-f]{64}$/

/** Returns the id of the trusted key, given as an id or as a PEM file with the public key. */
function wantedKeyId(given: string): string {
  if (KEY_ID.test(given)) return given
  if (!existsSync(given))
    throw new CommandError(`${given} is neither a key id of 64 hexadecimal digits nor a file.`, EXIT.usage)
  try {
    const { x, crv } = createPublicKey(readFileSync(given)).export({ format: 'jwk' })
    if (crv === 'Ed25519' && x) return keyIdOf(x)
  } catch {
    // The error below covers every reason.
  }
  throw new CommandError(`${given} does not contain an Ed25519 public key as PEM.`, EXIT.usage)
}

async function listedKeys(server: string): Promise<ListedKey[]> {
  const listing = (await readSmall(`${server}${WELL_KNOWN}`)) as { keys?: unknown }
  const keys = Array.isArray(listing?.keys) ? (listing.keys as ListedKey[]) : []
  return keys.filter(
    (key) =>
      typeof key?.public_key === 'string' &&
      PUBLIC_KEY.test(key.public_key) &&
      keyIdOf(key.public_key) === key.key_id,
  )
}

export type ServerKey = { pin: Pin; isNew: boolean }

/** Returns the named key, else the pinned one, else (first pull) the server's current key. */
export async function serverKey(
  server: string,
  pin: Pin | undefined,
  named: string | undefined,
): Promise<ServerKey> {
  const keys = await listedKeys(server)
  const wanted = named === undefined ? pin?.keyId : wantedKeyId(named)
  const present = keys.find((key) => key.retired_at === null)
  if (!present)
    throw new CommandError(
      `${server} lists no key that signs snapshots. A vault that has just started makes its first one within minutes: try again then.`,
    )
  if (wanted !== undefined && present.key_id !== wanted)
    throw new CommandError(
      [
        `The key of ${server} is not the one that ${named === undefined ? 'was pinned at the first pull' : 'you named'}.`,
        `  ${named === undefined ? 'pinned' : 'named '}: ${wanted}`,
        `  now   : ${present.key_id}`,
        'Nothing was imported. Ask its operators by another channel whether they changed it. If so:',
        `  ${KVAULT} library pull ${server} --key ${present.key_id}`,
      ].join('\n'),
    )
  const isNew = pin?.keyId !== present.key_id
  const madeAt = pin?.madeAt
  return {
    pin: { keyId: present.key_id, publicKey: present.public_key, ...(madeAt ? { madeAt } : {}) },
    isNew,
  }
}
