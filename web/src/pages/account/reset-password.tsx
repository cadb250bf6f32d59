import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { configQuery } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormError, Notice } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { AccountCard, LINK_CLASS } from './account-card.tsx'
import * as strings from './strings.ts'

const route = getRouteApi('/open/reset')

/** Without a token it asks for the mail; the link in the mail brings people back here. */
export function ResetPassword() {
  const { token } = route.useSearch()
  return token ? <ChoosePassword token={token} /> : <AskForMail />
}

function AskForMail() {
  const [email, setEmail] = useState('')
  const { data: config } = useQuery(configQuery)
  const ask = useMutation({ mutationFn: () => call('POST /api/v1/auth/password/reset-request', { email }) })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    ask.mutate()
  }
  return (
    <AccountCard
      title={strings.resetYourPassword}
      lead={config?.mail === false ? undefined : strings.resetLead}
      footer={
        <Link to="/sign-in" className={LINK_CLASS}>
          {strings.backToSignIn}
        </Link>
      }
    >
      {config?.mail === false ? (
        <Notice>
          {strings.askAdministratorForLink}
          <span className="font-mono">knowledge-vault admin reset-link</span>.
        </Notice>
      ) : ask.isSuccess ? (
        <Notice tone="ok">{strings.resetMailSent(email)}</Notice>
      ) : (
        <form className="grid gap-4" onSubmit={submit}>
          <TextField
            label={strings.eMail}
            type="email"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <FormError error={ask.error} />
          <Button type="submit" look="primary" busy={ask.isPending} size="lg">
            {strings.sendTheLink}
          </Button>
        </form>
      )}
    </AccountCard>
  )
}

function ChoosePassword({ token }: { token: string }) {
  const navigate = useNavigate()
  const [password, setPassword] = useState('')
  const reset = useMutation({
    mutationFn: () => call('POST /api/v1/auth/password/reset', { token, new_password: password }),
    onSuccess: () => {
      toast(strings.newPasswordSet)
      // The link works once, so Back must not lead to it.
      return navigate({ to: '/sign-in', replace: true })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    reset.mutate()
  }
  const dead = reset.error instanceof ApiError && reset.error.code === 'invalid_token'
  return (
    <AccountCard title={strings.chooseNewPassword} lead={strings.newPasswordLead}>
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label={strings.newPassword}
          type="password"
          autoComplete="new-password"
          required
          autoFocus
          minLength={8}
          maxLength={200}
          hint={strings.atLeast8Characters}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <FormError error={reset.error} />
        {dead ? (
          <Link to="/reset" search={{}} className={LINK_CLASS}>
            {strings.askForNewLink}
          </Link>
        ) : (
          <Button type="submit" look="primary" busy={reset.isPending} size="lg">
            {strings.setPassword}
          </Button>
        )}
      </form>
    </AccountCard>
  )
}
