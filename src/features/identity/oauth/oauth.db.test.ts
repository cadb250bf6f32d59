import { createHash, randomBytes } from 'node:crypto'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { onBothEngines } from '../../../../test/support/engines.ts'
import { contextFor } from '../../../core/context.ts'
import type { DocumentNet } from './client-document.ts'
import { findClient } from './clients.ts'
import { dropOAuthLeftovers } from './grants.ts'

const REDIRECT = 'http://127.0.0.1:43110/callback'
const MCP_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

type Fields = Record<string, string>
type Person = { token: string; email: string }

onBothEngines('connected apps', (t) => {
  const base = () => t.app.services.config.baseUrl

  async function register(metadata: Record<string, unknown> = {}) {
    const answer = await t.anonymous().post('/oauth/register', {
      client_name: 'Editor',
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      ...metadata,
    })
    expect(answer.status, answer.text).toBe(201)
    return answer.body as { client_id: string; client_secret?: string }
  }

  function pkce() {
    const verifier = randomBytes(32).toString('base64url')
    return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
  }

  const authorizeUrl = (fields: Fields) => `/oauth/authorize?${new URLSearchParams(fields)}`

  const requestOf = (clientId: string, challenge: string, more: Fields = {}): Fields => ({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'some state',
    ...more,
  })

  const cookie = (person: Person) => ({ cookie: `kv_session=${person.token}` })

  const page = (fields: Fields, person?: Person) =>
    t.anonymous().get(authorizeUrl(fields), person ? cookie(person) : {})

  const form = (url: string, fields: [string, string][], headers: Fields = {}) =>
    t.app.server.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams(fields).toString(),
    })

  const hiddenFields = (html: string): [string, string][] =>
    [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(
      ([, name = '', value = '']) => [
        name,
        value.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code))),
      ],
    )

  async function decide(html: string, person: Person, decision: string, grant?: string[]) {
    const ticked = grant ?? [...html.matchAll(/name="grant" value="([^"]+)"/g)].map((match) => match[1] ?? '')
    const answer = await form(
      '/oauth/authorize',
      [
        ...hiddenFields(html),
        ...ticked.map((scope): [string, string] => ['grant', scope]),
        ['decision', decision],
      ],
      cookie(person),
    )
    return {
      status: answer.statusCode,
      location: new URL(String(answer.headers.location ?? 'none:')),
      text: answer.body,
    }
  }

  async function token(fields: Fields, headers: Fields = {}) {
    const answer = await form('/oauth/token', Object.entries(fields), headers)
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
  }

  /** From registration to the first tokens. */
  async function connect(person: Person, more: Fields = {}, grant?: string[]) {
    const { client_id } = await register()
    const { verifier, challenge } = pkce()
    const consent = await page(requestOf(client_id, challenge, more), person)
    expect(consent.status, consent.text).toBe(200)
    const { location } = await decide(consent.text, person, 'allow', grant)
    const code = location.searchParams.get('code') ?? ''
    const exchange = {
      grant_type: 'authorization_code',
      client_id,
      code,
      code_verifier: verifier,
      redirect_uri: REDIRECT,
    }
    const answer = await token(exchange)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    return { clientId: client_id, exchange, location, tokens: answer.body }
  }

  const refresh = (clientId: string, refreshToken: string, more: Fields = {}) =>
    token({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken, ...more })

  const bearer = (accessToken: string) => ({ authorization: `Bearer ${accessToken}` })

  const mcp = (accessToken: string, method: string, params: Record<string, unknown> = {}) =>
    t.anonymous().post(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: MCP_META } },
      {
        ...bearer(accessToken),
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
      },
    )

  test('the documents lead from the refusal to every endpoint', async () => {
    for (const path of ['', '/mcp']) {
      const resource = await t.anonymous().get(`/.well-known/oauth-protected-resource${path}`)
      expect(resource.body).toMatchObject({ resource: `${base()}/mcp`, authorization_servers: [base()] })
      const issuer = await t.anonymous().get(`/.well-known/oauth-authorization-server${path}`)
      expect(issuer.body).toMatchObject({
        issuer: base(),
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: false,
      })
    }
    expect((await t.anonymous().get('/.well-known/oauth-protected-resource/other')).status).toBe(404)
  })

  test('an app connects: sign-in first, then a page that names it, then tokens that open MCP', async () => {
    const person = await t.user()
    const { client_id } = await register()
    const { verifier, challenge } = pkce()
    const fields = requestOf(client_id, challenge, { scope: 'search publish', resource: `${base()}/mcp` })

    const signedOut = await page(fields)
    expect(signedOut.status).toBe(303)
    expect(signedOut.headers.location).toBe(`/sign-in?next=${encodeURIComponent(authorizeUrl(fields))}`)

    const consent = await page(fields, person)
    expect(consent.text).toContain('Connect Editor?')
    expect(consent.text).toContain(person.email)
    expect(consent.text).toContain('an app on this computer')
    expect(consent.text).toContain('value="search"')
    expect(consent.text).not.toContain('value="record"')
    expect(consent.headers['content-security-policy']).toContain(
      `form-action 'self' ${new URL(REDIRECT).origin}`,
    )

    const { status, location } = await decide(consent.text, person, 'allow')
    expect(status).toBe(303)
    expect(location.origin + location.pathname).toBe(REDIRECT)
    expect(location.searchParams.get('state')).toBe('some state')
    expect(location.searchParams.get('iss')).toBe(base())

    const answer = await token({
      grant_type: 'authorization_code',
      client_id,
      code: location.searchParams.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri: REDIRECT,
      resource: `${base()}/mcp`,
    })
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'search publish' })

    const { access_token } = answer.body
    const listed = await mcp(access_token, 'tools/list')
    const names = listed.body.result.tools.map((tool: { name: string }) => tool.name)
    expect(names).toContain('get_ai_guide')
    expect(names).not.toContain('create_workspace')
    expect((await t.anonymous().post('/mcp/tools/get_ai_guide', {}, bearer(access_token))).status).toBe(200)
  })

  test('a tool beyond the granted scopes is refused with the scopes to ask for', async () => {
    const person = await t.user()
    const { tokens } = await connect(person, { scope: 'search' })
    const refused = await mcp(tokens.access_token, 'tools/call', {
      name: 'create_workspace',
      arguments: { name: 'x' },
    })
    expect(refused.status).toBe(403)
    expect(refused.headers['www-authenticate']).toContain('error="insufficient_scope"')
    expect(refused.headers['www-authenticate']).toContain('scope="search workspace:write"')
  })

  test('a token for /mcp does not open the REST API; one for the whole vault does', async () => {
    const person = await t.user()
    const narrow = await connect(person)
    const refused = await t.anonymous().get('/api/v1/workspaces', bearer(narrow.tokens.access_token))
    expect(refused.status).toBe(401)
    expect(refused.body.code).toBe('invalid_token')
    const wide = await connect(person, { resource: base() })
    expect((await t.anonymous().get('/api/v1/workspaces', bearer(wide.tokens.access_token))).status).toBe(200)
    const keys = await t.anonymous().get('/api/v1/auth/api-keys', bearer(wide.tokens.access_token))
    expect(keys.body.code).toBe('missing_scope')
  })

  test('scopes that were unticked on the page are not granted', async () => {
    const person = await t.user()
    const { tokens } = await connect(person, { scope: 'search record publish' }, [
      'search',
      'account',
      'workspace:write',
    ])
    expect(tokens.scope).toBe('search')
  })

  test('declining sends the app away with access_denied', async () => {
    const person = await t.user()
    const { client_id } = await register()
    const consent = await page(requestOf(client_id, pkce().challenge), person)
    for (const [decision, grant] of [
      ['deny', undefined],
      ['allow', []],
    ] as const) {
      const { location } = await decide(consent.text, person, decision, grant && [...grant])
      expect(location.searchParams.get('error')).toBe('access_denied')
      expect(location.searchParams.get('state')).toBe('some state')
      expect(location.searchParams.get('iss')).toBe(base())
      expect(location.searchParams.has('code')).toBe(false)
    }
  })

  test('the form cannot be sent by anybody but the person who saw the page', async () => {
    const person = await t.user()
    const other = await t.user('other')
    const { client_id } = await register()
    const consent = await page(requestOf(client_id, pkce().challenge), person)
    const stolen = await decide(consent.text, other, 'allow')
    expect(stolen.status).toBe(400)
    const changed = await decide(consent.text.replace('some state', 'other state'), person, 'allow')
    expect(changed.status).toBe(400)
    const forged = await decide(consent.text.replace(/name="csrf"/, 'name="was-csrf"'), person, 'allow')
    expect(forged.status).toBe(400)
  })

  test('an unknown app or an address that it never registered gets a page, not a redirect', async () => {
    const person = await t.user()
    const { client_id } = await register()
    const wrongs: Fields[] = [
      { client_id: 'nobody' },
      { client_id: 'https://app.example.com/client.json' },
      { redirect_uri: 'https://evil.example.com/callback' },
      { redirect_uri: 'http://127.0.0.1:43110/elsewhere' },
    ]
    for (const wrong of wrongs) {
      const answer = await page({ ...requestOf(client_id, pkce().challenge), ...wrong }, person)
      expect(answer.status).toBe(400)
      expect(answer.headers.location).toBeUndefined()
      expect(answer.text).toContain('cannot be connected')
    }
  })

  test('a wrong request is told to the app on this computer by redirect, and to a web address only by a click', async () => {
    const { client_id } = await register({
      redirect_uris: ['http://127.0.0.1/callback', 'https://app.example.com/cb'],
    })
    const cases: [Fields, string][] = [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge: '' }, 'invalid_request'],
      [{ scope: 'account' }, 'invalid_scope'],
      [{ resource: 'https://other.example.com/mcp' }, 'invalid_target'],
      [{ prompt: 'none' }, 'consent_required'],
    ]
    for (const [wrong, error] of cases) {
      const answer = await page({ ...requestOf(client_id, pkce().challenge), ...wrong })
      const location = new URL(String(answer.headers.location))
      expect(location.searchParams.get('error'), JSON.stringify(wrong)).toBe(error)
      expect(location.searchParams.get('iss')).toBe(base())
    }
    const web = await page({
      ...requestOf(client_id, pkce().challenge),
      redirect_uri: 'https://app.example.com/cb',
      scope: 'account',
    })
    expect(web.status).toBe(400)
    expect(web.headers.location).toBeUndefined()
    expect(web.text).toContain('Back to app.example.com')
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

  test('nobody is sent to an app by itself unless that does no harm; elsewhere they go by a click', async () => {
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

  test('registrations that nobody consented to, and what has expired, are cleared away', async () => {
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
    expect((await page(requestOf(clientId, pkce().challenge))).status).toBe(400)
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
})

async function serveText(text: string): Promise<{ port: number; close: () => void }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}
