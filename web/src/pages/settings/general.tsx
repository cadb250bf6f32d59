import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { DEFAULT_LANGUAGE } from '#server/core/language.ts'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { Settings } from '../../api/types.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { setTheme, type Theme, useTheme } from '../../lib/theme.ts'
import { meQuery, useMe } from '../../session.ts'
import { Checkbox, Segmented, SelectField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { NotLoaded, PartNotLoaded, SkeletonList } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'

const TAGS = [
  'en',
  'en-US',
  'en-GB',
  'ar',
  'cs',
  'da',
  'de',
  'de-CH',
  'el',
  'es',
  'fi',
  'fr',
  'he',
  'hi',
  'hu',
  'id',
  'it',
  'ja',
  'ko',
  'nb',
  'nl',
  'pl',
  'pt-BR',
  'pt-PT',
  'ro',
  'sv',
  'tr',
  'uk',
  'vi',
  'zh-Hans',
  'zh-Hant',
]

const nameOf = (tag: string): string =>
  tag === DEFAULT_LANGUAGE
    ? 'As the browser; mails in English'
    : (new Intl.DisplayNames([tag, 'en'], { type: 'language' }).of(tag) ?? tag)

/** Returns the languages to choose from, including the present one if it was set elsewhere. */
const languagesWith = (present: string): { tag: string; name: string }[] =>
  [...new Set([...TAGS, present])].map((tag) => ({ tag, name: nameOf(tag) }))

const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => call('GET /api/v1/user/settings', {}, { signal }),
})

const SAVING = ['settings', 'save']

const show = (part: Partial<Settings>) =>
  queryClient.setQueryData(settingsQuery.queryKey, (shown) => shown && { ...shown, ...part })

/** Returns the shown values of these settings, so that undo leaves the others alone. */
function shownOf(part: Partial<Settings>): Partial<Settings> {
  const shown = Object.entries(queryClient.getQueryData(settingsQuery.queryKey) ?? {})
  return Object.fromEntries(shown.filter(([name]) => name in part))
}

const THEMES: { value: Theme; label: string }[] = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
]

export function General() {
  const theme = useTheme()
  const settings = useQuery(settingsQuery)
  const save = useMutation({
    mutationKey: SAVING,
    scope: { id: 'settings' },
    // Read again: the server replaces all settings, and another tab may have changed some.
    mutationFn: async (part: Partial<Settings>) => {
      const { text_storage: _, ...present } = await call('GET /api/v1/user/settings', {})
      return call('PUT /api/v1/user/settings', { ...present, ...part })
    },
    onMutate: (part) => {
      void queryClient.cancelQueries({ queryKey: settingsQuery.queryKey }, { revert: false })
      const before = shownOf(part)
      show(part)
      return before
    },
    onSuccess: (saved) => {
      // A later change that still waits is not in this answer.
      if (queryClient.isMutating({ mutationKey: SAVING }) === 1) show(saved)
      const { language, default_workspace_id } = saved
      queryClient.setQueryData(
        meQuery.queryKey,
        (user) => user && { ...user, language, default_workspace_id },
      )
    },
    onError: (error, _part, before) => {
      show(before ?? {})
      toastError(error)
      void queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey })
    },
  })
  if (!settings.data)
    return (
      <NotLoaded query={settings}>
        <SkeletonList rows={4} />
      </NotLoaded>
    )
  const change = (part: Partial<Settings>) => {
    const before = shownOf(part)
    save.mutate(part, { onSuccess: () => toast('Saved.', { undo: () => save.mutate(before) }) })
  }
  return (
    <div className="max-w-lead">
      <PublishingSection settings={settings.data} onChange={change} />
      <AgentLibrary settings={settings.data} onChange={change} />
      <MailSection settings={settings.data} onChange={change} />
      <Section title="Searching">
        <Checkbox
          label="Keep a history of my searches"
          hint="The last 50, for you alone, in the empty search box and in the palette. Switching it off deletes them."
          checked={settings.data.keep_search_history}
          onChange={(event) => change({ keep_search_history: event.target.checked })}
        />
      </Section>
      <Section title="Look">
        <Segmented label="Theme" value={theme} options={THEMES} onChange={setTheme} />
      </Section>
      <StorageSection settings={settings.data} />
    </div>
  )
}

const inMB = (bytes: number) => formatNumber(Math.round((bytes / 1024 / 1024) * 10) / 10)

