export type Role = 'admin' | 'editor' | 'viewer'

export type WorkspacesTable = {
  workspace_id: string
  name: string
  type: 'org' | 'personal' | 'team' | 'system'
  visibility: 'private' | 'unlisted' | 'public'
  policy_json: string | null
  created_by: string | null
  created_at: string
  updated_at: string
  /** A deleted workspace is private and has no members; its row stays for what refers to it. */
  deleted_at: string | null
  /** When it was last opened after it had been private. */
  opened_at: string | null
}

export type MembershipsTable = {
  workspace_id: string
  user_id: string
  role: Role
  created_at: string
  /** Who gave the role; null where the member took it, by making the workspace or by accepting an invitation. */
  role_given_by: string | null
  /** 0 where an admin added the account by its id: the team does not read its address. */
  address_known: number
}

export type WorkspaceInvitesTable = {
  invite_id: string
  workspace_id: string
  email: string
  email_normal: string
  role: Role
  status: 'pending' | 'accepted' | 'revoked'
  /** The hash of the newest token. Sending again replaces it. */
  token_hash: string
  /** When somebody registered with the newest token on a server that demands an invitation: it opens one registration. */
  registered_at: string | null
  /** How often it was sent: each sending is a state of its own, mailed once. */
  sendings: number
  invited_by: string
  created_at: string
  expires_at: string
  accepted_at: string | null
  /** Read by nobody here: the audit log shows the same, as the actor of `invite.accepted`. */
  accepted_by: string | null
  /** The account that may accept without the link, from its inbox. */
  for_user_id: string | null
  /** Set when the invited person said no; the status is `revoked` then. */
  declined_at: string | null
  /** 0 where an admin named the account by its id: the team does not read its address. */
  address_known: number
}
