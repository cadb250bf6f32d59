import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { cancelEmailChange, changeEmail, resendVerification } from '../../api/account.ts'
import { ApiError } from '../../api/client.ts'
import { configQuery, refreshMe, useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyBlock } from '../../ui/copy-button.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormError, Notice } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'

/** The address with its state, an unconfirmed change, and a form for another one. */
export function EmailAddress() {
  const me = useMe()
  const { data: config } = useQuery(configQuery)
  const [changing, setChanging] = useState(false)
  const [wasOpen, setWasOpen] = useState(false)
  const [link, setLink] = useState<string | null>(null)
  const resend = useMutation({
    mutationFn: () => resendVerification(),
    onSuccess: ({ email }) => toast(`A new mail is on its way to ${email}.`),
    onError: toastError,
  })
  const giveUp = useMutation({
    mutationFn: () => cancelEmailChange(),
    onError: toastError,
    onSuccess: async () => {
      setLink(null)
      await refreshMe()
      toast('Your address stays as it is.')
    },
  })
  return (
    <div className="grid gap-4">
      <p className="flex flex-wrap items-center gap-2 text-sm wrap-anywhere">
        {me.email}
        <Badge tone={me.email_verified ? 'ok' : 'neutral'}>
          {me.email_verified ? 'Confirmed' : 'Not confirmed'}
        </Badge>
      </p>
      {me.pending_email && (
        <Notice
          action={
            <Button size="sm" busy={giveUp.isPending} onClick={() => giveUp.mutate()}>
              Give up this change
            </Button>
          }
        >
          {waiting(me.pending_email, { sendsMail: config?.mail ?? true, hasLink: link !== null })}
        </Notice>
      )}
      {me.pending_email && link && <CopyBlock text={link} label="confirmation link" />}
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
            Change address
          </Button>
          {!me.email_verified && config?.mail && (
            <Button look="ghost" busy={resend.isPending} onClick={() => resend.mutate()}>
              Send the confirmation again
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

function waiting(email: string, { sendsMail, hasLink }: { sendsMail: boolean; hasLink: boolean }): string {
  if (hasLink) return `This server sends no mail. Open this link to confirm ${email}.`
  if (sendsMail) return `${email} waits to be confirmed: open the link in the mail that was sent there.`
  return `${email} waits to be confirmed. Change the address again to see the link once more.`
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
      changeEmail({ email: email.trim(), ...(password ? { current_password: password } : {}) }),
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
        label="New e-mail address"
        type="email"
        required
        autoFocus
        minLength={3}
        maxLength={320}
        autoComplete="email"
        hint="It is yours once you open the link that is sent there. Until then nothing changes."
        value={email}
        error={wrongEmail}
        onChange={(event) => setEmail(event.target.value)}
      />
      <TextField
        label="Your password"
        type="password"
        autoComplete="current-password"
        hint="If you sign in with Google and have none, leave it empty and sign in again first."
        value={password}
        error={wrongPassword}
        onChange={(event) => setPassword(event.target.value)}
      />
      {!wrongPassword && !wrongEmail && <FormError error={change.error} />}
      <div className="flex gap-2">
        <Button type="submit" look="primary" busy={change.isPending}>
          Send the link
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  )
}
