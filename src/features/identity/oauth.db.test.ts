import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'
import { oauthApp, REDIRECT } from '../../../test/support/oauth-app.ts'
import { contextFor } from '../../core/context.ts'
import { type DocumentNet, findClient, findKnownClient } from './oauth-clients.ts'
import { dropOAuthLeftovers } from './oauth-grants.ts'

onBothEngines('connected apps', (t) => {
  const { base, register, pkce, requestOf, page, form, decide, token, connect, refresh, mcp } = oauthApp(t)

  test('a client_id with a NUL is unknown, as any other that nobody registered', async () => {
    const refused = await page({ client_id: 'a\0b' })
    expect(refused.status).toBe(400)
    // An app that has kept a registration which ended here would come with it again.
    expect(refused.text).toContain('Remove the sign-in that the app has stored for this server')
    const authorization = `Basic ${Buffer.from('a%00b:c').toString('base64')}`
    const answer = await token({ grant_type: 'refresh_token', refresh_token: 'any' }, { authorization })
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client'])
  })

  test('a code needs its own client, its verifier, its address and to be in time', async () => {
    const person = await t.user()
    const { client_id } = await register()
    const stranger = await register()
    const { verifier, challenge } = pkce()
    const consent = await page(requestOf(client_id, challenge), person)
    const { location } = await decide(consent.text, person, 'allow')
    const good = {
      grant_type: 'authorization_code',
      client_id,
      code: location.searchParams.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri: REDIRECT,
    }
    for (const wrong of [
      { client_id: stranger.client_id },
      { code_verifier: pkce().verifier },
      { redirect_uri: 'http://127.0.0.1/callback' },
      { code: 'kvc_unknown' },
    ]) {
      const answer = await token({ ...good, ...wrong })
      expect(answer.status).toBe(400)
      expect(answer.body.error).toBe('invalid_grant')
    }
    expect((await token({ ...good, resource: base() })).body.error).toBe('invalid_target')
    expect((await token({ ...good, code_verifier: '' })).body.error).toBe('invalid_request')
    t.later(61_000)
    expect((await token(good)).body.error_description).toContain('expired')
  })

  test('a code that is used twice ends the connection', async () => {
    const person = await t.user()
    const { exchange, tokens } = await connect(person)
    expect((await mcp(tokens.access_token, 'tools/list')).status).toBe(200)
    expect((await token(exchange)).body.error).toBe('invalid_grant')
    expect((await mcp(tokens.access_token, 'tools/list')).status).toBe(401)
  })

  test('a refresh token changes with each use; an old one that comes back later ends the connection', async () => {
    const person = await t.user()
    const { clientId, tokens } = await connect(person)
    const second = await refresh(clientId, tokens.refresh_token)
    expect(second.status).toBe(200)
    expect(second.body.refresh_token).not.toBe(tokens.refresh_token)
    expect((await mcp(second.body.access_token, 'tools/list')).status).toBe(200)

    const soon = await refresh(clientId, tokens.refresh_token)
    expect(soon.body.error).toBe('invalid_grant')
    expect((await mcp(second.body.access_token, 'tools/list')).status).toBe(200)

    t.later(11_000)
    expect((await refresh(clientId, tokens.refresh_token)).body.error).toBe('invalid_grant')
    expect((await mcp(second.body.access_token, 'tools/list')).status).toBe(401)
    expect((await refresh(clientId, second.body.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('two refreshes at once: one of them wins and the connection lives', async () => {
    const person = await t.user()
    const { clientId, tokens } = await connect(person)
    const answers = await Promise.all([1, 2, 3].map(() => refresh(clientId, tokens.refresh_token)))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400, 400])
    const winner = answers.find((answer) => answer.status === 200)
    expect((await mcp(winner?.body.access_token, 'tools/list')).status).toBe(200)
  })

  test('a refresh may narrow the scopes but not widen them', async () => {
    const person = await t.user()
    const { clientId, tokens } = await connect(person, { scope: 'search record' })
    expect((await refresh(clientId, tokens.refresh_token, { scope: 'search publish' })).body.error).toBe(
      'invalid_scope',
    )
    const narrowed = await refresh(clientId, tokens.refresh_token, { scope: 'search' })
    expect(narrowed.body.scope).toBe('search')
    const again = await refresh(clientId, narrowed.body.refresh_token)
    expect(again.body.scope).toBe('search record')
  })

  test('an access token ends after an hour', async () => {
    const person = await t.user()
    const { tokens } = await connect(person)
    t.later(3_601_000)
    const answer = await mcp(tokens.access_token, 'tools/list')
    expect(answer.status).toBe(401)
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"')
  })

  test('an app with a secret must show it, either way', async () => {
    const person = await t.user()
    const client = await register({ token_endpoint_auth_method: 'client_secret_basic' })
    const { verifier, challenge } = pkce()
    const consent = await page(requestOf(client.client_id, challenge), person)
    const { location } = await decide(consent.text, person, 'allow')
    const exchange = {
      grant_type: 'authorization_code',
      code: location.searchParams.get('code') ?? '',
      code_verifier: verifier,
    }
    const basic = (secret: string) => ({
      authorization: `Basic ${Buffer.from(`${client.client_id}:${secret}`).toString('base64')}`,
    })
    const without = await token({ ...exchange, client_id: client.client_id })
    expect([without.status, without.body.error]).toEqual([401, 'invalid_client'])
    expect((await token(exchange, basic('wrong'))).body.error).toBe('invalid_client')
    const first = await token(exchange, basic(client.client_secret ?? ''))
    expect(first.status).toBe(200)
    const second = await refresh(client.client_id, first.body.refresh_token, {
      client_secret: client.client_secret ?? '',
    })
    expect(second.status).toBe(200)
  })

  test('people see their connected apps and disconnect them; nobody else can', async () => {
    const person = await t.user()
    const other = await t.user('other')
    const { tokens } = await connect(person, { scope: 'search' })
    await mcp(tokens.access_token, 'tools/list')
    const list = await person.get('/api/v1/auth/connected-apps')
    expect(list.body).toHaveLength(1)
    const [app] = list.body
    expect(app).toMatchObject({
      name: 'Editor',
      verified_host: null,
      scopes: ['search'],
      resource: `${base()}/mcp`,
    })
    expect(app.last_used_at).not.toBeNull()
    expect((await other.get('/api/v1/auth/connected-apps')).body).toEqual([])
    expect((await other.delete(`/api/v1/auth/connected-apps/${app.app_id}`)).status).toBe(404)
    expect((await mcp(tokens.access_token, 'tools/list')).status).toBe(200)
    expect((await person.delete(`/api/v1/auth/connected-apps/${app.app_id}`)).status).toBe(204)
    expect((await mcp(tokens.access_token, 'tools/list')).status).toBe(401)
    expect((await person.get('/api/v1/auth/connected-apps')).body).toEqual([])
  })

  test('an app can give its tokens back; a stranger cannot revoke them', async () => {
    const person = await t.user()
    const { clientId, tokens } = await connect(person)
    const stranger = await register()
    const revoke = (client_id: string, value: string) =>
      form('/oauth/revoke', [
        ['client_id', client_id],
        ['token', value],
      ])
    expect((await revoke(stranger.client_id, tokens.refresh_token)).statusCode).toBe(200)
    expect((await mcp(tokens.access_token, 'tools/list')).status).toBe(200)
    expect((await revoke(clientId, 'kvr_unknown')).statusCode).toBe(200)
    expect((await revoke(clientId, tokens.refresh_token)).statusCode).toBe(200)
    expect((await mcp(tokens.access_token, 'tools/list')).status).toBe(401)
  })

  test('a parameter that is given twice is refused, and nothing ends by it', async () => {
    const { exchange, clientId, tokens } = await connect(await t.user())
    const twice = async (url: string, fields: Record<string, string>, name: string) => {
      const answer = await form(url, [...Object.entries(fields), [name, 'other']])
      expect([answer.statusCode, answer.json().error], name).toEqual([400, 'invalid_request'])
    }
    for (const name of ['code', 'code_verifier', 'client_id']) await twice('/oauth/token', exchange, name)
    const refreshing = {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: tokens.refresh_token,
    }
    await twice('/oauth/token', refreshing, 'refresh_token')
    await twice('/oauth/revoke', { client_id: clientId, token: tokens.access_token }, 'token')
    expect((await mcp(tokens.access_token, 'tools/list')).status).toBe(200)
  })

  test('a registration without a usable address is refused in the words of OAuth', async () => {
    const answer = await t
      .anonymous()
      .post('/oauth/register', { redirect_uris: ['http://evil.example.com/cb'] })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toBe('invalid_redirect_uri')
    const json = await t.anonymous().post('/oauth/token', { grant_type: 'authorization_code' })
    expect(json.body.error).toBe('invalid_request')
    expect((await token({ grant_type: 'password', client_id: 'x' })).body.error).toBe('invalid_client')
  })

  test('a registration stores no secret: the name and the page lose it, an address with one is refused', async () => {
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
    const { client_id } = await register({
      client_name: `Editor ${secret}`,
      client_uri: `https://app.example.com/?t=${secret}`,
    })
    const { read } = t.app.services.database
    const row = await read
      .selectFrom('oauth_clients')
      .selectAll()
      .where('client_id', '=', client_id)
      .execute()
    expect(row).toMatchObject([
      { name: 'Editor <GITHUB_TOKEN>', uri: 'https://app.example.com/?t=<GITHUB_TOKEN>' },
    ])
    for (const uri of [`https://app.example.com/${secret}`, `http://app.example.com/${secret}`]) {
      const refused = await t.anonymous().post('/oauth/register', { redirect_uris: [uri] })
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_redirect_uri'])
      expect(refused.text).not.toContain(secret)
    }
  })

  test('an error redirects automatically only to apps on the device; elsewhere a person must click', async () => {
    const wrong = async (redirect_uri: string) => {
      const body = { redirect_uris: [redirect_uri], token_endpoint_auth_method: 'none' }
      const { client_id } = (await t.anonymous().post('/oauth/register', body)).body
      return page({ ...requestOf(client_id, 'no challenge'), redirect_uri })
    }
    for (const address of ['http://127.0.0.1:5555/cb', 'com.example.app:/cb'])
      expect((await wrong(address)).status, address).toBe(303)
    for (const address of ['search-ms://query/x', 'https://app.example.com/cb']) {
      const answer = await wrong(address)
      expect([answer.status, answer.headers.location], address).toEqual([400, undefined])
      expect(answer.text).toContain(`href="${address}?error=`)
    }
    const filesystem = { redirect_uris: ['filesystem:https://app.example.com/temporary/x'] }
    expect((await t.anonymous().post('/oauth/register', filesystem)).body.error).toBe('invalid_redirect_uri')
  })

  test('registrations without consent and expired rows are deleted', async () => {
    const person = await t.user()
    const unused = await register()
    const { clientId, tokens } = await connect(person)
    t.later(25 * 3_600_000)
    await dropOAuthLeftovers(contextFor(t.app.services))
    expect((await page(requestOf(unused.client_id, pkce().challenge))).status).toBe(400)
    const renewed = await refresh(clientId, tokens.refresh_token)
    expect(renewed.status).toBe(200)
    t.later(91 * 24 * 3_600_000)
    await dropOAuthLeftovers(contextFor(t.app.services))
    const { read } = t.app.services.database
    const grants = read.selectFrom('oauth_grants').select('grant_id').where('client_id', '=', clientId)
    expect(await grants.execute()).toEqual([])
  })

  test('an app that was connected once stays registered: it can be connected again after a disconnection', async () => {
    const person = await t.user()
    const { clientId } = await connect(person)
    const { body } = await person.get('/api/v1/auth/connected-apps')
    expect((await person.delete(`/api/v1/auth/connected-apps/${body[0].app_id}`)).status).toBe(204)
    t.later(400 * 24 * 3_600_000)
    await dropOAuthLeftovers(contextFor(t.app.services))
    const other = await t.user()
    const again = await page(requestOf(clientId, pkce().challenge), other)
    expect(again.status).toBe(200)
    const { location } = await decide(again.text, other, 'allow')
    expect(location.searchParams.get('code')).toMatch(/^kvc_/)
  })

  test('a client that is named by its document: read once an hour, only where that is allowed', async () => {
    const id = `https://client.example.com/${crypto.randomUUID()}.json`
    let reads = 0
    const document = JSON.stringify({ client_id: id, client_name: 'Cloud agent', redirect_uris: [REDIRECT] })
    const net: DocumentNet = {
      lookup: async () => [{ address: '127.0.0.1', family: 4 }],
      allowed: () => true,
      request: (_url, options, answer) => {
        reads++
        return httpRequest({ ...options, host: '127.0.0.1', port: server.port }, answer)
      },
    }
    const server = await serveText(document)
    const { services } = t.app
    const on = contextFor({ ...services, config: { ...services.config, oauthClientDocuments: true } })
    expect(await findClient(on, id, net)).toMatchObject({
      name: 'Cloud agent',
      host: 'client.example.com',
      authMethod: 'none',
    })
    await findClient(on, id, net)
    expect(reads).toBe(1)
    t.later(3_601_000)
    await findClient(on, id, net)
    expect(reads).toBe(2)
    await expect(findClient(contextFor(services), id, net)).rejects.toThrow('not registered')
    expect(reads).toBe(2)
    server.close()
  })

  test('while the host of its document is away, a client renews its tokens and asks for no new consent', async () => {
    const id = `https://client.example.com/${crypto.randomUUID()}.json`
    const document = JSON.stringify({ client_id: id, client_name: 'Cloud agent', redirect_uris: [REDIRECT] })
    let status = 200
    const server = await serveText(document, () => status)
    const net: DocumentNet = {
      lookup: async () => [{ address: '127.0.0.1', family: 4 }],
      allowed: () => true,
      request: (_url, options, answer) =>
        httpRequest({ ...options, host: '127.0.0.1', port: server.port }, answer),
    }
    const unresolved: DocumentNet = { ...net, lookup: () => Promise.reject(new Error('no such host')) }
    const { services } = t.app
    const on = contextFor({ ...services, config: { ...services.config, oauthClientDocuments: true } })
    await expect(findKnownClient(on, id, unresolved)).rejects.toThrow('cannot be resolved')
    const known = await findClient(on, id, net)
    t.later(3_601_000)
    const expectAway = async (at: DocumentNet, why: string) => {
      await expect(findClient(on, id, at)).rejects.toThrow(why)
      expect(await findKnownClient(on, id, at)).toEqual(known)
    }
    await expectAway(unresolved, 'cannot be resolved')
    status = 503
    await expectAway(net, 'answered 503')
    // It says itself that the client is gone.
    status = 404
    await expect(findKnownClient(on, id, net)).rejects.toThrow('answered 404')
    server.close()
    await expectAway(net, 'could not be fetched')
  })
})

async function serveText(text: string, status = () => 200): Promise<{ port: number; close: () => void }> {
  const server = createServer((_request, response) => {
    response.writeHead(status(), { 'content-type': 'application/json' }).end(text)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}
