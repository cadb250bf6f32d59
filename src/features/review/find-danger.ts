import { doAll, type Pieces } from '../../core/pieces.ts'
import { type Automaton, buildAutomaton } from '../redaction/automaton.ts'
import { allowedHosts } from './hosts.ts'
import { isPlain, readable } from './readable.ts'
import {
  type Ahead,
  type DangerRuleId,
  type Finding,
  type IsAllowedHost,
  type Severity,
  SPEAKS_TO_AGENTS,
  spanOf,
  type Trigger,
} from './rule.ts'
import { COMMAND_TRIGGERS } from './rules/commands.ts'
import { DOWNLOAD_TRIGGERS } from './rules/downloads.ts'
import { EXFILTRATION_TRIGGERS } from './rules/exfiltration.ts'
import { findHiddenCharacters, HIDDEN_TRIGGERS } from './rules/hidden.ts'
import { IMITATION_TRIGGERS } from './rules/imitations.ts'
import { FOREIGN_INSTRUCTIONS, INSTRUCTION_TRIGGERS } from './rules/instructions.ts'
import { PACKAGE_TRIGGERS } from './rules/packages.ts'
import { PERSONAL_TRIGGERS } from './rules/personal.ts'
import { TRUST_TRIGGERS } from './rules/trust.ts'

/**
 * One finding is enough to refuse. More help the writer, up to this number of a rule and severity. They are counted by
 * severity: what blocks must not hide behind what warns.
 */
const MOST_OF_A_SEVERITY = 20

/**
 * So many starts of one command are a row that nobody writes, and to judge each costs more than the rest of the review. The
 * further ones are found, whatever a judge would say.
 */
const MOST_WITH_ONE_END = 5

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

/**
 * Where patterns are next found. Each is looked for again only behind where it was found, so that all looks together
 * read the text once.
 */
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

/** The character behind a keyword may be any that separates words, so a stop counts behind it. */
function isAhead(
  { part, within, stop }: Ahead,
  keyword: { start: number; end: number },
  next: NextPosition,
): boolean {
  const position = next(part, keyword.start)
  return position <= keyword.start + within && position <= next(stop, keyword.end + 1)
}

/** Whether a match is to be judged, by how many of its trigger have had the same end. */
function judgedByEnd() {
  const last = new Map<Trigger, { end: number; matches: number }>()
  return (trigger: Trigger, end: number): boolean => {
    const known = last.get(trigger)
    const matches = known?.end === end ? known.matches + 1 : 1
    last.set(trigger, { end, matches })
    return matches <= MOST_WITH_ONE_END
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
  yield* automaton.scanInPieces(text, (keyword, end) => {
    const { trigger, length } = waiting[keyword] as Scanner['waiting'][number]
    const { rule, pattern, judge, ahead } = trigger
    // A judge lowers a severity, and never raises it.
    if ((counts[trigger.severity].get(rule) ?? 0) >= MOST_OF_A_SEVERITY) return
    const start = end - length
    if (ahead && !isAhead(ahead, { start, end }, next)) return
    pattern.lastIndex = start
    const match = pattern.exec(text)
    if (match === null) return
    const whole = spanOf(match)
    const spans = judge && isJudged(trigger, whole.end) ? judge(match, text, isAllowedHost) : [whole]
    for (const span of spans) {
      const finding = { rule, severity: trigger.severity, ...span }
      const count = counts[finding.severity].get(rule) ?? 0
      if (count >= MOST_OF_A_SEVERITY) continue
      counts[finding.severity].set(rule, count + 1)
      sink(finding)
    }
  })
}

function foreignInstructions(text: string): Finding[] {
  return [...text.matchAll(FOREIGN_INSTRUCTIONS)].slice(0, MOST_OF_A_SEVERITY).map((match) => ({
    rule: 'agent_instruction',
    severity: 'block',
    start: match.index,
    end: match.index + match[0].length,
  }))
}

const WEIGHT = { block: 2, warn: 1, note: 0 } as const

/** Overlapping findings of one rule count once; the more severe one stays. */
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

/** Everything in the text that is dangerous to people or agents who read or follow it. Linear in the length of the text. */
export const findDanger = (text: string, isAllowedHost?: IsAllowedHost): Finding[] =>
  doAll(findDangerInPieces(text, isAllowedHost))

export function* findDangerInPieces(
  text: string,
  isAllowedHost: IsAllowedHost = KNOWN_ONLY,
): Pieces<Finding[]> {
  const isAsWritten = isPlain(text)
  const found = findHiddenCharacters(text, isAsWritten)
  yield
  if (isAsWritten) yield* scan(EVERYTHING, text, isAllowedHost, (finding) => found.push(finding))
  else {
    const { text: plain, writtenAt } = readable(text)
    const asWritten = ({ start, end, ...rest }: Finding) => ({
      ...rest,
      start: writtenAt(start),
      end: writtenAt(end - 1) + 1,
    })
    yield
    yield* scan(EVERYTHING, plain, isAllowedHost, (finding) => found.push(asWritten(finding)))
    found.push(...foreignInstructions(plain).map(asWritten))
  }
  return found.length === 0 ? found : withoutOverlaps(found)
}

/** Whether a text speaks to the agent that reads it. Cheaper than `findDanger`, since every answer needs it. */
export function containsInstructions(text: string): boolean {
  const isAsWritten = isPlain(text)
  const plain = isAsWritten ? text : readable(text).text
  let speaks = false
  doAll(
    scan(SPEAKING, plain, KNOWN_ONLY, ({ rule, severity }) => {
      speaks ||= SPEAKS_TO_AGENTS.has(rule) && severity !== 'note'
    }),
  )
  return speaks || (!isAsWritten && foreignInstructions(plain).length > 0)
}
