import type { Ctx } from '../../core/context.ts'
import { endTeamMatters } from './hiding.store.ts'
import { forgetReporter, forgetWords } from './reports.store.ts'

/** Reports stay without their author. What the person wrote to moderators is deleted. Decisions and bans stay. */
export async function forgetReportsOf(ctx: Ctx, userId: string): Promise<void> {
  await forgetReporter(ctx.db, userId)
  await forgetWords(ctx.db, userId)
}

/** Decisions of a private team end with the team: cards that only its admins have hidden are shown again. */
export const endModerationIn = (ctx: Ctx, workspaceId: string): Promise<void> =>
  endTeamMatters(ctx.db, workspaceId, ctx.now().toISOString())
