import { afterAll, expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'
import { startSmtp } from '../../../test/support/smtp.ts'
import { contextFor, inTx } from '../../core/context.ts'
import { newId } from '../../db/ids.ts'
import { answerResetRequests } from './email-links.ts'
import { insertResetRequest, liveResetTokens } from './users.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())

const MINUTE_MS = 60_000

onBothEngines(
  'requests for a link to a new password',
  (t) => {
    /** As if the mail had left at once: one that still waits is taken back with its link. */
    const markSent = (address: string) =>
      t.app.services.database.transaction((db) =>
        db.updateTable('outbox').set({ status: 'sent' }).where('to_address', '=', address).execute(),
      )

    async function ask(email: string): Promise<void> {
      const ctx = contextFor(t.app.services)
      await inTx(ctx, ({ db }) =>
        insertResetRequest(db, {
          request_id: newId(),
          email_normal: email,
          created_at: ctx.now().toISOString(),
        }),
      )
      await answerResetRequests(ctx, new AbortController().signal)
      await markSent(email)
    }

    test('who asks all day fills no mailbox, and a link in it always works', async () => {
      const { email, userId } = await t.user(t.engine)
      const { services } = t.app
      const mailed = new Set<string>()
      for (let minute = 0; minute < 24 * 60; minute += 4) {
        await ask(email)
        const live = await liveResetTokens(services.database.read, userId, services.now().toISOString())
        expect(live.length, `after ${minute} minutes`).toBeGreaterThan(0)
        for (const { token_hash } of live) mailed.add(token_hash)
        t.later(4 * MINUTE_MS)
      }
      expect(mailed.size).toBeLessThan(40)
    })
  },
  { SMTP_URL: smtp.url, RATE_LIMIT: 'on' },
)
