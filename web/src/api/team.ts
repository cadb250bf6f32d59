import type { InputOf, OutputOf } from '../../../src/core/capability.ts'
import type {
  addMember as AddMember,
  changeMemberRole,
  listMembers as ListMembers,
  removeMember as RemoveMember,
} from '../../../src/features/workspaces/members.ts'
import type {
  createWorkspace as CreateWorkspace,
  changeWorkspace,
  getWorkspace as GetWorkspace,
} from '../../../src/features/workspaces/workspaces.ts'
import { call } from './client.ts'
import type { Page, Pending } from './types.ts'

export type Workspace = OutputOf<typeof GetWorkspace>
export type WorkspaceType = Exclude<InputOf<typeof CreateWorkspace>['type'], undefined>
export type Member = OutputOf<typeof ListMembers>[number]
export type Role = Member['role']

export type Invite = {
  invite_id: string
  workspace_id: string
  email: string
  role: Role
  status: 'pending' | 'accepted' | 'revoked' | 'expired'
  invited_by: string
  created_at: string
  expires_at: string
  accepted_at: string | null
}
export type InviteAction = { invite: Invite; invite_url: string; token: string; email_sent: boolean }
export type InviteView = {
  workspace_name: string
  inviter_name: string
  email: string
  role: Role
  status: string
  expires_at: string
}
export type AuditEntry = {
  audit_id: string
  actor_id: string | null
  actor_name: string | null
  action: string
  subject_type: string
  subject_id: string
  details: Record<string, unknown>
  created_at: string
}

type InWorkspace = { workspace_id: string }
type OneInvite = InWorkspace & { invite_id: string }
type Membership = OutputOf<typeof AddMember>

export const createWorkspace = call<typeof CreateWorkspace>('POST /api/v1/workspaces')
export const getWorkspace = call<typeof GetWorkspace>('GET /api/v1/workspaces/{workspace_id}')
export const updateWorkspace = call<typeof changeWorkspace>('PATCH /api/v1/workspaces/{workspace_id}')
export const listMembers = call<typeof ListMembers>('GET /api/v1/workspaces/{workspace_id}/members')
export const addMember = call<typeof AddMember>('POST /api/v1/workspaces/{workspace_id}/members')
export const changeRole = call<typeof changeMemberRole>(
  'PATCH /api/v1/workspaces/{workspace_id}/members/{user_id}',
)
export const removeMember = call<typeof RemoveMember>(
  'DELETE /api/v1/workspaces/{workspace_id}/members/{user_id}',
)
export const listInvites = call<Pending<InWorkspace & { include_history?: boolean }, Invite[]>>(
  'GET /api/v1/workspaces/{workspace_id}/invites',
)
export const createInvite = call<Pending<InWorkspace & { email: string; role?: Role }, InviteAction>>(
  'POST /api/v1/workspaces/{workspace_id}/invites',
)
export const resendInvite = call<Pending<OneInvite, InviteAction>>(
  'POST /api/v1/workspaces/{workspace_id}/invites/{invite_id}/resend',
)
export const revokeInvite = call<Pending<OneInvite, unknown>>(
  'DELETE /api/v1/workspaces/{workspace_id}/invites/{invite_id}',
)
export const viewInvite = call<Pending<{ token: string }, InviteView>>(
  'GET /api/v1/workspaces/invites/{token}',
)
export const acceptInvite = call<Pending<{ token: string }, Membership>>(
  'POST /api/v1/workspaces/invites/accept',
)
export const readAudit = call<Pending<InWorkspace & { page?: number; page_size?: number }, Page<AuditEntry>>>(
  'GET /api/v1/workspaces/{workspace_id}/audit',
)
