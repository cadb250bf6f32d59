import type { Ctx, UserCtx } from '../../core/context.ts'
import { findUser, isServiceAdmin } from '../identity/users/users.ts'
import { type Moderator, moderatorsFor } from './cases.store.ts'

type Named = { email_normal: string | null; email_verified: number; service_admin: number }

/** Service admins, and whom they name in MODERATOR_EMAILS: the address must be proved, as theirs. */
export const isServiceModerator = (config: Ctx['config'], user: Named): boolean =>
  isServiceAdmin(config, user) ||
  (user.email_verified === 1 &&
    user.email_normal !== null &&
    config.moderatorEmails.includes(user.email_normal))

/** An app that a person has connected acts for them, but never as a moderator of the service. */
export async function moderatorOf(ctx: UserCtx): Promise<Moderator> {
  const { userId, credential } = ctx.viewer
  const user = await findUser(ctx.db, userId)
  const isService = credential.kind !== 'oauth' && user !== undefined && isServiceModerator(ctx.config, user)
  return { userId, isService }
}

export const whoModerates = (ctx: Ctx, workspaceId: string): Promise<string[]> =>
  moderatorsFor(ctx.db, workspaceId, [...ctx.config.adminEmails, ...ctx.config.moderatorEmails])
