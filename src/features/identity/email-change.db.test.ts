import { afterAll, expect, test } from 'vitest'
import { type Client, clientOf } from '../../../test/support/client.ts'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { type ReceivedMail, startSmtp } from '../../../test/support/smtp.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())

const EMAIL = '/api/v1/auth/email'
const PASSWORD = 'correct horse battery'
const tokenIn = (text: string | null | undefined): string => /token=([\w-]+)/.exec(text ?? '')?.[1] ?? ''
const linkTo = async (email: string, count?: number) =>
  tokenIn((await smtp.mailTo(email, 'Confirm your new e-mail address', count)).text)

const withMail = (t: TestVault) => {
  const confirm = (user: Client, token: string) => user.post('/api/v1/auth/verify-email', { token })
  let people = 0
  const address = () => `new-${t.engine}-${++people}@example.com`
  const signIn = (email: string) => t.anonymous().post('/api/v1/auth/login', { email, password: PASSWORD })

  test('a new address counts once it is confirmed there, and ends nothing else', async () => {
    const user = await t.user(`mover-${t.engine}`)
    const key = (await user.post('/api/v1/auth/api-keys', { name: 'agent' })).body.api_key
    const email = address()
    const asked = await user.post(EMAIL, { email, current_password: PASSWORD })
    expect([asked.status, asked.body]).toMatchObject([
      200,
      { pending_email: email, email_sent: true, confirm_url: null },
    ])
    expect((await user.get('/api/v1/auth/me')).body).toMatchObject({
      email: user.email,
      pending_email: email,
    })
    expect((await signIn(email)).status).toBe(401)
    const token = await linkTo(email)
    expect((await confirm(user, token)).status).toBe(204)
    expect((await user.get('/api/v1/auth/me')).body).toMatchObject({
      email,
      email_verified: true,
      pending_email: null,
    })
    expect((await signIn(email)).status).toBe(200)
    expect((await signIn(user.email)).status).toBe(401)
    expect((await clientOf(t.app, { 'x-api-key': key }).get('/api/v1/auth/me')).status).toBe(200)
    expect((await confirm(user, token)).body.code).toBe('invalid_token')
    const told = await smtp.mailTo(user.email, 'The e-mail address of your account has changed')
    expect(told.text).toContain(email)
  })

  test('bonuses that wait for a proven address are booked when the new one is confirmed', async () => {
    const [inviter, guest] = [await t.user(`inviter-${t.engine}`), await t.user(`guest-${t.engine}`)]
    const balance = async () => (await guest.get('/api/v1/auth/me')).body.credits_balance
    const { code, credits } = (await inviter.post('/api/v1/billing/invites', {})).body
    const before = await balance()
    expect((await guest.post('/api/v1/billing/redeem-invite', { code })).status).toBe(200)
    expect(await balance()).toBe(before)
    const email = address()
    await guest.post(EMAIL, { email, current_password: PASSWORD })
    await confirm(guest, await linkTo(email))
    expect(await balance()).toBe(before + credits)
  })

  test('links that were mailed to the old address are dead after the change', async () => {
    const user = await t.user(`old-links-${t.engine}`)
    const verify = await smtp.mailTo(user.email, 'Confirm your e-mail address')
    await t.anonymous().post('/api/v1/auth/password/reset-request', { email: user.email })
    const reset = await smtp.mailTo(user.email, 'Choose a new password')
    const email = address()
    await user.post(EMAIL, { email, current_password: PASSWORD })
    await confirm(user, await linkTo(email))
    expect((await confirm(user, tokenIn(verify.text))).status).toBe(400)
    const stale = await t
      .anonymous()
      .post('/api/v1/auth/password/reset', { token: tokenIn(reset.text), new_password: 'a new password' })
    expect(stale.status).toBe(400)
  })

  test('it needs the password or a fresh sign-in; a key or an old session alone is not enough', async () => {
    const user = await t.user(`careful-${t.engine}`)
    const email = address()
    expect((await user.post(EMAIL, { email })).status).toBe(200)
    const key = (await user.post('/api/v1/auth/api-keys', { name: 'agent' })).body.api_key
    const agent = clientOf(t.app, { 'x-api-key': key })
    const byKey = await agent.post(EMAIL, { email })
    expect([byKey.status, byKey.body.code]).toEqual([403, 'recent_sign_in_required'])
    t.later(11 * 60_000)
    expect((await user.post(EMAIL, { email })).body.code).toBe('recent_sign_in_required')
    const wrong = await user.post(EMAIL, { email, current_password: 'wrong' })
    expect([wrong.status, wrong.body.code]).toEqual([401, 'invalid_credentials'])
    expect((await user.post(EMAIL, { email, current_password: PASSWORD })).status).toBe(200)
    expect((await agent.post(EMAIL, { email, current_password: PASSWORD })).status).toBe(200)
  })

  test('a newer wish replaces the older one; each ends after a day, or when it is given up', async () => {
    const user = await t.user(`undecided-${t.engine}`)
    const [first, second, third] = [address(), address(), address()]
    const ask = (email: string) => user.post(EMAIL, { email, current_password: PASSWORD })
    await ask(first)
    const older = await linkTo(first)
    await ask(second)
    const newer = await linkTo(second)
    expect((await confirm(user, older)).status).toBe(400)
    expect((await user.delete(EMAIL)).status).toBe(204)
    expect((await user.get('/api/v1/auth/me')).body.pending_email).toBeNull()
    expect((await confirm(user, newer)).status).toBe(400)
    await ask(third)
    const last = await linkTo(third)
    t.later(86_400_001)
    expect((await confirm(user, last)).status).toBe(400)
    expect((await user.get('/api/v1/auth/me')).body).toMatchObject({ email: user.email, pending_email: null })
  })

  test('an address of another account is refused, before and after it was taken', async () => {
    const [one, two] = [await t.user(`one-${t.engine}`), await t.user(`two-${t.engine}`)]
    const taken = await one.post(EMAIL, { email: two.email.toUpperCase(), current_password: PASSWORD })
    expect([taken.status, taken.body.code]).toEqual([409, 'email_taken'])
    const same = await one.post(EMAIL, { email: one.email, current_password: PASSWORD })
    expect([same.status, same.body.code]).toEqual([409, 'email_unchanged'])
    expect((await one.post(EMAIL, { email: 'nobody' })).status).toBe(422)
    const email = address()
    for (const user of [one, two]) await user.post(EMAIL, { email, current_password: PASSWORD })
    const tokens = [await linkTo(email), await linkTo(email, 2)] as const
    const answers = await Promise.all([confirm(one, tokens[0]), confirm(two, tokens[1])])
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 409])
    expect(answers.find((answer) => answer.status === 409)?.body.code).toBe('email_taken')
  })

  test('a person who moves an account to somebody else’s address gains nothing when the owner clicks the link', async () => {
    const mover = await t.user(`thief-${t.engine}`)
    const email = address()
    await mover.post(EMAIL, { email, current_password: PASSWORD })
    const token = await linkTo(email)
    const clicked = await t.anonymous().post('/api/v1/auth/verify-email', { token })
    expect([clicked.status, clicked.body.code]).toEqual([401, 'not_authenticated'])
    expect((await confirm(await t.user(`bystander-${t.engine}`), token)).status).toBe(401)
    expect((await mover.get('/api/v1/auth/me')).body).toMatchObject({ email: mover.email })
  })

  test('a change that was begun ends with all other access', async () => {
    const user = await t.user(`ends-${t.engine}`)
    const email = address()
    await user.post(EMAIL, { email, current_password: PASSWORD })
    const token = await linkTo(email)
    await user.post('/api/v1/auth/password', {
      current_password: PASSWORD,
      new_password: 'another password',
    })
    expect((await confirm(user, token)).status).toBe(400)
    expect((await user.get('/api/v1/auth/me')).body.pending_email).toBeNull()
  })

  test('two uses of one link at once: one works', async () => {
    const user = await t.user(`twice-${t.engine}`)
    const email = address()
    await user.post(EMAIL, { email, current_password: PASSWORD })
    const token = await linkTo(email)
    const answers = await Promise.all([confirm(user, token), confirm(user, token)])
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 400])
  })

  test('a deleted account takes its open change along', async () => {
    const user = await t.user(`leaver-${t.engine}`)
    const email = address()
    await user.post(EMAIL, { email, current_password: PASSWORD })
    const token = await linkTo(email)
    expect((await user.delete('/api/v1/auth/me?confirmed_by_user=true')).status).toBe(200)
    expect((await confirm(user, token)).status).toBe(400)
  })

  test('the confirmation mail comes again, once it is asked for, and only while it is needed', async () => {
    const user = await t.user(`again-${t.engine}`)
    const mail = (count: number): Promise<ReceivedMail> =>
      smtp.mailTo(user.email, 'Confirm your e-mail address', count)
    const older = tokenIn((await mail(1)).text)
    const sent = await user.post('/api/v1/auth/verify-email/resend')
    expect([sent.status, sent.body]).toEqual([200, { email: user.email }])
    const newer = tokenIn((await mail(2)).text)
    expect((await confirm(user, older)).status).toBe(400)
    expect((await confirm(user, newer)).status).toBe(204)
    const done = await user.post('/api/v1/auth/verify-email/resend')
    expect([done.status, done.body.code]).toEqual([409, 'already_verified'])
  })
}

