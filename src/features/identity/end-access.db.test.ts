import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'
import { contextFor, inTx } from '../../core/context.ts'
import { DAY_MS } from '../../shared/time.ts'
import { newResetLink } from './email-links.ts'
import { dropEndedAccess } from './sessions.ts'

onBothEngines('ended access', (t) => {
  /** How many sessions, links and unconfirmed addresses are stored of somebody. */
  const storedOf = async (userId: string) => {
    const { read } = t.app.services.database
    const tables = ['sessions', 'email_tokens', 'email_changes'] as const
    const counts = tables.map(async (table) => {
      const rows = await read.selectFrom(table).select('user_id').where('user_id', '=', userId).execute()
      return rows.length
    })
    return Promise.all(counts)
  }

  test('expired sessions, links and unconfirmed addresses are deleted, and what still works stays', async () => {
    const user = await t.user()
    const change = { email: `moving-${t.engine}@example.com`, current_password: 'correct horse battery' }
    expect((await user.post('/api/v1/auth/email', change)).status).toBe(200)
    await inTx(contextFor(t.app.services), (ctx) => newResetLink(ctx, user.userId))
    await dropEndedAccess(contextFor(t.app.services))
    expect(await storedOf(user.userId)).toEqual([1, 1, 1])
    t.later(2 * DAY_MS)
    await dropEndedAccess(contextFor(t.app.services))
    expect(await storedOf(user.userId)).toEqual([1, 0, 0])
    t.later(31 * DAY_MS)
    await dropEndedAccess(contextFor(t.app.services))
    expect(await storedOf(user.userId)).toEqual([0, 0, 0])
  })
})
