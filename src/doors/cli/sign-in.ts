import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { CORE_SCOPES } from '../../shared/core-tools.ts'
import { AGENT_KEYS, type Scope, TOOL_SCOPES } from '../../shared/scopes.ts'
import { entryIn, withEntry } from './connect/client-settings.ts'
import type { McpClient } from './connect/clients.ts'
import { agreed, type ConsentOptions, requireEncryption } from './connect/consent.ts'
import { CommandError, EXIT } from './exit-codes.ts'
import { nodeHttp } from './http-request.ts'
import { readGiven } from './input.ts'
import { KVAULT, settingsFolder } from './local-files.ts'
import {
  dropProfile,
  givenKey,
  type Profile,
  type ProfileOptions,
  savedProfile,
  saveProfile,
  tidyKey,
  urlToJoin,
  writePrivate,
} from './profile.ts'
import { isInteractive, paint, plain, print, secretQuestion, warn } from './terminal.ts'
import { ask, failure, withUserId } from './vault-client.ts'
import { teamsToShareWith, type Workspace } from './workspaces.ts'

type BrowserSession = { token: string; end: () => Promise<void> }

type Metadata = {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  registration_endpoint: string
  revocation_endpoint: string
  device_authorization_endpoint?: string
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const WAIT_MS = 5 * 60_000
const CALLBACK = '/callback'

const random = () => randomBytes(32).toString('base64url')
const form = { 'content-type': 'application/x-www-form-urlencoded' }

const PAGE = (text: string) =>
  `<!doctype html><meta charset="utf-8"><title>Knowledge Vault</title><body style="font:1rem system-ui;margin:4rem">${text}`

/** Returns the program that opens addresses on this system, without a shell. */
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
  // If no browser starts, the terminal shows the address too.
  child.on('error', () => {})
  child.unref()
}

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
  // Prevents an unhandled rejection before somebody awaits the code.
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

/** The server chooses the address, and another scheme could start a program on this machine. */
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
      grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT],
    },
  })
  if (reply.status !== 201) throw failure(reply)
  return (reply.body as { client_id: string }).client_id
}

const post = (address: string, fields: Record<string, string>) =>
  ask(address, '', { method: 'POST', headers: form, text: new URLSearchParams(fields).toString() })

/** Signs in or up in the browser; returns a token for making keys. */
const SCOPES_TO_ASK_FOR = [...TOOL_SCOPES, AGENT_KEYS].join(' ')

/** Over SSH, or without a display, no browser here can return to this program. */
const hasNoBrowser = (): boolean =>
  Boolean(process.env.SSH_CONNECTION || process.env.SSH_TTY) || browserCommand('') === undefined

type DeviceAnswer = {
  device_code: string
  user_code: string
  verification_uri: string
  expires_in: number
  interval?: number
}

/** Revoking the refresh token ends the whole grant. */
const sessionOf = (metadata: Metadata, clientId: string, body: unknown): BrowserSession => {
  const { access_token, refresh_token } = body as { access_token: string; refresh_token: string }
  const end = async () =>
    void (await post(metadata.revocation_endpoint, { token: refresh_token, client_id: clientId }))
  return { token: access_token, end }
}

/** Signs in by a code that the person types in a browser on any computer (RFC 8628). */
async function signInByDevice(
  url: string,
  metadata: Metadata,
  endpoint: string,
  tell: (line: string) => void,
): Promise<BrowserSession> {
  const client_id = await registered(metadata, `http://127.0.0.1${CALLBACK}`)
  const started = await post(endpoint, { client_id, scope: SCOPES_TO_ASK_FOR, resource: metadata.issuer })
  if (started.status !== 200) throw failure(started)
  const { device_code, user_code, verification_uri, expires_in, interval } = started.body as DeviceAnswer
  requirePage(verification_uri, url)
  tell(
    `Open this page on any computer, and type the code:\n  ${verification_uri}\n  ${plain(String(user_code))}`,
  )
  const until = Date.now() + expires_in * 1000
  for (let seconds = interval ?? 5; Date.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    const reply = await post(metadata.token_endpoint, { grant_type: DEVICE_GRANT, device_code, client_id })
    if (reply.status === 200) return sessionOf(metadata, client_id, reply.body)
    const { error } = (reply.body ?? {}) as { error?: string }
    if (error === 'slow_down') seconds += 5
    else if (error === 'access_denied')
      throw new CommandError('The sign-in was declined in the browser.', EXIT.notSignedIn)
    else if (error !== 'authorization_pending') throw failure(reply)
  }
  throw new CommandError('Nobody typed the code in time. Repeat the command.', EXIT.notSignedIn)
}