const withoutMail = (t: TestVault) => {
  test('without a mail server the link is shown, and the address stays unconfirmed', async () => {
    const user = await t.user()
    const email = `Shown-${t.engine}@example.com`
    const { body } = await user.post(EMAIL, { email, current_password: PASSWORD })
    expect(body).toMatchObject({ pending_email: email, email_sent: false })
    expect(body.confirm_url).toMatch(
      new RegExp(`^${t.app.services.config.baseUrl}/verify\\?token=[\\w-]{43}$`),
    )
    const confirmed = await user.post('/api/v1/auth/verify-email', { token: tokenIn(body.confirm_url) })
    expect(confirmed.status).toBe(204)
    expect((await user.get('/api/v1/auth/me')).body).toMatchObject({ email, email_verified: false })
    const resend = await user.post('/api/v1/auth/verify-email/resend')
    expect([resend.status, resend.body.code]).toEqual([503, 'not_configured'])
  })

  test('the name changes everywhere it is shown', async () => {
    const user = await t.user('before')
    const card = (
      await user.post('/api/v1/cards', { title: 'A title', symptom: 'a symptom', fix_summary: 'a fix' })
    ).body
    const renamed = await user.patch('/api/v1/auth/me', { display_name: '  After  ' })
    expect([renamed.status, renamed.body.display_name]).toEqual([200, 'After'])
    expect((await user.get(`/api/v1/cards/${card.card_id}`)).body.owner_name).toBe('After')
    expect((await user.patch('/api/v1/auth/me', {})).body.display_name).toBe('After')
    for (const display_name of ['', '   ', 'x'.repeat(121), null, 5])
      expect((await user.patch('/api/v1/auth/me', { display_name })).status).toBe(422)
  })
}

onBothEngines('changing name and address, with mail', withMail, { SMTP_URL: smtp.url })
onBothEngines('changing name and address, without mail', withoutMail)
