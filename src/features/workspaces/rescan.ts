import { textsToRescan } from '../redaction/rescan.ts'

export const workspacesToRescan = textsToRescan(
  'workspaces',
  'workspaces',
  'workspace_id',
  ['name'],
  ['policy_json'],
)
