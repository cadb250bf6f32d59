import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import { changePassword } from '../../api/settings.ts'
import { formatDay } from '../../lib/format.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { EmailAddress } from './email-address.tsx'
import { LeaveSection } from './leave-section.tsx'
import { NameForm } from './name-form.tsx'
import { SignOutSection } from './sign-out-section.tsx'

export function Account() {
  const me = useMe()
  return (
    <div className="max-w-lead">
      <Section title="You" lead={`Here since ${formatDay(me.created_at)}.`}>
        <NameForm />
      </Section>
      <Section title="E-mail address" lead="You sign in with it, and mails go there.">
        <EmailAddress />
      </Section>
      <Section title="Password" lead="Changing it signs you out everywhere else.">
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
  const [endKeysAndApps, setEndKeysAndApps] = useState(true)
  const change = useMutation({
    mutationFn: () =>
      changePassword({
        new_password: next,
        end_keys_and_apps: endKeysAndApps,
        ...(current ? { current_password: current } : {}),
      }),
    onSuccess: async () => {
      setCurrent('')
      setNext('')
      toast('Your password is changed. Other sessions are signed out.')
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
        label="Current password"
        type="password"
        autoComplete="current-password"
        hint="Leave it empty if you sign in with Google and have none yet."
        value={current}
        error={wrong ? change.error?.message : undefined}
        onChange={(event) => setCurrent(event.target.value)}
      />
      <TextField
        label="New password"
        type="password"
        autoComplete="new-password"
        required
        minLength={8}
        maxLength={200}
        hint="At least 8 characters."
        value={next}
        error={change.error instanceof ApiError ? change.error.field('new_password') : undefined}
        onChange={(event) => setNext(event.target.value)}
      />
      <Checkbox
        label="Also delete my API keys and disconnect all apps"
        hint="Leave it on if somebody else may know your password."
        checked={endKeysAndApps}
        onChange={(event) => setEndKeysAndApps(event.target.checked)}
      />
      {!wrong && <FormError error={change.error} />}
      <div>
        <Button type="submit" busy={change.isPending}>
          Change password
        </Button>
      </div>
    </form>
  )
}
