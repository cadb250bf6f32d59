import type { Config } from '../config.ts'

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** Whether the address means all addresses of a machine, which is valid only for listening. */
export const isAnyAddress = (host: string): boolean => ['0.0.0.0', '::', '[::]'].includes(host)

/** Whether another computer may be able to open the host, judged by its name. */
export const opensElsewhere = (host: string): boolean => !isLoopback(host) && !isAnyAddress(host)

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

export const ownHosts = ({ baseUrl, host, allowedHosts }: Config): readonly string[] => [
  new URL(baseUrl).hostname,
  host,
  ...LOOPBACK_NAMES,
  ...allowedHosts,
]

/**
 * Clients take `localhost` and `127.0.0.1` for two servers. The port stays that of BASE_URL, so that no other
 * program here can pose as the vault.
 */
function loopbackAddresses({ baseUrl }: Pick<Config, 'baseUrl'>): string[] {
  const base = new URL(baseUrl)
  if (!isLoopback(base.hostname)) return []
  const names = LOOPBACK_NAMES.filter((name) => name !== base.hostname)
  return names.map((name) =>
    baseUrl.replace(`//${base.host}`, `//${name}${base.port ? `:${base.port}` : ''}`),
  )
}

/** Returns the vault's address for a `Host` header: the used name on loopback, otherwise BASE_URL. */
export function addressFor(config: Pick<Config, 'baseUrl'>, host: string | undefined): string {
  const used = loopbackAddresses(config).find((address) => new URL(address).host === host?.toLowerCase())
  return used ?? config.baseUrl
}

/** Rewrites an address below any name of the vault to one below BASE_URL; returns others unchanged. */
export function canonicalAddress(config: Pick<Config, 'baseUrl'>, address: string): string {
  const other = loopbackAddresses(config).find((name) => address === name || address.startsWith(`${name}/`))
  return other === undefined ? address : config.baseUrl + address.slice(other.length)
}

export const isOwnAddress = (config: Config, url: string): boolean =>
  ownHosts(config).includes(new URL(url).hostname)

/** Whether development mode could be reached from other machines: it is open to everybody. */
export const isOpenDevelopment = ({ production, host, baseUrl }: Config): boolean =>
  !production && !(isLoopback(host) && isLoopback(new URL(baseUrl).hostname))
