import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import { formatAgo, formatDay, formatTime, plural } from '../../lib/format.ts'
import { local } from '../../lib/storage.ts'
import { configQuery, leaveSession, meQuery, refreshMe, useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { CopyBlock } from '../../ui/copy-button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { FormError, Notice, PartNotLoaded } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { plansQuery, statusQuery } from '../billing/checkout.ts'
import * as strings from './strings.ts'

export function Account() {
  const me = useMe()
  return (
    <div className="max-w-lead">
      <Section title={strings.you} lead={strings.hereSince(formatDay(me.created_at))}>
        <NameForm />
      </Section>
      <Section title={strings.eMailAddress} lead={strings.emailAddressLead}>
        <EmailAddress />
      </Section>
      <Section title={strings.password} lead={strings.passwordLead}>
        <PasswordForm email={me.email} />
      </Section>
      <SignOutSection />
      <LeaveSection />
    </div>
  )
}

function PasswordForm({ email }: { email: string }) {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const [endKeysAndApps, setEndKeysAndApps] = useState(false)
  const change = useMutation({
    mutationFn: () =>
      call('POST /api/v1/auth/password', {
        new_password: next,
        end_keys_and_apps: endKeysAndApps,
        ...(current ? { current_password: current } : {}),
      }),
    onSuccess: async () => {
      setCurrent('')
      setNext('')
      toast(strings.passwordChanged)
      await Promise.all(
        [['sessions'], ['api-keys'], ['connected-apps']].map((queryKey) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      )
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate()
  }
  const wrong = change.error instanceof ApiError && change.error.code === 'invalid_credentials'
  return (
    <form className="grid max-w-field gap-4" onSubmit={submit}>
      <input type="hidden" name="username" autoComplete="username" value={email} />
      <TextField
        label={strings.currentPassword}
        type="password"
        autoComplete="current-password"
        hint={strings.currentPasswordHint}
        value={current}
        error={wrong ? change.error?.message : undefined}
        onChange={(event) => setCurrent(event.target.value)}
      />
      <TextField
        label={strings.newPassword}
        type="password"
        autoComplete="new-password"
        required
        minLength={8}
        maxLength={200}
        hint={strings.atLeast8Characters}
        value={next}
        error={change.error instanceof ApiError ? change.error.field('new_password') : undefined}
        onChange={(event) => setNext(event.target.value)}
      />
      <Checkbox
        label={strings.alsoEndKeysAndApps}
        hint={strings.alsoEndKeysAndAppsHint}
        checked={endKeysAndApps}
        onChange={(event) => setEndKeysAndApps(event.target.checked)}
      />
      {!wrong && <FormError error={change.error} />}
      <div>
        <Button type="submit" busy={change.isPending}>
          {strings.changePassword}
        </Button>
      </div>
    </form>
  )
}

function NameForm() {
  const me = useMe()
  const [name, setName] = useState(me.display_name)
  const change = useMutation({
    mutationFn: () => call('PATCH /api/v1/auth/me', { display_name: name.trim() }),
    onSuccess: (user) => {
      queryClient.setQueryData(meQuery.queryKey, (before) => ({ ...before, ...user }))
      setName(user.display_name)
      toast(strings.nameChanged)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate()
  }
  const wrong = change.error instanceof ApiError ? change.error.field('display_name') : undefined
  return (
    <form className="grid max-w-field gap-4" onSubmit={submit}>
      <TextField
        label={strings.nameLabel}
        required
        maxLength={120}
        autoComplete="name"
        hint={strings.nameHint}
        value={name}
        error={wrong}
        onChange={(event) => setName(event.target.value)}
      />
      {!wrong && <FormError error={change.error} />}
      <div>
        <Button
          type="submit"
          busy={change.isPending}
          disabled={!name.trim() || name.trim() === me.display_name}
        >
          {strings.saveName}
        </Button>
      </div>
    </form>
  )
}

function EmailAddress() {
  const me = useMe()
  const { data: config } = useQuery(configQuery)
  const [changing, setChanging] = useState(false)
  const [wasOpen, setWasOpen] = useState(false)
  const [link, setLink] = useState<string | null>(null)
  const resend = useMutation({
    mutationFn: () => call('POST /api/v1/auth/verify-email/resend'),
    onSuccess: ({ email }) => toast(strings.newMailIsOnItsWay(email)),
    onError: toastError,
  })
  const giveUp = useMutation({
    mutationFn: () => call('DELETE /api/v1/auth/email'),
    onError: toastError,
    onSuccess: async () => {
      setLink(null)
      await refreshMe()
      toast(strings.addressStays)
    },
  })
  return (
    <div className="grid gap-4">
      <p className="flex flex-wrap items-center gap-2 text-sm wrap-anywhere">
        {me.email}
        <Badge tone={me.email_verified ? 'ok' : 'neutral'}>
          {me.email_verified ? strings.confirmed : strings.notConfirmed}
        </Badge>
      </p>
      {me.pending_email && (
        <Notice
          action={
            <Button size="sm" busy={giveUp.isPending} onClick={() => giveUp.mutate()}>
              {strings.giveUpChange}
            </Button>
          }
        >
          {waiting(me.pending_email, { sendsMail: config?.mail ?? true, hasLink: link !== null })}
        </Notice>
      )}
      {me.pending_email && link && <CopyBlock text={link} label={strings.confirmationLink} />}
      {changing ? (
        <ChangeForm
          onDone={(confirmUrl) => {
            setLink(confirmUrl)
            setChanging(false)
          }}
          onCancel={() => setChanging(false)}
        />
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button
            autoFocus={wasOpen}
            onClick={() => {
              setChanging(true)
              setWasOpen(true)
            }}
          >
            {strings.changeAddress}
          </Button>
          {!me.email_verified && config?.mail && (
            <Button look="ghost" busy={resend.isPending} onClick={() => resend.mutate()}>
              {strings.sendConfirmationAgain}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

function waiting(email: string, { sendsMail, hasLink }: { sendsMail: boolean; hasLink: boolean }): string {
  if (hasLink) return strings.openLinkToConfirm(email)
  if (sendsMail) return strings.waitsForLinkInMail(email)
  return strings.waitsForNewLink(email)
}

function ChangeForm({
  onDone,
  onCancel,
}: {
  onDone: (confirmUrl: string | null) => void
  onCancel: () => void
}) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const change = useMutation({
    mutationFn: () =>
      call('POST /api/v1/auth/email', {
        email: email.trim(),
        ...(password ? { current_password: password } : {}),
      }),
    onSuccess: async (asked) => {
      await refreshMe()
      onDone(asked.confirm_url)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate()
  }
  const error = change.error instanceof ApiError ? change.error : null
  const wrongPassword = error?.code === 'invalid_credentials' ? error.message : undefined
  const wrongEmail = error?.code === 'email_taken' ? error.message : error?.field('email')
  return (
    <form className="grid max-w-field gap-4" onSubmit={submit}>
      <TextField
        label={strings.newEmailAddress}
        type="email"
        required
        autoFocus
        minLength={3}
        maxLength={320}
        autoComplete="email"
        hint={strings.newEmailAddressHint}
        value={email}
        error={wrongEmail}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label={strings.yourPassword}
        type="password"
        autoComplete="current-password"
        hint={strings.passwordWithGoogleHint}
        value={password}
        error={wrongPassword}
        onChange={(event) => setPassword(event.target.value)}
      />
      {!wrongPassword && !wrongEmail && <FormError error={change.error} />}
      <div className="flex gap-2">
        <Button type="submit" look="primary" busy={change.isPending}>
          {strings.sendTheLink}
        </Button>
        <Button onClick={onCancel}>{strings.cancel}</Button>
      </div>
    </form>
  )
}

const MAX_SESSIONS_SHOWN = 5

function SignOutSection() {
  const [asking, setAsking] = useState(false)
  const sessions = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => call('GET /api/v1/auth/sessions', {}, { signal }),
  })
  const [showAll, setShowAll] = useState(false)
  const end = useMutation({
    mutationFn: (session_id: string) => call('DELETE /api/v1/auth/sessions/{session_id}', { session_id }),
    onSuccess: () => toast(strings.sessionEnded),
    onError: toastError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['sessions'] }),
  })
  const list = sessions.data ?? []
  return (
    <Section
      title={strings.whereSignedIn}
      lead={
        !sessions.data
          ? strings.endEverythingLead
          : list.length <= 1
            ? strings.onlyHereLead
            : strings.sessionsLead(plural(list.length, 'browser'))
      }
      actions={<Button onClick={() => setAsking(true)}>{strings.signOutEverywhere}</Button>}
    >
      <PartNotLoaded what={strings.sessionList} query={sessions}>
        <ul aria-label={strings.sessions} className="grid gap-1 text-sm text-soft">
          {list.slice(0, showAll ? list.length : MAX_SESSIONS_SHOWN).map((session) => (
            <li key={session.session_id} className="flex min-h-8 flex-wrap items-center gap-2">
              {session.current
                ? strings.signedInHere(formatAgo(session.created_at))
                : strings.signedInAndLastSeen(formatAgo(session.created_at), formatAgo(session.last_seen_at))}
              {session.current ? (
                <Badge tone="ok">{strings.thisOne}</Badge>
              ) : (
                <Button
                  size="sm"
                  busy={end.isPending && end.variables === session.session_id}
                  onClick={() => end.mutate(session.session_id)}
                >
                  {strings.end}
                  <span className="sr-only">{strings.sessionOf(formatTime(session.created_at))}</span>
                </Button>
              )}
            </li>
          ))}
          {!showAll && list.length > MAX_SESSIONS_SHOWN && (
            <li>
              <Button size="sm" onClick={() => setShowAll(true)}>
                {strings.showMore(list.length - MAX_SESSIONS_SHOWN)}
              </Button>
            </li>
          )}
        </ul>
      </PartNotLoaded>
      {asking && <SignOutDialog onClose={() => setAsking(false)} />}
    </Section>
  )
}

function SignOutDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [keysAndApps, setKeysAndApps] = useState(true)
  const keys = useQuery({
    queryKey: ['api-keys'],
    queryFn: ({ signal }) => call('GET /api/v1/auth/api-keys', {}, { signal }),
  })
  const apps = useQuery({
    queryKey: ['connected-apps'],
    queryFn: ({ signal }) => call('GET /api/v1/auth/connected-apps', {}, { signal }),
  })
  const end = useMutation({
    mutationFn: () => call('POST /api/v1/auth/logout-everywhere', { keys_and_apps: keysAndApps }),
    onSuccess: async () => {
      leaveSession()
      await navigate({ to: '/sign-in' })
      toast(strings.signedOutEverywhere)
    },
  })
  const what =
    keys.data && apps.data
      ? `${plural(keys.data.length, strings.apiKey)} and ${plural(apps.data.length, strings.connectedApp)}`
      : strings.allKeysAndApps
  return (
    <ConfirmDialog
      onClose={onClose}
      mutation={end}
      title={strings.signOutEverywhere}
      action={strings.signOutEverywhere}
    >
      <p>{strings.signOutEverywhereWarning}</p>
      <Checkbox
        label={strings.alsoEnd(what)}
        hint={strings.alsoEndHint}
        checked={keysAndApps}
        onChange={(event) => setKeysAndApps(event.target.checked)}
      />
      <FormError error={end.error} />
    </ConfirmDialog>
  )
}

/** A link that the browser saves as a file. */
const EXPORT_PATH = '/api/v1/auth/me/export'

function LeaveSection() {
  const [leaving, setLeaving] = useState(false)
  return (
    <Section title={strings.yourData} lead={strings.yourDataLead}>
      <div className="flex flex-wrap gap-2">
        <a href={EXPORT_PATH} download className={buttonClass()}>
          <Download size={14} aria-hidden />
          {strings.downloadMyData}
        </a>
        <Button look="danger" onClick={() => setLeaving(true)}>
          {strings.deleteAccount}
        </Button>
      </div>
      {leaving && <DeleteAccount onClose={() => setLeaving(false)} />}
    </Section>
  )
}

/** Removes the unsent texts of the person from this browser. */
function forgetTexts(userId: string): void {
  for (const kind of [
    'kv-draft',
    'kv-comment',
    'kv-document',
    'kv-reply',
    'kv-report',
    'kv-ticket',
    'kv-mined',
    'kv-reason',
    'kv-verdict',
  ])
    for (const key of local.keys(`${kind}:${userId}:`)) local.remove(key)
}

function DeleteAccount({ onClose }: { onClose: () => void }) {
  const me = useMe()
  const navigate = useNavigate()
  const [password, setPassword] = useState('')
  const stats = useQuery({
    queryKey: ['cards', 'stats', 'personal'],
    queryFn: () => call('GET /api/v1/cards/stats', { scope: 'personal' }),
  })
  const cards = stats.data ? plural(stats.data.unpublished, strings.unsharedCard) : strings.yourUnsharedCards
  const published = stats.data
    ? plural(stats.data.published, strings.oneSharedCardStays, strings.sharedCardsStay)
    : strings.allSharedCardsStay
  const remove = useMutation({
    mutationFn: () =>
      call('POST /api/v1/auth/me/delete', { confirmed_by_user: true, ...(password ? { password } : {}) }),
    onSuccess: async () => {
      leaveSession()
      forgetTexts(me.user_id)
      await navigate({ to: '/sign-in' })
      toast(strings.accountDeleted)
    },
  })
  const balance = me.shows_credits ? plural(me.credits_balance, 'credit') : null
  const plan = usePlanName()
  const wrong =
    remove.error instanceof ApiError &&
    ['recent_sign_in_required', 'invalid_credentials'].includes(remove.error.code)
      ? remove.error.message
      : undefined
  return (
    <ConfirmDialog
      onClose={onClose}
      mutation={remove}
      title={strings.deleteYourAccount}
      action={strings.deleteAccount}
      typed={me.email}
    >
      <p>{strings.deleteAccountWarning(cards, balance, published)}</p>
      {plan && <Notice tone="warn">{plan}</Notice>}
      {!wrong && <FormError error={remove.error} />}
      <TextField
        label={strings.yourPassword}
        type="password"
        autoComplete="current-password"
        hint={strings.passwordToDeleteHint}
        value={password}
        error={wrong}
        onChange={(event) => setPassword(event.target.value)}
      />
    </ConfirmDialog>
  )
}

/** Says what a running plan means for the deletion; null without one. */
function usePlanName(): string | null {
  const { data: status } = useQuery(statusQuery)
  const { data: plans } = useQuery(plansQuery)
  if (!status || status.status === 'none' || status.status === 'canceled') return null
  const name = plans?.find(({ plan_id }) => plan_id === status.plan_id)?.name ?? status.plan_id
  return status.cancel_at_period_end ? strings.planEndsWithAccount(name) : strings.cancelPlanFirst(name)
}
