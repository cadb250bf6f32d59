import { afterAll, describe, expect, test } from 'vitest'
import { clientOf } from '../support/client.ts'
import { onBothEngines, type TestVault } from '../support/engines.ts'
import { type ReceivedMail, startSmtp } from '../support/smtp.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())

const PASSWORD = 'correct horse battery'
const ME = '/api/v1/auth/me'
const tokenIn = (mail: ReceivedMail): string => /token=([\w-]+)/.exec(mail.text ?? '')?.[1] ?? ''

type Person = Awaited<ReturnType<TestVault['user']>>

/** Everything that opens an account: two sessions, a key, an app. */
async function credentialsOf(t: TestVault, person: Person): Promise<Record<string, () => Promise<number>>> {
  const login = await t.anonymous().post('/api/v1/auth/login', { email: person.email, password: PASSWORD })
  const key = await person.post('/api/v1/auth/api-keys', { name: 'agent' })
  const app = await connectApp(t, person)
  const by = (headers: Record<string, string>, path = ME) => {
    const client = clientOf(t.app, headers)
    return async () => (await client.get(path)).status
  }
  const tools = clientOf(t.app, { authorization: `Bearer ${app.access_token}` })
  return {
    session: by({ authorization: `Bearer ${person.token}` }),
    otherSession: by({ authorization: `Bearer ${login.body.access_token}` }),
    key: by({ 'x-api-key': key.body.api_key }),
    app: async () => (await tools.tool('list_workspaces')).status,
    refreshedApp: async () => (await refresh(t, app)).statusCode,
  }
}

const form = (fields: Record<string, string>) => ({
  payload: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
})

const REDIRECT = 'http://127.0.0.1:7777/callback'
const VERIFIER = 'v'.repeat(64)

async function connectApp(t: TestVault, person: Person) {
  const { server } = t.app
  const registered = await t.anonymous().post('/oauth/register', {
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
  })
  const { client_id } = registered.body
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(VERIFIER))
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT,
    code_challenge: Buffer.from(digest).toString('base64url'),
    code_challenge_method: 'S256',
  })
  const cookie = `kv_session=${person.token}`
  const page = await server.inject({ url: `/oauth/authorize?${query}`, headers: { cookie } })
  const fields = [...page.payload.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
  const consent = new URLSearchParams(
    fields.map(([, name = '', value = '']): [string, string] => [name, value]),
  )
  consent.append('grant', 'search')
  consent.append('decision', 'allow')
  const decided = await server.inject({
    method: 'POST',
    url: '/oauth/authorize',
    payload: consent.toString(),
    headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
  })
  const code = new URL(String(decided.headers.location)).searchParams.get('code') ?? ''
  const token = await server.inject({
    method: 'POST',
    url: '/oauth/token',
    ...form({ grant_type: 'authorization_code', client_id, code, code_verifier: VERIFIER }),
  })
  const tokens = token.json() as { access_token: string; refresh_token: string }
  return { client_id, ...tokens }
}

const refresh = (t: TestVault, app: { client_id: string; refresh_token: string }) =>
  t.app.server.inject({
    method: 'POST',
    url: '/oauth/token',
    ...form({ grant_type: 'refresh_token', client_id: app.client_id, refresh_token: app.refresh_token }),
  })

async function resetPassword(t: TestVault, email: string): Promise<void> {
  const before = smtp.mails.filter((mail) => mail.subject === 'Choose a new password').length
  await t.anonymous().post('/api/v1/auth/password/reset-request', { email })
  const mail = await smtp.mail(({ subject }) => subject === 'Choose a new password', before + 1)
  const body = { token: tokenIn(mail), new_password: 'the owner chose this' }
  expect((await t.anonymous().post('/api/v1/auth/password/reset', body)).status).toBe(204)
}

const statusesOf = async (opens: Record<string, () => Promise<number>>) =>
  Object.fromEntries(
    await Promise.all(Object.entries(opens).map(async ([name, open]) => [name, await open()] as const)),
  )

const ALL_OPEN = { session: 200, otherSession: 200, key: 200, app: 200 }
const ALL_SHUT = { session: 401, otherSession: 401, key: 401, app: 401, refreshedApp: 400 }

