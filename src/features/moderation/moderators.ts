import type { Ctx, UserCtx } from '../../core/context.ts'
import { findUser, isServiceModerator } from '../identity/users/users.ts'
import type { Moderator } from './matters.store.ts'
import { moderatorsFor } from './moderators.store.ts'

/** An app that a person has connected acts for them, but never as a moderator of the service. */
export async function moderatorOf(ctx: UserCtx): Promise<Moderator> {
  const { userId, credential } = ctx.viewer
  const user = await findUser(ctx.db, userId)
  const isService = credential.kind !== 'oauth' && user !== undefined && isServiceModerator(ctx.config, user)
  return { userId, isService }
}

export const whoModerates = (ctx: Ctx, workspaceId: string): ReturnType<typeof moderatorsFor> =>
  moderatorsFor(ctx.db, workspaceId, [...ctx.config.adminEmails, ...ctx.config.moderatorEmails])
