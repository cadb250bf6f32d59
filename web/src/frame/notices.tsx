import { queryOptions, useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { serviceNotices } from '../api/account.ts'
import { useMe } from '../session.ts'

const noticesQuery = queryOptions({
  queryKey: ['notices'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }) => serviceNotices({}, { signal }),
})

/** What is wrong with the server itself, for those who can mend it. */
export function Notices() {
  const me = useMe()
  const { data } = useQuery({ ...noticesQuery, enabled: me.is_admin })
  return data?.items.map(({ code, message }) => (
    <p
      key={code}
      role="status"
      className="flex items-start gap-2 border-b border-line bg-warn-soft px-4 py-2 text-sm text-ink"
    >
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-warn" />
      {message}
    </p>
  ))
}
