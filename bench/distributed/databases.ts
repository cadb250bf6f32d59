import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openPostgres } from '../../src/db/engines/postgres/postgres.ts'
import { openPostgresSnapshot } from '../../src/db/engines/postgres/snapshot.ts'
import { migrate } from '../../src/db/migrations/migrate.ts'
import type { TableShape } from '../../src/db/snapshot.ts'
import { makeOnCluster, run } from '../../test/support/cluster.ts'
import { repository } from '../support/servers.ts'

const SCRIPT = join(repository, 'deploy/citus/cluster.sh')
const BUFFERS_MB = 1024
const DATABASE = 'vault'
/** Built after the rows are there, which is much faster. */
const GIN_INDEXES = ['grams', 'words']

export type Servers = {
  /** The database of the vault, on the coordinator. */
  url: string
  /** The main process of each server: of the coordinator, then of the workers. */
  mains: number[]
  stop: () => void
}

/** PostgreSQL servers of one kind in a folder, with the same memory together whatever their number. Without workers it is one plain PostgreSQL. */
export function startServers(folder: string, workers: number): Servers {
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755)
  const portFile = join(folder, 'port')
  if (!existsSync(portFile)) writeFileSync(portFile, String(12_000 + Math.floor(Math.random() * 3000) * 6))
  const servers = join(folder, 'servers')
  const settings = {
    shared_buffers: `${Math.floor(BUFFERS_MB / (workers + 1))}MB`,
    // Citus must be the first.
    shared_preload_libraries: "'citus,pg_stat_statements'",
    'pg_stat_statements.track_utility': 'off',
    max_wal_size: '2GB',
    checkpoint_timeout: '30min',
    maintenance_work_mem: '256MB',
    // One query takes one core of a server, so that few cores do not hide what it costs.
    max_parallel_workers_per_gather: '0',
  }
  const SETTINGS = Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n')
  const env = { ...process.env, SETTINGS, PORT: readFileSync(portFile, 'utf8') }
  const call = (command: string) =>
    execFileSync(SCRIPT, [command, servers, String(workers)], { env, stdio: ['ignore', 'pipe', 'inherit'] })
      .toString()
      .trim()
  const url = new URL(call('start'))
  url.pathname = `/${DATABASE}`
  const names = ['coordinator', ...Array.from({ length: workers }, (_, i) => `worker${i + 1}`)]
  const mainOf = (name: string) =>
    Number(readFileSync(join(servers, name, 'postmaster.pid'), 'utf8').split('\n')[0])
  return { url: url.href, mains: names.map(mainOf), stop: () => call('stop') }
}

const administration = (url: string) => {
  const own = new URL(url)
  own.pathname = '/postgres'
  return own.href
}

/** Faster and less safe while a vault is filled. */
export async function setDurable(url: string, isDurable: boolean): Promise<void> {
  const value = isDurable ? 'on' : 'off'
  await run(
    administration(url),
    `alter system set fsync = ${value}`,
    `alter system set full_page_writes = ${value}`,
    'select pg_reload_conf()',
  )
}

export async function makePlain(url: string): Promise<void> {
  await run(administration(url), `create database ${DATABASE} encoding 'UTF8' template template0`)
}

/** An empty vault, spread over the workers that may have shards. */
export async function makeDistributed(url: string, chooseWorkers = async () => {}): Promise<void> {
  await makeOnCluster(administration(url), DATABASE)
  await chooseWorkers()
  const database = openPostgres({ url, isDistributed: true, poolSize: 1, onIdleError: () => {} })
  await migrate(database)
  await database.close()
}

const psql = (url: string, command: string) =>
  spawn('psql', ['-qX', '-v', 'ON_ERROR_STOP=1', url, '-c', command], { stdio: ['pipe', 'pipe', 'inherit'] })

async function copyTable(from: string, to: string, { name, columns }: TableShape): Promise<void> {
  const what = `${name} (${columns.join(', ')})`
  await run(to, `delete from ${name}`)
  const source = psql(from, `copy ${what} to stdout (format binary)`)
  const target = psql(to, `copy ${what} from stdin (format binary)`)
  const ended = new Promise<number | null>((resolve) => target.once('exit', resolve))
  await pipeline(source.stdout, target.stdin)
  if ((await ended) !== 0) throw new Error(`${name} was not copied`)
}

/** The same rows on both sides, index and all, so that both answer the same. */
export async function copyVault(from: string, to: string): Promise<void> {
  const snapshot = await openPostgresSnapshot(from)
  await snapshot.close()
  await run(to, ...GIN_INDEXES.map((name) => `drop index context_event_index_${name}`))
  for (const table of snapshot.tables.filter(({ name }) => name !== 'schema_migrations')) {
    await copyTable(from, to, table)
    process.stderr.write(`copied ${table.name}\n`)
  }
  const { rows } = await run(
    to,
    `select table_name, column_name from information_schema.columns
     where table_schema = current_schema() and is_identity = 'YES' and table_name in (select relname from pg_class where relkind = 'r')`,
  )
  for (const { table_name, column_name } of rows)
    await run(
      to,
      `select setval(pg_get_serial_sequence('${table_name}', '${column_name}'), (select coalesce(max(${column_name}), 1) from ${table_name}))`,
    )
  for (const name of GIN_INDEXES)
    await run(to, `create index context_event_index_${name} on context_event_index using gin (${name})`)
  await run(to, 'vacuum analyze')
}
