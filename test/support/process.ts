import { type ChildProcess, fork, spawn } from 'node:child_process'
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
  commands: join(PROGRAMS, 'commands.js'),
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

/** Where a command is given, what it reads, and the file that its output goes to. */
export type Terminal = { cwd?: string; input?: string; stdout?: number }

export type GivenCommand = {
  id: number
  argv: string[]
  env: NodeJS.ProcessEnv
  cwd: string
  input: string
}

/** Runs `kvault` in a process of its own, configured by `env` alone. */
export function spawnKvault(
  args: string[],
  env: Record<string, string>,
  { cwd, input = '', stdout }: Terminal = {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, [PROGRAM.kvault, ...args], {
    cwd,
    env: { ...shellEnvironment(), ...env },
    stdio: ['pipe', stdout ?? 'pipe', 'pipe'],
  })
  const texts = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk) => (texts.stdout += chunk))
  child.stderr?.on('data', (chunk) => (texts.stderr += chunk))
  child.stdin?.end(input)
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...texts })))
}

/** The process of test/support/command-child.ts, and who waits for its answers. */
let commands: ChildProcess | undefined
let given = 0
const waiting = new Map<
  number,
  { resolve: (result: CommandResult) => void; reject: (error: Error) => void }
>()

function commandProcess(): ChildProcess {
  if (commands?.connected) return commands
  const child = fork(PROGRAM.commands, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  child.on('message', ({ id, result }: { id: number; result: CommandResult }) => {
    waiting.get(id)?.resolve(result)
    waiting.delete(id)
  })
  child.once('exit', (code, signal) => {
    for (const { reject } of waiting.values())
      reject(new Error(`the process of the commands ended: ${code ?? signal}`))
    waiting.clear()
  })
  // It ends with the process of the tests.
  child.unref()
  child.channel?.unref()
  commands = child
  return child
}

/** They end their process themselves, or run until their input ends. */
const OF_THEIR_OWN = ['hook', 'mcp', 'start']

/**
 * Runs `kvault` as a person does, configured by `env` alone, in a process that runs the commands of all tests one after
 * another: a twentieth of the work. That the program as it is started does the same is for `spawnKvault`, test/docs and
 * test/project.
 */
export function runKvault(
  args: string[],
  env: Record<string, string>,
  terminal: Terminal = {},
): Promise<CommandResult> {
  const { cwd = repository, input = '', stdout } = terminal
  if (OF_THEIR_OWN.includes(args[0] ?? '') || stdout !== undefined) return spawnKvault(args, env, terminal)
  given += 1
  const command: GivenCommand = {
    id: given,
    argv: [process.execPath, PROGRAM.kvault, ...args],
    env: { ...shellEnvironment(), ...env },
    cwd,
    input,
  }
  return new Promise((resolve, reject) => {
    waiting.set(command.id, { resolve, reject })
    commandProcess().send(command)
  })
}

/** The options of Node with which `npm start` starts the service. */
const OPTIONS: string[] = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  .scripts.start.split(' ')
  .slice(1, -1)

/** For `spawnServer`: what the program logs goes to a disk that is full. */
export const INTO_FULL_DISK = ['bash', '-c', `exec '${process.execPath}' '${PROGRAM.serve}' > /dev/full 2>&1`]

/** Starts the program in a process and a data folder of its own. Only the tests of `npm start` go through npm and the sources. */
export async function spawnServer(
  env: Record<string, string> = {},
  [program = '', ...args]: string[] = [process.execPath, ...OPTIONS, PROGRAM.serve],
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

/** Processes whose parent is `pid`, read from the kernel. */
export function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.trim().split(' ').filter(Boolean).map(Number)
}
