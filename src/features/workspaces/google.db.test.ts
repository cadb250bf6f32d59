import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { freePort } from '../../../test/support/postgres.ts'
import { contextFor } from '../../core/context.ts'
import { grantAdmin, resetLinkFor } from './admins.ts'

const CLIENT_ID = 'vault.apps.example.com'
const port = await freePort()
const ISSUER = `http://127.0.0.1:${port}`
const right = await generateKeyPair('RS256')
const wrong = await generateKeyPair('RS256')

/** Plays Google's key server. */
let keyServer: Server
beforeAll(async () => {
  const jwk = { ...(await exportJWK(right.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }
  keyServer = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ keys: [jwk] }))
  })
  await new Promise<void>((resolve) => keyServer.listen(port, '127.0.0.1', resolve))
  expect((keyServer.address() as AddressInfo).port).toBe(port)
})
afterAll(() => keyServer.close())

type TokenOptions = {
  claims?: JWTPayload
  key?: typeof right.privateKey
  audience?: string
  from?: string
  expires?: string
}

const idToken = ({
  claims,
  key = right.privateKey,
  audience = CLIENT_ID,
  from = ISSUER,
  expires = '1h',
}: TokenOptions) =>
  new SignJWT({ email: 'g@example.com', email_verified: true, name: 'G', ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
    .setSubject(String(claims?.sub ?? 'google-1'))
    .setIssuer(from)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime(expires)
    .sign(key)

const tokenIn = (link: string | undefined) => new URL(link ?? '').searchParams.get('token')

onBothEngines(
  'sign-in with Google',
  (t) => {
    const signIn = async (options: TokenOptions) =>
      t.anonymous().post('/api/v1/auth/google', { id_token: await idToken(options) })

    test('a first sign-in makes an account, the next one finds it', async () => {
      const claims = { sub: 'first', email: 'first@example.com' }
      const first = await signIn({ claims })
      expect(first.status).toBe(200)
      expect(first.body.user).toMatchObject({
        email: 'first@example.com',
        email_verified: true,
        credits_balance: 100,
      })
      expect((await signIn({ claims })).body.user.user_id).toBe(first.body.user.user_id)
    })

    test('no half of a secret stays at the end of a long name', async () => {
      const secret = ['AK', 'IA', 'QYLPMN5HFIQR7BBB'].join('')
      const claims = { sub: 'long', email: 'long@example.com', name: `${'n'.repeat(108)} ${secret}` }
      expect((await signIn({ claims })).body.user.display_name).toBe(
        `${'n'.repeat(108)} <AWS_ACCESS`.slice(0, 120),
      )
    })

    test('the account with the same address is linked, not doubled', async () => {
      const user = await t.user('linked')
      const answer = await signIn({ claims: { sub: 'second', email: user.email.toUpperCase() } })
      expect(answer.body.user.user_id).toBe(user.userId)
    })

    test('a second Google account with the address opens nothing; a reset by mail ends the link with the first', async () => {
      const email = 'changes-hands@example.com'
      const first = (await signIn({ claims: { sub: 'former', email } })).body
      const second = await signIn({ claims: { sub: 'next', email } })
      expect([second.status, second.body.code]).toEqual([409, 'other_google_account'])
      expect(second.body.detail).toContain('reset the password')
      expect((await signIn({ claims: { sub: 'former', email } })).body.user.user_id).toBe(first.user.user_id)

      const token = tokenIn(await resetLinkFor(contextFor(t.app.services), email))
      await t.anonymous().post('/api/v1/auth/password/reset', { token, new_password: 'battery of the next' })
      const linked = await signIn({ claims: { sub: 'next', email } })
      expect([linked.status, linked.body.user.user_id]).toEqual([200, first.user.user_id])
      expect((await signIn({ claims: { sub: 'former', email } })).body.code).toBe('other_google_account')
    })

    test("a password set on an unproven address ends with the link: it may be a stranger's", async () => {
      const squatter = await t.user('squatter')
      const key = await squatter.post('/api/v1/auth/api-keys', { name: 'left behind' })
      await signIn({ claims: { sub: 'third', email: squatter.email } })
      const login = { email: squatter.email, password: 'correct horse battery' }
      expect((await t.anonymous().post('/api/v1/auth/login', login)).status).toBe(401)
      expect((await squatter.get('/api/v1/auth/me')).status).toBe(401)
      expect((await t.anonymous().get('/api/v1/auth/me', { 'x-api-key': key.body.api_key })).status).toBe(401)
    })

    test('who moved an account to the address of somebody else does not come back to it by Google', async () => {
      const ctx = contextFor(t.app.services)
      const given: Record<string, (email: string) => Promise<string | undefined>> = {
        reset: (email) => resetLinkFor(ctx, email),
        admin: async (email) => (await grantAdmin(ctx, email, true)).link,
      }
      for (const [how, linkFor] of Object.entries(given)) {
        const claims = { sub: `mover-${how}`, email: `mover-${how}@example.com` }
        const email = `moved-to-${how}@example.com`
        const { access_token, user } = (await signIn({ claims })).body
        const mover = clientOf(t.app, { authorization: `Bearer ${access_token}` })
        const { confirm_url } = (await mover.post('/api/v1/auth/email', { email })).body
        await mover.post('/api/v1/auth/verify-email', { token: tokenIn(confirm_url) })
        const token = tokenIn(await linkFor(email))
        const password = 'battery of the owner'
        await t.anonymous().post('/api/v1/auth/password/reset', { token, new_password: password })
        const owner = (await t.anonymous().post('/api/v1/auth/login', { email, password })).body.user
        expect([owner.user_id, owner.email], how).toEqual([user.user_id, email])
        expect((await signIn({ claims })).body.user.user_id, how).not.toBe(user.user_id)
      }
    })

    test('forged, foreign, expired and unverified tokens are refused', async () => {
      const refused: [string, TokenOptions][] = [
        ['wrong key', { key: wrong.privateKey }],
        ['wrong audience', { audience: 'somebody.else' }],
        ['wrong issuer', { from: 'https://issuer.example' }],
        ['expired', { expires: '-1h' }],
        ['unverified address', { claims: { email_verified: false, sub: 'u' } }],
        ['verified as text', { claims: { email_verified: 'true', sub: 'u' } }],
        ['no address', { claims: { email: undefined, sub: 'u' } }],
      ]
      for (const [what, options] of refused) {
        const answer = await signIn(options)
        expect([answer.status, answer.body.code], what).toEqual([401, 'invalid_credentials'])
      }
      expect((await t.anonymous().post('/api/v1/auth/google', { id_token: 'not.a.token' })).status).toBe(401)
    })
  },
  { GOOGLE_CLIENT_ID: CLIENT_ID, GOOGLE_JWKS_URL: `${ISSUER}/certs`, GOOGLE_ISSUER: ISSUER },
)

onBothEngines(
  'a Google account that is linked with a proven account',
  (t) => {
    test('tells its owner in the inbox and by mail, as the address may have been of somebody else', async () => {
      const user = await t.user('proven')
      const { database } = t.app.services
      await database.transaction((db) =>
        db.updateTable('users').set({ email_verified: 1 }).where('user_id', '=', user.userId).execute(),
      )
      const id_token = await idToken({ claims: { sub: 'earlier', email: user.email } })
      expect((await t.anonymous().post('/api/v1/auth/google', { id_token })).status).toBe(200)
      expect((await user.get('/api/v1/notices')).body.items).toMatchObject([
        { kind: 'account.google_linked' },
      ])
      const mails = database.read
        .selectFrom('outbox')
        .select('subject')
        .where('state_key', 'like', `notice:${user.userId}:%`)
      expect(await mails.execute()).toMatchObject([{ subject: expect.stringContaining('Google account') }])
    })
  },
  // Nothing listens there, so mails wait.
  {
    GOOGLE_CLIENT_ID: CLIENT_ID,
    GOOGLE_JWKS_URL: `${ISSUER}/certs`,
    GOOGLE_ISSUER: ISSUER,
    SMTP_URL: 'smtp://127.0.0.1:1',
  },
)

onBothEngines(
  'while the keys of Google cannot be had',
  (t) => {
    test('signing in is refused for now', async () => {
      const answer = await t.anonymous().post('/api/v1/auth/google', { id_token: await idToken({}) })
      expect([answer.status, answer.body.code]).toEqual([503, 'unavailable'])
    })
  },
  { GOOGLE_CLIENT_ID: CLIENT_ID, GOOGLE_JWKS_URL: 'http://127.0.0.1:9/certs', GOOGLE_ISSUER: ISSUER },
)

onBothEngines('without Google configured', (t) => {
  test('the route says so', async () => {
    const answer = await t.anonymous().post('/api/v1/auth/google', { id_token: 'x' })
    expect([answer.status, answer.body.code]).toEqual([503, 'not_configured'])
  })
})
