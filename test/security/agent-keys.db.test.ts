import { expect, test } from 'vitest'
import { contextFor } from '../../src/core/context.ts'
import { grantCode } from '../../src/features/identity/oauth-grants.ts'
import { SCOPES, TOOL_SCOPES } from '../../src/shared/scopes.ts'
import { onBothEngines } from '../support/engines.ts'
import { oauthApp, type Person } from '../support/oauth-app.ts'

const MAKE = '/api/v1/auth/api-keys/agent'

onBothEngines('keys for agents', (t) => {
  const { base, connect, page, pkce, register, requestOf } = oauthApp(t)
  const make = (token: string, body: unknown = { name: 'Editor on laptop' }) =>
    t.anonymous().post(MAKE, body, { authorization: `Bearer ${token}` })
  const connected = async (person: Person, scope: string, grant?: string[]) =>
    (await connect(person, { scope, resource: base() }, grant)).tokens.access_token
  const ALL = [...TOOL_SCOPES, 'agent-keys'].join(' ')

  test('an app that was granted the scope makes keys with the tool scopes that were ticked, and no others', async () => {
    const person = await t.user()
    const made = await make(await connected(person, ALL))
    expect(made.status, made.text).toBe(201)
    expect(made.body).toMatchObject({ name: 'Editor on laptop', scopes: [...TOOL_SCOPES], expires_at: null })
    const few = await make(await connected(person, ALL, ['search', 'agent-keys']))
    expect(few.body.scopes).toEqual(['search'])
    const key = { 'x-api-key': few.body.api_key }
    expect((await t.anonymous().get('/api/v1/auth/api-keys', key)).status).toBe(403)
    // It outlives the app, as the page said, and goes by itself.
    expect((await t.anonymous().delete('/api/v1/auth/api-keys/current', key)).status).toBe(204)
  })

  test('nobody has the scope unasked: no app by default, no metadata, no key, no session', async () => {
    const person = await t.user()
    const { challenge } = pkce()
    const { client_id } = await register()
    expect((await page(requestOf(client_id, challenge), person)).text).not.toContain('agent-keys')
    const asked = await page(requestOf(client_id, challenge, { scope: ALL }), person)
    expect(asked.text).toContain('Make keys for the agents on your computer')
    for (const path of ['oauth-authorization-server', 'oauth-protected-resource'])
      expect((await t.anonymous().get(`/.well-known/${path}`)).text).not.toContain('agent-keys')
    expect((await make(await connected(person, TOOL_SCOPES.join(' ')))).status).toBe(403)
    expect((await make(person.token)).status).toBe(403)
    const key = await person.post('/api/v1/auth/api-keys', { name: 'all' })
    expect((await make(key.body.api_key)).status).toBe(403)
    const wrong = await person.post('/api/v1/auth/api-keys', { name: 'x', scopes: ['agent-keys'] })
    expect(wrong.status).toBe(422)
    expect((await t.anonymous().post(MAKE, { name: 'x' })).status).toBe(401)
  })

  test('a token for MCP alone reaches it as little as one without tools, and the name has its limits', async () => {
    const person = await t.user()
    const forMcp = (await connect(person, { scope: ALL })).tokens.access_token
    expect((await make(forMcp)).status).toBe(401)
    const bare = await make(await connected(person, 'agent-keys'))
    expect(bare.status).toBe(403)
    const token = await connected(person, ALL)
    for (const body of [{}, { name: '' }, { name: 'x'.repeat(121) }])
      expect((await make(token, body)).status).toBe(422)
  })
})

onBothEngines('a program that plays the person at the browser', (t) => {
  const { base, connect, decide, page, pkce, register, requestOf } = oauthApp(t)

  /** Everything but a session that opens the account. */
  async function programsOf(person: Awaited<ReturnType<typeof t.user>>): Promise<string[]> {
    const keyWith = async (scopes: readonly string[]) =>
      (await person.post('/api/v1/auth/api-keys', { name: 'agent', scopes })).body.api_key
    const app = await connect(person, { scope: 'search', resource: base() })
    return [await keyWith(['search']), await keyWith(SCOPES), app.tokens.access_token]
  }

  test('no key and no token of an app is a session: in its cookie it opens nothing and consents to nothing', async () => {
    const person = await t.user()
    const { client_id } = await register()
    const request = requestOf(client_id, pkce().challenge)
    const { text: form } = await page(request, person)
    for (const token of await programsOf(person)) {
      const program = { ...person, token }
      const asked = await page(request, program)
      expect([asked.status, String(asked.headers.location)]).toEqual([
        303,
        expect.stringMatching(/^\/sign-in\?next=/),
      ])
      const decided = await decide(form, program, 'allow')
      expect([decided.status, decided.location.searchParams.get('code')]).toEqual([400, null])
      const cookie = { cookie: `kv_session=${token}`, 'x-requested-with': 'kvault-web' }
      expect((await t.anonymous().get('/api/v1/auth/me', cookie)).body.code).toBe('not_authenticated')
      const made = await t.anonymous().post('/api/v1/workspaces', { name: 'team' }, cookie)
      expect(made.body.code).toBe('not_authenticated')
    }
  })

  test('the step behind the consent page takes a session only, too', async () => {
    const { services } = t.app
    const consent = {
      client: { clientId: (await register()).client_id },
      redirectUri: 'http://127.0.0.1/callback',
      challenge: pkce().challenge,
      resource: base(),
      scopes: TOOL_SCOPES,
    } as unknown as Parameters<typeof grantCode>[1]
    for (const kind of ['api_key', 'oauth'] as const) {
      const viewer = { userId: 'x', scopes: new Set(SCOPES), isAdmin: false, credential: { kind, id: 'x' } }
      const ctx = { ...contextFor(services), viewer }
      await expect(async () => grantCode(ctx, consent)).rejects.toThrow('Only a person who is signed in')
    }
  })
})
