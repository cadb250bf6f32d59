import { afterAll, expect, test } from 'vitest'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { type ReceivedMail, startSmtp } from '../../../test/support/smtp.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())

const tokenIn = (mail: ReceivedMail): string => /token=([\w-]+)/.exec(mail.text ?? '')?.[1] ?? ''

const resetTokenFor = async (email: string, count = 1) =>
  tokenIn(await smtp.mailTo(email, 'Choose a new password', count))

const define = (t: TestVault) => {
  const reset = (token: string) =>
    t.anonymous().post('/api/v1/auth/password/reset', { token, new_password: 'a new password' })

  test('a reset link works once, ends all sessions and sets the password', async () => {
    const user = await t.user(t.engine)
    const asked = await t.anonymous().post('/api/v1/auth/password/reset-request', { email: user.email })
    expect(asked.body).toEqual({ status: 'sent_if_known' })
    const token = await resetTokenFor(user.email)
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
    const queued = await t.app.services.database.read
      .selectFrom('outbox')
      .select('to_address')
      .where('to_address', '=', email)
      .execute()
    expect(queued).toEqual([])
  })

  test('the newest three links work, and every link ends after an hour', async () => {
    const user = await t.user(t.engine)
    const ask = () => t.anonymous().post('/api/v1/auth/password/reset-request', { email: user.email })
    const links: string[] = []
    for (let count = 1; count <= 4; count++) {
      await ask()
      links.push(await resetTokenFor(user.email, count))
      t.later(11 * 60_000)
    }
    expect((await reset(links[0] ?? '')).status).toBe(400)
    t.later(3_600_001)
    expect((await reset(links[3] ?? '')).status).toBe(400)
  })

  test('two uses of one link at once: one works', async () => {
    const user = await t.user(t.engine)
    await t.anonymous().post('/api/v1/auth/password/reset-request', { email: user.email })
    const token = await resetTokenFor(user.email)
    const answers = await Promise.all([reset(token), reset(token)])
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 400])
  })

  test('the verification mail after registration confirms the address', async () => {
    const user = await t.user(t.engine)
    expect((await user.get('/api/v1/auth/me')).body.email_verified).toBe(false)
    const mail = await smtp.mailTo(user.email, 'Confirm your e-mail address')
    expect(mail.text).toContain(`${t.app.services.config.baseUrl}/verify?token=`)
    const body = { token: tokenIn(mail) }
    const elsewhere = await t.anonymous().post('/api/v1/auth/verify-email', body)
    expect([elsewhere.status, elsewhere.body.code]).toEqual([401, 'not_authenticated'])
    expect((await user.post('/api/v1/auth/verify-email', body)).status).toBe(204)
    expect((await user.post('/api/v1/auth/verify-email', body)).status).toBe(400)
    expect((await user.get('/api/v1/auth/me')).body.email_verified).toBe(true)
  })
}

onBothEngines('links sent by mail', define, { SMTP_URL: smtp.url })
