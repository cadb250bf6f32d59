import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'
import { consent } from './consent.ts'

let vault: LiveVault
let person: Person

beforeAll(async () => {
  vault = await liveVault()
  person = await registerPerson(vault)
})
afterAll(() => vault.close())

/** What an app with an own browser window keeps; the window itself is played by `consent`. */
class AppMemory implements OAuthClientProvider {
  redirectUrl = 'http://127.0.0.1:39001/callback'
  sentTo: URL | undefined
  #client: StoredOAuthClientInformation | undefined
  #tokens: StoredOAuthTokens | undefined
  #verifier = ''
  get clientMetadata() {
    return {
      client_name: 'Terminal agent',
      redirect_uris: [this.redirectUrl],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    }
  }
  clientInformation = () => this.#client
  saveClientInformation = (client: StoredOAuthClientInformation) => {
    this.#client = client
  }
  tokens = () => this.#tokens
  saveTokens = (tokens: StoredOAuthTokens) => {
    this.#tokens = tokens
  }
  redirectToAuthorization = (url: URL) => {
    this.sentTo = url
  }
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier
  }
  codeVerifier = () => this.#verifier
}

const named = (host: string) => vault.url.replace('127.0.0.1', host)

test.each([
  ['legacy', '127.0.0.1'],
  ['auto', '127.0.0.1'],
  ['legacy', 'localhost'],
  ['auto', 'localhost'],
] as const)(
  'a client of the SDK signs in by itself, from nothing but the address (%s, %s)',
  async (mode, host) => {
    const memory = new AppMemory()
    const address = new URL(`${named(host)}/mcp`)
    const client = () => new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode } })
    const first = new StreamableHTTPClientTransport(address, { authProvider: memory })
    await expect(client().connect(first)).rejects.toThrow(UnauthorizedError)

    const { sentTo } = memory
    expect(sentTo?.searchParams.get('resource')).toBe(address.href)
    expect(sentTo?.searchParams.get('code_challenge_method')).toBe('S256')
    await first.finishAuth((await consent(sentTo as URL, person.token)).searchParams)

    const signedIn = client()
    await signedIn.connect(new StreamableHTTPClientTransport(address, { authProvider: memory }))
    const { tools } = await signedIn.listTools()
    expect(tools.map((tool) => tool.name)).toContain('get_ai_guide')
    await signedIn.close()

    // Both names are one vault: the token opens it by the other one too.
    const { access_token } = memory.tokens() ?? { access_token: '' }
    const other = host === 'localhost' ? '127.0.0.1' : 'localhost'
    const byOtherName = await fetch(`${named(other)}/mcp/tools/get_ai_guide`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(byOtherName.status).toBe(200)

    // A token that has ended is renewed without the person.
    const tokens = memory.tokens()
    memory.saveTokens({ ...tokens, access_token: 'kva_ended', token_type: 'Bearer' } as StoredOAuthTokens)
    const renewed = client()
    await renewed.connect(new StreamableHTTPClientTransport(address, { authProvider: memory }))
    expect((await renewed.listTools()).tools.length).toBe(tools.length)
    expect(memory.tokens()?.refresh_token).not.toBe(tokens?.refresh_token)
    await renewed.close()

    const apps = await person.get('/api/v1/auth/connected-apps')
    expect(apps.body[0]).toMatchObject({ name: 'Terminal agent' })
  },
)

const metadata = (host: string, name: string) =>
  vault.app.server.inject({ url: `/.well-known/${name}`, headers: { host } })

test('on loopback the metadata answers in the name that was used', async () => {
  const port = new URL(vault.url).port
  for (const name of ['localhost', '127.0.0.1', '[::1]']) {
    const base = `http://${name}:${port}`
    const issuer = (await metadata(`${name}:${port}`, 'oauth-authorization-server')).json()
    expect(issuer).toMatchObject({ issuer: base, token_endpoint: `${base}/oauth/token` })
    const resource = (await metadata(`${name}:${port}`, 'oauth-protected-resource/mcp')).json()
    expect(resource).toMatchObject({ resource: `${base}/mcp`, authorization_servers: [base] })
  }
  // Another program on this machine must not be able to pass for the vault.
  for (const host of ['localhost:1', 'localhost', 'evil.example.com'])
    expect((await metadata(host, 'oauth-authorization-server')).json().issuer).toBe(vault.url)
})

test('elsewhere BASE_URL decides, and another allowed name is told where to sign in', async () => {
  const other = await liveVault({ BASE_URL: 'https://vault.example.com', ALLOWED_HOSTS: 'vault.internal' })
  const ask = (host: string, headers = {}) =>
    other.app.server.inject({
      method: 'POST',
      url: '/mcp',
      headers: { host, 'content-type': 'application/json', ...headers },
      payload: { jsonrpc: '2.0', id: 1, method: 'ping' },
    })
  const usual = await ask('vault.example.com')
  expect(usual.json().detail).not.toContain('To sign in')
  for (const host of ['vault.internal', 'localhost:8080']) {
    const answer = await ask(host)
    expect(answer.statusCode).toBe(401)
    expect(answer.json().detail).toContain('To sign in, connect to https://vault.example.com/mcp')
    expect(answer.headers['www-authenticate']).toContain('https://vault.example.com/.well-known/')
    const wrong = await ask(host, { 'x-api-key': 'kv_wrong' })
    expect(wrong.headers['www-authenticate']).toMatch(/error="invalid_token".*To sign in/)
  }
  const issuer = await other.app.server.inject({
    url: '/.well-known/oauth-authorization-server',
    headers: { host: 'localhost:8080' },
  })
  expect(issuer.json().issuer).toBe('https://vault.example.com')
  await other.close()
})
