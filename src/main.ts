import cluster from 'node:cluster'
import type { Config } from './config.ts'
import type { CountedUses } from './core/limits.ts'

const EXIT_FAILED = 1
const EXIT_MISCONFIGURED = 2
const SHUTDOWN_MS = 10_000

function fail(message: string, code: number): never {
  process.stderr.write(`${message}\n`)
  process.exit(code)
}

/** Mistakes that a person can mend are one line; everything else shows where it happened. */
function explain(error: Error & { code?: string; port?: number }): never {
  if (error.name === 'ConfigError')
    fail(error.message.replaceAll(/^/gm, 'configuration: '), EXIT_MISCONFIGURED)
  if (error.name === 'SchemaTooNew' || error.name === 'DamagedDatabase')
    fail(error.message, EXIT_MISCONFIGURED)
  if (error.code === 'EADDRINUSE')
    fail(`Port ${error.port} is in use. Set PORT to a free one.`, EXIT_MISCONFIGURED)
  fail(error.stack ?? String(error), EXIT_FAILED)
}

/** Without mail or Google nobody can prove an address, so naming one in ADMIN_EMAILS makes nobody admin. */
function hintOnAdmins({ adminEmails, mail, google }: Config): string {
  const [first] = adminEmails
  if (first === undefined || mail.smtpUrl !== undefined || google) return ''
  return `  Admins     this server sends no mail, so run: kvault admin grant ${first}\n`
}

const OPEN_DEVELOPMENT =
  'Warning: NODE_ENV is not "production", but this address can be reached by others. Development doors are open: payments are played, metrics and secrets are not protected. Set NODE_ENV=production.\n'

async function greet(config: Config): Promise<void> {
  const { isOpenDevelopment } = await import('./core/own-addresses.ts')
  const { baseUrl } = config
  process.stdout.write(
    `Knowledge Vault is up at ${baseUrl}\n  API docs   ${baseUrl}/docs\n  Get a key  sign up at ${baseUrl} and open "API keys", or: POST ${baseUrl}/api/v1/auth/register, then POST /api/v1/auth/api-keys\n${hintOnAdmins(config)}`,
  )
  if (isOpenDevelopment(config)) process.stderr.write(OPEN_DEVELOPMENT)
}

function onSignal(stop: () => Promise<unknown>): void {
  let stopping = false
  const handle = async () => {
    if (stopping) return
    stopping = true
    // Requests get their time to finish; a client that never does must not keep the process.
    setTimeout(() => process.exit(EXIT_FAILED), SHUTDOWN_MS).unref()
    await stop()
    process.exit(0)
  }
  process.on('SIGTERM', handle)
  process.on('SIGINT', handle)
}

/** Serves in this process: the only one, or one of several behind the same port. */
async function serve(config: Config): Promise<void> {
  const { buildApp } = await import('./app.ts')
  const { memoryLimits } = await import('./core/limits.ts')
  const limits = memoryLimits(cluster.isWorker ? (uses) => process.send?.(uses) : undefined)
  if (cluster.isWorker) process.on('message', (uses: CountedUses) => limits.absorb(uses))
  const app = await buildApp(config, { limits })
  await app.server.listen({ host: config.host, port: config.port })
  onSignal(() => app.close())
}

async function start(): Promise<void> {
  const { readConfig } = await import('./config.ts')
  const { withEnvFile } = await import('./env-file.ts')
  const config = readConfig(withEnvFile(process.env))
  if (cluster.isWorker) return serve(config)
  if (config.workers === 1) {
    await serve(config)
    return greet(config)
  }
  const { supervise } = await import('./supervisor.ts')
  const supervisor = supervise(config.workers, {
    ready: () => void greet(config),
    failed: (code) => process.exit(code),
  })
  onSignal(supervisor.stop)
}

start().catch(explain)
