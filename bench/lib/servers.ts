import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/support/postgres.ts'

export const repository = join(import.meta.dirname, '..', '..')

export type Server = { url: string; pid: number; dataDir: string; stop: () => Promise<void> }

export type ServerOptions = {
  /** The checkout whose sources run. */
  folder?: string
  env?: Record<string, string>
  /** `auto` starts as many as a server starts by itself. */
  workers?: string
}

/** What still runs. */
const running = new Set<() => Promise<void>>()

/** Returns `stop`, which the runner calls where a bench fails before it does. */
export function stopLater(stop: () => Promise<void>): () => Promise<void> {
  const once = async () => {
    if (running.delete(once)) await stop()
  }
  running.add(once)
  return once
}

/** Stops all servers and databases that still run, the last one first. */
export async function stopAll(): Promise<void> {
  for (const stop of [...running].reverse()) await stop().catch(console.error)
}

const START_ATTEMPTS = 2400
const START_POLL_MS = 25
const MAX_LOG_CHARS = 5000

async function waitUntilReady(url: string, child: ChildProcess, log: () => string): Promise<void> {
  for (let attempt = 0; attempt < START_ATTEMPTS; attempt++) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}:\n${log()}`)
    const answer = await fetch(url).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.ok) return
    await sleep(START_POLL_MS)
  }
  throw new Error(`No answer from ${url}:\n${log()}`)
}

/** Starts a Node program that listens on PORT, and waits until `path` answers. */
export async function startProcess(
  args: readonly string[],
  path: string,
  { folder = repository, env = {}, workers = '1' }: ServerOptions = {},
): Promise<Server> {
  const port = await freePort()
  const dataDir = env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'knowledge-vault-bench-'))
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      RATE_LIMIT: 'off',
      CREDITS: 'off',
      ENV_FILE: '',
      ...(workers === 'auto' ? {} : { WORKERS: workers }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  const keep = (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-MAX_LOG_CHARS)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const stop = stopLater(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    }
    if (!env.DATA_DIR) rmSync(dataDir, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${port}`
  try {
    await waitUntilReady(url + path, child, () => log)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, pid: child.pid ?? 0, dataDir, stop }
}

/** The flags of `npm start` in that checkout. */
function startFlags(folder: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return scripts.start.match(/--\S+/g) ?? []
}

/** Starts the server of a checkout, on an empty vault unless `env.DATA_DIR` names one. */
export const startServer = (options: ServerOptions = {}): Promise<Server> => {
  const folder = options.folder ?? repository
  return startProcess([...startFlags(folder), 'bin/serve.js'], '/health/ready', options)
}

/** The process and all that it has started. */
export function processTree(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return [pid, ...children.flatMap((child) => processTree(Number(child)))]
}

function ignoreEnded<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}

/** Milliseconds of CPU of one process, all threads, by the clock of the scheduler. */
export const cpuMsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((task) =>
      ignoreEnded(
        () => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
        0,
      ),
    )
    .reduce((sum, ms) => sum + ms, 0)

/** Milliseconds of CPU of a server and its workers. */
export const cpuMs = (pid: number): number =>
  processTree(pid).reduce((sum, one) => sum + ignoreEnded(() => cpuMsOf(one), 0), 0)

const statusMb = (pid: number, field: string): number =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Resident memory of a server with its workers. */
export const residentMb = (pid: number): number =>
  processTree(pid).reduce((sum, one) => sum + statusMb(one, 'VmRSS'), 0)

/** Peak memory of the largest process of a server. */
export const peakMb = (pid: number): number =>
  Math.max(...processTree(pid).map((one) => statusMb(one, 'VmHWM')))

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

export const bytesIn = (folder: string): number =>
  filesIn(folder).reduce((sum, file) => sum + statSync(file).size, 0)

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()

/** The commit of a checkout, marked if files of it were changed. */
export const commitOf = (folder: string): string =>
  git(folder, 'rev-parse', '--short=12', 'HEAD') + (git(folder, 'status', '--porcelain') ? '-changed' : '')

const PERIOD_US = 100_000

/** Control groups of the second version, then of the first. */
const HIERARCHIES = [
  {
    root: '/sys/fs/cgroup',
    sign: 'cgroup.controllers',
    limit: 'cpu.max',
    quota: (us: number) => `${us} ${PERIOD_US}`,
  },
  { root: '/sys/fs/cgroup/cpu', sign: 'cpu.cfs_quota_us', limit: 'cpu.cfs_quota_us', quota: String },
]

export type Limit = {
  change: (share: number) => void
  /** After the process has ended. */
  remove: () => void
}

/** Limits a process and its children to a part of one core; undefined where the system does not allow it. */
export function limitTo(share: number, pid: number): Limit | undefined {
  const hierarchy = HIERARCHIES.find(({ root, sign }) => existsSync(join(root, sign)))
  if (!hierarchy) return undefined
  const group = join(hierarchy.root, `knowledge-vault-bench-${pid}`)
  const change = (share: number) =>
    writeFileSync(join(group, hierarchy.limit), hierarchy.quota(share * PERIOD_US))
  try {
    mkdirSync(group)
    change(share)
    writeFileSync(join(group, 'cgroup.procs'), String(pid))
    return { change, remove: () => rmdirSync(group) }
  } catch {
    return undefined
  }
}