const StorageSection = ({ settings: { text_storage } }: { settings: Settings }) => (
  <Section title="Storage">
    <p>
      Your texts take {inMB(text_storage.used_bytes)} of {inMB(text_storage.limit_bytes)} MB: cards with their
      versions, comments, memory and raw materials.
      {text_storage.deleted_bytes > 0 &&
        ` Deleted cards take ${inMB(text_storage.deleted_bytes)} MB more for up to 30 days.`}
    </p>
  </Section>
)

type SectionProps = { settings: Settings; onChange: (part: Partial<Settings>) => void }

function PublishingSection({ settings, onChange }: SectionProps) {
  const me = useMe()
  const workspaces = useQuery(workspacesQuery)
  const writable = workspaces.data?.items.filter((one) => one.role === 'admin' || one.role === 'editor') ?? []
  return (
    <Section title="Publishing">
      <div className="grid gap-4">
        <Checkbox
          label="I may publish cards to the library"
          hint="When this is off, neither you nor an agent with your key can publish. Taking cards back stays possible."
          checked={settings.publishing_enabled}
          onChange={(event) => onChange({ publishing_enabled: event.target.checked })}
        />
        <PartNotLoaded what="The list of your workspaces" query={workspaces}>
          <SelectField
            label="New cards go to"
            hint="Where the editor and the command line put a card unless you choose otherwise. What agents record goes where their API key says, else to your personal workspace."
            value={settings.default_workspace_id ?? ''}
            onChange={(event) => onChange({ default_workspace_id: event.target.value || null })}
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
        </PartNotLoaded>
      </div>
    </Section>
  )
}

const MailSection = ({ settings, onChange }: SectionProps) => (
  <Section title="Mail and language">
    <div className="grid gap-4">
      <Checkbox
        label="Ask me before I am added to a workspace"
        hint="You get an invitation instead of becoming a member at once."
        checked={settings.ask_before_added}
        onChange={(event) => onChange({ ask_before_added: event.target.checked })}
      />
      <Checkbox
        label="Mail me about my cards and teams"
        hint="Feedback, at most once a day and to a confirmed address, when somebody adds you to a workspace, and when one with your cards is deleted. Mails that you ask for, and invitations, come in any case."
        checked={settings.email_notifications}
        onChange={(event) => onChange({ email_notifications: event.target.checked })}
      />
      <Checkbox
        label="Mail me once a week what happened in my teams"
        hint="On Mondays, if anything did: new cards, what helped whom, what waits. Needs the mails above and a confirmed address."
        checked={settings.weekly_digest}
        disabled={!settings.email_notifications}
        onChange={(event) => onChange({ weekly_digest: event.target.checked })}
      />
      <SelectField
        label="Language of dates and numbers"
        hint={`Also in mails. The words stay English. Now it is ${formatTime(new Date().toISOString())}.`}
        value={settings.language}
        onChange={(event) => onChange({ language: event.target.value })}
      >
        {languagesWith(settings.language).map(({ tag, name }) => (
          <option key={tag} value={tag} lang={tag}>
            {name}
          </option>
        ))}
      </SelectField>
    </div>
  </Section>
)

const LIMITS = [0, 25, 50, 100, 250, 500]

type Props = { settings: Settings; onChange: (part: Partial<Settings>) => void }

/** Sets whether recall may search the library, and up to which limit. */
function AgentLibrary({ settings, onChange }: Props) {
  const limit = settings.agent_library_monthly_credits
  const limits = [...new Set([...LIMITS, limit])].sort((a, b) => a - b)
  return (
    <Section title="What agents get by themselves">
      <div className="grid gap-4">
        <Checkbox
          label="Also look in the public library"
          hint="When a command fails or you ask something, hooks look in your memory, your cards and those of your teams. With this on they also look in the library where those have nothing, at the price of a public search."
          checked={settings.agent_library}
          onChange={(event) => onChange({ agent_library: event.target.checked })}
        />
        {settings.agent_library && (
          <SelectField
            label="Credits a month, at most"
            hint="Calendar months, UTC. Your credit history shows what was found and paid."
            value={String(limit)}
            onChange={(event) => onChange({ agent_library_monthly_credits: Number(event.target.value) })}
          >
            {limits.map((credits) => (
              <option key={credits} value={credits}>
                {credits === 0 ? 'None: nothing is spent' : formatNumber(credits)}
              </option>
            ))}
          </SelectField>
        )}
      </div>
    </Section>
  )
}
