import { doAll, type Pieces } from '../../core/pieces.ts'
import { assignedSecret, BARE_NOTATION, valueStart } from './assignments.ts'
import { buildAutomaton } from './automaton.ts'
import {
  addressedBlock,
  binaryKey,
  binaryKeywords,
  blockFinder,
  ENCODED_BEGIN,
  encodedBlock,
  headlessBlock,
  PEM,
  puttyLines,
  SSH2,
} from './blocks.ts'
import { commandKeywords, givenSecrets } from './command-arguments.ts'
import { handedOver, handoverKeywords } from './commands.ts'
import { distantSecret, type Name } from './distant-values.ts'
import { foreignNames, hasForeignLetters } from './foreign-names.ts'
import { isHarmless } from './harmless.ts'
import { authorizationValue, basicCredentials, bearerToken, sessionCookies } from './headers.ts'
import { endOfList } from './listed-keys.ts'
import { JSON_KINDS, secretsInJson, secretsInYaml, YAML_KINDS } from './manifests.ts'
import { NameRuns } from './name-runs.ts'
import { Candidates, Neighbours } from './names-and-values.ts'
import { HERE_STRING, hereString, pipedPassword, READERS } from './piped-passwords.ts'
import { isSampleToken, isSampleValue } from './placeholders.ts'
import {
  CALLS,
  Calls,
  KNOWN_USERS,
  PAIR_NAMES,
  passwordOfPair,
  passwordOfUser,
  tokenAsLogin,
  wifiPassword,
} from './positions.ts'
import { ALL_RULES } from './rules/all.ts'
import { SECRET_NAMES } from './rules/names.ts'
import { type NamedRule, RANK, type Span, type TokenRule } from './rules/rule.ts'
import { Stretches } from './stretches.ts'
import { HEADS_OF_PAIRS, Tables } from './tables.ts'
import { unfold } from './unfold.ts'
import { dsnPassword, urlPassword } from './urls.ts'
import { ValueRuns } from './value-runs.ts'
import { SIGNED_NOTATION } from './values-with-signs.ts'
import { WALLET_NAMES, walletWords } from './wallets.ts'
import { KEY_TYPES, secretsInWebKey } from './web-keys.ts'

/** The state of a scan. A keyword in the text starts a match at that position, never a pass over the whole text. */
type Scan = {
  text: string
  add(span: Span | undefined): void
  block: ReturnType<typeof blockFinder>
  ssh2Block: ReturnType<typeof blockFinder>
  /** The last stretch that was read as one token or block: nothing that starts inside it is tried again. */
  read: { start: number; end: number }
  /** The last value looked up by its name: several rules ask for the same one. */
  value: { nameEnd: number; start: number }
  stretches: Stretches
  bare: ValueRuns
  signed: ValueRuns
  names: NameRuns
  neighbours: Neighbours
  tables: Tables
  calls: Calls
  /** How far the last manifest of kind Secret was read. */
  manifestEnd: number
  /** How far the last list of keys was read. */
  listEnd: number
  /** How far the last JSON Web Key was read. */
  webKeyEnd: number
  /** How far the arguments of the last command of each name were read. */
  commandEnds: number[]
  /** Colours of a terminal may stand inside a secret, or the signs around it may be written as in an address. */
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
for (const name of CALLS) on(name, (scan, end) => scan.add(scan.calls.secretOf(end)))
for (const name of PAIR_NAMES) on(name, (scan, end) => scan.add(passwordOfPair(scan.text, end)))
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

/** Everything that a text is searched for. */
export const KEYWORDS: readonly string[] = [...TRIGGERS.keys()]
const BY_KEYWORD = [...TRIGGERS.values()]
const automaton = buildAutomaton(KEYWORDS)

/** Every secret in the text, in order, without overlaps. */
export const scan = (written: string): Span[] => doAll(scanInPieces(written))

export function* scanInPieces(written: string): Pieces<Span[]> {
  const { spans: found, hasSequences } = yield* scanPlain(written)
  const { text, originalOffset, originalEnd } = unfold(written, hasSequences)
  if (text === written) return found
  // The text is scanned in both forms: a character that disguises one secret is a part of another.
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
  yield* automaton.scanInPieces(text, (keyword, end) => {
    const { read } = state
    if (end <= read.end && end - (KEYWORDS[keyword]?.length ?? 0) > read.start) return
    for (const trigger of BY_KEYWORD[keyword] ?? []) trigger(state, end)
  })
  yield
  if (!hasForeignLetters(text)) return { spans: withoutOverlaps(found), hasSequences: state.hasSequences }
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
  yield
  const spans = withoutOverlaps(found)
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
  // If two rules match at one position, the one with the longer prefix wins.
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

/** The start of a word, or what follows an escape such as `\n` or `%3D`. */
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

/** A list is read once, whatever the names inside it. */
function wholeList(scan: Scan, first: Span): Span {
  if (first.start < scan.listEnd) return first
  scan.listEnd = endOfList(scan.text, first.end, first.end - first.start)
  return { ...first, end: scan.listEnd }
}

/** Longer than any published format; a longer value is data. */
const LONGEST_NAMED_VALUE = 2000

function findNamed(scan: Scan, end: number, rule: NamedRule): Span | undefined {
  const { text } = scan
  if (scan.value.nameEnd !== end) scan.value = { nameEnd: end, start: valueStart(text, end) }
  const { start } = scan.value
  if (start === -1 || !scan.stretches.admitsValue(start, LONGEST_NAMED_VALUE)) return undefined
  rule.value.lastIndex = start
  const value = rule.value.exec(text)?.[0]
  if (value === undefined || isSampleValue(value)) return undefined
  return { start, end: start + value.length, kind: rule.kind, rank: RANK.named }
}

/** `key` is a name, `keys` and `keyId` are, `keyword` and `KEYWORD` are not. */
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

/** Joins overlapping findings into one, with the kind of the most certain of them. */
function withoutOverlaps(found: Span[]): Span[] {
  found.sort((a, b) => a.start - b.start || b.end - a.end)
  const kept: Span[] = []
  for (const span of found) {
    const last = kept.at(-1)
    if (last === undefined || span.start >= last.end) {
      kept.push({ ...span })
      continue
    }
    if (span.rank > last.rank) {
      last.kind = span.kind
      last.rank = span.rank
    }
    last.end = Math.max(last.end, span.end)
  }
  return kept
}
