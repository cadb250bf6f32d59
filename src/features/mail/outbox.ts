import type { Ctx } from '../../core/context.ts'
import { newId } from '../../db/ids.ts'

export type Mail = { to: string; subject: string; text: string; html: string }

/**
 * Puts a mail into the outbox, in the transaction of its cause. `stateKey` names the state that the mail
 * tells about (an invitation and its token generation, say), so that no state is mailed twice.
 */
export async function enqueueMail(ctx: Ctx, stateKey: string, mail: Mail): Promise<void> {
  if (!ctx.transacting) throw new Error('enqueueMail() belongs into the transaction of its cause')
  const now = ctx.now().toISOString()
  await ctx.db
    .insertInto('outbox')
    .values({
      mail_id: newId(),
      state_key: stateKey,
      to_address: mail.to,
      subject: mail.subject,
      text_body: mail.text,
      html_body: mail.html,
      status: 'pending',
      next_attempt_at: now,
      created_at: now,
      attempts: 0,
      claimed_until: null,
      last_error: null,
      sent_at: null,
    })
    .onConflict((conflict) => conflict.column('state_key').doNothing())
    .execute()
}
