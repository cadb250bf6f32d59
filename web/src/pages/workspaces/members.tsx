import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { LogOut, UserMinus } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { queryClient } from '../../api/query.ts'
import type { Member, Role, Workspace } from '../../api/types.ts'
import { Avatar } from '../../frame/user-menu.tsx'
import { formatDay } from '../../lib/format.ts'
import { useMe } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Select } from '../../ui/field.tsx'
import { NotLoaded, SkeletonList } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { toast, toastError } from '../../ui/toast.tsx'
import * as strings from './strings.ts'
import { ROLES, roleName } from './workspace-fields.tsx'
import { membersQuery, workspaceChanged } from './workspace-queries.ts'

const nameOf = (member: Member) => member.display_name || member.email

export function Members({ workspace }: { workspace: Workspace }) {
  const me = useMe()
  const members = useQuery(membersQuery(workspace.workspace_id))
  const [leaving, setLeaving] = useState<Member | null>(null)
  const isAdmin = workspace.role === 'admin'
  if (!members.data)
    return (
      <NotLoaded query={members}>
        <SkeletonList rows={3} />
      </NotLoaded>
    )
  return (
    <>
      <Table
        label={strings.members}
        rows={members.data}
        rowKey={(member) => member.user_id}
        columns={[
          {
            name: strings.member,
            shrinks: true,
            cell: (member) => <Person member={member} isMe={member.user_id === me.user_id} />,
          },
          {
            name: strings.since,
            wide: true,
            cell: (member) => <span className="text-soft">{formatDay(member.created_at)}</span>,
          },
          {
            name: strings.role,
            cell: (member) =>
              isAdmin && workspace.type !== 'personal' ? (
                <RoleSelect workspace={workspace} member={member} isMe={member.user_id === me.user_id} />
              ) : (
                <Badge>{roleName(member.role)}</Badge>
              ),
          },
          {
            name: strings.actions,
            hideName: true,
            end: true,
            cell: (member) => {
              const isMe = member.user_id === me.user_id
              if (workspace.type === 'personal' || (!isAdmin && !isMe)) return null
              return (
                <IconButton
                  label={isMe ? strings.leaveTheWorkspace : strings.removeMember(nameOf(member))}
                  onClick={() => setLeaving(member)}
                >
                  {isMe ? <LogOut size={16} /> : <UserMinus size={16} />}
                </IconButton>
              )
            },
          },
        ]}
      />
      <dl className="mt-6 grid gap-1 text-xs text-faint">
        {ROLES.map((role) => (
          <div key={role.value} className="flex gap-1">
            <dt className="font-medium">{role.label}</dt>
            <dd>{role.can}.</dd>
          </div>
        ))}
      </dl>
      {leaving && <RemoveDialog workspace={workspace} member={leaving} onClose={() => setLeaving(null)} />}
    </>
  )
}

function Person({ member, isMe }: { member: Member; isMe: boolean }) {
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <Avatar name={nameOf(member)} />
      <span className="min-w-0">
        <span className="flex items-center gap-2 font-medium">
          <bdi className="truncate sm:max-w-72">{nameOf(member)}</bdi>
          {isMe && <Badge>{strings.you}</Badge>}
        </span>
        {member.display_name && (
          <span className="block truncate text-xs text-faint sm:max-w-72">{member.email}</span>
        )}
      </span>
    </span>
  )
}

type RoleProps = { workspace: Workspace; member: Member }

/**
 * Another person's role shows at once and can be undone. Giving up the own role cannot be undone, so a
 * dialog asks first.
 */
