import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { queryClient } from '../../api/query.ts'
import { readSettings, replaceSettings, type Settings } from '../../api/settings.ts'
import { setTheme, type Theme, useTheme } from '../../lib/theme.ts'
import { useMe } from '../../session.ts'
import { Checkbox, Segmented, SelectField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { ErrorState, SkeletonList } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'

const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => readSettings({}, { signal }),
})

const themes: { value: Theme; label: string }[] = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

/** Each change is saved as it is made, and can be undone. */
export function General() {
  const me = useMe()
  const theme = useTheme()
  const settings = useQuery(settingsQuery)
  const workspaces = useQuery(workspacesQuery)
  const save = useMutation({
    mutationFn: (next: Settings) => replaceSettings(next),
    onMutate: (next) => queryClient.setQueryData(settingsQuery.queryKey, next),
    onSuccess: (saved) => queryClient.setQueryData(settingsQuery.queryKey, saved),
    onError: (error) => {
      toastError(error)
      void queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey })
    },
  })
  if (settings.error) return <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />
  if (!settings.data) return <SkeletonList rows={4} />
  const before = settings.data
  const change = (part: Partial<Settings>) =>
    save.mutate(
      { ...before, ...part },
      { onSuccess: () => toast('Saved.', { undo: () => save.mutate(before) }) },
    )
  const writable = workspaces.data?.items.filter((one) => one.role === 'admin' || one.role === 'editor') ?? []
  return (
    <div className="max-w-[640px]">
      <Section title="Publishing">
        <div className="grid gap-4">
          <Checkbox
            label="I may publish cards to the library"
            hint="When this is off, neither you nor an agent with your key can publish. Taking cards back stays possible."
            checked={before.publishing_enabled}
            onChange={(event) => change({ publishing_enabled: event.target.checked })}
          />
          <SelectField
            label="New cards go to"
            hint="Where the editor puts a card unless you choose otherwise."
            value={before.default_workspace_id ?? ''}
            onChange={(event) => change({ default_workspace_id: event.target.value || null })}
          >
            <option value="">My personal workspace</option>
            {writable
              .filter((one) => one.workspace_id !== me.personal_workspace_id)
              .map((one) => (
                <option key={one.workspace_id} value={one.workspace_id}>
                  {one.name}
                </option>
              ))}
          </SelectField>
        </div>
      </Section>
      <Section title="Mail and privacy">
        <div className="grid gap-4">
          <Checkbox
            label="Ask me before I am added to a workspace"
            hint="You get an invitation instead of becoming a member at once."
            checked={before.ask_before_added}
            onChange={(event) => change({ ask_before_added: event.target.checked })}
          />
          <Checkbox
            label="Mail me what concerns me"
            hint="When somebody adds you to a workspace, say. It stands in your inbox in any case."
            checked={before.email_notifications}
            onChange={(event) => change({ email_notifications: event.target.checked })}
          />
          <Checkbox
            label="Share anonymous usage counts"
            hint="Counts only, never the text of a card, a search or an event."
            checked={before.share_usage}
            onChange={(event) => change({ share_usage: event.target.checked })}
          />
        </div>
      </Section>
      <Section title="Look">
        <Segmented label="Theme" value={theme} options={themes} onChange={setTheme} />
      </Section>
    </div>
  )
}
