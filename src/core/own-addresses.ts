import type { Config } from '../config.ts'

/** Whether only this machine reaches the address. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** Names under which this server may be reached. */
export const ownHosts = ({ baseUrl, host, allowedHosts }: Config): readonly string[] => [
  new URL(baseUrl).hostname,
  host,
  'localhost',
  '127.0.0.1',
  '[::1]',
  ...allowedHosts,
]

export const isOwnAddress = (config: Config, url: string): boolean =>
  ownHosts(config).includes(new URL(url).hostname)

/** Development doors are open to everybody who reaches the address: that is for one machine only. */
export const isOpenDevelopment = ({ production, host, baseUrl }: Config): boolean =>
  !production && !(isLoopback(host) && isLoopback(new URL(baseUrl).hostname))
