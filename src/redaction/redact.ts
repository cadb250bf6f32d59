import type { Work } from '../core/work.ts'
import { type Analyst, doAll, type Pieces } from '../shared/pieces.ts'
import { INVISIBLE, INVISIBLE_PAIRS, TERMINAL_SEQUENCE } from '../text/unicode.ts'
import { buildAutomaton } from './aho-corasick.ts'
import {
  assignedSecret,
  BARE_NOTATION,
  distantSecret,
  MAX_TOKEN_LENGTH,
  type Name,
  SIGNED_NOTATION,
  Stretches,
  ValueRuns,
  valueStart,
} from './assignments.ts'
import {
  authorizationValue,
  basicCredentials,
  bearerToken,
  commandKeywords,
  dsnPassword,
  echoedSecret,
  givenSecrets,
  HERE_STRING,
  handedOver,
  handoverKeywords,
  hereString,
  pipedPassword,
  READERS,
  secretOfTool,
  sessionCookies,
  TOOLS,
  urlPassword,
} from './commands.ts'
import {
  addressedBlock,
  binaryKey,
  binaryKeywords,
  blockFinder,
  ENCODED_BEGIN,
  encodedBlock,
  endOfList,
  headlessBlock,
  KEY_TYPES,
  PEM,
  puttyLines,
  SSH2,
  secretsInWebKey,
  WALLET_NAMES,
  walletWords,
} from './keys.ts'
import { foreignNames, hasForeignLetters, NameRuns, SECRET_NAMES } from './names.ts'
import { Candidates, Neighbours } from './names-and-values.ts'
import { isSampleToken, isSampleValue } from './placeholders.ts'
import {
  CALLS,
  Calls,
  JSON_KINDS,
  KNOWN_USERS,
  markedPassword,
  PAIR_NAMES,
  PLAIN_MARKERS,
  passwordOfAddress,
  passwordOfLine,
  passwordOfLogin,
  passwordOfPair,
  passwordOfShortPair,
  passwordOfUser,
  SECRET_CALLS,
  SHORT_PAIR_NAMES,
  secretsInJson,
  secretsInYaml,
  tokenAsLogin,
  wifiPassword,
  YAML_KINDS,
} from './positions.ts'
import { type NamedRule, RANK, type Span, type TokenRule } from './rule.ts'
import { ALL_RULES } from './rules.ts'
import { withoutOverlaps, withRepetitions } from './spans.ts'
import { HEADS_OF_PAIRS, isHarmless, Tables } from './tables.ts'

/** The scanner reads the plain form; offsets are mapped back to the original. */
const BLANKS = '\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000'
const QUOTES = '\\u2018-\\u201f\\u2039\\u203a\\u00ab\\u00bb'
/** Escapes before quotes and letters are left to the rules. */
const ESCAPED = '\\\\(?=[_*.~+#=!-])'
const BROKEN = '\\\\(?<=[\\w=+/.-]\\\\)\\r?\\n(?=[\\w=+/.-])'

/** URL-encoded `"`, `&`, `'`, `,`, `/`, `:`, `=`, `@` and brackets, and their JSON number escapes. */
const ENCODED = '%(?:2[267CFcf]|3[ADad]|40|7[BDbd])|\\\\u00(?:2[267]|3[CDEcde])'
/** All but the last backslash before a quote. */
const NESTED = '\\\\{1,15}(?=\\\\["\'])'

const DISGUISES = `[${INVISIBLE}${BLANKS}${QUOTES}\\uff01-\\uff5e]|${ESCAPED}|${BROKEN}|${INVISIBLE_PAIRS}`
const DISGUISED = new RegExp(DISGUISES, 'g')
const ALL_DISGUISES = new RegExp(`${TERMINAL_SEQUENCE}|${ENCODED}|${NESTED}|${DISGUISES}`, 'g')
const IS_ENCODED = /^(?:%|\\u00)(..)$/
const ENCODED_HERE = new RegExp(ENCODED, 'y')
const WIDE = /[\uff01-\uff5e]/
const BLANK = new RegExp(`[${BLANKS}]`)
const SINGLE_QUOTES = /[\u2018-\u201b\u2039\u203a]/
const DOUBLE_QUOTES = /[\u201c-\u201f\u00ab\u00bb]/

