import type { Ctx } from '../../core/context.ts'
import { forbidden } from '../../core/errors.ts'
import { normalEmail } from '../../core/schemas.ts'
import { hasAnyUser } from '../identity/users/users.ts'
import { spendOnRegistration } from '../invitations/invitations.ts'
import { redeemCode } from '../invite-codes/invite-codes.ts'

type Applicant = { email: string; inviteCode: string | undefined; proven: boolean }

/**
 * Where invitations are needed, an admin named in the configuration needs none, if the address is proved or the vault has
 * no account yet. Otherwise the address alone opens nothing, since anybody can type it.
 */
async function isAwaitedAdmin(ctx: Ctx, { email, proven }: Applicant): Promise<boolean> {
  return ctx.config.adminEmails.includes(normalEmail(email)) && (proven || !(await hasAnyUser(ctx.db)))
}

export async function requireOpenRegistration(ctx: Ctx, applicant: Applicant): Promise<void> {
  const { registration } = ctx.config
  if (registration === 'closed')
    throw forbidden('Registration is closed on this server. Ask its admin for an account.')
  const uninvited = registration === 'invite' && applicant.inviteCode === undefined
  if (uninvited && !(await isAwaitedAdmin(ctx, applicant)))
    throw forbidden(
      'Registration needs an invitation here. Ask a member for an invite link or an invite code.',
    )
}

/**
 * An invite code is an invite code of a member, or the token of a workspace invitation. The first is redeemed, in
 * the transaction of the registration; the second allows one registration and is accepted afterwards, when its
 * new holder is signed in. A code that is wrong is an error, not a registration without its credits.
 */
export async function applyInviteCode(ctx: Ctx, userId: string, code: string | undefined): Promise<void> {
  if (code === undefined || (await spendOnRegistration(ctx, code))) return
  await redeemCode(ctx, userId, code)
}
