import { EventEmitter } from 'node:events'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { sql } from 'kysely'
import pino from 'pino'
import type { Config } from '../../config.ts'
import { CredentialCache, type Ctx, contextFor, inTx } from '../../core/context.ts'
import { DatabaseSpace } from '../../core/disk.ts'
import { memoryLimits } from '../../core/limits.ts'
import { type Database, type Db, databaseSizeOf } from '../../db/db.ts'
import { IN_BACKUP, presentNames } from '../../db/migrations/former-list.ts'
import {
  appliedMigrations,
  applyMigrations,
  MIGRATIONS,
  migrate,
  SchemaTooNew,
} from '../../db/migrations/migrate.ts'
import { maintainIndex, usualTuning } from '../../search-index/index.ts'
import { reindexAll } from '../cards/index.ts'
import { HASHING } from '../identity/index.ts'
import { reindexEvents } from '../memory/index.ts'
import { serverSettingsOf } from '../server-settings/index.ts'
import {
  type Checked,
  Counter,
  checkBackup,
  type End,
  type Header,
  isSection,
  type Row,
  readLines,
} from './format.ts'

/** The target is not empty. A restore never mixes with existing data and never replaces it. */
export class TargetNotEmpty extends Error {
  override readonly name = 'TargetNotEmpty'
}

const MAX_PARAMETERS = 5000
/** Limit of a batch in characters, because rows of pictures are long. */
const MAX_CHARACTERS = 8 * 1024 * 1024

async function insertRows(database: Database, db: Db, table: string, columns: string[], rows: Row[]) {
  if (rows.length === 0) return
  const names = sql.join(columns.map((column) => sql.id(column)))
  const values = sql.join(rows.map((row) => sql`(${sql.join(row)})`))
  const ownNumbers = database.engine === 'postgres' ? sql`overriding system value` : sql``
  await sql`insert into ${sql.id(table)} (${names}) ${ownNumbers} values ${values}`.execute(db)
}

async function advanceCounters(database: Database, db: Db): Promise<void> {
  if (database.engine !== 'postgres') return
  const found = await sql<{ table_name: string; column_name: string }>`
    select table_name, column_name from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'`.execute(db)
  for (const { table_name, column_name } of found.rows)
    await sql`select setval(pg_get_serial_sequence(${table_name}, ${column_name}),
      (select max(${sql.id(column_name)}) from ${sql.id(table_name)}))`.execute(db)
}

async function insertTables(database: Database, db: Db, file: string): Promise<void> {
  let table: { name: string; columns: string[] } | undefined
  let waiting: Row[] = []
  let characters = 0
  const flush = async () => {
    if (table) await insertRows(database, db, table.name, table.columns, waiting)
    waiting = []
    characters = 0
  }
  for await (const line of readLines(file)) {
    if (Array.isArray(line)) {
      waiting.push(line)
      for (const value of line) if (typeof value === 'string') characters += value.length
      if (waiting.length * line.length >= MAX_PARAMETERS || characters >= MAX_CHARACTERS) await flush()
    } else if (isSection(line)) {
      await flush()
      table = line.kind === 'table' ? line : undefined
      if (line.kind === 'file') break
      // Rows that a new vault starts with, such as the public library, are in the backup too.
      if (table) await sql`delete from ${sql.id(table.name)}`.execute(db)
    }
  }
  await advanceCounters(database, db)
}

async function sha256Of(path: string): Promise<string | undefined> {
  const counter = new Counter()
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>)
      counter.add(chunk, chunk.length)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  return counter.sum().sha256
}

/** Refuses to overwrite other files. The same file may exist: an interrupted restore leaves it behind. */
async function refuseOtherFiles({ files }: End, dataDir: string): Promise<void> {
  for (const [path, { sha256 }] of Object.entries(files)) {
    const present = await sha256Of(join(dataDir, path))
    if (present !== undefined && present !== sha256)
      throw new TargetNotEmpty(
        `${resolve(dataDir)} already has a ${path} of another vault. Nothing was changed. Set DATA_DIR to a new folder.`,
      )
  }
}

