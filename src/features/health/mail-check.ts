import type { MailTransport } from '../../adapters/mail/mail.ts'
import type { Ctx } from '../../core/context.ts'
import { within } from '../../core/within.ts'
import type { CheckResult } from './check.ts'

const ASKED_EVERY_MS = 60_000
const LONGEST_MS = 2000

type Asked = { at: number; result: Promise<CheckResult> }

/** By transport, so that everybody who asks within a minute gets the same answer, even while it is pending. */
const asked = new WeakMap<MailTransport, Asked>()

async function ask(ctx: Ctx, transport: MailTransport): Promise<CheckResult> {
  try {
    await within(LONGEST_MS, transport.check())
    return { status: 'ok' }
  } catch (error) {
    // The reason names hosts and ports, which callers must not learn.
    ctx.log.warn({ err: error }, 'the mail server does not answer')
    return { status: 'failed', detail: 'The mail server does not answer; mails wait in the outbox' }
  }
}

/** Whether mail can be sent. It asks the mail server, at most once a minute and for two seconds. */
export function checkMail(ctx: Ctx): Promise<CheckResult> {
  const { mail } = ctx.adapters
  if (!mail) return Promise.resolve({ status: 'not_configured' })
  const now = ctx.now().getTime()
  const known = asked.get(mail)
  // Either way: the clock may have been put back.
  if (known && Math.abs(now - known.at) < ASKED_EVERY_MS) return known.result
  const result = ask(ctx, mail)
  asked.set(mail, { at: now, result })
  return result
}