export type Unfolded = {
  text: string
  originalOffset: (at: number) => number
  /** Maps the end of a stretch. Characters left out behind its last character do not belong to the stretch. */
  originalEnd: (end: number) => number
}

const asItIs = (at: number) => at

function unfold(text: string, hasSequences: boolean): Unfolded {
  const pattern = hasSequences ? ALL_DISGUISES : DISGUISED
  pattern.lastIndex = 0
  if (!pattern.test(text)) return { text, originalOffset: asItIs, originalEnd: asItIs }
  // Left-out characters shift everything after them: from the offset `at[i]` on by `by[i]`.
  const at: number[] = []
  const by: number[] = []
  let left = 0
  const plain = text.replace(pattern, (sign, offset: number) => {
    const shown = shownAs(sign)
    if (shown.length === sign.length) return shown
    at.push(offset - left + shown.length)
    left += sign.length - shown.length
    by.push(left)
    return shown
  })
  const originalOffset = left === 0 ? asItIs : (offset: number) => offset + shiftAt(at, by, offset)
  const originalEnd = (end: number) => {
    const last = originalOffset(end - 1)
    ENCODED_HERE.lastIndex = last
    return hasSequences && ENCODED_HERE.test(text) ? ENCODED_HERE.lastIndex : last + 1
  }
  return { text: plain, originalOffset, originalEnd }
}

function shownAs(sign: string): string {
  const code = IS_ENCODED.exec(sign)?.[1]
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
  if (sign.length > 1) return ''
  if (WIDE.test(sign)) return String.fromCharCode(sign.charCodeAt(0) - 0xfee0)
  if (BLANK.test(sign)) return ' '
  if (SINGLE_QUOTES.test(sign)) return "'"
  return DOUBLE_QUOTES.test(sign) ? '"' : ''
}

function shiftAt(at: readonly number[], by: readonly number[], offset: number): number {
  let low = 0
  let high = at.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((at[middle] as number) <= offset) low = middle + 1
    else high = middle
  }
  return low === 0 ? 0 : (by[low - 1] as number)
}

/** The state of a scan. A keyword starts a match at its position, never a pass over the whole text. */
type Scan = {
  text: string
  add(span: Span | undefined): void
  block: ReturnType<typeof blockFinder>
  ssh2Block: ReturnType<typeof blockFinder>
  /** The last token or block that was read; nothing that starts inside it is tried again. */
  read: { start: number; end: number }
  /** Caches the last value found by its name, because several rules ask for the same value. */
  value: { nameEnd: number; start: number }
  stretches: Stretches
  bare: ValueRuns
  signed: ValueRuns
  names: NameRuns
  neighbours: Neighbours
  tables: Tables
  calls: Calls
  manifestEnd: number
  listEnd: number
  webKeyEnd: number
  commandEnds: number[]
  /** Terminal colours may stand inside a secret, or signs around the secret may be percent-encoded. */
  hasSequences: boolean
}
type Trigger = (scan: Scan, end: number) => void

const TRIGGERS = new Map<string, Trigger[]>()

function on(keyword: string, trigger: Trigger): void {
  const key = keyword.toLowerCase()
  const present = TRIGGERS.get(key)
  if (present) present.push(trigger)
  else TRIGGERS.set(key, [trigger])
}

for (const rule of ALL_RULES) {
  if (rule.form === 'token')
    for (const prefix of rule.prefixes)
      on(prefix, (scan, end) => scan.add(findToken(scan, end, prefix, rule)))
  else for (const name of rule.names) on(name, (scan, end) => scan.add(findNamed(scan, end, rule)))
}
for (const { kind, whole, names } of SECRET_NAMES) {
  for (const name of names) {
    on(name, (scan, end) => {
      if (whole && wordGoesOn(scan.text, end)) return
      const place = { start: end - name.length, end }
      if (scan.names.isDeepInside(place)) return
      for (const span of scan.tables.secretsBelow(place)) scan.add(span)
      scan.add(secretOfName(scan, { start: end - name.length, end }, kind))
    })
  }
}
for (const [index, keyword] of handoverKeywords.entries()) {
  on(keyword, (scan, end) => scan.add(handedOver(scan.text, end, index)))
}
for (const [index, command] of commandKeywords.entries()) {
  on(command.keyword, (scan, end) => {
    if (end <= (scan.commandEnds[index] ?? -1)) return
    const { spans, readUntil } = givenSecrets(scan.text, end, command)
    scan.commandEnds[index] = readUntil
    for (const span of spans) scan.add(span)
  })
}
for (const reader of READERS) {
  on(reader.keyword, (scan, end) => scan.add(pipedPassword(scan.text, end, reader)))
}
on(HERE_STRING, (scan, end) => scan.add(hereString(scan.text, end)))
on(PEM.begin, (scan, end) => scan.add(readBlock(scan, scan.block(end))))
on(SSH2.begin, (scan, end) => scan.add(readBlock(scan, scan.ssh2Block(end))))
for (const [index, keyword] of binaryKeywords.entries()) {
  on(keyword, (scan, end) => scan.add(readBlock(scan, binaryKey(scan.text, end, index))))
}
for (const mark of ['-----begin%20', '-----begin+'])
  on(mark, (scan, end) => scan.add(readBlock(scan, addressedBlock(scan.text, end))))
