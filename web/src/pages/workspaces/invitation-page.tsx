import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { InviteView } from '../../api/types.ts'
import { formatDay } from '../../lib/format.ts'
import { reloadPage } from '../../lib/session-user.ts'
import { tab } from '../../lib/storage.ts'
import { configQuery, signOut, useSignedIn } from '../../session.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { FormError, Notice, Skeleton } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import { AccountCard } from '../account/account-card.tsx'
import * as strings from './strings.ts'
import { ROLES, roleName } from './workspace-fields.tsx'

const route = getRouteApi('/open/invite/$token')

const NO_INVITATION = strings.unknownInvitation

const GONE: Record<string, string> = {
  invite_expired: strings.expiredInvitation,
  not_found: NO_INVITATION,
  // The link holds no token at all.
  invalid_input: NO_INVITATION,
}

export function InvitationPage() {
  const { token } = route.useParams()
  const invite = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => call('GET /api/v1/workspaces/invites/{token}', { token }, { signal }),
    retry: false,
  })
  if (!invite.data && invite.error) {
    const code = invite.error instanceof ApiError ? invite.error.code : ''
    return (
      <AccountCard title={strings.noInvitationHere}>
        <Notice tone="warn">{GONE[code] ?? invite.error.message}</Notice>
        <LinkButton to="/" className="h-9">
          {strings.goToVault}
        </LinkButton>
      </AccountCard>
    )
  }
  if (!invite.data)
    return (
      <AccountCard title={strings.invitation}>
        <Skeleton className="w-full" />
        <Skeleton className="w-2/3" />
        <Skeleton className="mt-2 h-9 w-full" />
      </AccountCard>
    )
  return <Invitation token={token} invite={invite.data} />
}

function Invitation({ token, invite }: { token: string; invite: InviteView }) {
  const me = useSignedIn()
  const can = ROLES.find((role) => role.value === invite.role)?.can
  if (invite.status === 'accepted')
    return (
      <AccountCard
        title={strings.invitationTo(invite.workspace_name)}
        lead={strings.alreadyAccepted(invite.workspace_name, invite.inviter_name)}
      >
        <LinkButton to="/workspaces" look="primary" className="h-9">
          {me ? strings.openMyWorkspaces : strings.signIn}
        </LinkButton>
      </AccountCard>
    )
  return (
    <AccountCard
      title={strings.joinWorkspace(invite.workspace_name)}
      lead={
        <>
          {strings.inviterInvites(invite.inviter_name)}
          <span className="font-medium text-ink">{invite.email || 'you'}</span>
          {strings.asRole(roleName(invite.role).toLowerCase())}
          {can}.
        </>
      }
      footer={strings.linkExpires(formatDay(invite.expires_at))}
    >
      {me ? (
        <Accept token={token} invite={invite} email={me.email} />
      ) : (
        <SignInFirst token={token} invite={invite} />
      )}
    </AccountCard>
  )
}

/** Holds the invitation that somebody chose to accept by making an account, in this tab. */
const JOIN_KEY = 'kv-join'

function SignInFirst({ token, invite }: { token: string; invite: InviteView }) {
  const { data: config } = useQuery(configQuery)
  const search = { next: `/invite/${token}`, email: invite.email }
  return (
    <>
      {config?.registration !== 'closed' && (
        <LinkButton
          to="/sign-up"
          search={{ ...search, invite: token }}
          onClick={() => tab.write(JOIN_KEY, token)}
          look="primary"
          className="h-9"
        >
          {strings.createAccountAndJoin}
        </LinkButton>
      )}
      <LinkButton to="/sign-in" search={search} className="h-9">
        {strings.haveAccount}
      </LinkButton>
    </>
  )
}

function Accept({ token, invite, email }: { token: string; invite: InviteView; email: string }) {
  const navigate = useNavigate()
  const accept = useMutation({
    mutationFn: () => call('POST /api/v1/workspaces/invites/accept', { token }),
    onSuccess: async (membership) => {
      await queryClient.invalidateQueries({ queryKey: ['workspaces'] })
      queryClient.removeQueries({ queryKey: ['invitation', token] })
      toast(strings.joinedAs(roleName(membership.role).toLowerCase(), invite.workspace_name))
      void navigate({ to: '/cards', search: { scope: 'workspace', workspace: membership.workspace_id } })
    },
  })
  const isForMe = invite.email === '' || email.toLowerCase() === invite.email.toLowerCase()
  const { mutate } = accept
  // Who chose "Create an account and join" is not asked again.
  useEffect(() => {
    if (tab.read(JOIN_KEY) !== token) return
    tab.remove(JOIN_KEY)
    if (isForMe) mutate()
  }, [token, isForMe, mutate])
  return (
    <>
      {!isForMe && (
        <Notice>
          {strings.signedInAs(email)}
          <button
            type="button"
            className="font-medium text-accent hover:underline"
            onClick={() => void signOut().then(reloadPage, toastError)}
          >
            {strings.useAnother}
          </button>
        </Notice>
      )}
      <FormError error={accept.error} />
      <Button look="primary" className="h-9" busy={accept.isPending} onClick={() => accept.mutate()}>
        {strings.acceptAndJoin}
      </Button>
      <LinkButton to="/" className="h-9">
        {strings.notNow}
      </LinkButton>
    </>
  )
}
