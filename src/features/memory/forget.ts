import type { Ctx } from '../../core/context.ts'
import { removeEventsOf } from './events.store.ts'
import { removeProject } from './projects.store.ts'

/** All memory of one person, in every workspace. Returns how many events went. */
export async function forgetMemory(ctx: Ctx, userId: string): Promise<number> {
  const projects = await ctx.db
    .selectFrom('context_projects')
    .select(['user_id', 'project_id'])
    .where('user_id', '=', userId)
    .execute()
  let events = 0
  for (const project of projects) {
    events += await removeEventsOf(ctx.db, ctx.database.engine, project)
    await removeProject(ctx.db, project)
  }
  return events
}
