import { KNOWN_HOSTS, OPAQUE_HOSTS } from './data/known-hosts.ts'
import type { IsAllowedHost } from './rule.ts'

const MOST_LABELS = 8

/** Whether the host or one of its parent domains is in the set. */
function isBelow(hosts: ReadonlySet<string>, host: string): boolean {
  let rest = host
  for (let i = 0; i < MOST_LABELS; i++) {
    if (hosts.has(rest)) return true
    const dot = rest.indexOf('.')
    if (dot === -1) return false
    rest = rest.slice(dot + 1)
  }
  return false
}

/** Example hosts, and hosts of the own machine or network. */
const OWN =
  /(?:^|\.)(?:example\.(?:com|org|net|edu)|example|test|invalid|local|localhost|internal|lan|home\.arpa|corp|intranet)$|^(?:127|10|0)\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\.|^169\.254\./
const ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/
const NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){1,9}$/

/** The host of an authority such as `user@host:8080`, or undefined for a placeholder or a single word. */
export function hostOf(authority: string): string | undefined {
  const host = authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d{0,5}$/, '')
    .replace(/\.$/, '')
    .toLowerCase()
  return NAME.test(host) ? host : undefined
}

const FIRST_ADDRESS = /(?:https?|ftp):\/\/([^\s/"'`<>()[\]{}|\\^,;?#]{1,253})/i

export const firstHost = (text: string): string | undefined => {
  const authority = FIRST_ADDRESS.exec(text)?.[1]
  return authority === undefined ? undefined : hostOf(authority)
}

/** Known hosts, examples, and the hosts that the workspace adds. */
export function allowedHosts(added: readonly string[] = []): IsAllowedHost {
  const own = new Set(added.map((host) => host.toLowerCase()))
  return (host) => OWN.test(host) || isBelow(own, host) || isBelow(KNOWN_HOSTS, host)
}

/** Hosts whose links are reported even if nothing is downloaded: IP addresses, disguised names, shorteners, pastes. */
export const isOpaque = (host: string): boolean =>
  ADDRESS.test(host) || host.startsWith('xn--') || host.includes('.xn--') || isBelow(OPAQUE_HOSTS, host)
