import { Globe, Lock, ThumbsUp, Users } from 'lucide-react'
import type { Card, CardType } from '../../api/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { typeOf } from './card-types.ts'

export const TypeBadge = ({ type }: { type: CardType }) => {
  const { label, icon: Icon } = typeOf(type)
  return <Badge icon={<Icon size={12} aria-hidden />}>{label}</Badge>
}

/** Private, shared with a team, or in the library: a card that is published where it was written is shared. */
export function StatusBadge({
  card,
}: {
  card: Pick<Card, 'status' | 'workspace_id' | 'origin_workspace_id'>
}) {
  if (card.status === 'unpublished') return <Badge icon={<Lock size={12} aria-hidden />}>Private</Badge>
  if (card.origin_workspace_id && card.origin_workspace_id !== card.workspace_id)
    return (
      <Badge tone="ok" icon={<Globe size={12} aria-hidden />}>
        Published
      </Badge>
    )
  return (
    <Badge tone="accent" icon={<Users size={12} aria-hidden />}>
      Shared
    </Badge>
  )
}

export const UsefulCount = ({ count }: { count: number }) =>
  count > 0 ? (
    <span className="inline-flex items-center gap-1 text-xs text-faint">
      <ThumbsUp size={12} aria-hidden />
      {count} useful
    </span>
  ) : null