on('-----end ', (scan, end) => scan.add(headlessBlock(scan.text, end)))
on(ENCODED_BEGIN, (scan, end) => scan.add(readBlock(scan, encodedBlock(scan.text, end))))
on('://', (scan, end) => scan.add(urlPassword(scan.text, end)))
on('@tcp(', (scan, end) => scan.add(dsnPassword(scan.text, end - '@tcp('.length)))
for (const name of WALLET_NAMES) on(name, (scan, end) => scan.add(walletWords(scan.text, end)))
on('bearer', (scan, end) => scan.add(bearerToken(scan.text, end)))
on('basic', (scan, end) => scan.add(basicCredentials(scan.text, end)))
function onManifest(keyword: string, read: typeof secretsInYaml): void {
  on(keyword, (scan, end) => {
    if (end <= scan.manifestEnd) return
    const { spans, readUntil } = read(scan.text, end, Math.max(0, scan.manifestEnd))
    scan.manifestEnd = readUntil
    for (const span of spans) scan.add(span)
  })
}
for (const keyword of YAML_KINDS) onManifest(keyword, secretsInYaml)
for (const keyword of JSON_KINDS) onManifest(keyword, secretsInJson)
for (const keyword of KEY_TYPES) {
  on(keyword, (scan, end) => {
    if (end <= scan.webKeyEnd) return
    const { spans, readUntil } = secretsInWebKey(scan.text, end, scan.webKeyEnd)
    scan.webKeyEnd = readUntil
    for (const span of spans) scan.add(span)
  })
}
for (const sign of ['\u001b', '%22', '%3a', '\\u0022', '\\u003d', '\\\\"', "\\\\'"]) {
  on(sign, (scan) => {
    scan.hasSequences = true
  })
}
for (const tag of ['<td', '<th'])
  on(tag, (scan) => {
    scan.tables.hasHtml = true
  })
for (const name of CALLS) on(name, (scan, end) => scan.add(scan.calls.secretOf(end, false)))
for (const name of SECRET_CALLS) on(name, (scan, end) => scan.add(scan.calls.secretOf(end, true)))
on('@', (scan, end) => scan.add(passwordOfAddress(scan.text, end)))
for (const keyword of ['echo ', 'printf ']) on(keyword, (scan, end) => scan.add(echoedSecret(scan.text, end)))
for (const keyword of TOOLS) on(keyword, (scan, end) => scan.add(secretOfTool(scan.text, end, keyword)))
for (const name of PAIR_NAMES) on(name, (scan, end) => scan.add(passwordOfPair(scan.text, end)))
for (const name of ['log in', 'login', 'sign in', 'log on', 'logging in'])
  on(name, (scan, end) => scan.add(passwordOfLogin(scan.text, end)))
for (const name of ['user', 'login']) on(name, (scan, end) => scan.add(passwordOfLine(scan.text, end)))
for (const name of SHORT_PAIR_NAMES)
  on(name, (scan, end) => scan.add(passwordOfShortPair(scan.text, { start: end - name.length, end })))
for (const marker of PLAIN_MARKERS) on(marker, (scan, end) => scan.add(markedPassword(scan.text, end)))
for (const name of KNOWN_USERS) on(name, (scan, end) => scan.add(passwordOfUser(scan.text, end)))
on('login', (scan, end) => scan.add(tokenAsLogin(scan.text, end)))
for (const name of ['log in', 'login', 'sign in', 'log on'])
  on(name, (scan, end) => scan.add(scan.neighbours.secretBefore({ start: end - name.length, end })))
