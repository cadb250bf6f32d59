import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Building2, ChevronRight, Lock, Plus, User, Users } from 'lucide-react'
import { useState } from 'react'
import { ApiError, call } from '../../api/client.ts'
import { queryClient, useAttempt } from '../../api/query.ts'
import type { MyInvitation, Workspace } from '../../api/types.ts'
import { formatDay, plural } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { EmptyState, NotLoaded, PartNotLoaded, SkeletonList } from '../../ui/states.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import * as strings from './strings.ts'
import { roleName, VisibilityField, visibilityName } from './workspace-fields.tsx'
import { workspaceQuery, workspacesQuery } from './workspace-queries.ts'

const ICONS = { personal: User, team: Users, org: Building2 }

export function WorkspacesPage() {
  const [creating, setCreating] = useState(false)
  const workspaces = useQuery(workspacesQuery)
  const shared = workspaces.data?.items.filter((one) => one.type !== 'personal') ?? []
  return (
    <Page
      title={strings.team}
      lead={strings.workspacesLead}
      actions={
        <Button look="primary" onClick={() => setCreating(true)}>
          <Plus size={14} aria-hidden />
          {strings.newWorkspace}
        </Button>
      }
    >
      <MyInvitations />
      {!workspaces.data && (
        <NotLoaded query={workspaces}>
          <SkeletonList rows={3} />
        </NotLoaded>
      )}
      {workspaces.data && (
        <>
          <ul className="divide-y divide-line border-y border-line">
            {workspaces.data.items.map((workspace) => (
              <WorkspaceRow key={workspace.workspace_id} workspace={workspace} />
            ))}
          </ul>
          {shared.length === 0 && (
            <EmptyState
              icon={<Users size={18} />}
              title={strings.noTeamYet}
              action={<Button onClick={() => setCreating(true)}>{strings.createAWorkspace}</Button>}
              example={strings.noTeamExample}
            >
              {strings.noTeamHint}
            </EmptyState>
          )}
        </>
      )}
      {creating && <CreateWorkspace onClose={() => setCreating(false)} />}
    </Page>
  )
}

function WorkspaceRow({ workspace }: { workspace: Workspace }) {
  const Icon = ICONS[workspace.type]
  return (
    <li>
      <Link
        to="/workspaces/$workspaceId"
        params={{ workspaceId: workspace.workspace_id }}
        className="flex min-h-14 items-center gap-3 px-2 py-2 max-xs:flex-wrap transition-colors hover:bg-hover"
      >
        <span className="grid size-8 shrink-0 place-items-center rounded-md bg-sunken text-faint">
          <Icon size={16} aria-hidden />
        </span>
        <span className="min-w-0 grow max-xs:basis-20">
          <span className="block truncate text-sm font-medium">{workspace.name}</span>
          <span className="block truncate text-xs text-faint">
            {workspace.type === 'personal' ? strings.yourOwn : plural(workspace.member_count, 'member')}
            <span className="sm:hidden"> · {visibilityName(workspace.visibility)}</span>
          </span>
        </span>
        <span className="flex shrink-0 items-center gap-2">
          <span className="max-sm:hidden">
            <Badge icon={workspace.visibility === 'private' ? <Lock size={12} aria-hidden /> : undefined}>
              {visibilityName(workspace.visibility)}
            </Badge>
          </span>
          {workspace.role && (
            <Badge tone={workspace.role === 'admin' ? 'accent' : 'neutral'}>{roleName(workspace.role)}</Badge>
          )}
          <ChevronRight size={16} className="text-faint" aria-hidden />
        </span>
      </Link>
    </li>
  )
}

const invitationsQuery = {
  queryKey: ['workspaces', 'invitations'],
  queryFn: ({ signal }: { signal: AbortSignal }) => call('GET /api/v1/invitations', {}, { signal }),
}

const answered = () => queryClient.invalidateQueries({ queryKey: ['workspaces'] })

function MyInvitations() {
  const query = useQuery(invitationsQuery)
  const { data = [] } = query
  if (data.length === 0) return <PartNotLoaded what={strings.invitationsPart} query={query} />
  return (
    <Section title={strings.invitationsForYou}>
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
    mutationFn: () => call('POST /api/v1/invitations/{invite_id}/accept', { invite_id }),
    onSuccess: () => toast(strings.joinedAs(roleName(role).toLowerCase(), workspace_name)),
    onError: toastError,
    onSettled: answered,
  })
  const decline = useMutation({
    mutationFn: () => call('POST /api/v1/invitations/{invite_id}/decline', { invite_id }),
    onSuccess: () => toast(strings.invitationDeclined(workspace_name)),
    onError: toastError,
    onSettled: answered,
  })
  const busy = accept.isPending || decline.isPending
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-2 px-2 py-2">
      <span className="min-w-0 grow basis-56">
        <span className="block truncate text-sm font-medium">{workspace_name}</span>
        <span className="block text-xs text-faint">
          {strings.invitesYouAs(inviter_name, roleName(role).toLowerCase(), formatDay(expires_at))}
          {!can_accept && strings.openLinkToJoin}
        </span>
      </span>
      {can_accept && (
        <Button
          look="primary"
          disabled={busy}
          aria-label={strings.joinWorkspace(workspace_name)}
          onClick={() => accept.mutate()}
        >
          {strings.join}
        </Button>
      )}
      <Button
        disabled={busy}
        aria-label={strings.declineInvitationTo(workspace_name)}
        onClick={() => decline.mutate()}
      >
        {strings.decline}
      </Button>
    </li>
  )
}

function CreateWorkspace({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [visibility, setVisibility] = useState<Workspace['visibility']>('private')
  const attempt = useAttempt()
  const create = useMutation({
    mutationFn: () => {
      const input = { name: name.trim(), type: 'team' as const, visibility }
      return attempt(input, (options) => call('POST /api/v1/workspaces', input, options))
    },
    onSuccess: (workspace) => {
      queryClient.setQueryData(workspaceQuery(workspace.workspace_id).queryKey, workspace)
      void queryClient.invalidateQueries({ queryKey: ['workspaces'] })
      onClose()
      void navigate({
        to: '/workspaces/$workspaceId',
        params: { workspaceId: workspace.workspace_id },
        search: { tab: 'invitations' },
      })
    },
  })
  return (
    <FormDialog
      onClose={onClose}
      title={strings.newWorkspace}
      description={strings.newWorkspaceHint}
      action={strings.createWorkspace}
      ready={name.trim() !== ''}
      busy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate()}
    >
      <TextField
        label={strings.nameLabel}
        value={name}
        maxLength={120}
        required
        autoFocus
        autoComplete="off"
        placeholder={strings.platformTeam}
        error={create.error instanceof ApiError ? create.error.field('name') : undefined}
        onChange={(event) => setName(event.target.value)}
      />
      <VisibilityField value={visibility} onChange={setVisibility} />
    </FormDialog>
  )
}
