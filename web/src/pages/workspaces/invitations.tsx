import { useMutation, useQuery } from '@tanstack/react-query'
import { MailCheck, MailPlus, RefreshCw, X } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { ApiError, call } from '../../api/client.ts'
import type { Invite, InviteAction, Role, Workspace } from '../../api/types.ts'
import { formatAgo, formatDay, plural } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { CopyBlock } from '../../ui/copy-button.tsx'
import { Checkbox, SelectField, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { EmptyState, FormError, NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import * as strings from './strings.ts'
import { ROLES, roleName } from './workspace-fields.tsx'
import { invitesQuery, workspaceChanged } from './workspace-queries.ts'

export function Invitations({ workspace }: { workspace: Workspace }) {
  const id = workspace.workspace_id
  const [latest, setLatest] = useState<InviteAction | null>(null)
  const [history, setHistory] = useState(false)
  const invites = useQuery(invitesQuery(id, history))
  return (
    <div className="grid gap-6 *:min-w-0">
      <InviteForm workspace={workspace} onSent={setLatest} />
      {latest && <LinkPanel action={latest} onClose={() => setLatest(null)} />}
      <Section
        title={strings.sentInvitations}
        actions={
          <Checkbox
            label={strings.showSettledInvitations}
            checked={history}
            onChange={(event) => setHistory(event.target.checked)}
          />
        }
      >
        {!invites.data && (
          <NotLoaded query={invites}>
            <SkeletonList rows={2} />
          </NotLoaded>
        )}
        {invites.data?.length === 0 && (
          <EmptyState
            icon={<MailPlus size={18} />}
            title={history ? strings.noInvitationsTitle : strings.noOpenInvitations}
          >
            {strings.noInvitationsHint}
          </EmptyState>
        )}
        {invites.data && invites.data.length > 0 && (
          <InviteTable
            workspaceId={id}
            invites={invites.data}
            onResent={setLatest}
            onRevoked={({ invite_id }) =>
              setLatest((shown) => (shown?.invite.invite_id === invite_id ? null : shown))
            }
          />
        )}
      </Section>
    </div>
  )
}

/** Editor first: somebody who is invited to a team mostly writes in it. */
const OFFERED = [...ROLES].sort((a, b) => Number(b.value === 'editor') - Number(a.value === 'editor'))

function InviteForm({ workspace, onSent }: { workspace: Workspace; onSent: (action: InviteAction) => void }) {
  const policyRole = workspace.policy_json?.default_role
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>(ROLES.find((one) => one.value === policyRole)?.value ?? 'editor')
  const invite = useMutation({
    mutationFn: (typed: string) =>
      call('POST /api/v1/workspaces/{workspace_id}/invites', {
        workspace_id: workspace.workspace_id,
        email: typed.trim(),
        role,
      }),
    onSuccess: (action, sent) => {
      // The next address may already be typed.
      setEmail((typed) => (typed === sent ? '' : typed))
      onSent(action)
      toast(strings.invitedNotice(invited(action.invite)))
      void workspaceChanged(workspace.workspace_id)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    invite.mutate(email)
  }
  return (
    <form className="grid gap-3" onSubmit={submit}>
      <div className="grid items-start gap-3 sm:grid-cols-[minmax(0,1fr)_--spacing(40)_auto]">
        <TextField
          label={strings.eMailAddress}
          type="email"
          required
          minLength={3}
          maxLength={320}
          autoComplete="off"
          placeholder="colleague@example.com"
          value={email}
          error={invite.error instanceof ApiError ? invite.error.field('email') : undefined}
          onChange={(event) => setEmail(event.target.value)}
        />
        <SelectField
          label={strings.role}
          value={role}
          onChange={(event) => setRole(event.target.value as Role)}
        >
          {OFFERED.map((one) => (
            <option key={one.value} value={one.value}>
              {one.label}
            </option>
          ))}
        </SelectField>
        <Button type="submit" look="primary" busy={invite.isPending} className="sm:mt-6.5">
          {strings.invite}
        </Button>
      </div>
      <p className="text-xs text-faint">
        {roleName(role)}: {ROLES.find((one) => one.value === role)?.can}.
      </p>
      <FormError error={invite.error} />
    </form>
  )
}

function LinkPanel({ action, onClose }: { action: InviteAction; onClose: () => void }) {
  return (
    <section
      aria-label={strings.invitationLink}
      className="grid animate-enter gap-2 rounded-md border border-line p-4"
    >
      <div className="flex items-start gap-2 text-sm">
        <MailCheck size={16} className="mt-0.5 shrink-0 text-ok" aria-hidden />
        <p className="grow">
          {action.email_sent
            ? strings.mailIsOnItsWay(invited(action.invite))
            : strings.invitationExists(invited(action.invite))}{' '}
          <span className="text-soft">
            {strings.sendLinkYourself(
              action.email_sent
                ? 'You can also send this link yourself.'
                : 'No mail is sent, so send them this link yourself.',
              formatDay(action.invite.expires_at),
            )}
          </span>
        </p>
        <IconButton label={strings.closeLabel} className="-mt-1.5 -mr-2" onClick={onClose}>
          <X size={16} />
        </IconButton>
      </div>
      {action.warnings.map((warning) => (
        <p key={warning} role="alert" className="text-sm text-warn">
          {warning}
        </p>
      ))}
      <CopyBlock text={action.invite_url} label={strings.invitationLinkName} />
    </section>
  )
}

/** A person invited by account keeps their address private. */
const invited = ({ email }: Invite): string => email || strings.accountWithoutAddress

type InviteTableProps = {
  workspaceId: string
  invites: Invite[]
  onResent: (action: InviteAction) => void
  onRevoked: (invite: Invite) => void
}

function InviteTable({ workspaceId, invites, onResent, onRevoked }: InviteTableProps) {
  const resend = useMutation({
    mutationFn: (invite: Invite) =>
      call('POST /api/v1/workspaces/{workspace_id}/invites/{invite_id}/resend', {
        workspace_id: workspaceId,
        invite_id: invite.invite_id,
      }),
    onSuccess: (action) => {
      onResent(action)
      toast(strings.newLinkMade)
      void workspaceChanged(workspaceId)
    },
    onError: toastError,
  })
  const revoke = useMutation({
    mutationFn: (invite: Invite) =>
      call('DELETE /api/v1/workspaces/{workspace_id}/invites/{invite_id}', {
        workspace_id: workspaceId,
        invite_id: invite.invite_id,
      }),
    onSuccess: (_, invite) => {
      onRevoked(invite)
      void workspaceChanged(workspaceId)
      const undo = () =>
        void call('POST /api/v1/workspaces/{workspace_id}/invites', {
          workspace_id: workspaceId,
          email: invite.email,
          role: invite.role,
        }).then((action) => {
          onResent(action)
          void workspaceChanged(workspaceId)
        }, toastError)
      toast(strings.invitationRevoked(invited(invite)), invite.email === '' ? {} : { undo })
    },
    onError: toastError,
  })
  return (
    <Table
      label={strings.invitations}
      rows={invites}
      rowKey={(invite) => invite.invite_id}
      columns={[
        {
          name: strings.invited,
          cell: (invite) => (
            <span className="block min-w-0">
              <span className="block max-w-44 truncate font-medium sm:max-w-80">{invited(invite)}</span>
              <span className="text-xs text-faint">
                {roleName(invite.role)} · {formatAgo(invite.created_at)}
              </span>
              <span className="mt-1 block sm:hidden">
                <InviteState invite={invite} />
              </span>
            </span>
          ),
        },
        { name: strings.state, wide: true, cell: (invite) => <InviteState invite={invite} /> },
        {
          name: strings.actions,
          hideName: true,
          end: true,
          cell: (invite) =>
            invite.status === 'pending' && (
              <span className="inline-flex">
                <IconButton
                  label={strings.makeNewLinkFor(invited(invite))}
                  disabled={resend.isPending}
                  onClick={() => resend.mutate(invite)}
                >
                  <RefreshCw size={16} />
                </IconButton>
                <IconButton
                  label={strings.revokeInvitationOf(invited(invite))}
                  disabled={revoke.isPending}
                  onClick={() => revoke.mutate(invite)}
                >
                  <X size={16} />
                </IconButton>
              </span>
            ),
        },
      ]}
    />
  )
}

function InviteState({ invite }: { invite: Invite }) {
  if (invite.status === 'accepted') return <Badge tone="ok">{strings.accepted}</Badge>
  if (invite.declined_at) return <Badge>{strings.declined}</Badge>
  if (invite.status === 'revoked') return <Badge>{strings.revoked}</Badge>
  const daysLeft = Math.ceil((Date.parse(invite.expires_at) - Date.now()) / 86_400_000)
  if (daysLeft <= 0) return <Badge tone="bad">{strings.expired}</Badge>
  return <Badge tone="warn">{strings.openWithDaysLeft(plural(daysLeft, 'day'))}</Badge>
}
