import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx } from '../../core/context.ts'
import { invalid } from '../../core/errors.ts'
import { toJson } from '../../db/columns.ts'
import { settingsOf, UserSettings } from '../identity/users/user-settings.ts'
import { defaultWorkspaceOf, requireUser, updateUser } from '../identity/users/users.ts'
import { forgetHistory } from '../kept-searches/history.ts'
import { hasRole, roleIn } from '../permissions/permission.ts'

export const readSettings = capability({
  name: 'settings.read',
  summary: 'The settings of the signed-in user',
  scopes: ['account'],
  rest: ['GET /api/v1/user/settings'],
  input: z.object({}),
  output: UserSettings,
  run: async (ctx) => {
    const user = await requireUser(ctx, ctx.viewer.userId)
    return { ...settingsOf(user), default_workspace_id: await defaultWorkspaceOf(ctx, user) }
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
