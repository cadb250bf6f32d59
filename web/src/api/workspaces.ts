import type { listWorkspaces as listCapability } from '#server/features/workspaces/workspaces.ts'
import { call } from './client.ts'

export const listWorkspaces = call<typeof listCapability>('GET /api/v1/workspaces')
