import type { OutputOf } from '#server/core/capability.ts'
import type {
  deleteWorkspace as DeleteWorkspace,
  previewWorkspaceDeletion,
} from '#server/features/accounts/delete-workspace.ts'
import type { readTeamWeek } from '#server/features/inbox/team-week.ts'
import type { addMember as AddMember } from '#server/features/workspaces/add-members.ts'
import type { readWorkspaceAudit } from '#server/features/workspaces/audit-log.ts'
import type {
  acceptInvitation as AcceptInvitation,
  acceptInvite as AcceptInvite,
  declineInvitation as DeclineInvitation,
  listInvites as ListInvites,
  listMyInvitations as ListMyInvitations,
  revokeInvite as RevokeInvite,
  viewInvite as ViewInvite,
} from '#server/features/workspaces/invitations.ts'
import type {
  changeMemberRole,
  listMembers as ListMembers,
  removeMember as RemoveMember,
} from '#server/features/workspaces/members.ts'
import type {
  resendInvite as ResendInvite,
  invite as SendInvite,
} from '#server/features/workspaces/send-invitations.ts'
import type {
  createWorkspace as CreateWorkspace,
  changeWorkspace,
  getWorkspace as GetWorkspace,
} from '#server/features/workspaces/workspaces.ts'
import { call } from './client.ts'

export type Workspace = OutputOf<typeof GetWorkspace>
export type Member = OutputOf<typeof ListMembers>[number]
export type Role = Member['role']

export type Invite = OutputOf<typeof ListInvites>[number]
export type InviteAction = OutputOf<typeof SendInvite>
export type InviteView = OutputOf<typeof ViewInvite>
export type MyInvitation = OutputOf<typeof ListMyInvitations>[number]
export type Deletion = OutputOf<typeof previewWorkspaceDeletion>
export type AuditEntry = OutputOf<typeof readWorkspaceAudit>['items'][number]

export type TeamWeek = OutputOf<typeof readTeamWeek>

export const createWorkspace = call<typeof CreateWorkspace>('POST /api/v1/workspaces')
export const getWorkspace = call<typeof GetWorkspace>('GET /api/v1/workspaces/{workspace_id}')
export const updateWorkspace = call<typeof changeWorkspace>('PATCH /api/v1/workspaces/{workspace_id}')
export const previewDeletion = call<typeof previewWorkspaceDeletion>(
  'GET /api/v1/workspaces/{workspace_id}/deletion',
)
export const deleteWorkspace = call<typeof DeleteWorkspace>('DELETE /api/v1/workspaces/{workspace_id}')
export const listMembers = call<typeof ListMembers>('GET /api/v1/workspaces/{workspace_id}/members')
export const addMember = call<typeof AddMember>('POST /api/v1/workspaces/{workspace_id}/members')
export const changeRole = call<typeof changeMemberRole>(
  'PATCH /api/v1/workspaces/{workspace_id}/members/{user_id}',
)
export const removeMember = call<typeof RemoveMember>(
  'DELETE /api/v1/workspaces/{workspace_id}/members/{user_id}',
)
export const listInvites = call<typeof ListInvites>('GET /api/v1/workspaces/{workspace_id}/invites')
export const createInvite = call<typeof SendInvite>('POST /api/v1/workspaces/{workspace_id}/invites')
export const resendInvite = call<typeof ResendInvite>(
  'POST /api/v1/workspaces/{workspace_id}/invites/{invite_id}/resend',
)
export const revokeInvite = call<typeof RevokeInvite>(
  'DELETE /api/v1/workspaces/{workspace_id}/invites/{invite_id}',
)
export const viewInvite = call<typeof ViewInvite>('GET /api/v1/workspaces/invites/{token}')
export const acceptInvite = call<typeof AcceptInvite>('POST /api/v1/workspaces/invites/accept')
export const readAudit = call<typeof readWorkspaceAudit>('GET /api/v1/workspaces/{workspace_id}/audit')
export const teamWeek = call<typeof readTeamWeek>('GET /api/v1/workspaces/{workspace_id}/week')
export const listMyInvitations = call<typeof ListMyInvitations>('GET /api/v1/invitations')
export const acceptInvitation = call<typeof AcceptInvitation>('POST /api/v1/invitations/{invite_id}/accept')
export const declineInvitation = call<typeof DeclineInvitation>(
  'POST /api/v1/invitations/{invite_id}/decline',
)
