import { call } from './client.ts'
import type { Pending, Workspace } from './types.ts'

export const listWorkspaces =
  call<Pending<{ include_public?: boolean }, { items: Workspace[]; total: number }>>('GET /api/v1/workspaces')
