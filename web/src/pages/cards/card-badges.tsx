import { ThumbsUp } from 'lucide-react'
import type { CardType } from '../../api/types.ts'
import { Badge } from '../../ui/badge.tsx'
import { typeOf } from './card-types.ts'

export const TypeBadge = ({ type }: { type: CardType }) => {
  const { label, icon: Icon } = typeOf(type)
  return <Badge icon={<Icon size={12} aria-hidden />}>{label}</Badge>
}

export const UsefulCount = ({ count }: { count: number }) =>
  count > 0 ? (
    <span className="inline-flex items-center gap-1 text-xs text-faint">
      <ThumbsUp size={12} aria-hidden />
      {count} useful
    </span>
  ) : null
