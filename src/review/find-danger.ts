import { type Automaton, buildAutomaton } from '../redaction/aho-corasick.ts'
import { type Analyst, doAll, type Pieces } from '../shared/pieces.ts'
import { decoded, isPlain, type Readable, readable } from './fold.ts'
import { allowedHosts, PACKAGE_TRIGGERS } from './known-software.ts'
import {
  type Ahead,
  type Around,
  type DangerRuleId,
  type Finding,
  type IsAllowedHost,
  type Severity,
  SPEAKS_TO_AGENTS,
  spanOf,
  type Trigger,
} from './rule.ts'
import { COMMAND_TRIGGERS, DOWNLOAD_TRIGGERS, EXFILTRATION_TRIGGERS } from './rules-commands.ts'
import {
  findHiddenCharacters,
  HIDDEN_TRIGGERS,
  IMITATION_TRIGGERS,
  INSTRUCTION_TRIGGERS,
} from './rules-instructions.ts'
import { FLOW_TRIGGERS, PERSONAL_TRIGGERS, TRUST_TRIGGERS } from './rules-protections.ts'
import { findSentences } from './sentences.ts'

/** Counts severities separately, so that a block cannot hide behind warnings. */
const MAX_PER_SEVERITY = 20

/** Many starts of one command are an attack on the review time. */
const MAX_WITH_ONE_END = 5

/** Many overlapping matches attack the review time, so only the last is followed to its end. */
const MAX_OVERLAPPING = 8

type Scanner = { automaton: Automaton; waiting: readonly { trigger: Trigger; length: number }[] }

function scannerOf(triggers: readonly Trigger[]): Scanner {
  const waiting = triggers.flatMap((trigger) =>
    trigger.keywords.map((keyword) => ({ trigger, keyword, length: keyword.length })),
  )
  return { automaton: buildAutomaton(waiting.map(({ keyword }) => keyword)), waiting }
}

const SPEAKING = scannerOf([...INSTRUCTION_TRIGGERS, ...IMITATION_TRIGGERS])
const EVERYTHING = scannerOf([
  ...INSTRUCTION_TRIGGERS,
  ...IMITATION_TRIGGERS,
  ...HIDDEN_TRIGGERS,
  ...COMMAND_TRIGGERS,
  ...FLOW_TRIGGERS,
  ...EXFILTRATION_TRIGGERS,
  ...TRUST_TRIGGERS,
  ...DOWNLOAD_TRIGGERS,
  ...PACKAGE_TRIGGERS,
  ...PERSONAL_TRIGGERS,
])

type Sink = (finding: Finding) => void

const noCounts = (): Record<Severity, Map<DangerRuleId, number>> => ({
  block: new Map(),
  warn: new Map(),
  note: new Map(),
})

/** Resumes each search behind its last position, so that all searches read the text once. */
function nextPositions(text: string) {
  const looks = new Map<RegExp, { from: number; position: number }>()
  return (pattern: RegExp, from: number): number => {
    const last = looks.get(pattern)
    if (last && last.from <= from && from <= last.position) return last.position
    pattern.lastIndex = from
    const position = pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY
    looks.set(pattern, { from, position })
    return position
  }
}

type NextPosition = ReturnType<typeof nextPositions>

/** The character behind a keyword may be any separator, so a stop counts only behind that character. */
function isAhead(
  { part, within, stop }: Ahead,
  keyword: { start: number; end: number },
  next: NextPosition,
): boolean {
  const position = next(part, keyword.start)
  return position <= keyword.start + within && position <= next(stop, keyword.end + 1)
}

function judgedByEnd() {
  const last = new Map<Trigger, { end: number; matches: number }>()
  return (trigger: Trigger, end: number): boolean => {
    const known = last.get(trigger)
    const matches = known?.end === end ? known.matches + 1 : 1
    last.set(trigger, { end, matches })
    return matches <= MAX_WITH_ONE_END
  }
}

const [BACKSLASH, RETURN, NEWLINE] = [0x5c, 0x0d, 0x0a]

