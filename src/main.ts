import cluster from 'node:cluster'
import type { Config } from './config.ts'
import { failStart, say } from './start-errors.ts'

/** Serves requests in this process: alone, or as one of several workers behind one port. */
async function serve(config: Config): Promise<void> {
  const { buildApp, standardOutput } = await import('./app.ts')
  const { stopAtSignal } = await import('./startup.ts')
  process.on('exit', () => standardOutput.writeRest())
  const shared = cluster.isWorker ? (await import('./cluster.ts')).sharedWithSiblings(config.workers) : {}
  const app = await buildApp(config, shared)
  await app.server.listen({ host: config.host, port: config.port })
  stopAtSignal(() => app.close().then(() => 0))
}

async function start(): Promise<void> {
  const { prepareStart, readSettings, stopAtSignal } = await import('./startup.ts')
  const { config, settings } = await readSettings()
  // A worker cannot continue without its supervisor; another worker has reported the reason.
  cluster.worker?.on('error', () => process.exit(1))
  if (cluster.isWorker) return serve(config)
  const greet = await prepareStart(config, settings)
  if (config.workers === 1) {
    await serve(config)
    return greet()
  }
  const { settingsToPassOn } = await import('./config.ts')
  const { supervise } = await import('./cluster.ts')
  const supervisor = supervise(config.workers, settingsToPassOn(settings), {
    ready: greet,
    failed: (code) => process.exit(code),
    said: say,
  })
  stopAtSignal(supervisor.stop)
}

// A log that cannot be written (`| head`, full disk) must not end the service or hide its last error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

start().catch(failStart)
