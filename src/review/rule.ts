/** block: strangers cannot get the card; warn: reported and marked; note: reported to the writer only. */
export const SEVERITIES = ['block', 'warn', 'note'] as const
export type Severity = (typeof SEVERITIES)[number]

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

/** Rules for prompt injection: answers with such a finding are marked `contains_instructions`. */
export const SPEAKS_TO_AGENTS: ReadonlySet<DangerRuleId> = new Set([
  'agent_instruction',
  'role_tag',
  'tool_call',
])

export type Finding = { rule: DangerRuleId; severity: Severity; start: number; end: number }

export type IsAllowedHost = (host: string) => boolean

export type DangerMatch = { start: number; end: number; severity?: Severity }

/** Searches both patterns once for all keywords, because a text may repeat a keyword endlessly. */
export type Ahead = { part: RegExp; within: number; stop: RegExp }

/** Patterns are sticky and every quantifier is bounded, so a text is read in linear time. */
export type Trigger = {
  rule: DangerRuleId
  severity: Severity
  keywords: readonly string[]
  pattern: RegExp
  judge?: (match: RegExpExecArray, text: string, isAllowedHost: IsAllowedHost) => readonly DangerMatch[]
  /** If this fails, the pattern cannot match and is not tried. */
  ahead?: Ahead
  /** Checks the text around a match. Each part is checked once, however many matches it has. */
  around?: Around
}

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

/** `gap` matches none of `stop`; `within` is the maximum length of `gap` and `head`. */
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
