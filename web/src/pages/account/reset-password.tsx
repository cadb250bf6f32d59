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
      title="Reset your password"
      lead={
        config?.mail === false
          ? undefined
          : 'We send a link to your e-mail address. It works once, for one hour.'
      }
      footer={
        <Link to="/sign-in" className={LINK_CLASS}>
          Back to sign in
        </Link>
      }
    >
      {config?.mail === false ? (
        <Notice>
          This server sends no mail. Ask its administrator for a link: they make one with{' '}
          <span className="font-mono">kvault admin reset-link</span>.
        </Notice>
      ) : ask.isSuccess ? (
        <Notice tone="ok">If there is an account for {email}, a mail is on its way.</Notice>
      ) : (
        <form className="grid gap-4" onSubmit={submit}>
          <TextField
            label="E-mail"
            type="email"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <FormError error={ask.error} />
          <Button type="submit" look="primary" busy={ask.isPending} size="lg">
            Send the link
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
      toast('New password set. Sign in with it.')
      // The link works once: Back must not lead to it.
      return navigate({ to: '/sign-in', replace: true })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    reset.mutate()
  }
  const dead = reset.error instanceof ApiError && reset.error.code === 'invalid_token'
  return (
    <AccountCard
      title="Choose a new password"
      lead="Every session, API key and connected app of this account ends."
    >
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          required
          autoFocus
          minLength={8}
          maxLength={200}
          hint="At least 8 characters."
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        <FormError error={reset.error} />
        {dead ? (
          <Link to="/reset" search={{}} className={LINK_CLASS}>
            Ask for a new link
          </Link>
        ) : (
          <Button type="submit" look="primary" busy={reset.isPending} size="lg">
            Set password
          </Button>
        )}
      </form>
    </AccountCard>
  )
}
