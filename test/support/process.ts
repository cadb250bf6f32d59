import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { freePort } from './postgres.ts'

export type CommandResult = { code: number | null; stdout: string; stderr: string }

export type ServerProcess = {
  baseUrl: string
  dataDir: string
  child: ChildProcess
  output: () => string
  /** Runs `kvault` with the server's own configuration. */
  kvault: (...args: string[]) => Promise<CommandResult>
  /** Waits for the end and tells the exit code. */
  exited: Promise<number | null>
  stop: () => Promise<number | null>
  remove: () => void
}

export const repository = join(import.meta.dirname, '..', '..')

/** For Node: the program's sources compiled by an earlier start are used again, as `npm start` does. */
export const COMPILED_BEFORE = ['--import', pathToFileURL(join(repository, 'bin', 'compile-cache.js')).href]

/** Only what any shell has: the test runner's own variables must not configure the program. */
const shellEnvironment = () =>
  Object.fromEntries(
    ['PATH', 'HOME', 'USER', 'LANG', 'TMPDIR'].flatMap((name) =>
      process.env[name] ? [[name, process.env[name]]] : [],
    ),
  )

/** Runs `kvault` as an operator does, configured by `env` alone. */
export function runKvault(args: string[], env: Record<string, string>): Promise<CommandResult> {
  const child = spawn(process.execPath, [join(repository, 'bin', 'kvault.js'), ...args], {
    env: { ...shellEnvironment(), ...env },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
}

/** What `npm start` runs. npm itself takes a quarter of a second each time, so only the tests of that command go through it. */
const START: string[] = JSON.parse(
  readFileSync(join(repository, 'package.json'), 'utf8'),
).scripts.start.split(' ')

/** Starts the program as `npm start` does, in a process and a data folder of its own. */
export async function spawnServer(
  env: Record<string, string> = {},
  [program = '', ...args] = [process.execPath, ...START.slice(1)],
): Promise<ServerProcess> {
  const port = await freePort()
  const dataDir = env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'knowledge-vault-e2e-'))
  const environment = {
    ...shellEnvironment(),
    PORT: String(port),
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    RATE_LIMIT: 'off',
    WORKERS: '1',
    ENV_FILE: '',
    ...env,
  }
  const child = spawn(program, args, {
    cwd: repository,
    detached: true,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  child.stdout?.on('data', (chunk) => (text += chunk))
  child.stderr?.on('data', (chunk) => (text += chunk))
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const stop = () => {
    // The program and what it starts are one process group.
    if (child.pid && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
    return exited
  }
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    dataDir,
    child,
    output: () => text,
    kvault: (...args) => runKvault(args, environment),
    exited,
    stop,
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  }
}

export async function untilReady(server: ServerProcess): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (server.child.exitCode !== null) throw new Error(`The server ended:\n${server.output()}`)
    const answer = await fetch(`${server.baseUrl}/health/ready`).catch(() => undefined)
    if (answer?.ok) return
    await sleep(50)
  }
  throw new Error(`The server is not ready after 30 s:\n${server.output()}`)
}
