import type { Ctx } from '../../core/context.ts'
import { endTeamMatters } from './hiding.store.ts'
import { forgetReporter, forgetWords } from './reports.store.ts'

/** Reports stay and are nobody's; what the person wrote to moderators goes; decisions and bans stay. */
export async function forgetReportsOf(ctx: Ctx, userId: string): Promise<void> {
  await forgetReporter(ctx.db, userId)
  await forgetWords(ctx.db, userId)
}

/** What the admins of a private team decided ends with the team: its cards go home, and are hidden no more. */
export const endModerationIn = (ctx: Ctx, workspaceId: string): Promise<void> =>
  endTeamMatters(ctx.db, workspaceId, ctx.now().toISOString())
