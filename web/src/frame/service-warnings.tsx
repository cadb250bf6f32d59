import { queryOptions, useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { serviceWarnings } from '../api/account.ts'
import { useMe } from '../session.ts'

const warningsQuery = queryOptions({
  queryKey: ['service-warnings'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: ({ signal }) => serviceWarnings({}, { signal }),
})

/** What is wrong with the server itself, for people who can fix it. */
export function ServiceWarnings() {
  const me = useMe()
  const { data } = useQuery({ ...warningsQuery, enabled: me.is_admin })
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
