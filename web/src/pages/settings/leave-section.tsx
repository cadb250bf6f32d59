import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { cardStats } from '../../api/cards.ts'
import { ApiError } from '../../api/client.ts'
import { deleteAccount } from '../../api/settings.ts'
import { plural } from '../../lib/format.ts'
import { local } from '../../lib/storage.ts'
import { leaveSession, useMe } from '../../session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { FormError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'

/** Opened by the browser itself, which saves it as a file. */
const EXPORT_PATH = '/api/v1/auth/me/export'

export function LeaveSection() {
  const [leaving, setLeaving] = useState(false)
  return (
    <Section
      title="Your data"
      lead="Take everything with you as one file: cards with their history, memory, raw materials, bookings."
    >
      <div className="flex flex-wrap gap-2">
        <a href={EXPORT_PATH} download className={buttonClass()}>
          <Download size={14} aria-hidden />
          Download my data
        </a>
        <Button look="danger" onClick={() => setLeaving(true)}>
          Delete account
        </Button>
      </div>
      {leaving && <DeleteAccount onClose={() => setLeaving(false)} />}
    </Section>
  )
}

/** What the person began to write stays in the browser after signing out, for the next time. Now there is none. */
function forgetTexts(userId: string): void {
  for (const kind of [
    'kv-draft',
    'kv-comment',
    'kv-document',
    'kv-feedback',
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
    queryFn: () => cardStats({ scope: 'personal' }),
  })
  const cards = stats.data ? plural(stats.data.unpublished, 'unshared card') : 'your unshared cards'
  const published = stats.data
    ? plural(
        stats.data.published,
        'card that you shared or published stays',
        'cards that you shared or published stay',
      )
    : 'The cards that you shared or published stay'
  const remove = useMutation({
    mutationFn: () => deleteAccount({ confirmed_by_user: true, ...(password ? { password } : {}) }),
    onSuccess: async () => {
      leaveSession()
      forgetTexts(me.user_id)
      await navigate({ to: '/sign-in' })
      toast('Your account is deleted.')
    },
  })
  // A person who signed in a while ago types the password. A person without one signs in again.
  const asksForPassword =
    remove.error instanceof ApiError &&
    ['recent_sign_in_required', 'invalid_credentials'].includes(remove.error.code)
  return (
    <ConfirmDialog
      onClose={onClose}
      mutation={remove}
      title="Delete your account"
      action="Delete account"
      typed={me.email}
    >
      <p>
        This deletes {cards}, all of your agents’ memory, your keys, connected apps and{' '}
        {plural(me.credits_balance, 'credit')} for good, at once. {published}, by “deleted user”. It cannot be
        undone.
      </p>
      <FormError error={remove.error} />
      {asksForPassword && (
        <TextField
          label="Your password"
          type="password"
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      )}
    </ConfirmDialog>
  )
}