function endsLine(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== NEWLINE) return false
  return text.charCodeAt(text.charCodeAt(at - 1) === RETURN ? at - 2 : at - 1) !== BACKSLASH
}
function lineStart(text: string, at: number, least: number): number {
  let start = at
  while (start > least && !endsLine(text, start - 1)) start--
  return start
}
function lineEnd(text: string, at: number, most: number): number {
  let end = at
  while (end < most && !endsLine(text, end)) end++
  return end
}

function partAround(
  text: string,
  { start, end }: { start: number; end: number },
  around: Around,
): { part: string; end: number } {
  const first = Math.max(0, start - around.before)
  const last = Math.min(text.length, end + around.behind)
  const [from, to] = around.lines ? [first, last] : [lineStart(text, start, first), lineEnd(text, end, last)]
  return { part: text.slice(from, to), end: to }
}

const MAX_PARTS = 200

/** Checks the parts around keywords. Each part is checked once, even for several keywords or repeated text. */
function lookAround(text: string, isAllowedHost: IsAllowedHost) {
  const lookedUntil = new Map<Trigger, number>()
  const known = new Map<Trigger, Map<string, boolean>>()
  return (trigger: Trigger, around: Around, keyword: { start: number; end: number }): boolean => {
    if (keyword.start < (lookedUntil.get(trigger) ?? 0)) return false
    const { part, end } = partAround(text, keyword, around)
    lookedUntil.set(trigger, end)
    const parts = known.get(trigger) ?? new Map<string, boolean>()
    known.set(trigger, parts)
    const answer = parts.get(part) ?? around.isDanger(part, isAllowedHost)
    if (parts.size < MAX_PARTS) parts.set(part, answer)
    return answer
  }
}

function* scan(
  { automaton, waiting }: Scanner,
  text: string,
  isAllowedHost: IsAllowedHost,
  sink: Sink,
): Pieces<void> {
  const counts = noCounts()
  const next = nextPositions(text)
  const isJudged = judgedByEnd()
  const isDangerAround = lookAround(text, isAllowedHost)
  const rows = new Map<Trigger, number>()
  const overlapping = new Map<Trigger, { end: number; matches: number }>()
  yield* automaton.scanInPieces(text, (keyword, end) => {
    const { trigger, length } = waiting[keyword] as Scanner['waiting'][number]
    const { rule, pattern, judge, ahead, around } = trigger
    // A judge only lowers a severity.
    if ((counts[trigger.severity].get(rule) ?? 0) >= MAX_PER_SEVERITY) return
    const start = end - length
    if (ahead && !isAhead(ahead, { start, end }, next)) return
    if (around) {
      if (!isDangerAround(trigger, around, { start, end })) return
      counts[trigger.severity].set(rule, (counts[trigger.severity].get(rule) ?? 0) + 1)
      return sink({ rule, severity: trigger.severity, start, end })
    }
    if (start < (rows.get(trigger) ?? 0)) return
    pattern.lastIndex = start
    const match = pattern.exec(text)
    if (match === null) return
    const whole = spanOf(match)
    const before = overlapping.get(trigger)
    const matches = before && start < before.end ? before.matches + 1 : 0
    overlapping.set(trigger, { end: whole.end, matches })
    if (matches >= MAX_OVERLAPPING) rows.set(trigger, whole.end)
    const spans =
      judge && matches < MAX_OVERLAPPING && isJudged(trigger, whole.end)
        ? judge(match, text, isAllowedHost)
        : [whole]
    for (const span of spans) {
      const finding = { rule, severity: trigger.severity, ...span }
      const count = counts[finding.severity].get(rule) ?? 0
      if (count >= MAX_PER_SEVERITY) continue
      counts[finding.severity].set(rule, count + 1)
      sink(finding)
    }
  })
}

const WEIGHT = { block: 2, warn: 1, note: 0 } as const

