import { useQuery } from '@tanstack/react-query'
import { unreadQuery } from '../pages/inbox/inbox-queries.ts'
import { Badge } from '../ui/badge.tsx'

const MOST_SHOWN = 99

/** How many notices wait, beside the link to them. */
export function UnreadBadge() {
  const { data } = useQuery(unreadQuery)
  if (!data || data.unread === 0) return null
  return (
    <Badge tone="accent">
      {data.unread > MOST_SHOWN ? `${MOST_SHOWN}+` : data.unread}
      <span className="sr-only">unread</span>
    </Badge>
  )
}
