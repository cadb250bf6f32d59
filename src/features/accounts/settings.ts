import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx } from '../../core/context.ts'
import { invalid } from '../../core/errors.ts'
import { toJson } from '../../db/columns.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/ids.ts'
import { audit } from '../audit/index.ts'
import {
  cleanName,
  DisplayName,
  defaultWorkspaceOf,
  isOwnPrivateTeam,
  presentUser,
  requireUser,
  settingsOf,
  sharesByDefault,
  UserResponse,
  UserSettings,
  updateUser,
} from '../identity/index.ts'
import { hasRole, requireMayPublish, roleIn } from '../permissions/index.ts'
import { forgetHistory } from '../search/index.ts'
import { textLimit, textUsageOf } from '../storage/index.ts'

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
      share_recorded: await sharesByDefault(ctx, user),
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
      if (
        settings.share_recorded &&
        !(workspaceId && (await isOwnPrivateTeam(ctx, workspaceId, ctx.viewer.userId)))
      )
        throw invalid(
          'share_recorded',
          'Name a private team as default_workspace_id, where you are editor or admin',
        )
      if (!settings.keep_search_history) await forgetHistory(ctx)
      await updateUser(ctx.db, ctx.viewer.userId, {
        settings: toJson(settings),
        updated_at: ctx.now().toISOString(),
      })
      return settings
    }),
})

/** A name appears beside every card of its owner, so a person banned from the library must not change it. */
const READ_BY_STRANGERS = { workspace_id: PUBLIC_LIBRARY_ID, visibility: 'public' } as const

export const changeProfile = capability({
  name: 'account.update',
  summary: 'Change your name',
  description:
    'It is shown on your cards, comments and invitations, existing ones too. To change the e-mail address use POST /api/v1/auth/email. Who is banned from publishing everywhere keeps the name.',
  scopes: ['account'],
  rest: ['PATCH /api/v1/auth/me'],
  input: z.object({ display_name: DisplayName.optional() }).meta({ id: 'UserUpdate' }),
  output: UserResponse,
  run: (ctx, { display_name: given }) => {
    const display_name = given === undefined ? undefined : cleanName(given)
    return inTx(ctx, async (ctx) => {
      const user = await requireUser(ctx, ctx.viewer.userId)
      if (display_name === undefined || display_name === user.display_name) return presentUser(ctx, user)
      await requireMayPublish(ctx, READ_BY_STRANGERS)
      const change = { display_name, updated_at: ctx.now().toISOString() }
      await updateUser(ctx.db, user.user_id, change)
      await audit(ctx, {
        action: 'account.renamed',
        subject: { type: 'user', id: user.user_id },
        details: { from: user.display_name, to: display_name },
      })
      return presentUser(ctx, { ...user, ...change })
    })
  },
})