function withoutOverlaps(findings: readonly Finding[]): Finding[] {
  const kept: Finding[] = []
  const last = new Map<DangerRuleId, Finding>()
  for (const finding of findings.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const before = last.get(finding.rule)
    if (before === undefined || finding.start >= before.end) {
      const own = { ...finding }
      kept.push(own)
      last.set(finding.rule, own)
      continue
    }
    before.end = Math.max(before.end, finding.end)
    if (WEIGHT[finding.severity] > WEIGHT[before.severity]) before.severity = finding.severity
  }
  return kept
}

const KNOWN_ONLY = allowedHosts()

function capped(findings: readonly Finding[]): Finding[] {
  const counts = noCounts()
  return findings.filter(({ rule, severity }) => {
    const count = (counts[severity].get(rule) ?? 0) + 1
    counts[severity].set(rule, count)
    return count <= MAX_PER_SEVERITY
  })
}

const asIs = (text: string): Readable => ({ text, writtenAt: (at) => at })

/** Returns the forms to scan: the visible text, and the decoded parts. */
function formsOf(text: string): Readable[] {
  const looks = isPlain(text) ? asIs(text) : readable(text)
  const says = decoded(looks.text).map((part) => ({
    text: part.text,
    writtenAt: (at: number) => looks.writtenAt(part.writtenAt(at)),
  }))
  return [looks, ...says]
}

/** Returns everything in the text that is dangerous to people or agents. Linear in the length of the text. */
export const findDanger = (text: string, isAllowedHost?: IsAllowedHost): Finding[] =>
  doAll(findDangerInPieces(text, isAllowedHost))

export function* findDangerInPieces(
  text: string,
  isAllowedHost: IsAllowedHost = KNOWN_ONLY,
): Pieces<Finding[]> {
  const found = findHiddenCharacters(text, isPlain(text))
  yield
  for (const { text: form, writtenAt } of formsOf(text)) {
    const keep: Sink = (finding) =>
      found.push({ ...finding, start: writtenAt(finding.start), end: writtenAt(finding.end - 1) + 1 })
    yield* scan(EVERYTHING, form, isAllowedHost, keep)
    findSentences(form, keep)
    yield
  }
  return found.length === 0 ? found : capped(withoutOverlaps(found))
}

const EDGE = 300

export function findAcross(fields: readonly string[]): (Finding & { field: number })[] {
  const found: (Finding & { field: number })[] = []
  const starts: number[] = []
  let joined = ''
  for (const text of fields) {
    starts.push(joined.length)
    joined += text.length <= 2 * EDGE ? `${text} ` : `${text.slice(0, EDGE)}. ${text.slice(-EDGE)} `
  }
  const keep =
    (writtenAt: Readable['writtenAt']): Sink =>
    ({ rule, start, end }) => {
      if (!SPEAKS_TO_AGENTS.has(rule)) return
      const [from, to] = [writtenAt(start), writtenAt(end - 1)]
      const field = starts.findLastIndex((begin) => begin <= to)
      if (field < 1 || from >= (starts[field] ?? 0)) return
      if (found.some((known) => known.field === field && known.rule === rule)) return
      const reach = Math.min(to - (starts[field] ?? 0) + 1, fields[field]?.length ?? 0)
      found.push({ rule, severity: 'warn', start: 0, end: Math.max(1, reach), field })
    }
  for (const { text, writtenAt } of formsOf(joined)) {
    findSentences(text, keep(writtenAt))
    doAll(scan(SPEAKING, text, KNOWN_ONLY, keep(writtenAt)))
  }
  return found
}

export function containsInstructions(text: string): boolean {
  let speaks = false
  const look: Sink = ({ rule, severity }) => {
    speaks ||= SPEAKS_TO_AGENTS.has(rule) && severity !== 'note'
  }
  for (const { text: form } of formsOf(text)) {
    if (!speaks) doAll(scan(SPEAKING, form, KNOWN_ONLY, look))
    if (!speaks) findSentences(form, look)
  }
  return speaks
}