const define = (t: TestVault) => {
  test('after a reset proves the address, no credential of a squatter opens the account', async () => {
    const squatter = await t.user(`squatted-${t.engine}`)
    const opens = await credentialsOf(t, squatter)
    const { refreshedApp: _, ...atFirst } = opens
    expect(await statusesOf(atFirst)).toEqual(ALL_OPEN)
    await resetPassword(t, squatter.email)
    expect(await statusesOf(opens)).toEqual(ALL_SHUT)
    const login = { email: squatter.email, password: 'the owner chose this' }
    const { body } = await t.anonymous().post('/api/v1/auth/login', login)
    expect(body.user).toMatchObject({ email_verified: true, is_admin: true })
    const bearer = { authorization: `Bearer ${body.access_token}` }
    const inbox = await t.anonymous().get('/api/v1/notices', bearer)
    expect(inbox.body.items[0]).toMatchObject({ kind: 'account.address_proved', actor_id: null })
  })

  test('the owner of an address who clicks "Confirm" does not confirm it for a squatter', async () => {
    const squatter = await t.user(`clicked-${t.engine}`)
    const mail = await smtp.mailTo(squatter.email, 'Confirm your e-mail address')
    const clicked = await t.anonymous().post('/api/v1/auth/verify-email', { token: tokenIn(mail) })
    expect(clicked.status).toBe(401)
    const other = await t.user(`bystander-${t.engine}`)
    expect((await other.post('/api/v1/auth/verify-email', { token: tokenIn(mail) })).status).toBe(401)
    expect((await squatter.get(ME)).body).toMatchObject({ email_verified: false, is_admin: false })
  })

  test('after a reset no older link works any more', async () => {
    const user = await t.user(`links-${t.engine}`)
    await t.anonymous().post('/api/v1/auth/password/reset-request', { email: user.email })
    const older = tokenIn(await smtp.mailTo(user.email, 'Choose a new password'))
    await t.anonymous().post('/api/v1/auth/password/reset-request', { email: user.email })
    const token = tokenIn(await smtp.mailTo(user.email, 'Choose a new password', 2))
    const use = (token: string) =>
      t.anonymous().post('/api/v1/auth/password/reset', { token, new_password: 'another password' })
    expect((await use(token)).status).toBe(204)
    expect((await use(older)).status).toBe(400)
  })

  test('a sign-in and a key that are under way while the password is reset leave nothing behind', async () => {
    const user = await t.user(`racing-${t.engine}`)
    await t.anonymous().post('/api/v1/auth/password/reset-request', { email: user.email })
    const token = tokenIn(await smtp.mailTo(user.email, 'Choose a new password'))
    const login = { email: user.email, password: PASSWORD }
    const [, ...rest] = await Promise.all([
      t.anonymous().post('/api/v1/auth/password/reset', { token, new_password: 'another password' }),
      ...Array.from({ length: 4 }, () => t.anonymous().post('/api/v1/auth/login', login)),
      ...Array.from({ length: 4 }, () => user.post('/api/v1/auth/api-keys', { name: 'late' })),
    ])
    const given = rest.map(({ body }) => body.access_token ?? body.api_key).filter(Boolean)
    for (const credential of given)
      expect((await t.anonymous().get(ME, { authorization: `Bearer ${credential}` })).status).toBe(401)
  })

  describe('a change of the password', () => {
    const change = { current_password: PASSWORD, new_password: 'another password' }

    test('ends everything else by default, and keeps the credential that asked', async () => {
      const user = await t.user(`changes-${t.engine}`)
      const opens = await credentialsOf(t, user)
      expect((await user.post('/api/v1/auth/password', change)).status).toBe(204)
      expect(await statusesOf(opens)).toEqual({ ...ALL_SHUT, session: 200 })
    })

    test('keeps keys and apps where that is asked for', async () => {
      const user = await t.user(`keeps-${t.engine}`)
      const { refreshedApp: _, ...opens } = await credentialsOf(t, user)
      await user.post('/api/v1/auth/password', { ...change, end_keys_and_apps: false })
      expect(await statusesOf(opens)).toEqual({ ...ALL_OPEN, otherSession: 401 })
    })
  })

  test('signing out everywhere ends every session, key and app, or sessions alone', async () => {
    const [one, two] = [await t.user(`everywhere-${t.engine}`), await t.user(`sessions-${t.engine}`)]
    const opens = await credentialsOf(t, one)
    expect((await one.post('/api/v1/auth/logout-everywhere')).status).toBe(204)
    expect(await statusesOf(opens)).toEqual(ALL_SHUT)
    const { refreshedApp: _, ...others } = await credentialsOf(t, two)
    await two.post('/api/v1/auth/logout-everywhere', { keys_and_apps: false })
    expect(await statusesOf(others)).toEqual({ session: 401, otherSession: 401, key: 200, app: 200 })
  })

  test('sessions are listed, and one of them ends alone; those of others do not', async () => {
    const user = await t.user(`lists-${t.engine}`)
    const opens = await credentialsOf(t, user)
    const { body } = await user.get('/api/v1/auth/sessions')
    expect(body.map((one: { current: boolean }) => one.current)).toEqual([false, true])
    const other = await t.user(`lists-${t.engine}`)
    expect((await other.delete(`/api/v1/auth/sessions/${body[0].session_id}`)).status).toBe(404)
    expect((await user.delete(`/api/v1/auth/sessions/${body[0].session_id}`)).status).toBe(204)
    expect([await opens.otherSession?.(), await opens.session?.()]).toEqual([401, 200])
  })
}

/** The addresses of a bench are numbered in the order of their coming. */
const SQUATTED = ['sqlite', 'postgres'].flatMap((engine) => [
  `squatted-${engine}-1@example.com`,
  `clicked-${engine}-2@example.com`,
])

onBothEngines('an account in strange hands', define, {
  SMTP_URL: smtp.url,
  ADMIN_EMAILS: SQUATTED.join(','),
})
