import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { migrate } from '../../src/db/migrations/migrate.ts'
import { openPostgres } from '../../src/db/postgres/postgres.ts'

const withDatabase = (url: string, database: string) => {
  const target = new URL(url)
  target.pathname = `/${database}`
  return target.href
}

export async function run(url: string, ...statements: string[]): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    let result: pg.QueryResult | undefined
    for (const statement of statements) result = await client.query(statement)
    return result as pg.QueryResult
  } finally {
    await client.end()
  }
}

/** The servers of a cluster, coordinator first. Databases are made on each: Citus knows its workers per database. */
export async function serversOf(coordinator: string): Promise<string[]> {
  const { rows } = await run(
    coordinator,
    "select nodename, nodeport from pg_dist_node where noderole = 'primary' order by groupid",
  )
  return rows.map(({ nodename, nodeport }) => {
    const url = new URL(coordinator)
    url.hostname = nodename
    url.port = String(nodeport)
    return url.href
  })
}

const onAll = async (coordinator: string, statement: string) => {
  for (const server of await serversOf(coordinator)) await run(server, statement)
}

/** An empty database on every server, joined to one cluster. */
export async function makeOnCluster(coordinator: string, name: string): Promise<void> {
  const servers = await serversOf(coordinator)
  await onAll(coordinator, `create database ${name} encoding 'UTF8' template template0`)
  for (const server of servers) await run(withDatabase(server, name), 'create extension citus')
  const [own, ...workers] = servers.map((server) => new URL(server))
  const node = (url: URL | undefined) => `'${url?.hostname}', ${url?.port}`
  await run(
    withDatabase(coordinator, name),
    `select citus_set_coordinator_host(${node(own)})`,
    ...workers.map((worker) => `select citus_add_node(${node(worker)})`),
  )
}

/** A migrated and laid out database on every server. Nobody may connect to it, so that it can be copied. */
export async function makeClusterTemplate(coordinator: string, name: string): Promise<void> {
  await dropOnCluster(coordinator, name)
  await makeOnCluster(coordinator, name)
  const database = openPostgres({
    url: withDatabase(coordinator, name),
    isDistributed: true,
    poolSize: 1,
    onIdleError: () => {},
  })
  await migrate(database)
  await database.close()
  await onAll(coordinator, `alter database ${name} allow_connections false`)
}

/** Copies the template on every server; the copies know one another as the originals did. */
export async function copyOnCluster(coordinator: string, template: string, name: string): Promise<void> {
  for (const server of await serversOf(coordinator))
    await run(
      server,
      // Citus' own background process looks into each database.
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${template}'`,
      `create database ${name} template ${template}`,
    )
}

export async function dropOnCluster(coordinator: string, name: string): Promise<void> {
  for (const server of await serversOf(coordinator)) {
    await run(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    await untilDropped(server, name)
  }
}

/** What has just been committed in two phases may still be in the making on a worker for a moment. */
async function untilDropped(server: string, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      await run(server, `drop database if exists ${name} with (force)`)
      return
    } catch (error) {
      if (attempt === 20) throw error
      await sleep(500)
    }
}

const BINARIES = '/usr/lib/postgresql/15'
const SCRIPT = join(import.meta.dirname, '../../deploy/citus/cluster.sh')
const NAMES = ['coordinator', 'worker1', 'worker2'] as const

export type ClusterNode = (typeof NAMES)[number]

export const NO_CITUS = existsSync(`${BINARIES}/lib/citus.so`)
  ? undefined
  : 'Citus is not installed (deploy/citus/build.sh)'

export type Cluster = {
  /** The coordinator's. */
  url: string
  /** A crash: nothing is flushed. */
  crash: (node: ClusterNode) => void
  start: (node: ClusterNode) => void
  destroy: () => void
}

const asOwner = (command: string, args: string[]) =>
  process.getuid?.() === 0
    ? execFileSync('runuser', ['-u', 'postgres', '--', command, ...args], { stdio: 'ignore' })
    : execFileSync(command, args, { stdio: 'ignore' })

/** A coordinator and two workers of our own, in a temporary folder. */
export function startCluster(settings: Record<string, string> = {}): Cluster {
  const base = mkdtempSync(join(tmpdir(), 'knowledge-vault-cluster-'))
  chmodSync(base, 0o755)
  const folder = join(base, 'cluster')
  // Three ports in a row, below those that the system hands out by itself.
  const port = 12_000 + Math.floor(Math.random() * 6_000) * 3
  const SETTINGS = Object.entries(settings)
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n')
  const env = { ...process.env, PORT: String(port), SETTINGS }
  const url = execFileSync(SCRIPT, ['start', folder], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    .toString()
    .trim()
  const control = (node: ClusterNode, ...args: string[]) =>
    asOwner(`${BINARIES}/bin/pg_ctl`, ['-s', '-w', '-D', join(folder, node), ...args])
  return {
    url,
    crash: (node) => control(node, '-m', 'immediate', 'stop'),
    start: (node) => control(node, '-l', join(folder, `${node}.log`), 'start'),
    destroy: () => {
      for (const node of NAMES)
        if (existsSync(join(folder, node, 'postmaster.pid'))) control(node, '-m', 'immediate', 'stop')
      rmSync(base, { recursive: true, force: true })
    },
  }
}
