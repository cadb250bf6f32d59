import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { fastFolder } from './fast-folder.ts'
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

const PROGRAMS = join(repository, 'node_modules', '.cache', 'knowledge-vault-tests')

/** What tests start in processes of their own, as test/support/build-program.ts makes it of the sources. */
export const PROGRAM = {
  serve: join(PROGRAMS, 'serve.js'),
  kvault: join(PROGRAMS, 'kvault.js'),
  crash: join(PROGRAMS, 'crash.js'),
}

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
  const child = spawn(process.execPath, [PROGRAM.kvault, ...args], {
    env: { ...shellEnvironment(), ...env },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk) => (stdout += chunk))
  child.stderr.on('data', (chunk) => (stderr += chunk))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
}

/** The options of Node with which `npm start` starts the service. */
const OPTIONS: string[] = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  .scripts.start.split(' ')
  .slice(1, -1)

/** Starts the program in a process and a data folder of its own. Only the tests of `npm start` go through npm and the sources. */
export async function spawnServer(
  env: Record<string, string> = {},
  [program = '', ...args] = [process.execPath, ...OPTIONS, PROGRAM.serve],
): Promise<ServerProcess> {
  const port = await freePort()
  const dataDir = env.DATA_DIR ?? mkdtempSync(join(fastFolder(), 'knowledge-vault-e2e-'))
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
