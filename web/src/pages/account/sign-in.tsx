import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { leaveForConsent } from '../../lib/safe-next.ts'
import { configQuery, signIn } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormError } from '../../ui/states.tsx'
import { AccountCard, LINK_CLASS } from './account-card.tsx'
import { GoogleButton } from './google.tsx'
import * as strings from './strings.ts'

const route = getRouteApi('/open/sign-in')

export function SignIn() {
  const { next, email: known, other } = route.useSearch()
  const navigate = useNavigate()
  const [email, setEmail] = useState(known ?? '')
  const [password, setPassword] = useState('')
  const { data: config } = useQuery(configQuery)
  const enter = useMutation({
    mutationFn: signIn,
    onSuccess: () => leaveForConsent(next) || navigate({ to: next ?? '/' }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    enter.mutate({ email, password })
  }
  return (
    <AccountCard
      title={strings.signIn}
      lead={strings.signInLead}
      footer={
        config?.registration !== 'closed' && (
          <>
            {strings.newHere}
            <Link to="/sign-up" search={{ next, email: email || undefined, other }} className={LINK_CLASS}>
              {strings.createAnAccount}
            </Link>
          </>
        )
      }
    >
      <GoogleButton next={next} />
      <form className="grid gap-4" onSubmit={submit}>
        <TextField
          label={strings.eMail}
          type="email"
          autoComplete="username"
          required
          autoFocus={!known}
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          label={strings.password}
          type="password"
          autoComplete="current-password"
          required
          autoFocus={Boolean(known)}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          aside={
            <Link to="/reset" search={{}} className={LINK_CLASS}>
              {strings.forgotIt}
            </Link>
          }
        />
        <FormError error={enter.error} />
        <Button type="submit" look="primary" busy={enter.isPending} size="lg">
          {strings.signIn}
        </Button>
      </form>
    </AccountCard>
  )
}
