/**
 * The severity of a finding: block keeps a card from strangers, warn is reported and marked, note is reported to the
 * writer only.
 */
export const SEVERITIES = ['block', 'warn', 'note'] as const
export type Severity = (typeof SEVERITIES)[number]

/** The rules, in the order in which findings at the same position are reported. */
export const DANGER_RULES = [
  'agent_instruction',
  'role_tag',
  'tool_call',
  'hidden_text',
  'remote_code',
  'destruction',
  'exfiltration',
  'weakened_check',
  'new_trust',
  'download_host',
  'lookalike_package',
  'personal_data',
] as const
export type DangerRuleId = (typeof DANGER_RULES)[number]

/** Rules whose findings speak to the agent that reads: its answer is marked `contains_instructions`. */
export const SPEAKS_TO_AGENTS: ReadonlySet<DangerRuleId> = new Set([
  'agent_instruction',
  'role_tag',
  'tool_call',
])

export type Finding = { rule: DangerRuleId; severity: Severity; start: number; end: number }

/** Whether a download may come from this host. */
export type IsAllowedHost = (host: string) => boolean

export type DangerMatch = { start: number; end: number; severity?: Severity }

/**
 * How the matches of a pattern go on: with `part`, at most `within` characters behind the start of the keyword, and with no
 * `stop` before it. Both are global. A text may repeat a keyword on and on, so they are looked for once for all of them.
 */
export type Ahead = { part: RegExp; within: number; stop: RegExp }

/**
 * One way to find a danger: at each keyword (ASCII, without case) the pattern is tried once, from where the keyword starts.
 * Patterns are sticky and every quantifier is bounded, so that a try costs a constant and a text is read in linear time.
 */
export type Trigger = {
  rule: DangerRuleId
  severity: Severity
  keywords: readonly string[]
  pattern: RegExp
  /** Checks a match: may move it, change its severity, or drop it. */
  judge?: (match: RegExpExecArray, text: string, isAllowedHost: IsAllowedHost) => readonly DangerMatch[]
  /** Where this is not so, the pattern cannot match and is not tried. */
  ahead?: Ahead
  /** Checks what stands around a match. Each part of a text is checked once, however many matches it has. */
  around?: Around
}

/** What stands around a keyword: so many characters before and behind it, of its own line or of several. */
export type Around = {
  before: number
  behind: number
  lines?: true
  isDanger: (part: string, isAllowedHost: IsAllowedHost) => boolean
}

export const trigger = (
  rule: DangerRuleId,
  severity: Severity,
  keywords: string,
  pattern: RegExp,
  judge?: Trigger['judge'],
): Trigger => ({
  rule,
  severity,
  keywords: keywords.split('¦'),
  pattern,
  ...(judge ? { judge } : {}),
})

type Far = { head: string; gap: string; part: string; within: number; stop?: RegExp; flags?: 'i' | '' }

const LINE_END = /\n/g

/** A trigger whose pattern reads far: `gap` takes none of `stop`, and `within` is the longest that it and `head` can be. */
export const farTrigger = (
  rule: DangerRuleId,
  severity: Severity,
  keywords: string,
  { head, gap, part, within, stop = LINE_END, flags = 'i' }: Far,
  judge?: Trigger['judge'],
): Trigger => ({
  ...trigger(rule, severity, keywords, new RegExp(head + gap + part, `${flags}y`), judge),
  ahead: { part: new RegExp(part, `${flags}g`), within, stop },
})

export const spanOf = (match: RegExpExecArray): DangerMatch => ({
  start: match.index,
  end: match.index + match[0].length,
})

/** A trigger that looks at a part of the text around a keyword. Both tables combine: what is named, and what is done with it. */
export const aroundTrigger = (
  rule: DangerRuleId,
  severity: Severity,
  keywords: string,
  isDanger: Around['isDanger'],
  { before = 160, behind = 200, lines }: Partial<Omit<Around, 'isDanger'>> = {},
): Trigger => ({
  rule,
  severity,
  keywords: keywords.split('¦'),
  pattern: /[^\n]/y,
  around: { before, behind, isDanger, ...(lines ? { lines } : {}) },
})
