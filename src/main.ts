import { buildApp } from './app.ts'
import { ConfigError, readConfig } from './config.ts'
import { SchemaTooNew } from './db/migrate.ts'

const EXIT_MISCONFIGURED = 2
const SHUTDOWN_MS = 10_000

function fail(message: string, code: number): never {
  process.stderr.write(`${message}\n`)
  process.exit(code)
}

async function start(): Promise<void> {
  const config = readConfig(process.env)
  const app = await buildApp(config)
  await app.server.listen({ host: config.host, port: config.port })

  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) return
    stopping = true
    app.services.log.info({ signal }, 'shutting down')
    // Requests get their time to finish; a client that never does must not keep the process.
    setTimeout(() => process.exit(1), SHUTDOWN_MS).unref()
    await app.close()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)

  const { baseUrl } = config
  process.stdout.write(
    `Knowledge Vault is up at ${baseUrl}\n  API docs   ${baseUrl}/docs\n  Get a key  sign up at ${baseUrl} and open "API keys", or: POST ${baseUrl}/api/v1/auth/register, then POST /api/v1/auth/api-keys\n`,
  )
}

start().catch((error) => {
  if (error instanceof ConfigError)
    fail(error.message.replaceAll(/^/gm, 'configuration: '), EXIT_MISCONFIGURED)
  if (error instanceof SchemaTooNew) fail(error.message, EXIT_MISCONFIGURED)
  if (error?.code === 'EADDRINUSE')
    fail(`Port ${error.port} is in use. Set PORT to a free one.`, EXIT_MISCONFIGURED)
  fail(error?.stack ?? String(error), 1)
})
