import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type Config, readConfig } from './config.ts'
import type { Variables } from './core/user-folders.ts'

/**
 * Says that the port cannot be had before the database is opened. Otherwise a new version that is started beside the
 * running one would bring the database to its own schema first, under the feet of the old.
 */
export async function requirePort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<number> {
  const probe = createServer().listen({ host, port })
  await once(probe, 'listening')
  const { port: found } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return found
}

/** PORT=0 asks for any free port. It is chosen first, since the address in mails and redirects names it. */
export async function withChosenPort(settings: Variables): Promise<Variables> {
  const { host, port } = readConfig(settings)
  return port === 0 ? { ...settings, PORT: String(await requirePort({ host, port })) } : settings
}
