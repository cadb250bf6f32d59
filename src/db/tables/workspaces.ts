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
}

export type MembershipsTable = { workspace_id: string; user_id: string; role: Role; created_at: string }
