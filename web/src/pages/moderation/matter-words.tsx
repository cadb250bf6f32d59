import type { ModerationMatter } from '../../api/types.ts'
import { Badge } from '../../ui/badge.tsx'
import * as strings from './strings.ts'

export const REPORT_KINDS = {
  dangerous: strings.isDangerous,
  instructions: strings.ordersAgents,
  secret: strings.holdsSecret,
  personal: strings.namesPeople,
  wrong: strings.isFalse,
  spam: strings.isSpam,
  other: strings.somethingElse,
} as const
export type ReportKind = keyof typeof REPORT_KINDS

export const kindWords = (kind: string): string => REPORT_KINDS[kind as ReportKind] ?? kind

export const DECISIONS = {
  keep: { label: strings.keepIt, hint: strings.keepItHint },
  hide: { label: strings.hideIt, hint: strings.hideItHint },
  remove: {
    label: strings.removeIt,
    hint: strings.removeItHint,
  },
} as const

/** For a draft that the review refused, which only its owner has read. */
export const DRAFT_DECISIONS = {
  keep: { label: strings.letItThrough, hint: strings.letItThroughHint },
  hide: { label: strings.doNotLetItThrough, hint: strings.doNotLetItThroughHint },
} as const
export type Decision = keyof typeof DECISIONS

const DECIDED = { keep: strings.kept, hide: strings.hidden, remove: strings.removed } as const

export function stateWords({
  status,
  decision,
  cause,
}: Pick<ModerationMatter, 'status' | 'decision' | 'cause'>) {
  if (status === 'open') return cause === 'blocked' ? strings.askedAbout : strings.reported
  if (status === 'appealed') return strings.appealed
  if (decision === null) return strings.closed
  if (cause === 'blocked') return decision === 'keep' ? strings.letThrough : strings.notLetThrough
  return DECIDED[decision]
}

const HIDDEN = strings.hidden

export function MatterBadges({ one }: { one: ModerationMatter }) {
  const state = stateWords(one)
  return (
    <>
      <Badge tone={one.status === 'decided' ? 'neutral' : 'accent'}>{state}</Badge>
      {one.is_hidden && state !== HIDDEN && <Badge tone="warn">{HIDDEN}</Badge>}
    </>
  )
}
