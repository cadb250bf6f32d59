import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../test/support/postgres.ts'

export const repository = join(import.meta.dirname, '..', '..')

export type Server = { url: string; pid: number; dataDir: string; stop: () => Promise<void> }

async function untilItAnswers(url: string, child: ChildProcess, log: () => string): Promise<void> {
  for (let attempt = 0; attempt < 2400; attempt++) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}:\n${log()}`)
    const answer = await fetch(url).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.ok) return
    await sleep(25)
  }
  throw new Error(`no answer from ${url}:\n${log()}`)
}

/** Starts a TypeScript file as a server process that reads PORT; ready when `path` answers. */
export async function startProcess(
  file: string,
  env: Record<string, string>,
  path: string,
  flags: string[] = [],
): Promise<Server> {
  const port = await freePort()
  const dataDir = env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'knowledge-vault-bench-'))
  const child = spawn(process.execPath, [...flags, join(repository, file)], {
    cwd: repository,
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
      RATE_LIMIT: 'off',
      WORKERS: '1',
      ENV_FILE: '',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  const keep = (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-5000)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const url = `http://127.0.0.1:${port}`
  await untilItAnswers(url + path, child, () => log)
  return {
    url,
    pid: child.pid ?? 0,
    dataDir,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
      if (!env.DATA_DIR) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The flags of `npm start`, which keep the resident size down. */
const startFlags: string[] =
  JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).scripts.start.match(/--\S+/g) ?? []

export const startVault = (env: Record<string, string> = {}) =>
  startProcess('bin/serve.js', env, '/health/ready', startFlags)

const TICKS_PER_SECOND = 100

/** CPU time of all threads of a process. It shows what a request costs even on a busy machine. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

export function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) / 1024
  }
}
