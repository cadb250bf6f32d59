import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from './config.ts'

/**
 * Says that the port cannot be had before the database is opened. Otherwise a new version that is started beside the
 * running one would bring the database to its own schema first, under the feet of the old.
 */
export async function requirePort({ host, port }: Config): Promise<void> {
  const probe = createServer().listen({ host, port })
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}
