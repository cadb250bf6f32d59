import { useMutation, useQuery } from '@tanstack/react-query'
import { queryClient } from '../../api/query.ts'
import { acceptInvitation, declineInvitation, listMyInvitations, type MyInvitation } from '../../api/team.ts'
import { formatDay } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import { PartNotLoaded } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { roleName } from './roles.ts'

const invitationsQuery = {
  queryKey: ['workspaces', 'invitations'],
  queryFn: ({ signal }: { signal: AbortSignal }) => listMyInvitations({}, { signal }),
}

const answered = () => queryClient.invalidateQueries({ queryKey: ['workspaces'] })

/** What others have invited this person to. Without any there is nothing to show. */
export function MyInvitations() {
  const query = useQuery(invitationsQuery)
  const { data = [] } = query
  if (data.length === 0) return <PartNotLoaded what="The list of your invitations" query={query} />
  return (
    <Section title="Invitations for you">
      <ul className="divide-y divide-line border-y border-line">
        {data.map((invitation) => (
          <InvitationRow key={invitation.invite_id} invitation={invitation} />
        ))}
      </ul>
    </Section>
  )
}

function InvitationRow({ invitation }: { invitation: MyInvitation }) {
  const { invite_id, workspace_name, inviter_name, role, expires_at, can_accept } = invitation
  const accept = useMutation({
    mutationFn: () => acceptInvitation({ invite_id }),
    onSuccess: () => toast(`You are ${roleName(role).toLowerCase()} of ${workspace_name} now.`),
    onError: toastError,
    onSettled: answered,
  })
  const decline = useMutation({
    mutationFn: () => declineInvitation({ invite_id }),
    onSuccess: () => toast(`You declined the invitation to ${workspace_name}.`),
    onError: toastError,
    onSettled: answered,
  })
  const busy = accept.isPending || decline.isPending
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-2 px-2 py-2">
      <span className="min-w-0 grow basis-56">
        <span className="block truncate text-sm font-medium">{workspace_name}</span>
        <span className="block text-xs text-faint">
          {inviter_name} invites you as {roleName(role).toLowerCase()}, until {formatDay(expires_at)}.
          {!can_accept && ' To join, open the link that you were given.'}
        </span>
      </span>
      {can_accept && (
        <Button
          look="primary"
          disabled={busy}
          aria-label={`Join ${workspace_name}`}
          onClick={() => accept.mutate()}
        >
          Join
        </Button>
      )}
      <Button
        disabled={busy}
        aria-label={`Decline the invitation to ${workspace_name}`}
        onClick={() => decline.mutate()}
      >
        Decline
      </Button>
    </li>
  )
}
