import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { listKeys } from '../../api/account.ts'
import { queryClient } from '../../api/query.ts'
import { endSession, listApps, listSessions, signOutEverywhere } from '../../api/settings.ts'
import { formatAgo, formatTime, plural } from '../../lib/format.ts'
import { leaveSession } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Checkbox } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { FormError, PartNotLoaded } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'

const MOST_SHOWN = 5

/** Where the account is signed in, and one button that ends all of it. */
export function SignOutSection() {
  const [asking, setAsking] = useState(false)
  const sessions = useQuery({ queryKey: ['sessions'], queryFn: ({ signal }) => listSessions({}, { signal }) })
  const [showAll, setShowAll] = useState(false)
  const end = useMutation({
    mutationFn: (session_id: string) => endSession({ session_id }),
    onSuccess: () => toast('That session is over.'),
    onError: toastError,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['sessions'] }),
  })
  const list = sessions.data ?? []
  return (
    <Section
      title="Where you are signed in"
      lead={
        !sessions.data
          ? 'If you lost a device or doubt something, end everything at once.'
          : list.length <= 1
            ? 'Only here. If you lost a device or doubt something, end everything at once.'
            : `In ${plural(list.length, 'browser')}. End one that you do not know, or everything at once.`
      }
      actions={<Button onClick={() => setAsking(true)}>Sign out everywhere</Button>}
    >
      <PartNotLoaded what="The list" query={sessions}>
        <ul aria-label="Sessions" className="grid gap-1 text-sm text-soft">
          {list.slice(0, showAll ? list.length : MOST_SHOWN).map((session) => (
            <li key={session.session_id} className="flex min-h-8 flex-wrap items-center gap-2">
              Signed in {formatAgo(session.created_at)}, last seen {formatAgo(session.last_seen_at)}
              {session.current ? (
                <Badge tone="ok">This one</Badge>
              ) : (
                <Button
                  size="sm"
                  busy={end.isPending && end.variables === session.session_id}
                  onClick={() => end.mutate(session.session_id)}
                >
                  End
                  <span className="sr-only"> the session of {formatTime(session.created_at)}</span>
                </Button>
              )}
            </li>
          ))}
          {!showAll && list.length > MOST_SHOWN && (
            <li>
              <Button size="sm" onClick={() => setShowAll(true)}>
                Show {list.length - MOST_SHOWN} more
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
  const keys = useQuery({ queryKey: ['api-keys'], queryFn: ({ signal }) => listKeys({}, { signal }) })
  const apps = useQuery({ queryKey: ['connected-apps'], queryFn: ({ signal }) => listApps({}, { signal }) })
  const end = useMutation({
    mutationFn: () => signOutEverywhere({ keys_and_apps: keysAndApps }),
    onSuccess: async () => {
      leaveSession()
      await navigate({ to: '/sign-in' })
      toast('You are signed out everywhere.')
    },
  })
  const what =
    keys.data && apps.data
      ? `${plural(keys.data.length, 'API key')} and ${plural(apps.data.length, 'connected app')}`
      : 'all API keys and connected apps'
  return (
    <ConfirmDialog onClose={onClose} mutation={end} title="Sign out everywhere" action="Sign out everywhere">
      <p>Every session ends at once, this one too. You sign in again with your password.</p>
      <Checkbox
        label={`Also end ${what}`}
        hint="Agents and scripts need a new key then."
        checked={keysAndApps}
        onChange={(event) => setKeysAndApps(event.target.checked)}
      />
      <FormError error={end.error} />
    </ConfirmDialog>
  )
}
