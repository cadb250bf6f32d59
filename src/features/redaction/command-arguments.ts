import { isPlaceholder, looksLikePassword } from './placeholders.ts'
import { RANK, type Span } from './rules/rule.ts'

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

type Given = { spans: Span[]; readUntil: number }

/** Behind a name and the blank after it. The name is not looked for again before `readUntil`. */
export function givenSecrets(
  text: string,
  end: number,
  { keyword, command }: (typeof commandKeywords)[number],
): Given {
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
