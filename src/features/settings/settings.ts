import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx } from '../../core/context.ts'
import { invalid } from '../../core/errors.ts'
import { toJson } from '../../db/columns.ts'
import { settingsOf, UserSettings } from '../identity/users/user-settings.ts'
import { defaultWorkspaceOf, requireUser, updateUser } from '../identity/users/users.ts'
import { forgetHistory } from '../kept-searches/history.ts'
import { hasRole, roleIn } from '../permissions/permission.ts'
import { textLimit, textUsageOf } from '../storage/text-usage.ts'

const TextStorage = z
  .object({
    used_bytes: z.int(),
    deleted_bytes: z.int().describe('In deleted cards that can still be brought back'),
    limit_bytes: z.int(),
  })
  .meta({ id: 'TextStorage' })

export const readSettings = capability({
  name: 'settings.read',
  summary: 'The settings of the signed-in user',
  scopes: ['account'],
  rest: ['GET /api/v1/user/settings'],
  input: z.object({}),
  output: UserSettings.extend({
    text_storage: TextStorage.describe('What your texts take of TEXT_MB_PER_PERSON. Read only.'),
  }).meta({ id: 'UserSettingsRead' }),
  run: async (ctx) => {
    const user = await requireUser(ctx, ctx.viewer.userId)
    const { bytes, deleted_bytes } = await textUsageOf(ctx.db, user.user_id)
    return {
      ...settingsOf(user),
      default_workspace_id: await defaultWorkspaceOf(ctx, user),
      text_storage: { used_bytes: bytes, deleted_bytes, limit_bytes: textLimit(ctx) },
    }
  },
})

export const replaceSettings = capability({
  name: 'settings.replace',
  summary: 'Replace the settings; a setting left out goes back to its default',
  scopes: ['account'],
  rest: ['PUT /api/v1/user/settings'],
  input: UserSettings,
  output: UserSettings,
  run: (ctx, settings) =>
    inTx(ctx, async (ctx) => {
      const workspaceId = settings.default_workspace_id
      if (workspaceId !== null && !hasRole(await roleIn(ctx, workspaceId), 'editor'))
        throw invalid('default_workspace_id', 'You cannot write cards in this workspace')
      if (!settings.keep_search_history) await forgetHistory(ctx)
      await updateUser(ctx.db, ctx.viewer.userId, {
        settings: toJson(settings),
        updated_at: ctx.now().toISOString(),
      })
      return settings
    }),
})