async function signIn(url: string, device: boolean, tell: (line: string) => void): Promise<BrowserSession> {
  const metadata = await metadataOf(url)
  const endpoint = metadata.device_authorization_endpoint
  if (endpoint !== undefined && (device || hasNoBrowser())) {
    requirePage(endpoint, url)
    return signInByDevice(url, metadata, endpoint, tell)
  }
  if (device) throw new CommandError(`${url} offers no sign-in by a code.`)
  return signInByBrowser(metadata, tell)
}

async function signInByBrowser(metadata: Metadata, tell: (line: string) => void): Promise<BrowserSession> {
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
      scope: SCOPES_TO_ASK_FOR,
      resource: metadata.issuer,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(request)) address.searchParams.set(name, value)
    tell(
      `Sign in, or sign up, in the browser on this computer (on another one: repeat with --device):\n  ${address.href}`,
    )
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
    return sessionOf(metadata, client_id, reply.body)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

export type KeptFile = {
  file: string
  /** The text before our first change; null for a new file. */
  before: string | null
  mode?: number
  /** Hash of the file as we left it: only an unchanged file is restored to `before`. */
  digest: string
  /** The topmost folder that was made for the file. */
  madeFolder?: string
}

/** A record of the changes that `connect` made for one client, so that `disconnect` can undo them. */
export type Connection = {
  client: string
  url: string
  file: string
  /** The file before our first change; null for a new file. */
  before: string | null
  mode?: number
  /** Hash of the file as we left it: only an unchanged file is restored to `before`. */
  digest: string
  apiKey?: string
  /** The id of the key that was made for this client only. */
  keyId?: string
  /** The topmost folder that was made for the file. */
  madeFolder?: string
  hooks?: KeptFile[]
}

const folder = () => join(settingsFolder(), 'connections')
const fileOf = (client: string) => join(folder(), `${client}.json`)

export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

export function connectionOf(client: string): Connection | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(client), 'utf8'))
  } catch {
    return undefined
  }
}

export const saveConnection = (connection: Connection): void =>
  writePrivate(fileOf(connection.client), `${JSON.stringify(connection, null, 2)}\n`)

export const dropConnection = (client: string): void => rmSync(fileOf(client), { force: true })

export const connections = (): Connection[] =>
  existsSync(folder())
    ? readdirSync(folder()).flatMap((name) => connectionOf(name.replace(/\.json$/, '')) ?? [])
    : []

export type Change = {
  before: string | null
  after: string
  mode: number | undefined
  madeFolder?: string | undefined
}

const withMode = (mode: number | undefined) => (mode === undefined ? {} : { mode })

export function keptFile(
  client: McpClient,
  change: Change,
  earlier: Connection | undefined,
): Pick<Connection, 'before' | 'mode' | 'digest' | 'hooks'> {
  const file = client.file()
  const hooks = earlier?.hooks ?? []
  const kept = { ...(hooks.length > 0 ? { hooks } : {}), digest: digestOf(change.after) }
  const fresh = { ...kept, before: change.before, ...withMode(change.mode) }
  if (earlier?.file !== file || change.before === null) return fresh
  const first = { ...kept, before: earlier.before, ...withMode(earlier.mode) }
  const found = digestOf(change.before)
  if (earlier.digest === found) return first
  const shared = hooks.find((one) => one.file === file && one.digest === found)
  if (!shared || shared.before === null || digestOf(shared.before) !== earlier.digest) return fresh
  const entryAlone = withEntry(shared.before, client, entryIn(change.after, client, file), file)
  const renewed = { ...shared, before: entryAlone, digest: digestOf(change.after) }
  return {
    ...first,
    digest: digestOf(entryAlone),
    hooks: hooks.map((one) => (one === shared ? renewed : one)),
  }
}

