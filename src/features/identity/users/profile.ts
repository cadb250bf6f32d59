import { z } from 'zod'
import { capability } from '../../../core/capability.ts'
import { inTx } from '../../../core/context.ts'
import { plainName } from '../../../core/names.ts'
import { audit } from '../../audit/audit.ts'
import { cleanText, Findings } from '../../redaction/stored.ts'
import { updateUser } from './users.store.ts'
import { presentUser, requireUser, UserResponse } from './users.ts'

/** One line without invisible characters, since others see it beside cards and in mails. */
export const DisplayName = z.string().overwrite(plainName).min(1).max(120)

/** A name as it is stored. Everybody can read it beside public cards, so a secret in it is replaced. */
export const cleanName = (name: string): string => cleanText(name, new Findings())

export const changeProfile = capability({
  name: 'account.update',
  summary: 'Change your name',
  description:
    'It is shown on your cards, comments and invitations, existing ones too. To change the e-mail address use POST /api/v1/auth/email.',
  scopes: ['account'],
  rest: ['PATCH /api/v1/auth/me'],
  input: z.object({ display_name: DisplayName.optional() }).meta({ id: 'UserUpdate' }),
  output: UserResponse,
  run: (ctx, { display_name: given }) => {
    const display_name = given === undefined ? undefined : cleanName(given)
    return inTx(ctx, async (ctx) => {
      const user = await requireUser(ctx, ctx.viewer.userId)
      if (display_name === undefined || display_name === user.display_name) return presentUser(ctx, user)
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
