import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { TestVault } from './engines.ts'

export const REDIRECT = 'http://127.0.0.1:43110/callback'
const MCP_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

export type Fields = Record<string, string>
export type Person = { token: string; email: string }

/** What an app and a browser do to connect, by the routes of the vault. */
export function oauthApp(t: TestVault) {
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

  return {
    base,
    register,
    pkce,
    authorizeUrl,
    requestOf,
    cookie,
    page,
    form,
    hiddenFields,
    decide,
    token,
    connect,
    refresh,
    bearer,
    mcp,
  }
}