export type ClientKey = { apiKey: string; keyId?: string }

export type KeyMaker = {
  /** Makes a key named after the client and this machine. */
  keyFor: (title: string) => Promise<ClientKey>
  /** Signs in, if that has not happened, and returns the private teams where the person may write. */
  teams: () => Promise<{ teams: Workspace[]; isDeclined: boolean }>
  /** Lets the keys that are made from now on share what they record with this team. */
  shareWith: (workspaceId: string) => void
  done: () => Promise<void>
}

const keyName = (title: string): string => `${title} on ${hostname()}`.slice(0, 120)

type Created = { api_key: string; key_id: string }
const CREATED = { api_key: '', key_id: '' }
const asKey = ({ api_key, key_id }: Created): ClientKey => ({ apiKey: api_key, keyId: key_id })

type Home = { default_workspace_id?: string; share_recorded?: boolean }

const NO_HOME = 'only a key that is made now can name a workspace'

type Headers = Record<string, string>

async function teamsAt(url: string, headers: Headers): Promise<{ teams: Workspace[]; isDeclined: boolean }> {
  const listed = await ask(url, '/api/v1/workspaces?limit=200', {
    headers,
    shape: { items: [{ workspace_id: '', name: '' }] },
  })
  if (listed.status !== 200) throw failure(listed)
  const me = await ask(url, '/api/v1/auth/me', { headers })
  const { share_recorded, sharing_answered } = (me.body ?? {}) as Record<string, unknown>
  return {
    teams: teamsToShareWith((listed.body as { items: Workspace[] }).items),
    isDeclined: sharing_answered === true && share_recorded !== true,
  }
}

const share = (home: Home) => (workspaceId: string) => {
  home.default_workspace_id = workspaceId
  home.share_recorded = true
}

/** Makes narrower keys if the given key has the scope `account`; otherwise uses the given key. */
function byGivenKey(url: string, apiKey: string, home: Home, scopes: readonly Scope[]): KeyMaker {
  const headers = { 'x-api-key': apiKey }
  return {
    keyFor: async (title) => {
      const body = { name: keyName(title), scopes, ...home }
      const reply = await ask(url, '/api/v1/auth/api-keys', { body, headers, shape: CREATED })
      if (reply.status === 201) return asKey(reply.body as Created)
      if (reply.status === 403 && home.default_workspace_id)
        throw new CommandError(`The given key may not make keys, and ${NO_HOME}. Leave out --key.`)
      if (reply.status === 403) return { apiKey }
      throw failure(reply)
    },
    teams: () => teamsAt(url, headers),
    shareWith: share(home),
    done: async () => {},
  }
}

/** Whether the vault accepts the key: only a 401 is a refusal. */
const isAccepted = async ({ url, apiKey }: Profile): Promise<boolean> =>
  (await ask(url, '/api/v1/auth/me', { headers: { 'x-api-key': apiKey } })).status !== 401

const shared = (saved: Profile): KeyMaker => ({
  keyFor: async () => {
    if (await isAccepted(saved)) return { apiKey: saved.apiKey }
    throw new CommandError(
      `The key of kvault login has ended. Run: ${KVAULT} login --url ${saved.url}`,
      EXIT.notSignedIn,
    )
  },
  teams: async () => ({ teams: [], isDeclined: true }),
  shareWith: () => {},
  done: async () => {},
})

function byBrowser(url: string, tell: (line: string) => void, home: Home, device: boolean): KeyMaker {
  let session: BrowserSession | undefined
  const signedIn = async (): Promise<Headers> => {
    session ??= await signIn(url, device, tell)
    return { authorization: `Bearer ${session.token}` }
  }
  return {
    keyFor: async (title) => {
      const headers = await signedIn()
      const body = { name: keyName(title), ...home }
      const reply = await ask(url, '/api/v1/auth/api-keys/agent', { body, headers, shape: CREATED })
      if (reply.status !== 201) throw failure(reply)
      return asKey(reply.body as Created)
    },
    teams: async () => teamsAt(url, await signedIn()),
    shareWith: share(home),
    done: async () => session?.end(),
  }
}

