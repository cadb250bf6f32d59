import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import { formatTime } from '../../lib/format.ts'
import { configQuery, creditsPolicyQuery, refreshMe } from '../../session.ts'
import { Checkbox } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import * as strings from './strings.ts'

const serverQuery = queryOptions({
  queryKey: ['server-settings'],
  queryFn: ({ signal }) => call('GET /api/v1/admin/settings', {}, { signal }),
})

/** Settings of the whole server, for its admins. */
export function Server() {
  const settings = useQuery(serverQuery)
  const change = useMutation({
    mutationFn: (credits: boolean) => call('PATCH /api/v1/admin/settings', { credits }),
    onError: toastError,
    onSuccess: async (changed) => {
      queryClient.setQueryData(serverQuery.queryKey, changed)
      toast(changed.credits.value ? strings.creditsAreOn : strings.creditsAreOff)
      const shown = [configQuery.queryKey, creditsPolicyQuery.queryKey]
      await Promise.all(shown.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
      await refreshMe()
    },
  })
  if (!settings.data)
    return (
      <NotLoaded query={settings}>
        <SkeletonList rows={2} />
      </NotLoaded>
    )
  const { credits } = settings.data
  const isFixed = credits.source === 'environment'
  return (
    <div className="max-w-lead">
      <Section title={strings.creditsOfServer}>
        <Checkbox
          label={strings.useCredits}
          hint={strings.useCreditsHint}
          checked={change.isPending ? change.variables : credits.value}
          disabled={isFixed || change.isPending}
          onChange={(event) => change.mutate(event.target.checked)}
        />
        {isFixed && <p className="mt-2 text-sm text-soft">{strings.setByVariable(credits.variable)}</p>}
        {credits.source === 'admin' && credits.changed_at && (
          <p className="mt-2 text-xs text-faint">
            {strings.changedBy(credits.changed_by_name ?? '', formatTime(credits.changed_at))}
          </p>
        )}
      </Section>
    </div>
  )
}
