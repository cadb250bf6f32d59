import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'
import { type Fields, oauthApp, REDIRECT } from '../../../test/support/oauth-app.ts'

onBothEngines('connecting an app', (t) => {
  const { base, register, pkce, authorizeUrl, requestOf, page, decide, token, connect, bearer, mcp } =
    oauthApp(t)

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

  test('a question mark inside the query is a part of it: what follows is not lost', async () => {
    const person = await t.user()
    const { client_id } = await register()
    const { state: _, ...fields } = requestOf(client_id, pkce().challenge)
    const asked = `${authorizeUrl(fields)}&state=abc?def&scope=search`
    const signedOut = await t.anonymous().get(asked)
    expect(signedOut.headers.location).toBe(`/sign-in?next=${encodeURIComponent(asked)}`)
    const consent = await t.anonymous().get(asked, { cookie: `kv_session=${person.token}` })
    expect(consent.text).not.toContain('value="record"')
    const { location } = await decide(consent.text, person, 'allow')
    expect(location.searchParams.get('state')).toBe('abc?def')
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
})
