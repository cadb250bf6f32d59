import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { leaveForConsent } from '../../lib/safe-next.ts'
import { configQuery, signUp } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormError, Notice } from '../../ui/states.tsx'
import { AccountCard, LINK_CLASS } from './account-card.tsx'
import { GoogleButton } from './google.tsx'
import * as strings from './strings.ts'

const route = getRouteApi('/open/sign-up')

export function SignUp() {
  const { next, email: known, invite, other } = route.useSearch()
  const navigate = useNavigate()
  const [form, setForm] = useState({
    email: known ?? '',
    password: '',
    display_name: '',
    invite_code: invite ?? '',
  })
  const { data: config } = useQuery(configQuery)
  const join = useMutation({
    mutationFn: signUp,
    onSuccess: () => leaveForConsent(next) || navigate({ to: next ?? '/welcome' }),
  })
  /** What is before the @, shown in the empty field: as its value, what is typed would be added to it. */
  const proposed = form.email.includes('@') ? (form.email.split('@')[0] ?? '') : ''
  const set = (name: keyof typeof form) => (event: { target: { value: string } }) =>
    setForm({ ...form, [name]: event.target.value })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { email, password, invite_code } = form
    const display_name = form.display_name || proposed
    join.mutate({
      email,
      password,
      ...(display_name && { display_name }),
      ...(invite_code && { invite_code }),
    })
  }
  const fieldError = (name: string) => (join.error instanceof ApiError ? join.error.field(name) : undefined)
  // A person who comes by the link of an invitation sees its code only if it is refused.
  const isInvited = invite !== undefined && next === `/invite/${invite}` && !fieldError('invite_code')
  const needsCode = config?.registration === 'invite' && !isInvited
  const codeField = needsCode ? 'required' : invite && !isInvited ? 'optional' : 'none'
  const taken = join.error instanceof ApiError && join.error.code === 'email_taken'
  return (
    <AccountCard
      title={strings.createAnAccount}
      lead={strings.signUpLead}
      footer={
        <>
          {strings.alreadyHaveOne}
          <Link to="/sign-in" search={{ next, email: form.email || undefined, other }} className={LINK_CLASS}>
            {strings.signIn}
          </Link>
        </>
      }
    >
      {config?.registration === 'closed' && <Notice tone="warn">{strings.registrationClosed}</Notice>}
      <GoogleButton next={next} invite={form.invite_code || undefined} />
      <form className="grid gap-4" onSubmit={submit}>
        <Fields
          form={form}
          set={set}
          proposed={proposed}
          emailError={taken ? strings.accountExists : fieldError('email')}
          fieldError={fieldError}
          code={codeField}
        />
        {!taken && <FormError error={join.error} />}
        <Button type="submit" look="primary" busy={join.isPending} size="lg">
          {strings.createAccount}
        </Button>
      </form>
    </AccountCard>
  )
}

type Form = { email: string; password: string; display_name: string; invite_code: string }

type FieldsProps = {
  form: Form
  set: (name: keyof Form) => (event: { target: { value: string } }) => void
  proposed: string
  emailError: string | undefined
  fieldError: (name: string) => string | undefined
  code: 'required' | 'optional' | 'none'
}

const Fields = ({ form, set, proposed, emailError, fieldError, code }: FieldsProps) => (
  <>
    <TextField
      label={strings.eMail}
      type="email"
      autoComplete="username"
      required
      value={form.email}
      onChange={set('email')}
      error={emailError}
    />
    <TextField
      label={strings.nameLabel}
      autoComplete="name"
      placeholder={proposed}
      value={form.display_name}
      onChange={set('display_name')}
      hint={strings.nameHint}
      maxLength={120}
    />
    <TextField
      label={strings.password}
      type="password"
      autoComplete="new-password"
      required
      minLength={8}
      maxLength={200}
      value={form.password}
      onChange={set('password')}
      hint={strings.atLeast8Characters}
      error={fieldError('password')}
    />
    {code !== 'none' && (
      <TextField
        label={strings.inviteCode}
        required={code === 'required'}
        value={form.invite_code}
        onChange={set('invite_code')}
        error={fieldError('invite_code')}
      />
    )}
  </>
)