for (const name of HEADS_OF_PAIRS)
  on(name, (scan, end) => {
    for (const span of scan.tables.secretsBelow({ start: end - name.length, end })) scan.add(span)
  })
on('wifi:', (scan, end) => scan.add(wifiPassword(scan.text, end)))
on('private-lines:', (scan, end) => scan.add(puttyLines(scan.text, end)))
on('authorization', (scan, end) => scan.add(authorizationValue(scan.text, end)))
on('cookie', (scan, end) => {
  for (const span of sessionCookies(scan.text, end)) scan.add(span)
})

export const KEYWORDS: readonly string[] = [...TRIGGERS.keys()]
const BY_KEYWORD = [...TRIGGERS.values()]
const automaton = buildAutomaton(KEYWORDS)

const scan = (written: string): Span[] => doAll(scanInPieces(written))

function* scanInPieces(written: string): Pieces<Span[]> {
  const { spans: found, hasSequences } = yield* scanPlain(written)
  const { text, originalOffset, originalEnd } = unfold(written, hasSequences)
  if (text === written) return found
  // Both forms are scanned: a character that disguises one secret is part of another.
  const { spans } = yield* scanPlain(text)
  const unfolded = spans.map(({ start, end, ...span }) => ({
    ...span,
    start: originalOffset(start),
    end: originalEnd(end),
  }))
  return withoutOverlaps([...found, ...unfolded])
}

function* scanPlain(text: string): Pieces<{ spans: Span[]; hasSequences: boolean }> {
  const found: Span[] = []
  const candidates = new Candidates(text)
  const state: Scan = {
    text,
    block: blockFinder(text, PEM),
    ssh2Block: blockFinder(text, SSH2),
    read: { start: 0, end: 0 },
    value: { nameEnd: -1, start: -1 },
    stretches: new Stretches(text),
    bare: new ValueRuns(text, BARE_NOTATION),
    signed: new ValueRuns(text, SIGNED_NOTATION),
    names: new NameRuns(text),
    neighbours: new Neighbours(text, candidates),
    tables: new Tables(text),
    calls: new Calls(text),
    manifestEnd: -1,
    listEnd: 0,
    webKeyEnd: 0,
    commandEnds: [],
    hasSequences: false,
    add: (span) => {
      if (span) found.push(span)
    },
  }
  const pieces = automaton.scanInPieces(text, (keyword, end) => {
    const { read } = state
    if (end <= read.end && end - (KEYWORDS[keyword]?.length ?? 0) > read.start) return
    for (const trigger of BY_KEYWORD[keyword] ?? []) trigger(state, end)
  })
  for (const _ of pieces) {
    for (const span of state.tables.readPiece()) state.add(span)
    yield
  }
  for (const span of yield* state.tables.rest()) state.add(span)
  yield
  if (!hasForeignLetters(text))
    return { spans: withRepetitions(text, withoutOverlaps(found)), hasSequences: state.hasSequences }
  const tables = new Tables(text)
  tables.hasHtml = state.tables.hasHtml
  const foreign: Scan = {
    ...state,
    tables,
    neighbours: new Neighbours(text, new Candidates(text)),
  }
  for (const { name, kind } of foreignNames(text)) {
    for (const span of foreign.tables.secretsBelow(name)) state.add(span)
    state.add(secretOfName(foreign, name, kind))
  }
  for (const span of yield* tables.rest()) state.add(span)
  yield
  const spans = withRepetitions(text, withoutOverlaps(found))
  return { spans, hasSequences: state.hasSequences }
}

function readBlock(scan: Scan, span: Span | undefined): Span | undefined {
  if (span) scan.read = span
  return span
}

function findToken(scan: Scan, end: number, prefix: string, rule: TokenRule): Span | undefined {
  const { text } = scan
  const fixed = end - prefix.length
  if (!text.startsWith(prefix, fixed)) return undefined
  const start = tokenStart(text, fixed, rule)
  if (start === -1 || !scan.stretches.admitsToken(start)) return undefined
  rule.tail.lastIndex = end
  const tail = rule.tail.exec(text)?.[0]
  if (tail === undefined) return undefined
  // If two rules match at one position, the longer prefix wins.
  const span = { start, end: end + tail.length, kind: rule.kind, rank: RANK.token + prefix.length / 100 }
  scan.read = span
  return isSampleToken(text.slice(start, fixed) + tail) ? undefined : span
}

