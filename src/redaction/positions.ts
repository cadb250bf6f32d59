import type { Name } from './assignments.ts'
import { certaintyOf, isDigit, isLetter, isPlaceholder, looksLikePassword, SURE } from './placeholders.ts'
import { RANK, type Span } from './rule.ts'

export const CALLS = [
  'credential',
  'creds',
  'login',
  'log_in',
  'logon',
  'signin',
  'sign_in',
  'connect',
  'getconnection',
  'auth',
  'authenticate',
  'pdo',
  'createuser',
  'create_user',
  'adduser',
  'add_user',
  'account',
  'smtp',
  'imap',
  'ldap',
  'bind',
  'wifi',
  'ftp',
  'ssh',
  'basic',
  'verify',
  'register',
  'jdbc',
  'mqtt',
  'amqp',
  'redis',
  'mongo',
  'winrm',
  'mail',
  'open(',
  'user(',
  'user.',
  'usermanager',
  'sequelize',
  'database',
  'datasource',
  'pool',
  'construct',
  'sign(',
  'signwith',
  'mysqli',
  'crypt',
  'cipher',
]
/** Calls that take a secret as their first argument too. */
export const SECRET_CALLS = [
  'jwt',
  'hmac',
  'bcrypt',
  'argon2',
  'scrypt',
  'pbkdf2',
  'hashsync',
  'securitykey',
  'keyspec',
  'keystore',
  'signedstring',
  'btoa(',
  'b64encode(',
  'login(',
  'login_with_token(',
  'telegraf',
  'client(',
  'verify(',
  'bot(',
  'stripe',
  'fernet',
  'serializer(',
  'cookieparser',
  'authenticate(',
  'keycredential',
]
/** Matches the rest of the name and an optional list bracket: `auth=(`, `credentials: [`, `connect_db(`. */
const OPENED =
  /(?:[\w.]|::|->|<\w{1,30}>){0,40}["'`]?\)?[ \t]{0,3}(?:[=:]{1,2}>?[ \t]{0,3}(?:new[ \t])?[\w.]{0,30})?[([{]/y
const STRING = /"((?:[^"\\\n]|\\[^\n]){0,400})"|'((?:[^'\\\n]|\\[^\n]){0,400})'|`([^`\\\n]{0,400})`/y
const MAX_CALL_LENGTH = 400
/** A call tells the kind better than a name inside it. */
const RANK_OF_CALL = RANK.assigned + 0.1
const MAX_CALLS = 4

export class Calls {
  readonly #text: string
  #from = -MAX_CALL_LENGTH
  #tries = 0

  constructor(text: string) {
    this.#text = text
  }

