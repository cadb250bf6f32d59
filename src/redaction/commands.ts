import {
  isPlaceholder,
  isPlainlyRandom,
  isSampleToken,
  looksLikePassword,
  looksRandom,
} from './placeholders.ts'
import { RANK, type Span } from './rule.ts'

/** `user:password`; two slashes after the colon make it an address. */
const USER_AND_PASSWORD = `["']?[^\\s:"']{1,100}:(?!//)([^\\s"']{4,100})`

/** Before `-u`. In a command for containers this names user and group. */
const WEB_CLIENT = /(?:curl|wget|http|ftp|aria2c)(?![\s\S]{0,300}\b(?:docker|podman|nerdctl)[ -])/i

/** Commands that take a password by position, not by an operator. */
const HANDOVERS: { after: string; value: RegExp; only?: RegExp }[] = [
  { after: ' -u', value: new RegExp(`[ \\t]{0,2}${USER_AND_PASSWORD}`, 'y'), only: WEB_CLIENT },
  {
    after: ' -a',
    value: new RegExp(`[ \\t]{1,4}${USER_AND_PASSWORD}`, 'y'),
    only: /(?:^|[\s;&|$])(?:https?|xh)[ \t]/,
  },
  {
    after: ' -b',
    value: /[ \t]{0,4}["']?[\w.-]{0,40}(?:sess|sid|auth|token|jwt)[\w.-]{0,40}=([^\s"';]{8,400})/iy,
    only: /curl/i,
  },
  { after: ' -p', value: /["']?([^\s"']{6,100})/y, only: /mysql|mariadb/i },
  { after: ' -p ', value: /["']?([^\s"']{6,100})/y, only: /(?:docker|podman|registry) login/i },
  ...[' -p ', ' -P '].map((after) => ({
    after,
    value: /["']?(?!-)([^\s"']{6,100})/y,
    only: /[ \t](?:-[uUl]|--user(?:name)?|--login)[ =]?[^\s-][^\s]{0,100}(?:[ \t][^\n|;]{0,200})?$/,
  })),
  // Also `--proxy-user`.
  ...['-user ', '-user='].map((after) => ({
    after,
    value: new RegExp(USER_AND_PASSWORD, 'y'),
    only: WEB_CLIENT,
  })),
  { after: 'sshpass -p', value: /[ \t]{0,4}["']?([^\s"']{4,100})/y },
  { after: 'identified by', value: /[ \t]{1,4}["']([^\s"']{4,100})/y },
  {
    after: 'identified with',
    value: /[ \t]{1,4}["'`]?\w{1,60}["'`]?[ \t]{1,4}by[ \t]{1,4}["']([^\s"']{4,100})/iy,
  },
  {
    after: ' password ',
    value: /'([^\s"']{4,100})(?=')/y,
    only: /(?:alter|create)[ \t]{1,4}(?:user|role)[ \t][^;:\n]{1,200}$/i,
  },
  // user/password@database
  {
    after: 'sqlplus ',
    value: /(?:-\w{1,8}[ \t]{1,4}){0,3}["']?[\w$#.]{1,60}\/"?([^\s"'@]{4,100})(?="?@)/y,
  },
  ...['impdp ', 'expdp ', 'sqlldr ', 'rman target ', 'sqlcl '].map((after) => ({
    after,
    value: /["']?[\w$#.]{1,60}\/"?([^\s"'@]{4,100})(?="?@)/y,
  })),
  { after: 'oracle:thin:', value: /[\w$#.]{1,60}\/"?([^\s"'@/]{4,100})(?="?@)/y },
  {
    after: 'login ',
    value: /[^\s]{1,100}\s{1,20}password\s{1,20}([^\s"']{4,100})/y,
    only: /machine|default/i,
  },
  { after: '*:*:*:', value: /[^\s:]{1,100}:([^\s:]{4,100})/y, only: /(?:^|[\s"'`])\*:\*:\*:$/ },
  { after: ':5432:', value: /[^\s:]{1,100}:[^\s:]{1,100}:([^\s:]{4,100})/y },
]

export const handoverKeywords = HANDOVERS.map(({ after }) => after)

export function handedOver(text: string, end: number, index: number): Span | undefined {
  const handover = HANDOVERS[index]
  if (!handover) return undefined
  handover.value.lastIndex = end
  const found = handover.value.exec(text)
  // `user:password@host` without a scheme.
  const password = found?.[1]?.replace(/@[\w-]{1,60}(?:\.[\w-]{1,60}){1,6}$/, '')
  if (!found || !password || isPlaceholder(password) || !/[A-Za-z]/.test(password)) return undefined
  if (handover.only && !handover.only.test(text.slice(Math.max(0, end - 300), end))) return undefined
  const start = found.index + found[0].length - (found[1] as string).length
  return { start, end: start + password.length, kind: 'password', rank: RANK.assigned }
}

/** Arguments of a command, up to its end; a backslash at the end of a line goes on. */
const ARGUMENTS = '(?:[^\\n|;&"\'`]|\\\\\\r?\\n|"[^"\\n]{0,100}"|\'[^\'\\n]{0,100}\'){0,200}?'
const BLANKS = '(?:[ \\t]|\\\\\\r?\\n){1,8}'
const WORD = '(?:"[^"\\n]{1,100}"|\'[^\'\\n]{1,100}\'|[^\\s"\'`;|&<>()-][^\\s"\'`;|&<>()]{0,100})'
const quoted = (before = '') => `"${before}([^"\\n]{4,200})"|'${before}([^'\\n]{4,200})'`
/** A shell reads these signs itself, so a bare password has none of them. A dash begins the next flag. */
const BARE = '(?!-)([^\\s"\'`;|&<>()]{4,200})'
const VALUE = `(?:${quoted()}|${BARE})`
/** `user:`; two slashes after the colon make it an address. */
const USER = '[^\\s:"\']{1,100}:(?!//)'
const OF_REPOSITORY = '\\.[\\w.-]{1,60}'
const NAME_OF_VALUE = '[\\w.-]{1,100}='

const pattern = (...parts: readonly string[]) => new RegExp(parts.join(''), 'y')
const byFlag = (flag: string, between = BLANKS) => pattern(ARGUMENTS, BLANKS, flag, between, VALUE)

const FLAGS = `(?:${BLANKS}-[A-Za-z0-9]{1,8}){1,4}`
const withFlag = (letter: string) =>
  `(?=(?:${BLANKS}-[A-Za-z0-9]{1,8}){0,3}${BLANKS}-[A-Za-z0-9]{0,7}${letter})`

type Command = {
  names: readonly string[]
  /** From the end of the name to the end of the value. One of its groups is the value. */
  value: RegExp
  kind?: string
  /** More than one value may follow. */
  isRepeated?: true
  /** The place alone says too little, so the value must look like a password. */
  isUnsure?: true
}

const MONGO = ['mongosh', 'mongo', 'mongodump', 'mongorestore', 'mongoexport', 'mongoimport']
const SQL_SERVER = ['sqlcmd', 'bcp', 'osql', 'tsql']
const MOSQUITTO = ['mosquitto_pub', 'mosquitto_sub']
const LDAP = ['ldapsearch', 'ldapmodify', 'ldapadd', 'ldapdelete', 'ldapwhoami']

/** Commands that are given a password, or another secret, by a flag or by its place. */
const COMMANDS: readonly Command[] = [
  { names: ['redis-cli', 'valkey-cli'], value: byFlag('-a') },
  { names: [...MONGO, 'az login', 'oc login', 'cf login', 'cqlsh', 'evil-winrm'], value: byFlag('-p') },
  { names: [...SQL_SERVER, ...MOSQUITTO, 'unzip', 'zip'], value: byFlag('-P', '[ \\t]{0,4}') },
  // Directives of the configuration of Redis; in prose, words follow them.
  { names: ['requirepass', 'masterauth'], isUnsure: true, value: pattern(BLANKS, VALUE) },
  { names: ['ssh-keygen'], value: byFlag('-N') },
  { names: ['openssl enc'], value: byFlag('-k') },
  { names: ['doctl auth init'], kind: 'token', value: byFlag('-t') },
  { names: ['xfreerdp', 'xfreerdp3'], value: byFlag('/p:', '') },
  { names: ['lftp'], value: byFlag('-u[ \\t]{0,4}["\']?[^\\s,"\']{1,100},', '') },
  // With other letters before the u; `-u` alone is known from other programs too.
  {
    names: ['curl'],
    value: pattern(ARGUMENTS, BLANKS, '-[A-Za-z#]{1,8}u[ \\t]{0,4}', `(?:${quoted(USER)}|${USER}${BARE})`),
  },
  {
    names: ['poetry config'],
    value: pattern(
      BLANKS,
      `(?:http-basic${OF_REPOSITORY}${BLANKS}${WORD}|pypi-token${OF_REPOSITORY})`,
      BLANKS,
      VALUE,
    ),
  },
  {
    names: ['ConvertTo-SecureString'],
    isUnsure: true,
    value: pattern(`(?:${BLANKS}-(?:String|AsPlainText|Force)){0,3}${BLANKS}(?:${quoted()})`),
  },
  { names: LDAP, value: byFlag('-w', '[ \\t]{0,4}') },
  { names: ['7z', '7za', '7zz'], value: byFlag('-p', '') },
  {
    names: ['smbclient', 'rpcclient', 'smbget'],
    value: pattern(ARGUMENTS, BLANKS, '(?:-U[ \\t]{0,4}|--user[= ])["\']?[^\\s%"\']{1,100}%', VALUE),
  },
  // With -n there is no file before the name.
  { names: ['htpasswd'], value: pattern(withFlag('b'), withFlag('n'), FLAGS, BLANKS, WORD, BLANKS, VALUE) },
  { names: ['htpasswd'], value: pattern(withFlag('b'), FLAGS, BLANKS, WORD, BLANKS, WORD, BLANKS, VALUE) },
  {
    names: ['rabbitmqctl'],
    value: pattern(ARGUMENTS, BLANKS, '(?:add_user|change_password)', BLANKS, WORD, BLANKS, VALUE),
  },
  { names: ['snmp-server community'], isUnsure: true, value: pattern(BLANKS, VALUE) },
  { names: ['acl setuser'], isUnsure: true, value: pattern(ARGUMENTS, BLANKS, '>', VALUE) },
  { names: ['net use'], value: pattern(BLANKS, WORD, BLANKS, VALUE), isUnsure: true },
  { names: ['snmpwalk', 'snmpget', 'snmpset', 'snmpbulkwalk'], value: byFlag('-[AX]'), isUnsure: true },
  { names: ['net user'], value: pattern(BLANKS, WORD, BLANKS, VALUE), isUnsure: true },
  { names: ['gh secret set'], kind: 'secret', value: byFlag('(?:--body|-b)', `(?:=|${BLANKS})`) },
  {
    names: ['create secret'],
    kind: 'secret',
    isRepeated: true,
    value: pattern(
      ...[ARGUMENTS, BLANKS, `--from-literal(?:=|${BLANKS})`],
      `(?:${quoted(NAME_OF_VALUE)}|${NAME_OF_VALUE}${VALUE})`,
    ),
  },
]

const MOST_REPEATED = 20
/** Nobody names a command again within so few characters. */
const SHORTEST_COMMAND = 10

/** For each name the keyword of the text and what to look for behind it. */
export const commandKeywords = COMMANDS.flatMap(({ names, ...command }) =>
  names.map((name) => ({ keyword: `${name} `, command })),
)

type ArgumentSpans = { spans: Span[]; readUntil: number }

/** Behind a name and the blank after it. The name is not looked for again before `readUntil`. */
export function givenSecrets(
  text: string,
  end: number,
  { keyword, command }: (typeof commandKeywords)[number],
): ArgumentSpans {
  const { value: pattern, kind = 'password', isRepeated, isUnsure } = command
  if (/\w/.test(text[end - keyword.length - 1] ?? '')) return { spans: [], readUntil: end }
  const spans: Span[] = []
  let at = end - 1
  for (let times = 0; times < (isRepeated ? MOST_REPEATED : 1); times += 1) {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    const value = found?.slice(1).find((group) => group !== undefined)
    if (!found || value === undefined) break
    at = pattern.lastIndex
    const start = found.index + found[0].lastIndexOf(value)
    const isSecret = isUnsure ? looksLikePassword(value) : /[A-Za-z]/.test(value)
    if (isSecret && !isPlaceholder(value))
      spans.push({ start, end: start + value.length, kind, rank: RANK.assigned })
  }
  return { spans, readUntil: Math.max(at, end + SHORTEST_COMMAND) }
}

/** Commands that read a password from their input: `echo … | sudo -S`, `chpasswd <<< …`. */
const SUDO = /(?:-[A-Za-z]{1,6}[ \t]{1,4}){0,3}(?:-[A-Za-z]{0,5}S|--stdin)(?![\w-])/y
export const READERS: readonly { keyword: string; rest?: RegExp; isAfterName?: true }[] = [
  { keyword: 'sudo ', rest: SUDO },
  { keyword: 'chpasswd', isAfterName: true },
  { keyword: '--password-stdin' },
  { keyword: 'passwd --stdin' },
  { keyword: '--passphrase-fd 0' },
]
export const HERE_STRING = '<<<'

const LONGEST_COMMAND = 300
const ECHOED =
  /(?:^|[\s;&(`])(?:echo|printf)[ \t]{1,4}(?:-[A-Za-z]{1,3}[ \t]{1,4}){0,2}(?:["']?%s(?:\\n)?["']?[ \t]{1,4})?(?:"([^"]{4,200})"|'([^']{4,200})'|([^\s"'|]{4,200}))[ \t]{0,4}$/
const GIVEN = /[ \t]{0,4}(?:"([^"\n]{4,200})"|'([^'\n]{4,200})'|([^\s"'`;|&<>()]{4,200}))/y

/** The command line before a place, without former lines. */
function lineBefore(text: string, at: number): { line: string; start: number } {
  const from = Math.max(0, at - LONGEST_COMMAND)
  const line = text.slice(from, at)
  const cut = line.lastIndexOf('\n') + 1
  return { line: line.slice(cut), start: from + cut }
}

const groupOf = (found: RegExpExecArray | null): string | undefined =>
  found?.slice(1).find((group) => group !== undefined)

/** `root:…`: the name before the password stays. */
function spanOf(start: number, given: string, isAfterName: boolean): Span | undefined {
  const from = isAfterName ? given.indexOf(':') + 1 : 0
  const password = given.slice(from)
  if ((isAfterName && from === 0) || password.length < 4 || isPlaceholder(password)) return undefined
  return { start: start + from, end: start + given.length, kind: 'password', rank: RANK.assigned }
}

/** From the end of a command that reads a password: what was echoed into it. */
export function pipedPassword(text: string, end: number, reader: (typeof READERS)[number]): Span | undefined {
  if (reader.rest) {
    reader.rest.lastIndex = end
    if (!reader.rest.test(text)) return undefined
  }
  const { line, start } = lineBefore(text, end - reader.keyword.length)
  const bar = line.lastIndexOf('|')
  if (bar === -1) return undefined
  const found = ECHOED.exec(line.slice(0, bar))
  const given = groupOf(found)
  if (!found || given === undefined) return undefined
  return spanOf(start + found.index + found[0].lastIndexOf(given), given, reader.isAfterName === true)
}

const READS_PASSWORD =
  /sudo[ \t]{1,4}(?:-[\w-]{1,10}[ \t]{1,4}){0,3}(?:-[A-Za-z]{0,5}S|--stdin)\b|chpasswd|--password-stdin|passwd --stdin/

/** From the end of `<<<`: what a command is given as its input. */
export function hereString(text: string, end: number): Span | undefined {
  const command = READS_PASSWORD.exec(lineBefore(text, end).line)?.[0]
  if (command === undefined) return undefined
  GIVEN.lastIndex = end
  const found = GIVEN.exec(text)
  const given = groupOf(found)
  if (!found || given === undefined) return undefined
  return spanOf(end + found[0].lastIndexOf(given), given, command === 'chpasswd')
}

const BEARER = /[ \t]{1,4}([A-Za-z0-9_.~+/=-]{16,4000})/y
const BASIC = /[ \t]{1,4}([A-Za-z0-9+/_-]{12,500}={0,2})(?![A-Za-z0-9])/y

/** Without dots and equals signs at the end. Not by a pattern, which would start again at each of thousands of dots. */
function withoutTail(value: string): string {
  let end = value.length
  while (end > 0 && (value[end - 1] === '.' || value[end - 1] === '=')) end--
  return value.slice(0, end)
}

/** `Bearer …`, `Token …` in a header or in prose: random enough, or it is a word. */
export function bearerToken(text: string, wordEnd: number): Span | undefined {
  BEARER.lastIndex = wordEnd
  const found = BEARER.exec(text)
  const value = found?.[1] && withoutTail(found[1])
  if (!found || !value || isSampleToken(value) || isPlaceholder(value) || !looksRandom(value))
    return undefined
  const start = found.index + found[0].length - (found[1] as string).length
  return { start, end: start + value.length, kind: 'bearer_token', rank: RANK.named }
}

const OTHER_SCHEME =
  /["'\\]{0,3}[ \t]{0,3}[:=,][ \t]{0,3}["'\\]{0,3}(?!BASIC)[A-Za-z][A-Za-z-]{1,24}[ \t]{1,4}([A-Za-z0-9_.~+/=:-]{16,4000})/iy

/** `Authorization: Token …`, whatever the scheme is called. */
export function authorizationValue(text: string, wordEnd: number): Span | undefined {
  OTHER_SCHEME.lastIndex = wordEnd
  const found = OTHER_SCHEME.exec(text)
  const value = found?.[1]
  if (!found || !value || isPlaceholder(value) || !looksRandom(value)) return undefined
  const end = found.index + found[0].length
  return { start: end - value.length, end, kind: 'authorization', rank: RANK.assigned }
}

/** Without Buffer, because the web app uses the same rules in the browser. As UTF-8, or else byte by byte. */
function decodedBase64(value: string): string {
  try {
    const bytes = atob(value.replaceAll('-', '+').replaceAll('_', '/'))
    return asUtf8(bytes) ?? bytes
  } catch {
    return ''
  }
}

function asUtf8(bytes: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)),
    )
  } catch {
    return undefined
  }
}

/** Neither part has a control character. Services that know keys alone take the key as the user. */
const HEADER_CREDENTIALS = /^([^\p{Cc}:]+):([^\p{Cc}]*)$/u

function isCredentials(decoded: string): boolean {
  const [, user = '', password = ''] = HEADER_CREDENTIALS.exec(decoded) ?? []
  return password === '' ? isPlainlyRandom(user) && !isPlaceholder(user) : !isPlaceholder(password)
}

/** `Basic dXNlcjpwYXNz`: base64 of `user:password`. */
export function basicCredentials(text: string, wordEnd: number): Span | undefined {
  BASIC.lastIndex = wordEnd
  const found = BASIC.exec(text)
  const value = found?.[1]
  if (!found || !value) return undefined
  if (!isCredentials(decodedBase64(value))) return undefined
  const end = found.index + found[0].length
  return { start: end - value.length, end, kind: 'basic_credentials', rank: RANK.named }
}

/** `Cookie: `, `"Cookie": "`, `cookies={"`, `--cookie "`, also with escaped quotes. */
const COOKIE_LINK = /s?["'\\\]]{0,3}(?:[ \t]{0,2}[:=,(]|(?=[ \t]["']))[ \t]{0,2}[[{("'\\]{0,4}/y
const COOKIE_PAIR =
  /[ \t]{0,4}([A-Za-z0-9_.$-]{1,80})(?:=|["']:[ \t]{0,2}['"])("?)([A-Za-z0-9%+/_.|~!*-]{0,4000}={0,2})\2/y

/** Values of the cookies that carry a session, in a `Cookie` or `Set-Cookie` header, from the end of that word. */
export function sessionCookies(text: string, wordEnd: number): Span[] {
  COOKIE_LINK.lastIndex = wordEnd
  if (!COOKIE_LINK.test(text)) return []
  const spans: Span[] = []
  let at = COOKIE_LINK.lastIndex
  for (let pair = 0; pair < 40; pair += 1) {
    COOKIE_PAIR.lastIndex = at
    const found = COOKIE_PAIR.exec(text)
    if (!found) break
    at = COOKIE_PAIR.lastIndex
    const [, name = '', quote = '', value = ''] = found
    const end = at - quote.length
    if (
      /sess|sid|auth|token|jwt|login|remember|csrf|xsrf|secret|key/i.test(name) &&
      value.length >= 8 &&
      !isPlaceholder(value)
    ) {
      spans.push({ start: end - value.length, end, kind: 'session_cookie', rank: RANK.named })
    }
    if (text[at] !== ';') break
    at += 1
  }
  return spans
}

const USER_IN_URL = '[^\\s:/@"\'`<>\\\\?#]{0,200}'
/** Up to the last at sign before the host: many passwords have one, and people forget to encode it. */
const PASSWORD = '[^\\s@/"\'`<>\\\\]{1,300}(?:@[^\\s@/"\'`<>\\\\?#,;]{0,200}){0,5}'
const USER_INFO = new RegExp(`${USER_IN_URL}:(${PASSWORD})@(?=[\\w[$-])`, 'y')

/** A slash belongs to the password if an at sign and a host follow it. A port and a path before an at sign are left alone. */
const WITH_SLASH = new RegExp(
  `${USER_IN_URL}:((?!\\d{1,5}/)[^\\s"'\`<>\\\\?#,;]{6,300})@(?=[\\w.-]{1,200}(?::\\d{1,5})?(?:[/?\\s"'\`,]|$))`,
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
