import { useQuery } from '@tanstack/react-query'
import { draftsQuery } from '../pages/drafts/draft-queries.ts'
import { Badge } from '../ui/badge.tsx'

/** How many drafts wait, beside the link to them. */
export function DraftsBadge() {
  const { data } = useQuery(draftsQuery)
  if (!data || data.total === 0) return null
  return (
    <Badge>
      {data.total}
      <span className="sr-only">waiting</span>
    </Badge>
  )
}
