import { isIP } from 'node:net'
import { z } from 'zod'
import { Email } from './core/schemas.ts'
import { withoutEnd } from './text/without-end.ts'

export const onOff = z.enum(['on', 'off']).transform((value) => value === 'on')
export const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number from 0 to 65535')
  .transform(Number)
  .refine((value) => value <= 65_535, 'must be a port number from 0 to 65535')
export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`)

/** A list separated by commas; `problem` says what is wrong with one of its names. */
const names = (problem: (name: string) => string | undefined) =>
  z
    .string()
    .default('')
    .transform((list, ctx) => {
      const found = list
        .split(',')
        .map((name) => name.trim().toLowerCase())
        .filter(Boolean)
      for (const name of found) {
        const message = problem(name)
        if (message !== undefined) ctx.addIssue(`${JSON.stringify(name)} ${message}`)
      }
      return found
    })

const isEmail = (text: string) => Email.safeParse(text).success

export const emails = names((name) => (isEmail(name) ? undefined : 'is no e-mail address'))

/** As a client writes it in a URL: without a port, and IPv6 in brackets. */
const isHostName = (name: string) =>
  /^[a-z\d._:[\]-]+$/.test(name) &&
  URL.canParse(`http://${name}`) &&
  new URL(`http://${name}`).hostname === name

export const hostNames = names((name) =>
  isHostName(name) ? undefined : 'is no host name; write it without scheme, port and path',
)

const addressIn = (text: string) => /^[^<>\p{Cc}]*<([^<>]*)>$/u.exec(text.trim())?.[1] ?? text

/** `Name <address>`, or the address alone. */
export const mailbox = z
  .string()
  .refine(
    (text) => isEmail(addressIn(text)),
    'must be an e-mail address: name@example.com or Name <name@example.com>',
  )

/** Mails go to an address without a name: a server refuses a name as part of it. */
export const receiver = mailbox.transform((text) => addressIn(text).trim())

const PROXY_NETWORK =
  'must be on, off, a number of proxies from 1 to 10, or a list of addresses and networks (10.0.0.0/8)'

/** Proxies in front: how many there are, or where they are. */
export type TrustedProxies = { hops: number } | { networks: readonly string[] }

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

export const trustedProxies = z
  .string()
  .default('off')
  .transform((text, ctx): TrustedProxies | undefined => {
    if (text === 'off') return undefined
    if (text === 'on') return { hops: 1 }
    if (/^([1-9]|10)$/.test(text)) return { hops: Number(text) }
    const networks = text.split(',').map((network) => network.trim())
    if (networks.every(isNetwork)) return { networks }
    ctx.addIssue(PROXY_NETWORK)
    return z.NEVER
  })

/** `fetch` takes no user and password in an address: nothing would be reached, and its error shows the password to the log. */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }).refine((url) => {
  const { username, password } = URL.canParse(url) ? new URL(url) : { username: '', password: '' }
  return username === '' && password === ''
}, 'must name no user and no password')

/** For a program that takes host and port of it alone. */
export const originUrl = httpUrl.refine(
  (url) => !URL.canParse(url) || new URL(url).href === `${new URL(url).origin}/`,
  'must have no path: only scheme, host and port are used',
)

/**
 * Clients write scheme and host in small letters and leave the usual port out, and OAuth compares what they send with it.
 * Of a HOST that makes no URL, listening says what is wrong.
 */
export const canonicalUrl = (url: string): string =>
  URL.canParse(url) ? withoutEnd(new URL(url).href, '/') : url

/** Paths are put behind it, so nothing may follow its own; and it is shown to everybody. */
export const publicUrl = httpUrl
  .refine((url) => !/[?#]/.test(url), 'must have neither a query (?) nor a fragment (#)')
  .transform(canonicalUrl)

/**
 * Most are sent in a header. What does not fit there never arrives, and the error of `fetch` would show it to the log.
 */
export const credential = z
  .string()
  .regex(/^[\x21-\x7e]+$/, 'must be plain letters, digits and signs, without blanks')

const NO_URL = 'is no valid URL: check host and port, and write special characters of the password as %-codes'

/** `postgres://user@/name?host=/folder` is meant for a socket, and no URL by the standard. */
export const postgresUrl = (form: string) =>
  z
    .string()
    .regex(/^postgres(ql)?:\/\//, { error: form, abort: true })
    .refine((url) => URL.canParse(url.replace('@/', '@localhost/')), NO_URL)
    .refine((url) => port.safeParse(/[?&]port=([^&]*)/.exec(url)?.[1] ?? '0').success, NO_URL)
    .refine((url) => SSL_MODES.includes(/[?&]sslmode=([^&]*)/.exec(url)?.[1] ?? 'disable'), WRONG_SSL_MODE)
    .transform(withStrictMode)

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']
const WRONG_SSL_MODE = `has an unknown sslmode; use one of ${SSL_MODES.join(', ')}`

/** What `pg` makes of these modes, with several lines of warning at each start, unless it is asked to act as libpq. */
const withStrictMode = (url: string): string =>
  /[?&]uselibpqcompat=true(?:&|$)/.test(url)
    ? url
    : url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full')

/** A shell reads `~` as the home folder, a settings file does not: a folder of that name would be made. */
export const folder = z
  .string()
  .min(1)
  .refine((path) => !path.startsWith('~'), 'must be a whole path: ~ is not replaced by the home folder')
  .refine((path) => !path.includes('://'), 'must be the path of a folder, not an address')

export const smtpUrl = z
  .string()
  .regex(/^smtps?:\/\//, { error: 'must be an smtp:// or smtps:// URL', abort: true })
  .refine((url) => URL.canParse(url), { error: NO_URL, abort: true })
  .refine((url) => new URL(url).hostname !== '', 'must name the host of the mail server')
