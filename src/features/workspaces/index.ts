export { addMember, addMemberByEmail } from './add-members.ts'
export { appointAdmin, grantAdmin, grantedAdmins, isUnproven, resetLinkFor, revokeAdmin } from './admins.ts'
export { readAudit, readWorkspaceAudit } from './audit-log.ts'
export {
  acceptInvitation,
  acceptInvite,
  countOpenInvites,
  declineInvitation,
  endInvitesOf,
  listInvites,
  listMyInvitations,
  revokeInvite,
  viewInvite,
} from './invitations.ts'
export {
  changeMemberRole,
  handBackOffice,
  listMembers,
  removeMember,
  withdrawInvitesNaming,
  withdrawInvitesOf,
} from './members.ts'
export { invite, resendInvite } from './send-invitations.ts'
export { login, loginWithGoogle, register } from './sign-in.ts'
export { changeWorkspace, createWorkspace, getWorkspace, listWorkspaces } from './workspaces.ts'