export function keyMaker(
  url: string,
  options: ProfileOptions & {
    workspace?: string
    share?: string | false
    allTools?: boolean
    device?: boolean
  },
  tell: (line: string) => void,
): KeyMaker {
  const home = options.workspace === undefined ? {} : { default_workspace_id: options.workspace }
  const given = givenKey(options)
  if (given) return byGivenKey(url, given, home, options.allTools ? TOOL_SCOPES : CORE_SCOPES)
  const saved = savedProfile()
  // Only a key that is made now can name a workspace.
  const namesHome = options.workspace !== undefined || typeof options.share === 'string'
  if (saved?.url !== url || namesHome || isInteractive())
    return byBrowser(url, tell, home, options.device ?? false)
  return shared(saved)
}

/** Deletes a new key that could not be used. A key that the person gave stays. */
export async function takeBackKey(url: string, key: ClientKey | undefined): Promise<void> {
  if (key?.keyId) await endKey(url, key.apiKey).catch(() => {})
}

async function keepProfile(profile: Profile): Promise<void> {
  const known = await withUserId(profile)
  try {
    saveProfile(known)
  } catch (error) {
    await takeBackKey(profile.url, profile)
    throw error
  }
}

/** Whether the saved key belongs to this vault and is accepted there. */
export async function hasOwnProfile(url: string): Promise<boolean> {
  const saved = savedProfile()
  return saved?.url === url && (await isAccepted(saved))
}

/** Saves one key for the command and all hooks, so that all use one vault. */
export async function saveOwnProfile(url: string, maker: KeyMaker): Promise<void> {
  if (await hasOwnProfile(url)) return
  await keepProfile({ url, ...(await maker.keyFor('kvault')) })
  print(`Your agents now use ${url}.`)
}

/** Replaces the key of the command and all hooks, so that it has the home that was just chosen. */
export const renewOwnProfile = async (url: string, maker: KeyMaker): Promise<void> =>
  replaceProfile({ url, ...(await maker.keyFor('kvault')) })

/** Deletes a key by a request with this key. A missing key counts as deleted. */
export async function endKey(url: string, apiKey: string): Promise<void> {
  const reply = await ask(url, '/api/v1/auth/api-keys/current', {
    method: 'DELETE',
    headers: { 'x-api-key': apiKey },
  })
  if (![204, 401, 404].includes(reply.status)) throw failure(reply)
}

export type LoginOptions = ProfileOptions & {
  email?: string
  passwordStdin?: boolean
  http?: boolean
  allTools?: boolean
  device?: boolean
}

async function keyWorks(url: string, apiKey: string): Promise<void> {
  const reply = await ask(url, '/mcp/tools/list_workspaces', {
    body: {},
    headers: { 'x-api-key': apiKey },
    // Another service may answer everything with JSON, and hooks would send it people's prompts.
    shape: { data: { items: [{ workspace_id: '' }] } },
  })
  // 403: a key without the scope "search" is still valid.
  if (reply.status !== 200 && reply.status !== 403) throw failure(reply)
}

const sharers = (apiKey: string): string[] =>
  connections().flatMap((connection) => (connection.apiKey === apiKey ? [connection.client] : []))

/** Deletes the old key of the same vault when a new one replaces it, unless a client shares the key. */
async function endFormer(former: Profile | undefined, { url, apiKey }: Profile): Promise<void> {
  if (!former || former.url !== url || former.apiKey === apiKey) return
  const users = sharers(former.apiKey)
  if (users.length === 0) return takeBackKey(url, former)
  if (!(await isAccepted(former)))
    return print(
      `The former key has ended, but these still have it. Give them another: ${KVAULT} connect ${users.join(' ')} --url ${url}`,
    )
  if (!former.keyId) return
  print(
    `The former key stays valid, because these use it: ${users.join(', ')}. To end it: ${KVAULT} disconnect`,
  )
}

async function replaceProfile(profile: Profile): Promise<void> {
  const former = savedProfile()
  await keepProfile(profile)
  await endFormer(former, profile)
}

const keep = (url: string, { api_key, key_id }: Created): Promise<void> =>
  replaceProfile({ url, apiKey: api_key, keyId: key_id })

