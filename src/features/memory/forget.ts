import type { Ctx } from '../../core/context.ts'
import { removeEventsOf } from './events.store.ts'
import { removeProject } from './projects.store.ts'

/** All memory of one person, in every workspace. Returns how many events went. */
export async function forgetMemory(ctx: Ctx, userId: string): Promise<number> {
  const projects = await ctx.db
    .selectFrom('context_projects')
    .select('project_id')
    .where('user_id', '=', userId)
    .execute()
  let events = 0
  for (const { project_id } of projects) {
    events += await removeEventsOf(ctx.db, ctx.database.engine, project_id)
    await removeProject(ctx.db, project_id)
  }
  return events
}
