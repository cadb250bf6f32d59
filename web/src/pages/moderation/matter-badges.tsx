import type { ModerationMatter } from '../../api/moderation.ts'
import { Badge } from '../../ui/badge.tsx'
import { stateWords } from './words.ts'

const HIDDEN = 'Hidden'

/** How a matter stands, and that its card is hidden, unless that is what was decided. */
export function MatterBadges({ one }: { one: ModerationMatter }) {
  const state = stateWords(one)
  return (
    <>
      <Badge tone={one.status === 'decided' ? 'neutral' : 'accent'}>{state}</Badge>
      {one.is_hidden && state !== HIDDEN && <Badge tone="warn">{HIDDEN}</Badge>}
    </>
  )
}