async function loginByKey(url: string, apiKey: string): Promise<void> {
  await keyWorks(url, apiKey)
  await replaceProfile({ url, apiKey })
  print(`Signed in at ${url} with the given key.`)
}

/** Signs in by password, for computers without a browser; the password is never stored. */
async function loginByPassword(url: string, { email, passwordStdin, allTools }: LoginOptions): Promise<void> {
  if (!email) throw new CommandError('Give your e-mail address with --email.', EXIT.usage)
  const password = passwordStdin
    ? (await readGiven('-')).replace(/\r?\n$/, '')
    : await secretQuestion('Password: ')
  const signedIn = await ask(url, '/api/v1/auth/login', {
    body: { email, password },
    isVerbatim: true,
    shape: { access_token: '' },
  })
  if (signedIn.status !== 200) throw failure(signedIn)
  const { access_token } = signedIn.body as { access_token: string }
  const session = { authorization: `Bearer ${access_token}` }
  const created = await ask(url, '/api/v1/auth/api-keys', {
    // Agents use this key, so it has the tools' scopes but no access to the account.
    body: { name: keyName('kvault'), scopes: allTools ? TOOL_SCOPES : CORE_SCOPES },
    headers: session,
    shape: CREATED,
  })
  await ask(url, '/api/v1/auth/logout', { method: 'POST', headers: session })
  if (created.status !== 201) throw failure(created)
  await keep(url, created.body as Created)
  print(`Signed in at ${url} as ${email}. Next: ${KVAULT} connect`)
}

async function loginByBrowser(url: string, device: boolean): Promise<void> {
  const session = await signIn(url, device, print)
  try {
    const created = await ask(url, '/api/v1/auth/api-keys/agent', {
      body: { name: keyName('kvault') },
      headers: { authorization: `Bearer ${session.token}` },
      shape: CREATED,
    })
    if (created.status !== 201) throw failure(created)
    await keep(url, created.body as Created)
  } finally {
    await session.end()
  }
  print(`Signed in at ${url}. Next: ${KVAULT} connect`)
}

/** Signs in once and stores an API key, never a password. */
export async function login(options: LoginOptions): Promise<number> {
  const url = urlToJoin(options)
  await requireEncryption(url, options)
  if (options.key !== undefined) await loginByKey(url, tidyKey(options.key))
  else if (options.email !== undefined || options.passwordStdin) await loginByPassword(url, options)
  else await loginByBrowser(url, options.device ?? false)
  return EXIT.done
}

/** Returns what stops working without the saved key: clients that share it, and hooks. */
function cutOff({ apiKey }: Profile): string[] {
  return connections().flatMap((connection) => [
    ...(connection.apiKey === apiKey ? [connection.client] : []),
    ...(connection.hooks ? [`the hooks of ${connection.client}`] : []),
  ])
}

/** Deletes the key at the vault; false if it is still valid, so that the person can be warned. */
async function endedThere({ url, apiKey, keyId }: Profile): Promise<boolean> {
  if (!keyId) return true
  try {
    await endKey(url, apiKey)
    return true
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    warn(
      `The key is gone from this machine, but the vault did not delete it: ${why} It stays valid there. Delete "${keyName('kvault')}" at ${url}/settings?tab=keys, once the vault answers.`,
    )
    return false
  }
}

export async function logout(options: ConsentOptions): Promise<number> {
  const profile = savedProfile()
  if (!profile) {
    print('Not signed in.')
    return EXIT.done
  }
  const lost = cutOff(profile)
  const others = connections().filter((one) => one.keyId && one.apiKey !== profile.apiKey)
  if (others.length > 0) {
    const names = others.map(({ client }) => client).join(', ')
    print(
      paint('dim', `These keep working with keys of their own: ${names}. To end them: ${KVAULT} disconnect`),
    )
  }
  if (lost.length > 0) {
    print(`This cuts off: ${lost.join(', ')}`)
    if (!(await agreed('Sign out?', options))) return EXIT.done
  }
  const hasEnded = await endedThere(profile)
  dropProfile()
  print(`Signed out of ${profile.url}${profile.keyId && hasEnded ? '; its key is deleted' : ''}.`)
  return hasEnded ? EXIT.done : EXIT.byHand
}
