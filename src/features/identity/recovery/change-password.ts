import { z } from 'zod'
import { capability } from '../../../core/capability.ts'
import { inTx } from '../../../core/context.ts'
import { conflict } from '../../../core/errors.ts'
import { audit } from '../../audit/audit.ts'
import { requireRecentProof } from '../credentials/recent-sign-in.ts'
import { hashPassword, Password } from '../users/passwords.ts'
import { dropEmailTokens } from '../users/users.store.ts'
import { requireUser, updateUser } from '../users/users.ts'
import { endAccess } from './end-access.ts'

export const changePassword = capability({
  name: 'account.change_password',
  summary: 'Change the password; ends all other sessions, and API keys and connected apps too',
  description:
    'An account made by Google sign-in has no password yet: it leaves current_password out and needs a session that signed in within the last 10 minutes. The credential of this call keeps working.',
  scopes: ['account'],
  rest: ['POST /api/v1/auth/password'],
  status: 204,
  limit: 'auth',
  errors: [403, 409, 429],
  input: z
    .object({
      current_password: z.string().max(1000).optional(),
      new_password: Password,
      end_keys_and_apps: z
        .boolean()
        .default(true)
        .describe('false: API keys and connected apps keep working.'),
    })
    .meta({ id: 'PasswordChange' }),
  output: z.void(),
  prepare: async (ctx, { current_password, new_password }) => {
    const user = await requireUser(ctx, ctx.viewer.userId)
    // An account with a password must send it. To set the first one, a fresh sign-in is needed.
    await requireRecentProof(ctx, user, user.password_hash === null ? undefined : (current_password ?? ''))
    return { before: user.password_hash, passwordHash: await hashPassword(ctx, new_password) }
  },
  run: (ctx, { end_keys_and_apps }, { before, passwordHash }) =>
    inTx(ctx, async (ctx) => {
      const user = await requireUser(ctx, ctx.viewer.userId)
      if (user.password_hash !== before)
        throw conflict('password_changed', 'The password was changed by another request meanwhile.')
      await updateUser(ctx.db, user.user_id, {
        password_hash: passwordHash,
        updated_at: ctx.now().toISOString(),
      })
      await endAccess(ctx, user.user_id, {
        keysAndApps: end_keys_and_apps,
        except: ctx.viewer.credential,
      })
      await dropEmailTokens(ctx.db, user.user_id, 'reset_password')
      await audit(ctx, {
        action: 'account.password_changed',
        subject: { type: 'user', id: user.user_id },
        details: { end_keys_and_apps },
      })
    }),
})
