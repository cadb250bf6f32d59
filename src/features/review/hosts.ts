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

/** Example hosts, and hosts of the own machine or network: names by their end, addresses whole. */
const OWN =
  /(?:^|\.)(?:example\.(?:com|org|net|edu)|example|test|invalid|local|localhost|internal|lan|home\.arpa|corp|intranet)$|^(?:127|10|0)(?:\.\d{1,3}){3}$|^(?:192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2}$/
const ADDRESS = /^\d{1,3}(?:\.\d{1,3}){3}$/
const NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){1,9}$/

/** No name that anybody has: an authority of this length was written to hide its end. */
const HIDDEN = 'hidden'
const LONGEST_AUTHORITY = 1000
/** An address up to its path. Up to the last @ it may have any sign, which programs take for a name and a password. */
export const AUTHORITY = `(?:https?|ftp):\\/\\/([^\\s/"'\`<>?#]{1,${LONGEST_AUTHORITY}})`

/** The host of an authority such as `user@host:8080`, or undefined for a placeholder or a single word. */
export function hostOf(authority: string): string | undefined {
  if (authority.length >= LONGEST_AUTHORITY) return HIDDEN
  const host = authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/[()[\]{}|\\^,;].*$/, '')
    .replace(/:\d{0,5}$/, '')
    .replace(/\.$/, '')
    .toLowerCase()
  return NAME.test(host) ? host : undefined
}

const VALUE = `[ =]?(?:"[^"\\n]{0,500}"|'[^'\\n]{0,500}'|[^\\s"']{1,500})`
/** Comments and files that are written. A comment with a quote may be none: its sign may stand within quotes. */
const ANYWHERE = `\\s#[^\\n"']{0,500}(?![^\\n])|(?<!\\n)>{1,2}\\s?[^\\s"'|;&]{1,500}|\\|\\s{0,3}(?:sudo )?tee\\s(?:-a\\s)?[^\\s"'|;&-]{1,500}`
const LONG_OPTIONS = '--(?:referer|user-agent|header|cookie|output|output-document)'
const beside = (options: string) => new RegExp(`\\s(?:${options}|${LONG_OPTIONS})${VALUE}|${ANYWHERE}`, 'g')
/**
 * What a command does not go to: values of options, comments and files that are written. Of letters in one word, the first
 * that has a value has the rest of the word for it. So those before it must be such as have none.
 */
const BESIDE_CURL = beside('-[#0-46aBfgGiIjJklLMnNOpqRsSvVZ]{0,8}[eAHbo]')
const BESIDE_WGET = beside('-[qvcdbnNSxrpkmEHLK46]{0,8}[oOAU]')
const BESIDE_OTHERS = beside('-(?:[oO]ut[fF]ile|[uU]ser[aA]gent)')
/** By these another host answers than the one that is named. */
const ELSEWHERE =
  /\s(?:-[a-zA-Z]{0,8}x(?:[ =]|["']?(?:\w{2,7}:\/\/|[\w-]{1,63}\.))|--(?:proxy|preproxy|socks\w{1,10}|connect-to|resolve|doh-url)[ =])/
/** In braces a shell makes several addresses of one word: each is looked at, and a path ends at a comma. */
const EACH_ADDRESS = new RegExp(`(?=${AUTHORITY})`, 'gi')
const WITH_PATH = new RegExp(`${AUTHORITY}[^\\s"'\`<>|)\\],]{0,500}`, 'gi')
const BARE = '(?:[a-z0-9_-]{1,63}\\.){1,8}[a-z]{2,24}|\\d{1,3}(?:\\.\\d{1,3}){3}'
/** A host without a scheme, which curl and others take: before a path or a port, or as a word of its own. */
const BARE_HOST = new RegExp(
  `(?<=[\\s=]["']?(?:[\\w:.]{1,40}@)?)(?!(?:os|process|system|net|microsoft)\\.)(${BARE})(?=[/:]\\w|["']?(?:\\s|$))|(?<![\\w@/.:-])(${BARE})(?=[/:]\\w)`,
  'gi',
)

function besideOf(command: string): RegExp {
  const program = /(?<![\w-])(?:curl|wget|iwr|irm|invoke-)/i.exec(command)?.[0].toLowerCase()
  if (program === 'curl') return BESIDE_CURL
  return program === 'wget' ? BESIDE_WGET : BESIDE_OTHERS
}

/** Whether all hosts that a command goes to are allowed. A known one beside a strange one says nothing of it. */
export function goesToAllowed(command: string, isAllowedHost: IsAllowedHost): boolean {
  const plain = command.replaceAll(besideOf(command), ' ')
  if (ELSEWHERE.test(plain)) return false
  const named = [...plain.matchAll(EACH_ADDRESS)].map(([, authority = '']) => hostOf(authority))
  const bare = [...plain.replaceAll(WITH_PATH, ' ').matchAll(BARE_HOST)].map(([, first, second]) =>
    (first ?? second)?.toLowerCase(),
  )
  return named.length > 0 && [...named, ...bare].every((host) => host !== undefined && isAllowedHost(host))
}

/** Known hosts, examples, and the hosts that the workspace adds. */
export function allowedHosts(added: readonly string[] = []): IsAllowedHost {
  const own = new Set(added.map((host) => host.toLowerCase()))
  return (host) => OWN.test(host) || isBelow(own, host) || isBelow(KNOWN_HOSTS, host)
}

/** Hosts whose links are reported even if nothing is downloaded: IP addresses, disguised names, shorteners, pastes. */
export const isOpaque = (host: string): boolean =>
  ADDRESS.test(host) || host.startsWith('xn--') || host.includes('.xn--') || isBelow(OPAQUE_HOSTS, host)
