import type { ModerationMatter } from '../../api/types.ts'
import { Badge } from '../../ui/badge.tsx'

export const REPORT_KINDS = {
  dangerous: 'It is dangerous to follow',
  instructions: 'It gives orders to agents',
  secret: 'It holds a password, key or other secret',
  personal: 'It names private people or data',
  wrong: 'It is false on purpose',
  spam: 'It is advertising or spam',
  other: 'Something else',
} as const
export type ReportKind = keyof typeof REPORT_KINDS

export const kindWords = (kind: string): string => REPORT_KINDS[kind as ReportKind] ?? kind

export const DECISIONS = {
  keep: { label: 'Keep it', hint: 'Everybody who could read it can read it again.' },
  hide: { label: 'Hide it', hint: 'It stays where it is, and only its owner can read it.' },
  remove: {
    label: 'Remove it',
    hint: 'It goes back to where its owner wrote it, and only the owner can read it.',
  },
} as const

/** For a draft that the review refused, which only its owner has read. */
export const DRAFT_DECISIONS = {
  keep: { label: 'Let it through', hint: 'Its owner can publish this version as it is.' },
  hide: { label: 'Do not let it through', hint: 'It stays with its owner, unpublished.' },
} as const
export type Decision = keyof typeof DECISIONS

const DECIDED = { keep: 'Kept', hide: 'Hidden', remove: 'Removed' } as const

export function stateWords({
  status,
  decision,
  cause,
}: Pick<ModerationMatter, 'status' | 'decision' | 'cause'>) {
  if (status === 'open') return cause === 'blocked' ? 'Asked about' : 'Reported'
  if (status === 'appealed') return 'Appealed'
  if (decision === null) return 'Closed'
  if (cause === 'blocked') return decision === 'keep' ? 'Let through' : 'Not let through'
  return DECIDED[decision]
}

const HIDDEN = 'Hidden'

export function MatterBadges({ one }: { one: ModerationMatter }) {
  const state = stateWords(one)
  return (
    <>
      <Badge tone={one.status === 'decided' ? 'neutral' : 'accent'}>{state}</Badge>
      {one.is_hidden && state !== HIDDEN && <Badge tone="warn">{HIDDEN}</Badge>}
    </>
  )
}