function tokenStart(text: string, fixed: number, { head }: TokenRule): number {
  if (!head) return startsWord(text, fixed) ? fixed : -1
  head.lastIndex = fixed
  const before = head.exec(text)?.[1]
  return before === undefined ? -1 : fixed - before.length
}

/** Returns true at the start of a word, or after an escape such as `\n` or `%3D`. */
function startsWord(text: string, at: number): boolean {
  if (at === 0 || !isWordCharacter(text.charCodeAt(at - 1))) return true
  return text[at - 2] === '\\' || text[at - 3] === '%'
}

function isWordCharacter(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

function secretOfName(scan: Scan, name: Name, kind: string): Span | undefined {
  const { text } = scan
  if (scan.names.isDeepInside(name)) return undefined
  const found = assignedSecret(text, name.end, kind, scan) ?? distantSecret(text, name, kind)
  if (!found) return nearbySecret(scan, name, kind)
  if (isHarmless(text, name, kind, text.slice(found.start, found.end))) return undefined
  return kind === 'password' || text[found.end] !== ',' ? found : wholeList(scan, found)
}

function nearbySecret(scan: Scan, name: Name, kind: string): Span | undefined {
  const found = scan.neighbours.secretOf(name, kind)
  return found && !isHarmless(scan.text, name, kind, scan.text.slice(found.start, found.end))
    ? found
    : undefined
}

function wholeList(scan: Scan, first: Span): Span {
  if (first.start < scan.listEnd) return first
  scan.listEnd = endOfList(scan.text, first.end, first.end - first.start)
  return { ...first, end: scan.listEnd }
}

/** Longer than any published format; a longer value is data. */
const MAX_NAMED_VALUE_LENGTH = 2000

function findNamed(scan: Scan, end: number, rule: NamedRule): Span | undefined {
  const { text } = scan
  if (scan.value.nameEnd !== end) scan.value = { nameEnd: end, start: valueStart(text, end) }
  const { start } = scan.value
  if (start === -1 || !scan.stretches.admitsValue(start, MAX_NAMED_VALUE_LENGTH)) return undefined
  rule.value.lastIndex = start
  const value = rule.value.exec(text)?.[0]
  if (value === undefined || isSampleValue(value)) return undefined
  return { start, end: start + value.length, kind: rule.kind, rank: RANK.named }
}

/** Returns true inside a longer word: `keyword` and `KEYWORD`, but not `key`, `keys` or `keyId`. */
function wordGoesOn(text: string, end: number): boolean {
  const sameCase = isLower(text.charCodeAt(end - 1)) ? isLower : isUpper
  const next = text[end] === 's' || text[end] === 'S' ? end + 1 : end
  return sameCase(text.charCodeAt(next))
}

function isLower(code: number): boolean {
  return code >= 97 && code <= 122
}

function isUpper(code: number): boolean {
  return code >= 65 && code <= 90
}

/** A finding by kind and count. The secret itself is never stored, logged or returned. */
export type Finding = { kind: string; count: number }
export type Redacted = { text: string; findings: Finding[] }

export function redact(text: string): Redacted {
  return replaceSpans(text, scan(text))
}

function replaceSpans(text: string, spans: readonly Span[]): Redacted {
  if (spans.length === 0) return { text, findings: [] }
  const parts: string[] = []
  let from = 0
  for (const span of spans) {
    parts.push(text.slice(from, span.start), `<${span.kind.toUpperCase()}>`)
    from = span.end
  }
  parts.push(text.slice(from))
  return { text: parts.join(''), findings: countByKind(spans) }
}

export function findSecrets(text: string): Finding[] {
  return countByKind(scan(text))
}

export const findSecretsInPieces = async (work: Analyst, text: string): Promise<Finding[]> =>
  countByKind(await work.about('secrets', text, scanInPieces))

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g

/** Cleans free text before storage: removes secrets and control characters except tab and newline. */
export function sanitise(text: string): Redacted {
  // Escape is removed last: it tells the colours inside a secret from its letters.
  const { text: clean, findings } = redact(text.replace(CONTROL_CHARACTERS, ''))
  return { text: clean.replaceAll('\u001b', ''), findings }
}

export async function sanitiseInPieces(work: Work, written: string): Promise<Redacted> {
  const shown = written.replace(CONTROL_CHARACTERS, '')
  const { text: clean, findings } = replaceSpans(shown, await work.inPieces(scanInPieces(shown)))
  return { text: clean.replaceAll('\u001b', ''), findings }
}

export const withoutControlCharacters = (text: string): string =>
  text.replace(CONTROL_CHARACTERS, '').replaceAll('\u001b', '')

function countByKind(spans: readonly { kind: string }[]): Finding[] {
  const counts = new Map<string, number>()
  for (const { kind } of spans) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts].map(([kind, count]) => ({ kind, count }))
}

