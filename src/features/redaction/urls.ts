import { isPlaceholder, isPlainlyRandom, looksLikePassword } from './placeholders.ts'
import { RANK, type Span } from './rules/rule.ts'

const USER = '[^\\s:/@"\'`<>\\\\?#]{0,200}'
/** Up to the last at sign before the host: many passwords have one, and people forget to encode it. */
const PASSWORD = '[^\\s@/"\'`<>\\\\]{1,300}(?:@[^\\s@/"\'`<>\\\\?#,;]{0,200}){0,5}'
const USER_INFO = new RegExp(`${USER}:(${PASSWORD})@(?=[\\w[$-])`, 'y')

/** A slash belongs to the password if an at sign and a host follow it. A port and a path before an at sign are left alone. */
const WITH_SLASH = new RegExp(
  `${USER}:((?!\\d{1,5}/)[^\\s"'\`<>\\\\?#,;]{6,300})@(?=[\\w.-]{1,200}(?::\\d{1,5})?(?:[/?\\s"'\`,]|$))`,
  'y',
)
const DATABASE =
  /(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|clickhouse)$/i

/** A token in place of the user. The address of a project in Sentry looks the same and is public. */
const TOKEN = /([A-Za-z0-9_.~-]{16,200})@(?![\w.-]{0,100}sentry)(?=[\w-]{1,63}\.[\w.-]{1,200})/iy
const WEB = /https?$/i
const LONGEST_SCHEME = 14

/** Words that sample addresses use as a password. */
const SAMPLE_WORDS = new Set(
  'password passwd pass pwd secret pw user username token key postgres root admin guest mysql mongo redis test foo bar'.split(
    ' ',
  ),
)

/** The secret before the at sign with which a match ended, if it is no sample. */
function secretBefore(end: number, value: string): Span | undefined {
  if (SAMPLE_WORDS.has(value.toLowerCase()) || isPlaceholder(value)) return undefined
  return { start: end - value.length, end, kind: 'url_password', rank: RANK.assigned }
}

/** `scheme://user:password@host`, from the end of `://`. Only the password is replaced. */
export function urlPassword(text: string, afterScheme: number): Span | undefined {
  USER_INFO.lastIndex = afterScheme
  const password = USER_INFO.exec(text)?.[1]
  if (password !== undefined) return secretBefore(USER_INFO.lastIndex - 1, password)
  const scheme = text.slice(
    Math.max(0, afterScheme - '://'.length - LONGEST_SCHEME),
    afterScheme - '://'.length,
  )
  if (WEB.test(scheme)) return tokenAsUser(text, afterScheme)
  return DATABASE.test(scheme) ? passwordWithSlash(text, afterScheme) : undefined
}

function tokenAsUser(text: string, afterScheme: number): Span | undefined {
  TOKEN.lastIndex = afterScheme
  const token = TOKEN.exec(text)?.[1]
  return token !== undefined && isPlainlyRandom(token) ? secretBefore(TOKEN.lastIndex - 1, token) : undefined
}

function passwordWithSlash(text: string, afterScheme: number): Span | undefined {
  WITH_SLASH.lastIndex = afterScheme
  const password = WITH_SLASH.exec(text)?.[1]
  return password !== undefined && looksLikePassword(password)
    ? secretBefore(WITH_SLASH.lastIndex - 1, password)
    : undefined
}

/** The bracket of the address before it is an end too, so that no stretch is read twice. */
const DSN_STARTS_AFTER = new Set(' \t\r\n"\'`=(')
const LONGEST_DSN = 160
const DSN = /^[^:/]{1,60}:(.{4,100})$/

/** `user:password@tcp(host:3306)/name`, as programs in Go have it, from the at sign back. */
export function dsnPassword(text: string, atSign: number): Span | undefined {
  let start = atSign
  while (start > 0 && atSign - start < LONGEST_DSN && !DSN_STARTS_AFTER.has(text[start - 1] as string))
    start -= 1
  const password = DSN.exec(text.slice(start, atSign))?.[1]
  return password === undefined ? undefined : secretBefore(atSign, password)
}
