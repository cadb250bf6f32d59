import { createReadStream, createWriteStream, fstatSync, type WriteStream } from 'node:fs'
import { access, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Config } from '../../config.ts'
import type { Ctx } from '../../core/context.ts'
import { sha256Hex } from '../../core/crypto.ts'
import { hasFreeDisk } from '../../core/disk.ts'
import { VERSION } from '../../core/version.ts'
import { isVault, NoVault } from '../../db/migrations/whose-tables.ts'
import { openSnapshot } from '../../db/open.ts'
import type { Snapshot, TableShape } from '../../db/snapshot.ts'
import {
  Counter,
  type End,
  FORMAT,
  type Header,
  type Line,
  SECRET_FILE,
  type Sum,
  ticketFile,
} from './format.ts'

const LOOK_EVERY_BYTES = 8 * 1024 * 1024
const FULL = new Set<unknown>(['ENOSPC', 'EDQUOT'])

class NoRoom extends Error {
  override readonly name = 'NoRoom'
}

const isNoRoom = (error: unknown): boolean =>
  error instanceof NoRoom || (error instanceof Error && 'code' in error && FULL.has(error.code))

/** On the vault's disk the reserve stays free; on another disk a backup may use all space. */
async function requireRoom(config: Config, dir: string): Promise<void> {
  const [backups, vault] = await Promise.all([stat(dir), stat(config.dataDir)])
  if (backups.dev !== vault.dev || (await hasFreeDisk(config))) return
  throw new NoRoom(
    `The backup does not fit: it would leave less than ${config.minFreeDiskMb} MB (MIN_FREE_DISK_MB) on the disk of the vault. Make room, set BACKUP_DIR to another disk, or lower BACKUP_KEEP and remove old backups. The next try is in an hour.`,
  )
}

export async function* watchRoom(
  source: AsyncIterable<Buffer>,
  look: () => Promise<void>,
): AsyncGenerator<Buffer> {
  let sinceLook = LOOK_EVERY_BYTES
  for await (const chunk of source) {
    if (sinceLook >= LOOK_EVERY_BYTES) {
      await look()
      sinceLook = 0
    }
    sinceLook += chunk.length
    yield chunk
  }
}

/** Tables that are left out: a restore rebuilds them, and rate limits last a minute. */
const LEFT_OUT =
  /^(search_(docs|fresh|runs|postings|dead|words|changes|totals|terms|grams|vectors|vector_state)|context_event_(index|grams|words|vectors)|context_vector_marks|library_snapshot(s|_parts)|rate_limits)/
const MIGRATIONS = 'schema_migrations'
const isKept = ({ name }: TableShape) => name !== MIGRATIONS && !LEFT_OUT.test(name)

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

/** Yields the lines of a backup from one snapshot of the database and the files named there. */
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

/** The unfinished file exists: another process writes it, or died while writing. */
class BackupUnderway extends Error {
  override readonly name = 'BackupUnderway'

  constructor(partial: string) {
    super(`Another backup is writing ${partial}, or one was killed. Remove the file if none runs.`)
  }
}

class NoFolder extends Error {
  override readonly name = 'NoFolder'
}

/** `isOwn`: another process may have taken the backup for abandoned and reused its name. */
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

const withFileName = (error: unknown, path: string): unknown =>
  error instanceof Error && 'syscall' in error && !('path' in error) ? Object.assign(error, { path }) : error

type BackupOptions = {
  partial?: string
  now?: Date
  /** Called repeatedly during the backup; throws if the disk is full. */
  lookForRoom?: () => Promise<void>
}

/** Named `partial` until complete on disk; must not exist yet, so that two backups never share a file. */
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
      // Otherwise a backup of a mistyped database would succeed and be empty.
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

const HOUR_MS = 3_600_000
/** An unfinished backup that has not grown for this long belongs to a dead process. */
const ABANDONED_MS = 15 * 60_000
/** Time until the next try after a full disk: each try reads the whole vault. */
const PAUSE_MS = HOUR_MS
/** The last part tells vaults apart that share a folder. Older files have none. */
const NAME = /^vault-\d{8}T\d{6}Z(-[\da-f]{8})?\.kvbackup$/
const PARTIAL = /^vault-\d{8}T\d{6}Z(-[\da-f]{8})?\.kvbackup\.partial$/

const markOf = ({ hashKey }: Ctx) => `-${sha256Hex(`backups:${hashKey}`).slice(0, 8)}`

function isOwn(ctx: Ctx, name: string): boolean {
  const found = NAME.exec(name)
  return found !== null && (found[1] === undefined || found[1] === markOf(ctx))
}

const stamp = (time: number) => new Date(time).toISOString().replaceAll(/[-:]|\.\d+/g, '')

/** Removes unfinished backups of dead processes, whatever their period. */
async function dropAbandoned(dir: string, names: readonly string[], now: number): Promise<void> {
  for (const name of names) {
    if (!PARTIAL.test(name)) continue
    const path = join(dir, name)
    const found = await stat(path).catch(() => undefined)
    if (found && now - found.mtimeMs > ABANDONED_MS) await rm(path, { force: true })
  }
}

/** Returns the file that marks a pause. It lies in the backup folder, so that other processes wait too. */
const pauseFile = (ctx: Ctx, dir: string) => join(dir, `vault${markOf(ctx)}.no-room`)

async function isPaused(file: string, now: number): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  return found !== undefined && Math.abs(now - found.mtimeMs) < PAUSE_MS
}

async function beginPause(file: string, now: Date): Promise<void> {
  await writeFile(file, '', { mode: 0o600 })
  await utimes(file, now, now)
}

const isMadeElsewhere = (error: unknown) =>
  error instanceof Error && ['FileExists', 'BackupUnderway'].includes(error.name)

/** All processes try; the unfinished file's name, which only one can create, works as a lock. */
export async function backUpOnSchedule(ctx: Ctx): Promise<string | undefined> {
  const settings = ctx.config.backup
  if (!settings) return undefined
  const { dir, everyHours, keep } = settings
  const now = ctx.now()
  const periodMs = everyHours * HOUR_MS
  const period = stamp(Math.floor(now.getTime() / periodMs) * periodMs)
  const file = join(dir, `vault-${period}${markOf(ctx)}.kvbackup`)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const names = await readdir(dir)
  await dropAbandoned(dir, names, now.getTime())
  const pause = pauseFile(ctx, dir)
  if (names.some((name) => join(dir, name) === file) || (await isPaused(pause, now.getTime())))
    return undefined
  try {
    await takeBackup(ctx.config, file, { now, lookForRoom: () => requireRoom(ctx.config, dir) })
  } catch (error) {
    if (isMadeElsewhere(error)) return undefined
    // The original error matters more than a failure to write the pause file.
    if (isNoRoom(error)) await beginPause(pause, now).catch(() => {})
    throw error
  }
  await rm(pause, { force: true })
  ctx.log.info({ file }, 'backed up')
  // Backups dated later by a wrong clock do not count; otherwise each new backup would be removed at once.
  const all = (await readdir(dir)).filter((name) => isOwn(ctx, name) && join(dir, name) <= file).sort()
  for (const old of all.slice(0, -keep)) await rm(join(dir, old), { force: true })
  return file
}
