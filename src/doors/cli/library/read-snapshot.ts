import type { KeyObject } from 'node:crypto'
import { createReadStream } from 'node:fs'
import * as zlib from 'node:zlib'
import { canonicalJson } from '../../../core/canonical-json.ts'
import { contentHash } from '../../../core/content-hash.ts'
import {
  type CardLine,
  type FirstLine,
  isSigned,
  type LastLine,
  lineHash,
  MOST_LINE_BYTES,
  NO_LINE,
  SNAPSHOT_FORMAT,
} from '../../../features/library-sharing/format.ts'
import { CommandError } from '../exit-codes.ts'
import { isUuid } from '../uuid.ts'

/** Older versions of Node cannot unpack zstd. They download the snapshot without compression. */
export const canUnpack = (): boolean => typeof zlib.createZstdDecompress === 'function'

const MOST_CARDS = 5_000_000
/** Real text shrinks to about a tenth. A file that grows much more is meant to exhaust memory and time. */
const MOST_RATIO = 100
const ALWAYS_ALLOWED = 64 * 1024 * 1024

/** The snapshot is not what its server signed, so no part of it is used. */
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
  const most = Math.max(ALWAYS_ALLOWED, file.bytes * MOST_RATIO)
  let rest: Buffer[] = []
  let waiting = 0
  let read = 0
  for await (const chunk of chunksOf(file)) {
    read += chunk.length
    if (read > most) throw new BadSnapshot(`it unpacks to more than ${MOST_RATIO} times its size.`)
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, at)])
      rest = []
      waiting = 0
      from = at + 1
    }
    rest.push(chunk.subarray(from))
    waiting += chunk.length - from
    if (waiting > MOST_LINE_BYTES) throw new BadSnapshot(`a line has more than ${MOST_LINE_BYTES} bytes.`)
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
  /** Returns the key with this id, or throws. */
  keyOf: (keyId: string) => KeyObject
}

/** As the server writes it, because times are compared as texts. */
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
 * The cards of a snapshot, in order. Each line must follow the one before it, and each card must match its hash. The
 * signature is at the end, so nothing may be used before one whole pass.
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
      if (++cards > MOST_CARDS) throw new BadSnapshot(`it has more than ${MOST_CARDS} cards.`)
      yield card
    }
    head = lineHash(bytes)
  }
  if (first === undefined || !isDone) throw new BadSnapshot('it has no signed last line. It was cut short.')
  return first
}
