import type { Ctx } from '../../core/context.ts'
import { countMaterialsIn as count, moveToOwners } from './materials.store.ts'

export const countMaterialsIn = (ctx: Ctx, workspaceId: string): Promise<number> => count(ctx.db, workspaceId)

/** Empties a workspace that is being deleted: each raw material goes to the personal workspace of its owner. */
export const sendMaterialsHome = (ctx: Ctx, workspaceId: string): Promise<void> =>
  moveToOwners(ctx.db, workspaceId)
