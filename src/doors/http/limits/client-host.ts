import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { TrustedProxies } from '../../../setting-values.ts'

/** No real request passes more proxies than this. */
const MAX_STATIONS = 20
const GROUPS_OF_A_NETWORK = 4
const GROUPS = 8

/** Whether the `hop`-th address, counted from here, is a trusted proxy. */
export type IsTrusted = (address: string, hop: number) => boolean

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** IPv4 written as IPv6 is IPv4; a zone belongs to the machine that wrote it. */
const plain = (address: string): string =>
  address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

function networksOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}

export function trustIn(proxies: TrustedProxies | undefined): IsTrusted | undefined {
  if (!proxies) return undefined
  if ('hops' in proxies) return (_address, hop) => hop < proxies.hops
  const list = networksOf(proxies.networks)
  return (address) => isIP(plain(address)) !== 0 && list.check(plain(address), familyOf(plain(address)))
}

/** An address as proxies write it, perhaps with a port; undefined if it is not one. */
function readAddress(text: string): string | undefined {
  const trimmed = text.trim()
  const bare = /^\[([^\]]+)\](:\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed
  const address = plain(bare)
  return isIP(address) ? address : undefined
}

/** One household or machine has a whole /64 of IPv6 addresses to draw from, so they count as one host. */
export function hostOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.toLowerCase().split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : Math.max(0, GROUPS - front.length - back.length)
  const groups = [...front, ...Array<string>(zeros).fill('0'), ...back]
  const network = groups.slice(0, GROUPS_OF_A_NETWORK).map((group) => group.replace(/^0+(?=.)/, ''))
  return `${network.join(':')}::/64`
}

/**
 * The host that a request counts for. X-Forwarded-For is read from its end, where our own proxies write, and only as far as
 * they are trusted: everything before that is the client's own claim.
 */
export function clientHost(request: IncomingMessage, isTrusted: IsTrusted | undefined): string {
  let address = plain(request.socket.remoteAddress ?? 'unknown')
  if (!isTrusted) return hostOf(address)
  const stations = String(request.headers['x-forwarded-for'] ?? '').split(',')
  for (let hop = 0; hop < Math.min(stations.length, MAX_STATIONS) && isTrusted(address, hop); hop++) {
    const next = readAddress(stations[stations.length - 1 - hop] ?? '')
    if (next === undefined) break
    address = next
  }
  return hostOf(address)
}