function RoleSelect({ workspace, member, isMe }: RoleProps & { isMe: boolean }) {
  const workspaceId = workspace.workspace_id
  const [ownChoice, setOwnChoice] = useState<Role | null>(null)
  const show = (role: Role) =>
    queryClient.setQueryData(membersQuery(workspaceId).queryKey, (all) =>
      all?.map((one) => (one.user_id === member.user_id ? { ...one, role } : one)),
    )
  const change = useMutation({
    mutationFn: (role: Role) =>
      call('PATCH /api/v1/workspaces/{workspace_id}/members/{user_id}', {
        workspace_id: workspaceId,
        user_id: member.user_id,
        role,
      }),
    onMutate: (role) => {
      show(role)
      // Saved before the call: on a refusal `member` already has the new role.
      return member.role
    },
    onError: (error, _role, before) => {
      if (before) show(before)
      toastError(error)
    },
    onSettled: () => workspaceChanged(workspaceId),
  })
  const pick = (role: Role) =>
    change.mutate(role, {
      onSuccess: () =>
        toast(strings.roleChanged(nameOf(member), roleName(role).toLowerCase()), {
          undo: () => change.mutate(member.role),
        }),
    })
  return (
    <>
      <div className="w-32">
        <Select
          aria-label={strings.roleOf(nameOf(member))}
          value={member.role}
          onChange={(event) => (isMe ? setOwnChoice : pick)(event.target.value as Role)}
        >
          {ROLES.map((role) => (
            <option key={role.value} value={role.value}>
              {role.label}
            </option>
          ))}
        </Select>
      </div>
      {ownChoice && (
        <OwnRoleDialog
          workspace={workspace}
          member={member}
          role={ownChoice}
          onClose={() => setOwnChoice(null)}
        />
      )}
    </>
  )
}

/** Only an admin changes roles, so this always gives up being one. */
function OwnRoleDialog({
  workspace,
  member,
  role,
  onClose,
}: RoleProps & { role: Role; onClose: () => void }) {
  const id = workspace.workspace_id
  const name = roleName(role).toLowerCase()
  const change = useMutation({
    mutationFn: () =>
      call('PATCH /api/v1/workspaces/{workspace_id}/members/{user_id}', {
        workspace_id: id,
        user_id: member.user_id,
        role,
      }),
    onSuccess: () => {
      onClose()
      toast(strings.joinedAs(name, workspace.name))
      return workspaceChanged(id)
    },
    onError: (error) => {
      onClose()
      toastError(error)
    },
  })
  return (
    <ConfirmDialog
      onClose={onClose}
      mutation={change}
      title={strings.giveUpAdmin(workspace.name)}
      action={strings.becomeRole(name)}
    >
      <p>{strings.giveUpAdminWarning}</p>
    </ConfirmDialog>
  )
}

function RemoveDialog({
  workspace,
  member,
  onClose,
}: {
  workspace: Workspace
  member: Member
  onClose: () => void
}) {
  const me = useMe()
  const navigate = useNavigate()
  const isMe = member.user_id === me.user_id
  const id = workspace.workspace_id
  const remove = useMutation({
    mutationFn: () =>
      call('DELETE /api/v1/workspaces/{workspace_id}/members/{user_id}', {
        workspace_id: id,
        user_id: member.user_id,
      }),
    onSuccess: async () => {
      onClose()
      if (isMe) {
        queryClient.removeQueries({ queryKey: ['workspace', id] })
        await queryClient.invalidateQueries({ queryKey: ['workspaces'] })
        void navigate({ to: '/workspaces' })
        toast(strings.youLeft(workspace.name))
        return
      }
      await workspaceChanged(id)
      toast(strings.memberRemoved(nameOf(member)), {
        undo: () =>
          void call('POST /api/v1/workspaces/{workspace_id}/members', {
            workspace_id: id,
            user_id: member.user_id,
            role: member.role,
          }).then(() => workspaceChanged(id), toastError),
      })
    },
    onError: (error) => {
      onClose()
      toastError(error)
    },
  })
  return (
    <ConfirmDialog
      onClose={onClose}
      mutation={remove}
      title={isMe ? strings.leaveWorkspace(workspace.name) : strings.removeMember(nameOf(member))}
      action={isMe ? strings.leave : strings.remove}
    >
      {isMe ? <p>{strings.leaveWarning}</p> : <p>{strings.removeWarning(nameOf(member), workspace.name)}</p>}
    </ConfirmDialog>
  )
}
