import {
  certaintyOf,
  isPlaceholder,
  isPlainlyRandom,
  isSampleToken,
  looksLikePassword,
  looksRandom,
  SURE,
} from './placeholders.ts'
import { RANK, type Span } from './rule.ts'

/** Matches `user:password`; two slashes after the colon make it a URL. */
const USER_AND_PASSWORD = `["']?[^\\s:"']{0,100}:(?!//)([^\\s"']{4,100})`

/** The programs before `-u`. In a container command `-u` names user and group. */
const WEB_CLIENT = /(?:curl|wget|http|ftp|aria2c)(?![\s\S]{0,300}\b(?:docker|podman|nerdctl)[ -])/i

const HANDOVERS: { after: string; value: RegExp; only?: RegExp; isSure?: boolean }[] = [
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
  ...['-user ', '-user='].map((after) => ({
    after,
    value: new RegExp(USER_AND_PASSWORD, 'y'),
    only: WEB_CLIENT,
  })),
  ...[' -p ', ' -P ', ' -W ', ' -w ', ' -k ', ' -pw '].map((after) => ({
    after,
    value: /["']?(?!-|[0-9a-f]{7}|[A-Za-z]{8,100}["'\s])([^\s"']{8,100})/y,
    isSure: true,
  })),
  ...['auth plain ', 'auth login '].map((after) => ({
    after,
    value: /([A-Za-z0-9+/]{8,400}={0,2})(?![\w+/=-])/y,
    isSure: true,
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
  ...['plain "', 'eap "', 'xauth "'].map((after) => ({
    after,
    value: /([^\s"']{6,100})(?=")/y,
    only: /[ \t]:[ \t]{1,4}(?:PLAIN|EAP|XAUTH) "$/,
  })),
  { after: '*:*:*:', value: /[^\s:]{1,100}:([^\s:]{4,100})/y, only: /(?:^|[\s"'`])\*:\*:\*:$/ },
  { after: ':5432:', value: /[^\s:]{1,100}:[^\s:]{1,100}:([^\s:]{4,100})/y },
]

export const handoverKeywords = HANDOVERS.map(({ after }) => after)

export function handedOver(text: string, end: number, index: number): Span | undefined {
  const handover = HANDOVERS[index]
  if (!handover) return undefined
  handover.value.lastIndex = end
  const found = handover.value.exec(text)
  const password = found?.[1]?.replace(/@[\w-]{1,60}(?:\.[\w-]{1,60}){1,6}$/, '')
  if (!found || !password || isPlaceholder(password) || !/[A-Za-z]/.test(password)) return undefined
  if (handover.only && !handover.only.test(text.slice(Math.max(0, end - 300), end))) return undefined
  if (handover.isSure && certaintyOf(password) < SURE) return undefined
  const start = found.index + found[0].length - (found[1] as string).length
  return { start, end: start + password.length, kind: 'password', rank: RANK.assigned }
}

/** Matches the arguments of a command up to its end; a backslash continues the line. */
const ARGUMENTS = '(?:[^\\n|;&"\'`]|\\\\\\r?\\n|"[^"\\n]{0,100}"|\'[^\'\\n]{0,100}\'){0,200}?'
const BLANKS = '(?:[ \\t]|\\\\\\r?\\n){1,8}'
const WORD = '(?:"[^"\\n]{1,100}"|\'[^\'\\n]{1,100}\'|[^\\s"\'`;|&<>()-][^\\s"\'`;|&<>()]{0,100})'
const quoted = (before = '') => `"${before}([^"\\n]{4,200})"|'${before}([^'\\n]{4,200})'`
/** A bare password has no shell metacharacters. A dash begins the next flag. */
const BARE = '(?!-)([^\\s"\'`;|&<>()]{4,200})'
const VALUE = `(?:${quoted()}|${BARE})`
/** Matches `user:`; two slashes after the colon make it a URL. */
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
  /** Reads from the end of the name to the end of the value. One group is the value. */
  value: RegExp
  kind?: string
  isRepeated?: true
  /** The position alone is weak evidence, so the value must look like a password. */
  isUnsure?: true
}

const MONGO = ['mongosh', 'mongo', 'mongodump', 'mongorestore', 'mongoexport', 'mongoimport']
const SQL_SERVER = ['sqlcmd', 'bcp', 'osql', 'tsql']
const MOSQUITTO = ['mosquitto_pub', 'mosquitto_sub']
const LDAP = ['ldapsearch', 'ldapmodify', 'ldapadd', 'ldapdelete', 'ldapwhoami']

const COMMANDS: readonly Command[] = [
  { names: ['redis-cli', 'valkey-cli'], value: byFlag('-a') },
  { names: [...MONGO, 'az login', 'oc login', 'cf login', 'cqlsh', 'evil-winrm'], value: byFlag('-p') },
  { names: [...SQL_SERVER, ...MOSQUITTO, 'unzip', 'zip'], value: byFlag('-P', '[ \\t]{0,4}') },
  { names: ['requirepass', 'masterauth'], isUnsure: true, value: pattern(BLANKS, VALUE) },
  { names: ['ssh-keygen'], value: byFlag('-N') },
  { names: ['openssl enc'], value: byFlag('-k') },
  { names: ['doctl auth init'], kind: 'token', value: byFlag('-t') },
  { names: ['xfreerdp', 'xfreerdp3'], value: byFlag('/p:', '') },
  { names: ['lftp'], value: byFlag('-u[ \\t]{0,4}["\']?[^\\s,"\']{1,100},', '') },
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
  { names: ['htpasswd'], value: pattern(withFlag('b'), withFlag('n'), FLAGS, BLANKS, WORD, BLANKS, VALUE) },
  { names: ['htpasswd'], value: pattern(withFlag('b'), FLAGS, BLANKS, WORD, BLANKS, WORD, BLANKS, VALUE) },
  {
    names: ['rabbitmqctl'],
    value: pattern(ARGUMENTS, BLANKS, '(?:add_user|change_password)', BLANKS, WORD, BLANKS, VALUE),
  },
  {
    names: ['snmp-server community', 'snmp community', 'rocommunity', 'rwcommunity'],
    isUnsure: true,
    value: pattern(BLANKS, VALUE),
  },
  { names: ['acl setuser', 'user default'], isUnsure: true, value: pattern(ARGUMENTS, BLANKS, '>', VALUE) },
  { names: ['net use'], value: pattern(BLANKS, WORD, BLANKS, VALUE), isUnsure: true },
  { names: ['net use'], value: pattern(ARGUMENTS, BLANKS, '/user:', WORD, BLANKS, '(?!/)', VALUE) },
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

const MAX_REPEATED = 20
const MIN_COMMAND_LENGTH = 10

export const commandKeywords = COMMANDS.flatMap(({ names, ...command }) =>
  names.map((name) => ({ keyword: `${name} `, command })),
)

type ArgumentSpans = { spans: Span[]; readUntil: number }

/** Returns the secrets behind a command name. The name is not searched again before `readUntil`. */
export function givenSecrets(
  text: string,
  end: number,
  { keyword, command }: (typeof commandKeywords)[number],
): ArgumentSpans {
  const { value: pattern, kind = 'password', isRepeated, isUnsure } = command
  if (/\w/.test(text[end - keyword.length - 1] ?? '')) return { spans: [], readUntil: end }
  const spans: Span[] = []
  let at = end - 1
  for (let times = 0; times < (isRepeated ? MAX_REPEATED : 1); times += 1) {
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
  return { spans, readUntil: Math.max(at, end + MIN_COMMAND_LENGTH) }
}

/** Commands that read a password from input: `echo … | sudo -S`, `chpasswd <<< …`. */
const SUDO = /(?:-[A-Za-z]{1,6}[ \t]{1,4}){0,3}(?:-[A-Za-z]{0,5}S|--stdin)(?![\w-])/y
export const READERS: readonly { keyword: string; rest?: RegExp; isAfterName?: true }[] = [
  { keyword: 'sudo ', rest: SUDO },
  { keyword: 'chpasswd', isAfterName: true },
  { keyword: '--password-stdin' },
  { keyword: 'passwd --stdin' },
  { keyword: '--passphrase-fd 0' },
]
export const HERE_STRING = '<<<'

const MAX_COMMAND_LENGTH = 300
const ECHOED =
  /(?:^|[\s;&(`])(?:echo|printf)[ \t]{1,4}(?:-[A-Za-z]{1,3}[ \t]{1,4}){0,2}(?:["']?%s(?:\\n)?["']?[ \t]{1,4})?(?:"([^"]{4,200})"|'([^']{4,200})'|([^\s"'|]{4,200}))[ \t]{0,4}$/
const GIVEN = /[ \t]{0,4}(?:"([^"\n]{4,200})"|'([^'\n]{4,200})'|([^\s"'`;|&<>()]{4,200}))/y

function lineBefore(text: string, at: number): { line: string; start: number } {
  const from = Math.max(0, at - MAX_COMMAND_LENGTH)
  const line = text.slice(from, at)
  const cut = line.lastIndexOf('\n') + 1
  return { line: line.slice(cut), start: from + cut }
}

const groupOf = (found: RegExpExecArray | null): string | undefined =>
  found?.slice(1).find((group) => group !== undefined)

/** Returns the password in `root:…` without the name. */
function spanOf(start: number, given: string, isAfterName: boolean): Span | undefined {
  const from = isAfterName ? given.indexOf(':') + 1 : 0
  const password = given.slice(from)
  if ((isAfterName && from === 0) || password.length < 4 || isPlaceholder(password)) return undefined
  return { start: start + from, end: start + given.length, kind: 'password', rank: RANK.assigned }
}

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

/** Programs that show or compare what is echoed, and keep no secret. */
const SHOWS =
  '(?:base64 +-{1,2}[dD]|xxd|od|hexdump|git|sha\\d|md5|jq|wc|grep|sed|awk|tr|cut|bc|sort|uniq|less|head|tail|cat)'
const ECHO = new RegExp(
  `(?:-[neE]{1,3}[ \\t]{1,3})?(?:["']?[\\w:]{0,40}%s(?:\\\\n)?["']?[ \\t]{1,4})?["']?([^\\s"'\`|;&<>()]{8,200})["']?[ \\t]{0,3}(?:\\)|\\|[ \\t]{0,3}(?!${SHOWS})\\w|;[^\\n]{0,60}\\)[ \\t]{0,3}\\|)`,
  'y',
)

const MIN_ECHOED_LENGTH = 10

/** Returns a value alone behind `echo` that another program reads. */
export function echoedSecret(text: string, end: number): Span | undefined {
  ECHO.lastIndex = end
  const found = ECHO.exec(text)
  const value = found?.[1]
  if (!found || value === undefined || value.length < MIN_ECHOED_LENGTH || certaintyOf(value) < SURE)
    return undefined
  const user = /^\w{1,40}:/.exec(value)?.[0].length ?? 0
  const start = found.index + found[0].indexOf(value) + user
  return { start, end: start + value.length - user, kind: 'secret', rank: RANK.assigned }
}

/** Programs that keep, ask for or need secrets: any argument that is surely one is one. */
export const TOOLS = (
  'rclone unrar rar vault bw op lpass keepassxc-cli secret-tool security snmpget snmpwalk snmpset snmpbulkwalk radtest ' +
  'kinit smbpasswd schtasks psexec runas cmdkey rdesktop ipmitool cryptsetup expect crackmapexec nxc hydra ' +
  'nuget mysql mysqldump mysqladmin mariadb psql sqlcmd isql bcp cqlsh clickhouse-client rabbitmqctl influx ' +
  'ldapadd ldapmodify ldapsearch ldappasswd kadmin ssh-add passwd openssl composer bundle smbclient winrm useradd usermod ' +
  'mosquitto_passwd cloudflared kaggle db2 netlify tailscale wandb ngrok mc qpdf samba-tool choco conan pk12util certutil'
)
  .split(' ')
  .map((name) => `${name} `)
const COMMAND_START = /(?:^|[\n;&|(`$#>"'[]|sudo|time|exec|--|-c|run:?|\\n)[ \t]{0,4}(?:dotnet )?$/
const ARGUMENT =
  /[ \t]{0,4}(?:\\\r?\n[ \t]{0,8})?(?:(?:-[A-Za-z]:?|\/[a-z]{1,4}:)(?=["']?[^\s"'=-]{8}))?(?:"([^"\n]{0,200})"|'([^'\n]{0,200})'|([^\s"'`|;&<>()]{1,200}))|[ \t]{0,4}<<<|["']/y
/** Matches a user or a name before the value: `bob%`, `user=bob%`, `bob,`. */
const BEFORE_ARGUMENT = /^(?:\w{1,20}=)?(?:[\w.\\-]{1,40}[%:,=])?(?=.{8})/
const MAX_ARGUMENTS = 20

export function secretOfTool(text: string, end: number, keyword: string): Span | undefined {
  const from = end - keyword.length
  if (!COMMAND_START.test(text.slice(Math.max(0, from - 24), from))) return undefined
  ARGUMENT.lastIndex = end
  for (let count = 0; count < MAX_ARGUMENTS; count += 1) {
    const found = ARGUMENT.exec(text)
    if (!found) return undefined
    const written = groupOf(found) ?? ''
    const value = written.slice(BEFORE_ARGUMENT.exec(written)?.[0].length ?? 0)
    if (certaintyOf(value) < SURE) continue
    const start = found.index + found[0].lastIndexOf(value)
    return { start, end: start + value.length, kind: 'secret', rank: RANK.assigned }
  }
  return undefined
}

const LINE_SHOWS = new RegExp(`(?:^|[ |;$(])${SHOWS}`)
const READS_PASSWORD =
  /sudo[ \t]{1,4}(?:-[\w-]{1,10}[ \t]{1,4}){0,3}(?:-[A-Za-z]{0,5}S|--stdin)\b|chpasswd|--password-stdin|passwd --stdin/

export function hereString(text: string, end: number): Span | undefined {
  const { line } = lineBefore(text, end)
  const command = READS_PASSWORD.exec(line)?.[0]
  GIVEN.lastIndex = end
  const found = GIVEN.exec(text)
  const given = groupOf(found)
  if (!found || given === undefined) return undefined
  if (command === undefined && (certaintyOf(given) < SURE || LINE_SHOWS.test(line))) return undefined
  return spanOf(end + found[0].lastIndexOf(given), given, command === 'chpasswd')
}

const BEARER = /[ \t]{1,4}([A-Za-z0-9_.~+/=-]{16,4000})/y
const BASIC = /[ \t]{1,4}([A-Za-z0-9+/_-]{12,500}={0,2})(?![A-Za-z0-9])/y

/** Removes dots and equals signs at the end. A regular expression would be quadratic on thousands of dots. */
function withoutTail(value: string): string {
  let end = value.length
  while (end > 0 && (value[end - 1] === '.' || value[end - 1] === '=')) end--
  return value.slice(0, end)
}

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

/** Matches `Authorization: Token …` with any scheme. */
export function authorizationValue(text: string, wordEnd: number): Span | undefined {
  OTHER_SCHEME.lastIndex = wordEnd
  const found = OTHER_SCHEME.exec(text)
  const value = found?.[1]
  if (!found || !value || isPlaceholder(value) || !looksRandom(value)) return undefined
  const end = found.index + found[0].length
  return { start: end - value.length, end, kind: 'authorization', rank: RANK.assigned }
}

/** Matches `'Basic ' + encode('app:…`. */
const BASIC_CALL =
  /[ \t]{0,3}["'`]?[ \t]{0,3}[+.,$][ \t]{0,3}[{]?[\w.]{1,40}\((?:[\w.]{1,40}\()?["'`][\w.@-]{1,60}:([^\s"'`]{8,200})/y

/** Works without Buffer, because the web app uses these rules in the browser. */
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

/** Neither part has a control character. Services with keys only take the key as the user. */
const HEADER_CREDENTIALS = /^([^\p{Cc}:]+):([^\p{Cc}]*)$/u

function isCredentials(decoded: string): boolean {
  const [, user = '', password = ''] = HEADER_CREDENTIALS.exec(decoded) ?? []
  return password === '' ? isPlainlyRandom(user) && !isPlaceholder(user) : !isPlaceholder(password)
}

function credentialsOfCall(text: string, wordEnd: number): Span | undefined {
  BASIC_CALL.lastIndex = wordEnd
  const value = BASIC_CALL.exec(text)?.[1]
  if (value === undefined || certaintyOf(value) < SURE) return undefined
  const end = BASIC_CALL.lastIndex
  return { start: end - value.length, end, kind: 'password', rank: RANK.assigned }
}

export function basicCredentials(text: string, wordEnd: number): Span | undefined {
  BASIC.lastIndex = wordEnd
  const found = BASIC.exec(text)
  const value = found?.[1]
  if (!found || !value) return credentialsOfCall(text, wordEnd)
  if (!isCredentials(decodedBase64(value))) return undefined
  const end = found.index + found[0].length
  return { start: end - value.length, end, kind: 'basic_credentials', rank: RANK.named }
}

/** Matches `Cookie: `, `"Cookie": "`, `cookies={"`, `--cookie "`, also with escaped quotes. */
const COOKIE_LINK = /s?["'\\\]]{0,3}(?:[ \t]{0,2}[:=,(]|(?=[ \t]["']))[ \t]{0,2}[[{("'\\]{0,4}/y
const COOKIE_PAIR =
  /[ \t]{0,4}([A-Za-z0-9_.$-]{1,80})(?:=|["']:[ \t]{0,2}['"])("?)([A-Za-z0-9%+/_.|~!*-]{0,4000}={0,2})\2/y

/** Returns the values of session cookies in a `Cookie` or `Set-Cookie` header, from the end of that word. */
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
/** Reads up to the last at sign before the host: many passwords contain one that is not encoded. */
const PASSWORD = '[^\\s@/"\'`<>\\\\]{1,300}(?:@[^\\s@/"\'`<>\\\\?#,;]{0,200}){0,5}'
const USER_INFO = new RegExp(`${USER_IN_URL}:(${PASSWORD})@(?=[\\w[$-])`, 'y')

const WITH_SLASH = new RegExp(
  `${USER_IN_URL}:((?!\\d{1,5}/)[^\\s"'\`<>\\\\?#,;]{6,300})@(?=[\\w.-]{1,200}(?::\\d{1,5})?(?:[/?\\s"'\`,]|$))`,
  'y',
)
const DATABASE_SCHEME =
  /(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|clickhouse)$/i

/** Matches a token in place of the user. Sentry project URLs look alike but are public. */
const TOKEN = /([A-Za-z0-9_.~-]{16,200})@(?![\w.-]{0,100}sentry)(?=[\w-]{1,63}\.[\w.-]{1,200})/iy
const WEB = /https?$/i
const MAX_SCHEME_LENGTH = 14

const SAMPLE_WORDS = new Set(
  'password passwd pass pwd secret pw user username token key postgres root admin guest mysql mongo redis test foo bar'.split(
    ' ',
  ),
)

function secretBefore(end: number, value: string): Span | undefined {
  if (SAMPLE_WORDS.has(value.toLowerCase()) || isPlaceholder(value)) return undefined
  return { start: end - value.length, end, kind: 'url_password', rank: RANK.assigned }
}

export function urlPassword(text: string, afterScheme: number): Span | undefined {
  USER_INFO.lastIndex = afterScheme
  const password = USER_INFO.exec(text)?.[1]
  if (password !== undefined) return secretBefore(USER_INFO.lastIndex - 1, password)
  const scheme = text.slice(
    Math.max(0, afterScheme - '://'.length - MAX_SCHEME_LENGTH),
    afterScheme - '://'.length,
  )
  const token = WEB.test(scheme) ? tokenAsUser(text, afterScheme) : undefined
  if (token) return token
  return passwordWithSlash(text, afterScheme, DATABASE_SCHEME.test(scheme))
}

function tokenAsUser(text: string, afterScheme: number): Span | undefined {
  TOKEN.lastIndex = afterScheme
  const token = TOKEN.exec(text)?.[1]
  return token !== undefined && isPlainlyRandom(token) ? secretBefore(TOKEN.lastIndex - 1, token) : undefined
}

function passwordWithSlash(text: string, afterScheme: number, isDatabase: boolean): Span | undefined {
  WITH_SLASH.lastIndex = afterScheme
  const password = WITH_SLASH.exec(text)?.[1]
  if (password === undefined) return undefined
  return (isDatabase ? looksLikePassword(password) : certaintyOf(password) >= SURE)
    ? secretBefore(WITH_SLASH.lastIndex - 1, password)
    : undefined
}

/** The opening bracket of the address before it also ends the search, so that no stretch is read twice. */
const DSN_STARTS_AFTER = new Set(' \t\r\n"\'`=(')
const MAX_DSN_LENGTH = 160
const DSN = /^[^:/]{1,60}:(.{4,100})$/

/** Returns the password of a Go DSN `user:password@tcp(host:3306)/name`, backwards from the at sign. */
export function dsnPassword(text: string, atSign: number): Span | undefined {
  let start = atSign
  while (start > 0 && atSign - start < MAX_DSN_LENGTH && !DSN_STARTS_AFTER.has(text[start - 1] as string))
    start -= 1
  const password = DSN.exec(text.slice(start, atSign))?.[1]
  return password === undefined ? undefined : secretBefore(atSign, password)
}