  secretOf(nameEnd: number, isFirst: boolean): Span | undefined {
    // Some names end with the bracket.
    OPENED.lastIndex = this.#text[nameEnd - 1] === '(' ? nameEnd - 1 : nameEnd
    if (!OPENED.test(this.#text)) return undefined
    if (nameEnd - this.#from >= MAX_CALL_LENGTH) {
      this.#from = nameEnd
      this.#tries = 0
    }
    this.#tries += 1
    return this.#tries > MAX_CALLS
      ? undefined
      : argumentOfCall(this.#text, nameEnd, OPENED.lastIndex, isFirst)
  }
}

function argumentOfCall(text: string, nameEnd: number, start: number, isFirst: boolean): Span | undefined {
  const limit = Math.min(text.length, nameEnd + MAX_CALL_LENGTH)
  let commas = 0
  let depth = 0
  for (let at = start; at < limit; ) {
    const sign = text[at] as string
    if (sign === '"' || sign === "'" || sign === '`') {
      STRING.lastIndex = at
      const found = STRING.exec(text)
      if (!found) return undefined
      const written = found[1] ?? found[2] ?? found[3] ?? ''
      const user = isFirst ? (/^\w{1,40}:(?=.)/.exec(written)?.[0].length ?? 0) : 0
      const value = written.slice(user)
      const next = text[STRING.lastIndex] ?? ''
      if ((commas > 0 || isFirst) && next !== ':' && certaintyOf(value) >= SURE)
        return { start: at + 1 + user, end: at + 1 + written.length, kind: 'password', rank: RANK_OF_CALL }
      at = STRING.lastIndex
      continue
    }
    if (sign === ',') commas += 1
    else if ('([{'.includes(sign)) depth += 1
    else if (')]}'.includes(sign)) {
      depth -= 1
      if (depth < 0) return undefined
    } else if (sign === ';' && depth === 0) return undefined
    at += 1
  }
  return undefined
}

/** Names followed by user and password, separated by a colon, a slash, a comma or a word. */
export const PAIR_NAMES = [
  'login',
  'log in',
  'logged in',
  'logs in',
  'log into',
  'logging in',
  'signs in',
  'log-in',
  'sign in',
  'signed in',
  'creds',
  'credentials',
  'account',
  'user/pass',
  'user/pw',
  'user / pass',
  'username/password',
  'username / password',
  'user:pass',
  'user:password',
  'zugangsdaten',
  'anmeldung',
  'einloggen mit',
  'identifiants',
  'credenciales',
  'credenciais',
  'credenziali',
  'inloggegevens',
  'zugang',
]
/** Names of networks and users. They are short, so only whole words count. */
export const SHORT_PAIR_NAMES = ['wi-fi', 'wifi', 'wlan', 'ssid', 'vpn', 'ftp', 'rdp', 'u:']
const WORDS_BEFORE =
  /(?:[ \t]{0,2}(?:data|details|info|as|is|are|with|for|to|using|the|in|on|at|https?:\/\/[^\s"'<>]{1,100}|mit|als|sind|avec|con|com|met|default|test|demo|user|username|staging|production|prod|dev|server|database|db|host|admin(?=[ \t]+(?:user|account|login)))(?![\w@/-])){0,5}[ \t]{0,3}(?:[:=>|–—-]{1,2}|\n|→)?[ \t]{0,4}/iy
const PAIR =
  /["'`*_([]{0,3}(?!\/)[\w.@+\\$-]{1,60}["'`*_]{0,3}(?:[ \t]{0,3}(?:[:/|,;]|->|→|–|—|-(?=[ \t]))[ \t]{0,3}|[ \t]{1,3}(?:with|and|mit|und|et|y|e|en|\/|pw|pass(?:word)?|p(?=:)|using)(?:[ \t](?:the[ \t])?(?:password|pass|pw|passwort))?:?[ \t]{1,3})["'`*_]{0,3}([^\s"'`<>,]{8,200})/iy

/** A token in place of a user: `sonar.login=…`. */
const IN_PLACE_OF_USER =
  /(?:["']?[ \t]{0,2}[=:][ \t]{0,2}["']?|[ \t](?=[^\s]{10,200}[ \t]{0,4}(?:\n|$)))([^\s"'`<>,;/@()]{10,200})(?![\w:/@(])/y

export function tokenAsLogin(text: string, nameEnd: number): Span | undefined {
  IN_PLACE_OF_USER.lastIndex = nameEnd
  const value = IN_PLACE_OF_USER.exec(text)?.[1]
  if (value === undefined || certaintyOf(value) < SURE) return undefined
  const end = IN_PLACE_OF_USER.lastIndex
  return { start: end - value.length, end, kind: 'token', rank: RANK.assigned }
}

/** Users that a password may follow without the word "password". */
export const KNOWN_USERS = ['root', 'admin', 'administrator', 'sysadmin', 'superuser']
const BEHIND_USER = /["'`*_]{0,2}[ \t]{0,2}[:/|][ \t]{0,2}["'`*_]{0,2}([^\s"'`<>,]{8,200})/y

export function passwordOfUser(text: string, nameEnd: number): Span | undefined {
  BEHIND_USER.lastIndex = nameEnd
  const written = BEHIND_USER.exec(text)?.[1]
  return written === undefined ? undefined : pairedPassword(written, BEHIND_USER.lastIndex - written.length)
}

export function passwordOfPair(text: string, nameEnd: number): Span | undefined {
  WORDS_BEFORE.lastIndex = nameEnd
  PAIR.lastIndex = WORDS_BEFORE.test(text) ? WORDS_BEFORE.lastIndex : nameEnd
  const found = PAIR.exec(text)
  const written = found?.[1]
  if (!found || written === undefined) return undefined
  return pairedPassword(written, PAIR.lastIndex - written.length)
}

const WITH_PASSWORD = /[ \t]{1,3}(?:with|using|mit|avec|con|com|met)[ \t]{1,3}["'`]?([^\s"'`<>,]{8,200})/iy

/** Returns the password in `log in with …`. */
export function passwordOfLogin(text: string, nameEnd: number): Span | undefined {
  if (text[nameEnd] !== ' ') return undefined
  WITH_PASSWORD.lastIndex = nameEnd
  const written = WITH_PASSWORD.exec(text)?.[1]
  return written === undefined ? undefined : pairedPassword(written, WITH_PASSWORD.lastIndex - written.length)
}

const USER_LINE =
  /(?:[ \t]{1,3}(?:create|add|new|default))?[ \t]{1,3}(?!-)[\w.@-]{1,60}[ \t]{1,3}["']?([^\s"'`<>,]{8,200})["']?[ \t]{0,4}(?=\r?\n|$)/y

/** Returns the password that ends the line of a login: `user anna …`, `LOGIN anna …`. */
export function passwordOfLine(text: string, nameEnd: number): Span | undefined {
  if (text[nameEnd] !== ' ') return undefined
  USER_LINE.lastIndex = nameEnd
  const found = USER_LINE.exec(text)
  const value = found?.[1]
  if (!found || value === undefined || /^[0-9a-f-]+$/.test(value) || certaintyOf(value) < SURE)
    return undefined
  const start = found.index + found[0].lastIndexOf(value)
  return { start, end: start + value.length, kind: 'password', rank: RANK.assigned }
}

export function passwordOfShortPair(text: string, { start, end }: Name): Span | undefined {
  return /[^\s([{"'`*,;|>]/.test(text[start - 1] ?? '') ? undefined : passwordOfPair(text, end)
}

function pairedPassword(written: string, start: number): Span | undefined {
  const value = written.replace(/(?:[).,;:_\]]|\*\*){1,4}$/, '')
  if (certaintyOf(value) < SURE) return undefined
  return { start, end: start + value.length, kind: 'password', rank: RANK.assigned }
}

/** Matches the password behind an address: `anna@example.com:…`, `root@10.0.0.1 / …`. */
const BEHIND_ADDRESS =
  /[\w-]{1,60}(?:\.[\w-]{1,60}){0,6}["'`*_]{0,3}(?::(?!\/|\d{1,5}(?:\/|\b(?![!@#$%^&*?~+])))|[ \t]{1,3}(?:[/|:,;]|-|–|—|->|→|and|with|und|mit|et|y)[ \t]{1,3}|\t|[|;])["'`*_]{0,3}([^\s"'`<>,]{8,200})/y

const BLANK_OR_QUOTE = ' \t\n"\'`*([{,/'

export function passwordOfAddress(text: string, atSign: number): Span | undefined {
  const code = text.charCodeAt(atSign - 2)
  if (Number.isNaN(code) || BLANK_OR_QUOTE.includes(text[atSign - 2] as string)) return undefined
  const before = passwordOfUserInfo(text, atSign)
  if (before || !(isLetter(code) || isDigit(code))) return before
  BEHIND_ADDRESS.lastIndex = atSign
  const written = BEHIND_ADDRESS.exec(text)?.[1]
  if (written === undefined || /^[0-9a-f-]+$/.test(written)) return undefined
  return pairedPassword(written, BEHIND_ADDRESS.lastIndex - written.length)
}

const MAX_USER_INFO_LENGTH = 120
const USER_INFO = /(?:^|[\s,;"'`=(])[\w.+-]{1,40}:([^\s@,;"'`:/]{8,80})$/
const HOST = /[\w.-]{1,100}(?::\d{1,5})?(?=[\s/,;"'`?)]|$)/y

/** Returns the password in `user:password@host` without a scheme. */
function passwordOfUserInfo(text: string, atSign: number): Span | undefined {
  HOST.lastIndex = atSign
  if (!HOST.test(text)) return undefined
  const near = text.slice(Math.max(0, atSign - 1 - MAX_USER_INFO_LENGTH), atSign - 1)
  const value = near.includes(':') ? USER_INFO.exec(near)?.[1] : undefined
  if (value === undefined || certaintyOf(value) < SURE) return undefined
  return { start: atSign - 1 - value.length, end: atSign - 1, kind: 'password', rank: RANK.assigned }
}

/** Markers of passwords that are stored as they are. */
export const PLAIN_MARKERS = ['{noop}', '{plain}', '{cleartext}']
const MARKED = /([^\s"'`:;,<>]{6,200})/y

export function markedPassword(text: string, markerEnd: number): Span | undefined {
  MARKED.lastIndex = markerEnd
  const value = MARKED.exec(text)?.[1]
  if (value === undefined || certaintyOf(value) < SURE) return undefined
  return { start: markerEnd, end: markerEnd + value.length, kind: 'password', rank: RANK.named }
}

const WIFI_FIELD = /(?:[A-Z]{1,3}:(?:[^;\\\n]|\\.){0,100};){0,5}?P:"?((?:[^;\\\n"]|\\.){1,100})"?;/y

/** Returns the password in `WIFI:S:…;T:WPA;P:…;;`, from the end of `wifi:`. */
export function wifiPassword(text: string, nameEnd: number): Span | undefined {
  WIFI_FIELD.lastIndex = nameEnd
  const value = WIFI_FIELD.exec(text)?.[1]
  if (value === undefined || value.length < 5 || isPlaceholder(value)) return undefined
  const end = text.lastIndexOf(value, WIFI_FIELD.lastIndex - 1) + value.length
  return { start: end - value.length, end, kind: 'wifi_password', rank: RANK.named }
}

export const YAML_KINDS = ['kind: secret', 'kind: "secret', "kind: 'secret"]
export const JSON_KINDS = [
  '"kind":"secret"',
  '"kind": "secret"',
  '\\"kind\\":\\"secret\\"',
  "'kind': 'secret'",
]

const WINDOW = 20_000

type Manifest = { spans: Span[]; readUntil: number }

const BASE64 = /^[A-Za-z0-9+/]{8,20000}={0,2}$/

/** `data` holds base64 only; `stringData` holds anything, including user and host names. */
function isSecret(value: string, isEncoded: boolean): boolean {
  if (BASE64.test(value)) return isEncoded || !isPlaceholder(value)
  return !isEncoded && value.length >= 6 && !isPlaceholder(value) && looksLikePassword(value)
}

const secretAt = (start: number, value: string): Span => ({
  start,
  end: start + value.length,
  kind: 'kubernetes_secret',
  rank: RANK.named,
})

type Line = { start: number; end: number; indent: number; column: number }

const INDENT = /[ \t]{0,80}/y
const DASHES = /[ \t]{0,80}(?:-[ \t]{1,8}){0,4}/y

/** `column`: where the text begins, behind the dashes of a list. */
function lineAt(text: string, start: number, end: number): Line {
  const widthOf = (pattern: RegExp) => {
    pattern.lastIndex = start
    return pattern.test(text) ? pattern.lastIndex - start : 0
  }
  return { start, end, indent: widthOf(INDENT), column: widthOf(DASHES) }
}

const isBlank = (text: string, { start, end }: Line) =>
  /^\s*$/.test(text.slice(start, Math.min(end, start + 100)))
const isDivider = (text: string, { start }: Line) => text.startsWith('---', start)

function lineBelow(text: string, before: Line): Line | undefined {
  if (before.end >= text.length) return undefined
  const end = text.indexOf('\n', before.end + 1)
  return lineAt(text, before.end + 1, end === -1 ? text.length : end)
}

const lineAbove = (text: string, after: Line): Line | undefined =>
  after.start === 0
    ? undefined
    : lineAt(text, after.start < 2 ? 0 : text.lastIndexOf('\n', after.start - 2) + 1, after.start - 1)

function mappingAround(text: string, kind: Line, notBefore: number): Line[] {
  const above: Line[] = []
  for (let first = kind; first.indent === first.column || first.column !== kind.column; ) {
    const next = lineAbove(text, first)
    if (!next || next.start < notBefore || kind.start - next.start > WINDOW || isDivider(text, next)) break
    if (!isBlank(text, next) && next.column < kind.column) break
    above.push(next)
    first = next
  }
  const below: Line[] = []
  for (let last = kind; ; ) {
    const next = lineBelow(text, last)
    if (!next || next.start - kind.start > WINDOW || isDivider(text, next)) break
    if (!isBlank(text, next) && next.indent < kind.column) break
    below.push(next)
    last = next
  }
  return [...above.reverse(), kind, ...below]
}

const DATA = /^[ \t-]{0,80}(data|stringData):[ \t]{0,20}\r?$/
const KEY = /^[ \t]{1,80}(?:["']?[\w./-]{1,200}["']?:[ \t]{1,8})?/

function valueIn(line: string): { start: number; value: string } {
  const start = KEY.exec(line)?.[0].length ?? 0
  const rest = line.slice(start).trimEnd()
  const quote = rest[0] === '"' || rest[0] === "'" ? rest[0] : undefined
  if (quote) return { start: start + 1, value: rest.slice(1, Math.max(1, rest.indexOf(quote, 1))) }
  const comment = rest.indexOf(' #')
  return { start, value: (comment === -1 ? rest : rest.slice(0, comment)).trimEnd() }
}

export function secretsInYaml(text: string, kindEnd: number, notBefore: number): Manifest {
  if (/[A-Za-z]/.test(text[kindEnd] ?? '')) return { spans: [], readUntil: kindEnd }
  const lineEnd = text.indexOf('\n', kindEnd)
  const kind = lineAt(text, text.lastIndexOf('\n', kindEnd - 1) + 1, lineEnd === -1 ? text.length : lineEnd)
  const spans: Span[] = []
  const lines = mappingAround(text, kind, notBefore)
  let under: 'data' | 'stringData' | undefined
  for (const line of lines) {
    const written = text.slice(line.start, line.end)
    if (line.column === kind.column) under = DATA.exec(written)?.[1] as typeof under
    else if (under) {
      const { start, value } = valueIn(written)
      if (isSecret(value, under === 'data')) spans.push(secretAt(line.start + start, value))
    }
  }
  return { spans, readUntil: lines.at(-1)?.end ?? kindEnd }
}

/** Returns where the surrounding object begins or ends; -1 if outside the window. */
function braceBefore(text: string, at: number, notBefore: number): number {
  let depth = 0
  for (let i = at; i >= Math.max(notBefore, at - WINDOW); i -= 1) {
    if (text[i] === '}') depth += 1
    else if (text[i] === '{' && depth-- === 0) return i
  }
  return -1
}

function braceAfter(text: string, at: number): number {
  let depth = 0
  for (let i = at; i < Math.min(text.length, at + WINDOW); i += 1) {
    if (text[i] === '{') depth += 1
    else if (text[i] === '}' && depth-- === 0) return i
  }
  return Math.min(text.length, at + WINDOW)
}

const OBJECT = /(\\{0,3}["'])(data|stringData)\1\s{0,8}:\s{0,8}\{/g
const MANIFEST_PAIR = /[\s,]{0,200}(\\{0,3}["'])[\w./ -]{1,200}\1\s{0,8}:\s{0,8}\1([^"'\\\n]{0,20000})\1/y

export function secretsInJson(text: string, kindEnd: number, notBefore: number): Manifest {
  const from = braceBefore(text, kindEnd, notBefore)
  const readUntil = braceAfter(text, kindEnd)
  if (from === -1) return { spans: [], readUntil }
  const spans: Span[] = []
  for (const found of text.slice(from, readUntil).matchAll(OBJECT)) {
    MANIFEST_PAIR.lastIndex = from + found.index + found[0].length
    for (let pair = MANIFEST_PAIR.exec(text); pair !== null; pair = MANIFEST_PAIR.exec(text)) {
      const [whole, quote = '', value = ''] = pair
      if (isSecret(value, found[2] === 'data'))
        spans.push(secretAt(pair.index + whole.length - quote.length - value.length, value))
    }
  }
  return { spans, readUntil }
}
