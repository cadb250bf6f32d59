import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx } from '../../core/context.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/public-library.ts'
import { audit } from '../audit/audit.ts'
import { cleanName, DisplayName } from '../identity/users/profile.ts'
import { presentUser, requireUser, UserResponse, updateUser } from '../identity/users/users.ts'
import { requireMayPublish } from '../sanctions/sanctions.ts'

/** A name is read beside every card of its owner, so who is banned from the library cannot say anything by it either. */
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
