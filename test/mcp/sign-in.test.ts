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

/** The person in the browser: opens the page with their session and presses Connect. */
async function consent(url: URL): Promise<URLSearchParams> {
  const cookie = `kv_session=${person.token}`
  const page = await (await fetch(url, { headers: { cookie } })).text()
  const inputs = [...page.matchAll(/<input type="(?:hidden|checkbox)" name="([^"]+)" value="([^"]*)"/g)]
  const fields = inputs.map(([, name = '', value = '']): [string, string] => [
    name,
    value.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code))),
  ])
  const answer = await fetch(new URL('/oauth/authorize', url), {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams([...fields, ['decision', 'allow']]).toString(),
    redirect: 'manual',
  })
  return new URL(answer.headers.get('location') ?? '').searchParams
}

test.each(['legacy', 'auto'] as const)(
  'a client of the SDK signs in by itself, from nothing but the address (%s)',
  async (mode) => {
    const memory = new AppMemory()
    const address = new URL(`${vault.url}/mcp`)
    const client = () => new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode } })
    const first = new StreamableHTTPClientTransport(address, { authProvider: memory })
    await expect(client().connect(first)).rejects.toThrow(UnauthorizedError)

    const { sentTo } = memory
    expect(sentTo?.searchParams.get('resource')).toBe(address.href)
    expect(sentTo?.searchParams.get('code_challenge_method')).toBe('S256')
    await first.finishAuth(await consent(sentTo as URL))

    const signedIn = client()
    await signedIn.connect(new StreamableHTTPClientTransport(address, { authProvider: memory }))
    const { tools } = await signedIn.listTools()
    expect(tools.map((tool) => tool.name)).toContain('get_ai_guide')
    await signedIn.close()

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
