import { createReadStream, createWriteStream, fstatSync, type WriteStream } from 'node:fs'
import { access, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Config } from '../../config.ts'
import { VERSION } from '../../core/version.ts'
import { openSnapshot } from '../../db/engines/open.ts'
import { isVault, NoVault } from '../../db/migrations/whose-tables.ts'
import type { Snapshot, TableShape } from '../../db/snapshot.ts'
import { SECRET_FILE, ticketFile } from './files.ts'
import { Counter, type End, FORMAT, type Header, type Line, type Sum } from './format.ts'
import { watchRoom } from './room.ts'

/** Derived from other tables; the features rebuild them at restore. */
const DERIVED =
  /^(search_(docs|fresh|runs|postings|dead|words|changes|totals|terms|grams)|context_event_(index|grams|words)|library_snapshot(s|_parts))/
const MIGRATIONS = 'schema_migrations'
const isKept = ({ name }: TableShape) => name !== MIGRATIONS && !DERIVED.test(name)

async function column(snapshot: Snapshot, table: string, ...names: string[]): Promise<string[][]> {
  const shape = snapshot.tables.find(({ name }) => name === table)
  if (!shape) return []
  const indexes = names.map((name) => shape.columns.indexOf(name))
  const found: string[][] = []
  for await (const batch of snapshot.rows(shape))
    for (const row of batch) found.push(indexes.map((index) => String(row[index])))
  return found
}

const appliedTo = async (snapshot: Snapshot): Promise<string[]> =>
  (await column(snapshot, MIGRATIONS, 'name')).flat()

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

/** The lines of a backup, from one state of the database and the files that this state names. */
async function* lines(config: Config, snapshot: Snapshot, takenAt: string): AsyncGenerator<Line> {
  const header: Header = {
    kind: 'header',
    format: FORMAT,
    program: VERSION,
    engine: config.databaseUrl === undefined ? 'sqlite' : 'postgres',
    migrations: await appliedTo(snapshot),
    taken_at: takenAt,
  }
  yield header

  const tables: Record<string, Sum> = {}
  for (const shape of snapshot.tables.filter(isKept)) {
    yield { kind: 'table', name: shape.name, columns: shape.columns }
    const counter = new Counter()
    for await (const batch of snapshot.rows(shape))
      for (const row of batch) {
        counter.add(`${JSON.stringify(row)}\n`, 1)
        yield row
      }
    tables[shape.name] = counter.sum()
  }

  const attached = await column(snapshot, 'support_attachments', 'ticket_id', 'attachment_id')
  const paths = attached.map(([ticket = '', attachment = '']) => ticketFile(ticket, attachment))
  const files: Record<string, Sum> = {}
  const missing: string[] = []
  for (const path of [SECRET_FILE, ...paths]) {
    const source = join(config.dataDir, path)
    if (!(await isThere(source))) {
      if (path !== SECRET_FILE || config.secretKey === undefined) missing.push(path)
      continue
    }
    yield { kind: 'file', path }
    const counter = new Counter()
    for await (const chunk of createReadStream(source) as AsyncIterable<Buffer>) {
      counter.add(chunk, chunk.length)
      yield chunk.toString('base64')
    }
    files[path] = counter.sum()
  }
  const end: End = { kind: 'end', tables, files, missing_files: missing }
  yield end
}

const CHUNK_CHARACTERS = 64 * 1024

async function* asText(source: AsyncIterable<Line>): AsyncGenerator<string> {
  let text = ''
  for await (const line of source) {
    text += `${JSON.stringify(line)}\n`
    if (text.length < CHUNK_CHARACTERS) continue
    yield text
    text = ''
  }
  yield text
}

class FileExists extends Error {
  override readonly name = 'FileExists'
}

/** The unfinished file is there: another process writes it, or was killed while it did. */
class BackupUnderway extends Error {
  override readonly name = 'BackupUnderway'

  constructor(partial: string) {
    super(`Another backup is writing ${partial}, or one was killed. Remove the file if none runs.`)
  }
}

class NoFolder extends Error {
  override readonly name = 'NoFolder'
}

/**
 * `isOwn` says whether the file of that name is still the one that was made here. A backup that stands still for long is
 * taken for abandoned: its file is removed, and another process makes one of the same name.
 */
type Unfinished = { out: WriteStream; isOwn: () => Promise<boolean> }

async function createPartial(partial: string): Promise<Unfinished> {
  const out = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true })
  try {
    const fd = await new Promise<number>((resolve, reject) => out.once('open', resolve).once('error', reject))
    const own = fstatSync(fd)
    const isOwn = async () => {
      const found = await stat(partial).catch(() => undefined)
      return found !== undefined && found.ino === own.ino && found.dev === own.dev
    }
    return { out, isOwn }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new BackupUnderway(partial)
  }
}

/** A write that fails does not say into which file. */
const withFileName = (error: unknown, path: string): unknown =>
  error instanceof Error && 'syscall' in error && !('path' in error) ? Object.assign(error, { path }) : error

export type BackupOptions = {
  partial?: string
  now?: Date
  /** Asked again and again while the backup is written: it throws where there is no room for more. */
  lookForRoom?: () => Promise<void>
}

/**
 * Writes a backup while the service is running. The file appears under its name when it is complete and on disk; until
 * then it is `partial`, which must not exist yet, so that two backups never write into one file.
 */
export async function takeBackup(
  config: Config,
  file: string,
  { partial = `${file}.partial`, now = new Date(), lookForRoom = async () => {} }: BackupOptions = {},
): Promise<void> {
  if (await isThere(file))
    throw new FileExists(`${file} exists already. Give another name, or remove it first.`)
  if (!(await isThere(dirname(file))))
    throw new NoFolder(`There is no folder ${dirname(file)} for the backup. Make it first.`)
  const { out, isOwn } = await createPartial(partial)
  try {
    const snapshot = await openSnapshot(config)
    try {
      // Otherwise every backup of a mistyped database would succeed, and hold nothing.
      if (!isVault(new Set(await appliedTo(snapshot)))) throw new NoVault()
      const text = asText(lines(config, snapshot, now.toISOString()))
      await pipeline(
        Readable.from(text, { objectMode: false }),
        createGzip(),
        (packed: AsyncIterable<Buffer>) => watchRoom(packed, lookForRoom),
        out,
      )
    } finally {
      await snapshot.close()
    }
    if (!(await isOwn())) throw new BackupUnderway(partial)
    await rename(partial, file)
  } catch (error) {
    out.destroy()
    if (await isOwn()) await rm(partial, { force: true })
    throw withFileName(error, file)
  }
}
