import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { AGENT_KEYS, TOOL_SCOPES } from '../../../core/scopes.ts'
import { CommandError, EXIT } from '../exit-codes.ts'
import { nodeHttp } from '../http-request.ts'
import { ask, failure } from '../vault-client.ts'

/** A token that may make keys for agents. It is revoked when the keys are made, and stored nowhere. */
export type BrowserSession = { token: string; end: () => Promise<void> }

type Metadata = {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  registration_endpoint: string
  revocation_endpoint: string
}

const WAIT_MS = 5 * 60_000
const CALLBACK = '/callback'

const random = () => randomBytes(32).toString('base64url')
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const PAGE = (text: string) =>
  `<!doctype html><meta charset="utf-8"><title>Knowledge Vault</title><body style="font:1rem system-ui;margin:4rem">${text}`

/** The program that opens addresses on this system, without a shell. */
function browserCommand(address: string): [string, string[]] | undefined {
  if (process.env.BROWSER) return [process.env.BROWSER, [address]]
  if (process.platform === 'darwin') return ['open', [address]]
  if (process.platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', address]]
  return process.env.DISPLAY || process.env.WAYLAND_DISPLAY ? ['xdg-open', [address]] : undefined
}

function openBrowser(address: string): void {
  const command = browserCommand(address)
  if (!command) return
  const child = spawn(command[0], command[1], { detached: true, stdio: 'ignore' })
  // The terminal shows the address too.
  child.on('error', () => {})
  child.unref()
}

/** Listens on loopback, on a free port, for the redirect of the browser. */
async function listenForReturn(
  state: string,
): Promise<{ port: number; code: Promise<string>; server: Server }> {
  const server = nodeHttp().createServer()
  const code = new Promise<string>((resolve, reject) => {
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', 'http://127.0.0.1')
      const given = url.searchParams.get('code')
      const fits = url.pathname === CALLBACK && url.searchParams.get('state') === state
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.statusCode = fits ? 200 : 404
      if (!fits) return void response.end(PAGE('There is nothing here.'))
      response.end(PAGE(given ? 'You are signed in. Go back to the terminal.' : 'Nothing was granted.'))
      if (given) resolve(given)
      else reject(new CommandError('The sign-in was declined in the browser.', EXIT.notSignedIn))
    })
  })
  // It may reject before anybody awaits it.
  code.catch(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, code, server }
}

const within = <T>(work: Promise<T>, ms: number): Promise<T> => {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new CommandError('Nobody signed in within five minutes. Repeat the command.', EXIT.notSignedIn),
        ),
      ms,
    )
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
] as const

/**
 * The server names these addresses, and the system opens an address by whatever program is there for its scheme, which
 * may start another one. So it must be a page, and not one that is less protected on the way than the server itself.
 */
function requirePage(address: unknown, url: string): void {
  const protocol = typeof address === 'string' && URL.canParse(address) ? new URL(address).protocol : ''
  if (protocol === 'https:' || (protocol === 'http:' && new URL(url).protocol === 'http:')) return
  throw new CommandError(
    `${url} names ${JSON.stringify(address)} for signing in. It must be an https address, or http where the vault itself is at one.`,
  )
}

async function metadataOf(url: string): Promise<Metadata> {
  const reply = await ask(url, '/.well-known/oauth-authorization-server')
  const found = reply.body as Partial<Metadata> | undefined
  if (reply.status !== 200 || !found?.authorization_endpoint)
    throw new CommandError(`${url} is not a Knowledge Vault: it has no sign-in.`)
  for (const name of ENDPOINTS) requirePage(found[name], url)
  return found as Metadata
}

async function registered(metadata: Metadata, redirectUri: string): Promise<string> {
  const reply = await ask(metadata.registration_endpoint, '', {
    body: {
      client_name: `kvault on ${hostname()}`.slice(0, 100),
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    },
  })
  if (reply.status !== 201) throw failure(reply)
  return (reply.body as { client_id: string }).client_id
}

const post = (address: string, fields: Record<string, string>) =>
  ask(address, '', { method: 'POST', headers: form, text: new URLSearchParams(fields).toString() })

/** Sign-in and sign-up both happen in the browser; what comes back is a token for making keys. */
export async function signInByBrowser(url: string, tell: (line: string) => void): Promise<BrowserSession> {
  const metadata = await metadataOf(url)
  const [state, verifier] = [random(), random()]
  const { port, code, server } = await listenForReturn(state)
  try {
    const redirect_uri = `http://127.0.0.1:${port}${CALLBACK}`
    const client_id = await registered(metadata, redirect_uri)
    const address = new URL(metadata.authorization_endpoint)
    const request = {
      response_type: 'code',
      client_id,
      redirect_uri,
      state,
      scope: [...TOOL_SCOPES, AGENT_KEYS].join(' '),
      resource: metadata.issuer,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(request)) address.searchParams.set(name, value)
    tell(`Sign in, or sign up, in the browser on this computer:\n  ${address.href}`)
    openBrowser(address.href)
    const given = await within(code, WAIT_MS)
    const reply = await post(metadata.token_endpoint, {
      grant_type: 'authorization_code',
      code: given,
      redirect_uri,
      client_id,
      code_verifier: verifier,
    })
    if (reply.status !== 200) throw failure(reply)
    const { access_token, refresh_token } = reply.body as { access_token: string; refresh_token: string }
    // Revoking the refresh token ends the whole grant, so no app stays connected.
    const end = async () =>
      void (await post(metadata.revocation_endpoint, { token: refresh_token, client_id }))
    return { token: access_token, end }
  } finally {
    server.close()
    server.closeAllConnections()
  }
}
