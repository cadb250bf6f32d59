import cluster from 'node:cluster'
import { writeSync } from 'node:fs'
import type { Config } from './config.ts'
import type { Variables } from './core/user-folders.ts'
import { explainStart } from './start-errors.ts'

const EXIT_FAILED = 1
const STDERR = 2
/** Requests get ten seconds (PATIENCE); the rest is for everything else. */
const SHUTDOWN_MS = 14_000
/** Shorter than SHUTDOWN_MS, so that the supervisor ends last. */
const WORKER_SHUTDOWN_MS = 13_000

/** Prints the error and exits. A worker sends it to the supervisor, which prints it once. */
function fail(message: string, code: number): never {
  if (cluster.isWorker && process.send) {
    process.send({ failure: message })
    process.disconnect()
    process.exit(code)
  }
  say(message)
  process.exit(code)
}

function say(message: string): void {
  try {
    writeSync(STDERR, `${message}\n`)
  } catch {}
}

async function claimData({ databaseUrl, dataDir }: Config): Promise<boolean> {
  if (databaseUrl !== undefined) return true
  return (await import('./db/sqlite/server-lock.ts')).claimFolder(dataDir)
}

type Greeting = { settings: Variables; unknownSettings: readonly string[]; isAlone: boolean }

async function greet(config: Config, { settings, unknownSettings, isAlone }: Greeting): Promise<void> {
  const { greeting, secondServer, settingsWithoutEffect, warningsAtStart } = await import('./startup.ts')
  process.stdout.write(greeting(config))
  if (!isAlone) process.stderr.write(secondServer(config))
  for (const warning of warningsAtStart(config, settingsWithoutEffect(settings, unknownSettings)))
    process.stderr.write(warning)
}

function onSignal(stop: () => Promise<number>): void {
  const longestMs = cluster.isWorker ? WORKER_SHUTDOWN_MS : SHUTDOWN_MS
  let stopping = false
  const handle = async () => {
    if (stopping) return
    stopping = true
    // Forces the exit: a job whose mail server or disk hangs must not keep the process alive.
    setTimeout(() => process.exit(EXIT_FAILED), longestMs).unref()
    process.exit(await stop())
  }
  // Node ignores nohup, so a closing terminal ends the service: SIGHUP stops it in order.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, handle)
  onEndOfNpm(handle)
}

const LOOK_MS = 500

/** Stops the service when npm has ended: the shell between npm and this process does not pass signals on. */
function onEndOfNpm(handle: () => void): void {
  if (cluster.isWorker || process.env.npm_lifecycle_event === undefined) return
  const shell = process.ppid
  setInterval(() => process.ppid !== shell && handle(), LOOK_MS).unref()
}

async function shareWithSiblings() {
  if (!cluster.isWorker) return {}
  const { limitsOfWorker } = await import('./cluster.ts')
  const { metricsOfAllWorkers } = await import('./cluster.ts')
  const channel = {
    tell: (message: object) => void process.send?.(message),
    // biome-ignore lint/suspicious/noExplicitAny: each side of the channel knows its own messages
    listen: (hear: (message: any) => void) => void process.on('message', hear),
  }
  return { limits: limitsOfWorker(channel), metricsOfAll: metricsOfAllWorkers(channel) }
}

/** Workers are numbered from 1; a higher number is a replacement. */
const isReplacement = ({ workers }: Config): boolean =>
  cluster.isWorker && (cluster.worker?.id ?? 0) > workers

/** Serves requests in this process: alone, or as one of several workers behind one port. */
async function serve(config: Config): Promise<void> {
  const { buildApp, standardOutput } = await import('./app.ts')
  process.on('exit', () => standardOutput.writeRest())
  const app = await buildApp(config, { ...(await shareWithSiblings()), mustExist: isReplacement(config) })
  await app.server.listen({ host: config.host, port: config.port })
  onSignal(async () => {
    await app.close()
    return 0
  })
}

async function start(): Promise<void> {
  const { readConfig } = await import('./config.ts')
  const { settingsToPassOn, unknownInEnvFile, withEnvFile } = await import('./config.ts')
  const { requirePort, withChosenPort } = await import('./startup.ts')
  const settings = await withChosenPort(withEnvFile(process.env))
  const config = readConfig(settings)
  // A worker cannot continue without its supervisor; another worker has reported the reason.
  cluster.worker?.on('error', () => process.exit(EXIT_FAILED))
  if (cluster.isWorker) return serve(config)
  const unknownSettings = unknownInEnvFile(process.env)
  const { requireFolders } = await import('./startup.ts')
  requireFolders(config)
  await requirePort(config)
  // Claim the data before the secret key is read, so that a change of the key sees a running server.
  const greeting = { settings, unknownSettings, isAlone: await claimData(config) }
  if (config.workers === 1) {
    await serve(config)
    return greet(config, greeting)
  }
  const { supervise } = await import('./cluster.ts')
  const supervisor = supervise(config.workers, settingsToPassOn(settings), {
    ready: () => void greet(config, greeting),
    failed: (code) => process.exit(code),
    said: say,
  })
  onSignal(supervisor.stop)
}

// A log that cannot be written (`| head`, full disk) must not end the service or hide its last error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

start().catch((error) => {
  const { message, exitCode } = explainStart(error)
  fail(message, exitCode)
})
