import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx } from '../../core/context.ts'
import { invalid } from '../../core/errors.ts'
import { Id } from '../../core/schemas.ts'
import { fromJson, toJson } from '../../db/columns.ts'
import { requireUser, updateUser } from '../identity/users/users.ts'
import { roleIn } from '../permissions/permission.ts'

export const UserSettings = z
  .object({
    publishing_enabled: z.boolean().default(true),
    default_workspace_id: Id.nullable().default(null),
    language: z.string().trim().min(2).max(35).default('en'),
    email_notifications: z.boolean().default(true),
    share_usage: z.boolean().default(false),
    ask_before_added: z
      .boolean()
      .default(false)
      .describe('Nobody makes you a member at once: you get an invitation instead.'),
  })
  .meta({ id: 'UserSettings' })

export const DEFAULT_SETTINGS = UserSettings.parse({})

export const readSettings = capability({
  name: 'settings.read',
  summary: 'The settings of the signed-in user',
  scopes: ['account'],
  rest: ['GET /api/v1/user/settings'],
  input: z.object({}),
  output: UserSettings,
  run: async (ctx) =>
    fromJson<z.input<typeof UserSettings>>((await requireUser(ctx, ctx.viewer.userId)).settings),
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
      if (settings.default_workspace_id !== null && !(await roleIn(ctx, settings.default_workspace_id)))
        throw invalid('default_workspace_id', 'You are not a member of this workspace')
      await updateUser(ctx.db, ctx.viewer.userId, {
        settings: toJson(settings),
        updated_at: ctx.now().toISOString(),
      })
      return settings
    }),
})
