import type { Ctx } from '../../core/context.ts'
import { insertFounder, insertWorkspace } from './workspaces.store.ts'

/** Made at registration. Its owner is its only member, and writes that name no workspace go there. */
export async function createPersonalWorkspace(
  ctx: Ctx,
  owner: { userId: string; workspaceId: string },
): Promise<void> {
  const now = ctx.now().toISOString()
  await insertWorkspace(ctx.db, {
    workspace_id: owner.workspaceId,
    name: 'Personal',
    type: 'personal',
    visibility: 'private',
    policy_json: null,
    created_by: owner.userId,
    created_at: now,
    updated_at: now,
    deleted_at: null,
    opened_at: null,
  })
  await insertFounder(ctx.db, {
    workspace_id: owner.workspaceId,
    user_id: owner.userId,
    role: 'admin',
    created_at: now,
    role_given_by: null,
    address_known: 1,
  })
}
