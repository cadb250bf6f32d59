import type { Config } from '../config.ts'

/** Whether only this machine reaches the address. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** Whether the address means all addresses of a machine: one to listen on, and none to open. */
export const isAnyAddress = (host: string): boolean => ['0.0.0.0', '::', '[::]'].includes(host)

/** Whether another computer can open an address of this host, as far as the name tells. */
export const opensElsewhere = (host: string): boolean => !isLoopback(host) && !isAnyAddress(host)

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/** Names under which this server may be reached. */
export const ownHosts = ({ baseUrl, host, allowedHosts }: Config): readonly string[] => [
  new URL(baseUrl).hostname,
  host,
  ...LOOPBACK_NAMES,
  ...allowedHosts,
]

/**
 * Other addresses of a vault on this machine: clients take `localhost` and `127.0.0.1` for two servers, and the vault
 * answers to both. The port stays that of BASE_URL, so that no other program on this machine can pass for the vault.
 */
function loopbackAddresses({ baseUrl }: Pick<Config, 'baseUrl'>): string[] {
  const base = new URL(baseUrl)
  if (!isLoopback(base.hostname)) return []
  const names = LOOPBACK_NAMES.filter((name) => name !== base.hostname)
  return names.map((name) =>
    baseUrl.replace(`//${base.host}`, `//${name}${base.port ? `:${base.port}` : ''}`),
  )
}

/** The vault's address as a caller writes it who used this `Host`: on loopback the name that was used, elsewhere BASE_URL. */
export function addressFor(config: Pick<Config, 'baseUrl'>, host: string | undefined): string {
  const used = loopbackAddresses(config).find((address) => new URL(address).host === host?.toLowerCase())
  return used ?? config.baseUrl
}

/** An address below any name of the vault, as one below BASE_URL; others stay as they are. */
export function canonicalAddress(config: Pick<Config, 'baseUrl'>, address: string): string {
  const other = loopbackAddresses(config).find((name) => address === name || address.startsWith(`${name}/`))
  return other === undefined ? address : config.baseUrl + address.slice(other.length)
}

export const isOwnAddress = (config: Config, url: string): boolean =>
  ownHosts(config).includes(new URL(url).hostname)

/** Development mode is open to everybody who reaches the address, so it is for one machine only. */
export const isOpenDevelopment = ({ production, host, baseUrl }: Config): boolean =>
  !production && !(isLoopback(host) && isLoopback(new URL(baseUrl).hostname))