export type DangerPolicy = {
  /** The severity of each rule. A missing rule keeps its default. */
  severities: Partial<Record<DangerRuleId, Severity | undefined>>
  isAllowedHost: IsAllowedHost
  addedHosts: readonly string[]
}

export const dangerPolicy = (
  severities: DangerPolicy['severities'] = {},
  addedHosts: readonly string[] = [],
): DangerPolicy => ({ severities, isAllowedHost: allowedHosts(addedHosts), addedHosts })

export const FIXED_POLICY: DangerPolicy = dangerPolicy()

export async function dangerIn(work: Analyst, text: string, policy: DangerPolicy): Promise<Finding[]> {
  const found = await work.about(`danger ${policy.addedHosts.join(' ')}`, text, (text) =>
    findDangerInPieces(text, policy.isAllowedHost),
  )
  return found.map((finding) => ({
    ...finding,
    severity: policy.severities[finding.rule] ?? finding.severity,
  }))
}

export async function dangerAcross(
  work: Analyst,
  fields: readonly string[],
  policy: DangerPolicy,
): Promise<(Finding & { field: number })[]> {
  // biome-ignore lint/correctness/useYield: one piece
  const found = await work.about('danger across', fields.join('\n\n'), function* () {
    return findAcross(fields)
  })
  return found.map((finding) => ({
    ...finding,
    severity: policy.severities[finding.rule] ?? finding.severity,
  }))
}

type Words = { why: string; safer: string }

/** The message for the writer of a card: why the text is dangerous and what to write instead. */
export const DANGER_WORDS: Record<DangerRuleId, Words> = {
  agent_instruction: {
    why: 'This speaks to the agent that reads the card and tells it what to do or to hide.',
    safer: 'Describe the fix to a person: what to change and why. Describe an attack without quoting it.',
  },
  role_tag: {
    why: 'This imitates the marks of a conversation, so an agent can mistake it for a message of its user or operator.',
    safer: 'Name the mark in words, such as "the system tag of the chat template", and leave out the mark.',
  },
  tool_call: {
    why: 'This imitates a tool call or its result, so an agent can mistake it for one of its own.',
    safer: 'Say which tool is called with which fields in a sentence or a table.',
  },
  hidden_text: {
    why: 'A person does not see part of this text, but an agent reads it.',
    safer: 'Delete the invisible characters, comments and styles, and write visible text in one alphabet.',
  },
  remote_code: {
    why: 'This executes code that comes from elsewhere or is encoded, and nobody reads it before.',
    safer:
      'Name the package and its version, or tell the reader to download the file, read it, check its hash and run it.',
  },
  destruction: {
    why: 'This command destroys more than the problem needs, and cannot be undone.',
    safer: 'Name the exact folder, table or resource, and tell the reader to make a backup first.',
  },
  exfiltration: {
    why: 'This sends files, secrets or a conversation to somebody else.',
    safer:
      'Say what to look at on the reader’s own machine. If data must be sent, name only data without secrets.',
  },
  weakened_check: {
    why: 'This switches off a protection: certificates, signatures, permissions or host keys.',
    safer: 'Say how to satisfy the check: install the certificate or key, or set the exact permission.',
  },
  new_trust: {
    why: 'This makes a machine trust something new: a key, a registry, a certificate, a task or a server.',
    safer: 'Use the official source, and say how to verify the key or the source before it is trusted.',
  },
  download_host: {
    why: 'This downloads from a host that is not on the list of known hosts.',
    safer:
      'Link to the official release or registry. An admin can add a host in the policy (download_hosts).',
  },
  lookalike_package: {
    why: 'The name is nearly that of a widely used package. Such names are used to spread malware.',
    safer: 'Check the spelling. If you mean this package, say in the text what it is and who makes it.',
  },
  personal_data: {
    why: 'This looks like personal data: an e-mail address, a phone number or the folder of a person.',
    safer: 'Use a placeholder: user@example.com, <PHONE>, or ~/ in place of a home folder.',
  },
}