async function writeFiles(file: string, dataDir: string): Promise<void> {
  let target: { handle: FileHandle; draft: string; path: string } | undefined
  const finish = async () => {
    if (!target) return
    await target.handle.sync()
    await target.handle.close()
    await rename(target.draft, target.path)
    target = undefined
  }
  try {
    for await (const line of readLines(file)) {
      if (typeof line === 'string') await target?.handle.write(Buffer.from(line, 'base64'))
      else if (isSection(line)) {
        await finish()
        if (line.kind !== 'file') continue
        const path = join(dataDir, line.path)
        const draft = `${path}.restoring`
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        target = { handle: await open(draft, 'w', 0o600), draft, path }
      }
    }
  } finally {
    if (target) {
      await target.handle.close()
      await rm(target.draft, { force: true })
    }
  }
}

async function requireEmpty(db: Db): Promise<void> {
  for (const table of ['users', 'cards', 'support_tickets'] as const) {
    const found = await db.selectFrom(table).select(sql<number>`1`.as('one')).limit(1).execute()
    if (found.length > 0)
      throw new TargetNotEmpty(
        'This vault is not empty. Restore into an empty one: set DATA_DIR to a new folder, or DATABASE_URL to a new database.',
      )
  }
}

function migrationsOf(header: Header): typeof MIGRATIONS {
  const names = presentNames(new Set(header.migrations), IN_BACKUP)
  const known = MIGRATIONS.filter(({ name }) => names.has(name))
  if (known.length < names.size)
    throw new SchemaTooNew(
      'The backup was taken by a newer version of this program. Restore it with that version.',
    )
  return known
}

async function prepareSchema(database: Database, header: Header): Promise<void> {
  const known = migrationsOf(header)
  const ahead = (await appliedMigrations(database)).filter((name) => !known.some((one) => one.name === name))
  if (ahead.length > 0)
    throw new TargetNotEmpty(
      'The database already has a newer schema than the backup. Restore into a new DATA_DIR or database; the schema is brought up to date afterwards.',
    )
  await applyMigrations(database, known)
}

type Restored = { header: Header; end: End }

/** Reads the whole file without a database. Throws for a damaged file, and for files of another vault. */
export async function checkRestorable(file: string, dataDir: string): Promise<Checked> {
  const checked = await checkBackup(file)
  migrationsOf(checked.header)
  await refuseOtherFiles(checked.end, dataDir)
  return checked
}

/** Does all checks first, then writes the rows in one transaction. */
export async function restoreBackup(ctx: Ctx, file: string, known?: Restored): Promise<Restored> {
  const { database, config } = ctx
  const checked = known ?? (await checkRestorable(file, config.dataDir))
  await prepareSchema(database, checked.header)
  await requireEmpty(ctx.db)
  await writeFiles(file, config.dataDir)
  await inTx(ctx, async ({ db }) => {
    await requireEmpty(db)
    await insertTables(database, db, file)
  })
  await migrate(database)
  await reindex(ctx)
  return checked
}

export async function reindex(
  ctx: Ctx,
  onProgress?: (done: number, total: number) => void,
): Promise<{ cards: number; events: number }> {
  const cards = await reindexAll(ctx, onProgress)
  const events = await reindexEvents(ctx)
  await maintainIndex(ctx)
  return { cards, events }
}

export const bareContext = (config: Config, database: Database): Ctx =>
  contextFor({
    config,
    database,
    serverSettings: serverSettingsOf(config, database),
    adapters: { google: null, payments: null, mail: null },
    limits: memoryLimits(),
    credentials: new CredentialCache(() => undefined),
    databaseSpace: new DatabaseSpace(config, databaseSizeOf(database)),
    searchTuning: usualTuning(),
    passwordHashing: HASHING,
    secret: '',
    hashKey: '',
    wakeups: new EventEmitter(),
    subscribers: {},
    log: pino({ level: 'silent' }),
    now: () => new Date(),
  })
