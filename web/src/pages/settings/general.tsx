import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { DEFAULT_LANGUAGE } from '#server/shared/language.ts'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { Settings } from '../../api/types.ts'
import { formatNumber, formatTime } from '../../lib/format.ts'
import { setTheme, type Theme, useTheme } from '../../lib/theme.ts'
import { creditsPolicyQuery, meQuery, useMe } from '../../session.ts'
import { Checkbox, Segmented, SelectField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { NotLoaded, PartNotLoaded, SkeletonList } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { workspacesQuery } from '../workspaces/workspace-queries.ts'
import { SharingSection } from './sharing.tsx'
import * as strings from './strings.ts'

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
    ? strings.languageAsBrowser
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
  { value: 'system', label: strings.asTheSystem },
  { value: 'light', label: strings.light },
  { value: 'dark', label: strings.dark },
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
      // This answer lacks a later change that still waits.
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
    save.mutate(part, { onSuccess: () => toast(strings.saved, { undo: () => save.mutate(before) }) })
  }
  return (
    <div className="max-w-lead">
      <PublishingSection settings={settings.data} onChange={change} />
      <SharingSection />
      <AgentLibrary settings={settings.data} onChange={change} />
      <MailSection settings={settings.data} onChange={change} />
      <Section title={strings.searching}>
        <Checkbox
          label={strings.keepSearchHistory}
          hint={strings.keepSearchHistoryHint}
          checked={settings.data.keep_search_history}
          onChange={(event) => change({ keep_search_history: event.target.checked })}
        />
      </Section>
      <Section title={strings.look}>
        <Segmented label={strings.theme} value={theme} options={THEMES} onChange={setTheme} />
      </Section>
      <StorageSection settings={settings.data} />
    </div>
  )
}

const inMB = (bytes: number) => formatNumber(Math.round((bytes / 1024 / 1024) * 10) / 10)

const StorageSection = ({ settings: { text_storage } }: { settings: Settings }) => (
  <Section title={strings.storage}>
    <p>
      {strings.storageUsed(inMB(text_storage.used_bytes), inMB(text_storage.limit_bytes))}
      {text_storage.deleted_bytes > 0 && strings.storageOfDeletedCards(inMB(text_storage.deleted_bytes))}
    </p>
  </Section>
)

type SectionProps = { settings: Settings; onChange: (part: Partial<Settings>) => void }

function PublishingSection({ settings, onChange }: SectionProps) {
  const me = useMe()
  const workspaces = useQuery(workspacesQuery)
  const writable = workspaces.data?.items.filter((one) => one.role === 'admin' || one.role === 'editor') ?? []
  return (
    <Section title={strings.publishing}>
      <div className="grid gap-4">
        <Checkbox
          label={strings.mayPublish}
          hint={strings.mayPublishHint}
          checked={settings.publishing_enabled}
          onChange={(event) => onChange({ publishing_enabled: event.target.checked })}
        />
        <PartNotLoaded what={strings.workspaceList} query={workspaces}>
          <SelectField
            label={strings.newCardsGoTo}
            hint={strings.newCardsGoToHint}
            value={settings.default_workspace_id ?? ''}
            onChange={(event) => onChange({ default_workspace_id: event.target.value || null })}
          >
            <option value="">{strings.myPersonalWorkspace}</option>
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
  <Section title={strings.mailAndLanguage}>
    <div className="grid gap-4">
      <Checkbox
        label={strings.askBeforeAddingMe}
        hint={strings.askBeforeAddingMeHint}
        checked={settings.ask_before_added}
        onChange={(event) => onChange({ ask_before_added: event.target.checked })}
      />
      <Checkbox
        label={strings.mailAboutCards}
        hint={strings.mailAboutCardsHint}
        checked={settings.email_notifications}
        onChange={(event) => onChange({ email_notifications: event.target.checked })}
      />
      <Checkbox
        label={strings.mailWeekly}
        hint={strings.mailWeeklyHint}
        checked={settings.weekly_digest}
        disabled={!settings.email_notifications}
        onChange={(event) => onChange({ weekly_digest: event.target.checked })}
      />
      <SelectField
        label={strings.languageOfDates}
        hint={strings.languageOfDatesHint(formatTime(new Date().toISOString()))}
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
  const { shows_credits: showsCredits } = useMe()
  const { data: policy } = useQuery(creditsPolicyQuery)
  const isFree = policy?.credits_off === true
  // Where a search of the library would cost, but has nothing to find.
  if (!isFree && !showsCredits) return null
  return (
    <Section title={strings.agentLibraryTitle}>
      <div className="grid gap-4">
        <Checkbox
          label={strings.alsoLookInLibrary}
          hint={strings.alsoLookInLibraryHint + (isFree ? '' : strings.atPriceOfSearch)}
          checked={settings.agent_library}
          onChange={(event) => onChange({ agent_library: event.target.checked })}
        />
        {settings.agent_library && !isFree && (
          <SelectField
            label={strings.creditsAMonth}
            hint={strings.creditsAMonthHint}
            value={String(limit)}
            onChange={(event) => onChange({ agent_library_monthly_credits: Number(event.target.value) })}
          >
            {limits.map((credits) => (
              <option key={credits} value={credits}>
                {credits === 0 ? strings.noCreditsSpent : formatNumber(credits)}
              </option>
            ))}
          </SelectField>
        )}
      </div>
    </Section>
  )
}