export class Findings {
  readonly #counts = new Map<string, number>()

  add(findings: readonly Finding[]): void {
    for (const { kind, count } of findings) this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count)
  }

  list(): Finding[] {
    return [...this.#counts].map(([kind, count]) => ({ kind, count }))
  }

  get found(): boolean {
    return this.#counts.size > 0
  }
}

export function cleanText(text: string, findings: Findings): string {
  const clean = sanitise(text)
  findings.add(clean.findings)
  return clean.text
}

/** Cleans a long text. Call this before a transaction begins. */
export async function cleanLongText(work: Work, text: string, findings: Findings): Promise<string> {
  const clean = await sanitiseInPieces(work, text)
  findings.add(clean.findings)
  return clean.text
}

export function cleanOptional(text: string | null | undefined, findings: Findings): string | null {
  return text == null ? null : cleanText(text, findings)
}

/** A number is a secret only if the whole name says so: `max_tokens` and `key` count something. */
const NAME_OF_SECRET =
  /(?:^|[_\s.-]|(?<=[a-z0-9])(?=[A-Z]))(?:(?<password>pass(?:word|wd|phrase|code)?|pwd|passwort|kennwort|contrase(?:n|ñ)a|senha|wachtwoord|mot_?de_?passe|parola|has(?:l|ł)o|пароль|パスワード|密码|密碼|비밀번호)|(?<secret>secret|(?:secret|private|signing|encryption|master)[_\s-]?key)|(?<api_key>(?:api|access|licen[cs]e)[_\s-]?key)|(?<token>(?:access|auth|api|refresh|bearer|session)[_\s-]?token))$/iu
const MAX_NAME_LENGTH = 80
const MIN_DIGITS = 6
const DIGITS = /^\d{6,40}$/

/** Returns the kind of a secret number, or of a text of digits, in structured data: `{"password": …}`. */
export function kindOfNumber(name: string, value: unknown): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const digits = typeof value === 'number' ? String(Math.abs(value)).replace(/\.|e\+/g, '') : value
  if (digits.length < MIN_DIGITS || !DIGITS.test(digits) || name.length > MAX_NAME_LENGTH) return undefined
  if (new Set(digits).size < 3) return undefined
  const groups = NAME_OF_SECRET.exec(name)?.groups
  return groups && Object.keys(groups).find((kind) => groups[kind] !== undefined)
}

/** Cleans metadata before storage: every text and number, judged together with its key. */
export function cleanJson<T>(value: T, findings: Findings, name = ''): T {
  const kind = kindOfNumber(name, value)
  if (kind !== undefined) {
    findings.add([{ kind, count: 1 }])
    return `<${kind.toUpperCase()}>` as T
  }
  if (typeof value === 'string') return cleanNamed(name, value, findings) as T
  if (Array.isArray(value)) return value.map((item) => cleanJson(item, findings, name)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key, findings), cleanJson(item, findings, key)]),
  ) as T
}

function cleanNamed(name: string, value: string, findings: Findings): string {
  const clean = sanitise(value)
  findings.add(clean.findings)
  if (clean.findings.length > 0 || name === '' || value.length > MAX_TOKEN_LENGTH) return clean.text
  const inContext = redact(`${name}: "${clean.text}"`).findings[0]
  if (!inContext) return clean.text
  findings.add([{ kind: inContext.kind, count: 1 }])
  return `<${inContext.kind.toUpperCase()}>`
}
