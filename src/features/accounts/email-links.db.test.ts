import { expect, test } from 'vitest'
import { type Bench, onBothEngines } from '../../../test/support/engines.ts'

/** The newest link that waits in the outbox for this address. */
async function tokenMailedTo(t: Bench, email: string): Promise<string> {
  const mails = await t.app.services.database.read
    .selectFrom('outbox')
    .select('text_body')
    .where('to_address', '=', email)
    .orderBy('mail_id', 'desc')
    .execute()
  return /token=([\w-]+)/.exec(mails[0]?.text_body ?? '')?.[1] ?? ''
}

onBothEngines('links sent by mail', (t) => {
  const reset = (token: string) =>
    t.anonymous().post('/api/v1/auth/password/reset', { token, new_password: 'a new password' })

  test('a reset link works once, ends all sessions and sets the password', async () => {
    const user = await t.user()
    const asked = await t.anonymous().post('/api/v1/auth/password/reset-request', { email: user.email })
    expect(asked.body).toEqual({ status: 'sent_if_known' })
    const token = await tokenMailedTo(t, user.email)
    expect((await reset(token)).status).toBe(204)
    const again = await reset(token)
    expect([again.status, again.body.code]).toEqual([400, 'invalid_token'])
    expect((await user.get('/api/v1/auth/me')).status).toBe(401)
    const login = await t
      .anonymous()
      .post('/api/v1/auth/login', { email: user.email, password: 'a new password' })
    expect(login.status).toBe(200)
    expect(login.body.user.email_verified).toBe(true)
  })

  test('an unknown address gets the same answer and no mail', async () => {
    const email = 'unknown@example.com'
    const asked = await t.anonymous().post('/api/v1/auth/password/reset-request', { email })
    expect(asked.body).toEqual({ status: 'sent_if_known' })
    expect(await tokenMailedTo(t, email)).toBe('')
  })

  test('a newer link kills the older one, and every link ends after an hour', async () => {
    const user = await t.user()
    const ask = () => t.anonymous().post('/api/v1/auth/password/reset-request', { email: user.email })
    await ask()
    const older = await tokenMailedTo(t, user.email)
    await ask()
    const newer = await tokenMailedTo(t, user.email)
    expect((await reset(older)).status).toBe(400)
    t.later(3_600_001)
    expect((await reset(newer)).status).toBe(400)
  })

  test('two uses of one link at once: one works', async () => {
    const user = await t.user()
    await t.anonymous().post('/api/v1/auth/password/reset-request', { email: user.email })
    const token = await tokenMailedTo(t, user.email)
    const answers = await Promise.all([reset(token), reset(token)])
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 400])
  })
})
