/** The setting `publishing_enabled`: off, no step of this person or of their agents shows a card to strangers. */
import type { UserCtx } from '../../../core/context.ts'
import { AppError } from '../../../core/errors.ts'
import { settingsOf } from './user-settings.ts'
import { requireUser } from './users.ts'

export const publishingDisabled = (detail: string) => new AppError(403, 'publishing_disabled', detail)

export const isPublishingEnabled = async (ctx: UserCtx): Promise<boolean> =>
  settingsOf(await requireUser(ctx, ctx.viewer.userId)).publishing_enabled

export async function requirePublishing(ctx: UserCtx): Promise<void> {
  if (await isPublishingEnabled(ctx)) return
  throw publishingDisabled('Publishing is switched off in your settings (publishing_enabled).')
}
