import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { posix } from 'node:path'
import { createGunzip } from 'node:zlib'
import { z } from 'zod'
import type { Value } from '../../db/snapshot.ts'

/** The key that encrypts the outbox. Without the key, waiting mails could not be sent after a restore. */
export const SECRET_FILE = 'secret.key'

/** Returns a backup's file name, the same on every system; `join` it with the data folder for the path. */
export const ticketFile = (ticketId: string, attachmentId: string): string =>
  posix.join('tickets', ticketId, attachmentId)

const ID = '[0-9a-f-]{36}'
const KNOWN = new RegExp(`^(${SECRET_FILE.replace('.', '\\.')}|tickets/${ID}/${ID})$`)

/** A backup may come from an attacker, so no other path is restored (path traversal). */
export const isVaultFile = (path: string): boolean => KNOWN.test(path)

/** Gzip of JSON lines: `header`; `table` and rows; `file` and base64; `end` with counts and SHA-256. */

export const FORMAT = 1

const Header = z.object({
  kind: z.literal('header'),
  format: z.number(),
  program: z.string(),
  engine: z.string(),
  migrations: z.array(z.string()),
  taken_at: z.string(),
})
const TableStart = z.object({ kind: z.literal('table'), name: z.string(), columns: z.array(z.string()) })
const FileStart = z.object({ kind: z.literal('file'), path: z.string() })
const Sum = z.object({ count: z.number(), sha256: z.string() })
const End = z.object({
  kind: z.literal('end'),
  tables: z.record(z.string(), Sum),
  files: z.record(z.string(), Sum),
  /** Files that the database names but the disk does not have. */
  missing_files: z.array(z.string()),
})
const Section = z.discriminatedUnion('kind', [Header, TableStart, FileStart, End])

export type Header = z.output<typeof Header>
export type Sum = z.output<typeof Sum>
export type End = z.output<typeof End>
export type Row = Value[]
export type Line = z.output<typeof Section> | Row | string

/** The backup is incomplete or damaged; nothing of it was used. */
export class DamagedBackup extends Error {
  override readonly name = 'DamagedBackup'
}

export class Counter {
  readonly #hash = createHash('sha256')
  #count = 0

  add(bytes: string | Uint8Array, count: number): void {
    this.#hash.update(bytes)
    this.#count += count
  }

  sum(): Sum {
    return { count: this.#count, sha256: this.#hash.digest('hex') }
  }
}

const NEWLINE = 0x0a

async function* textLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest: Buffer[] = []
  for await (const chunk of chunks) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, at)]).toString('utf8')
      rest = []
      from = at + 1
    }
    if (from < chunk.length) rest.push(chunk.subarray(from))
  }
  if (rest.length > 0) throw new DamagedBackup('The backup ends in the middle of a line.')
}

function parsed(text: string): Line {
  try {
    const line = JSON.parse(text)
    // Only sections are validated here; checksums cover rows and files.
    return typeof line === 'string' || Array.isArray(line) ? line : Section.parse(line)
  } catch {
    throw new DamagedBackup('The backup is damaged: a line of it cannot be read.')
  }
}

/** Reads the lines of a backup file in order. Throws `DamagedBackup` if the file is damaged. */
export async function* readLines(file: string): AsyncGenerator<Line> {
  const source = createReadStream(file)
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error))
  source.pipe(gunzip)
  try {
    for await (const text of textLines(gunzip)) yield parsed(text)
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^Z_/.test(String(error.code)))
      throw new DamagedBackup(`The backup is damaged or cut short (${error.message}).`)
    throw error
  } finally {
    source.destroy()
  }
}

export const isSection = (line: Line): line is z.output<typeof Section> =>
  typeof line === 'object' && !Array.isArray(line)

const same = (a: Record<string, Sum>, b: Record<string, Sum>) => {
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].filter((name) => a[name]?.count !== b[name]?.count || a[name]?.sha256 !== b[name]?.sha256)
}

/** The fingerprint of the secret key that the vault last used, and the key file in the backup. */
export type BackupKey = { fingerprint: string | undefined; file: string | undefined }

export type Checked = { header: Header; end: End; key: BackupKey }

/** Reads the whole file and compares it with its manifest. */
export async function checkBackup(file: string): Promise<Checked> {
  const tables: Record<string, Sum> = {}
  const files: Record<string, Sum> = {}
  let header: Header | undefined
  let end: End | undefined
  const key: BackupKey = { fingerprint: undefined, file: undefined }
  let section: Exclude<Line, Row | string> | undefined
  let finish = () => {}
  let counter = new Counter()
  for await (const line of readLines(file)) {
    if (end) throw new DamagedBackup('The backup continues after its end.')
    if (!header) header = requireHeader(line)
    else if (Array.isArray(line)) {
      counter.add(`${JSON.stringify(line)}\n`, 1)
      if (section?.kind === 'table' && section.name === 'server_secret')
        key.fingerprint = String(line[section.columns.indexOf('fingerprint')])
    } else if (typeof line === 'string') {
      const bytes = Buffer.from(line, 'base64')
      counter.add(bytes, bytes.length)
      if (section?.kind === 'file' && section.path === SECRET_FILE)
        key.file = `${key.file ?? ''}${bytes.toString('utf8')}`.trim()
    } else {
      section = line
      finish()
      const begun = new Counter()
      counter = begun
      if (line.kind === 'header') throw new DamagedBackup('The backup has a second header.')
      if (line.kind === 'end') end = line
      else if (line.kind === 'table') finish = () => (tables[line.name] = begun.sum())
      else {
        if (!isVaultFile(line.path))
          throw new DamagedBackup(`The backup contains a file that a vault does not have: ${line.path}.`)
        finish = () => (files[line.path] = begun.sum())
      }
    }
  }
  if (!header || !end) throw new DamagedBackup('The backup has no end: it was cut short.')
  const wrong = [...same(tables, end.tables), ...same(files, end.files)]
  if (wrong.length > 0)
    throw new DamagedBackup(`The backup does not match its checksums: ${wrong.join(', ')}.`)
  return { header, end, key }
}

function requireHeader(line: Line): Header {
  if (!isSection(line) || line.kind !== 'header') throw new DamagedBackup('This is not a backup of a vault.')
  if (line.format !== FORMAT)
    throw new DamagedBackup(`The backup has format ${line.format}; this program reads ${FORMAT}.`)
  return line
}
