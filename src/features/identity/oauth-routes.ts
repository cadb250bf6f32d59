import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { RawRoute } from '../../core/capability.ts'
import { type Ctx, contextFor, type Services } from '../../core/context.ts'
import { sha256 } from '../../core/crypto.ts'
import { AppError } from '../../core/errors.ts'
import { sessionCookie } from '../../core/http.ts'
import { addressFor } from '../../core/own-addresses.ts'
import { html, PAGE_HEADERS, page } from '../../pages/page.ts'
import { viewerOf } from './credentials.ts'
import {
  authenticateClient,
  findClient,
  findKnownClient,
  type OAuthClient,
  registerClient,
} from './oauth-clients.ts'
import { DEVICE_GRANT, decideDevice, exchangeDeviceCode, findDevice, startDevice } from './oauth-device.ts'
import { exchangeCode, grantCode, refreshTokens, revokeToken } from './oauth-grants.ts'
import {
  authorizationServerMetadata,
  canonicalResource,
  type GrantableScope,
  isChallenge,
  isOnThisComputer,
  isSafeUnasked,
  OAuthProblem,
  parseResource,
  parseScopes,
  protectedResourceMetadata,
  redirectMatches,
  SCOPE_MEANING,
  withQuery,
} from './oauth-protocol.ts'
import { emailOf } from './users.ts'

const REQUEST_FIELDS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'code_challenge',
  'code_challenge_method',
  'scope',
  'resource',
  'state',
] as const

type AuthorizationRequest = {
  client: OAuthClient
  redirectUri: string
  challenge: string
  resource: string
  scopes: GrantableScope[]
  state: string | undefined
  fields: Record<string, string>
}

class RedirectedProblem extends Error {
  readonly location: string
  constructor(location: string, message: string) {
    super(message)
    this.location = location
  }
}

const refusalLocation = (
  redirectUri: string,
  problem: { error: string; message: string },
  state: string | undefined,
  issuer: string,
): string =>
  withQuery(redirectUri, { error: problem.error, error_description: problem.message, state, iss: issuer })

function redirectOf(client: OAuthClient, asked: string | undefined): string {
  const only = client.redirectUris.length === 1 ? client.redirectUris[0] : undefined
  const redirectUri = asked ?? only
  if (redirectUri === undefined)
    throw new OAuthProblem('invalid_request', 'The app named no address to return to.')
  if (!redirectMatches(client.redirectUris, redirectUri))
    throw new OAuthProblem(
      'invalid_request',
      'The app asked to return to an address that it has not registered.',
    )
  return redirectUri
}

async function readAuthorizationRequest(
  ctx: Ctx,
  given: URLSearchParams,
  issuer: string,
): Promise<AuthorizationRequest> {
  const value = (name: string) => given.get(name) || undefined
  const client = await findClient(ctx, value('client_id'))
  const redirectUri = redirectOf(client, value('redirect_uri'))
  const state = value('state')
  try {
    const repeated = REQUEST_FIELDS.find((name) => given.getAll(name).length > 1)
    if (repeated) throw new OAuthProblem('invalid_request', `${repeated} is given twice.`)
    if (value('response_type') !== 'code')
      throw new OAuthProblem('unsupported_response_type', 'response_type must be code.')
    if (value('request') || value('request_uri'))
      throw new OAuthProblem('request_not_supported', 'Request objects are not supported.')
    const challenge = value('code_challenge')
    if (!isChallenge(challenge) || value('code_challenge_method') !== 'S256')
      throw new OAuthProblem('invalid_request', 'PKCE with code_challenge_method=S256 is required.')
    if (value('prompt') === 'none')
      throw new OAuthProblem('consent_required', 'A person must consent on the page.')
    return {
      client,
      redirectUri,
      challenge,
      scopes: parseScopes(value('scope')),
      resource: parseResource(value('resource'), ctx.config),
      state,
      fields: Object.fromEntries(
        REQUEST_FIELDS.flatMap((name) => (value(name) ? [[name, value(name) ?? '']] : [])),
      ),
    }
  } catch (error) {
    if (!(error instanceof OAuthProblem)) throw error
    throw new RedirectedProblem(refusalLocation(redirectUri, error, state, issuer), error.message)
  }
}

type ConsentView = {
  clientName: string
  clientHost: string | null
  /** Null for a device, to which no browser returns. */
  redirectUri: string | null
  scopes: readonly GrantableScope[]
  userEmail: string
  otherAccount: string
  fields: Record<string, string>
}

/** Returns the redirect address for the page: the one thing that an app cannot fake. */
function destination(redirectUri: string): string {
  const url = new URL(redirectUri)
  if (isOnThisComputer(url)) return 'an app on this computer'
  return url.protocol === 'https:' ? url.host : `the app that opens ${url.protocol} links`
}

/** Rights that reach strangers or other members: a person ticks them, nobody gets them unread. */
const ON_PURPOSE: ReadonlySet<GrantableScope> = new Set(['publish', 'workspace:write'])

export const consentPage = (view: ConsentView): string =>
  page({
    title: `Connect ${view.clientName}`,
    body: html`<h1>Connect ${view.clientName}?</h1>
${
  view.clientHost
    ? html`<p class="soft">Identified by ${view.clientHost}</p>`
    : html`<p class="warn">Continue only if you have just started connecting it, for example with <code>kvault connect</code>. Anyone can use this name.</p>`
}
<p>It asks to use Knowledge Vault as <strong>${view.userEmail}</strong>. ${view.redirectUri === null ? 'Allow it only if your own terminal shows this code now, and nobody sent it to you.' : `Afterwards you return to ${destination(view.redirectUri)}.`} <a href="${view.otherAccount}">Use another account</a></p>
<form method="post" action="${view.redirectUri === null ? DEVICE_PAGE : AUTHORIZE}">
${Object.entries(view.fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<section class="panel" aria-label="What it may do">
${view.scopes.map(
  (scope) =>
    html`<label class="choice"><input type="checkbox" name="grant" value="${scope}" ${!ON_PURPOSE.has(scope) && 'checked'}><span>${SCOPE_MEANING[scope]}<br><span class="badge mono">${scope}</span></span></label>`,
)}
</section>
<p class="soft">You can disconnect it at any time under Settings, Connected apps.</p>
<div class="actions">
<button class="primary" name="decision" value="allow">Connect</button>
<button name="decision" value="deny">Cancel</button>
</div>
</form>`,
  })

/** Returns a page that is shown instead of a redirect if the redirect address cannot be trusted. */
const refusalPage = (reason: string, backTo?: string): string =>
  page({
    title: 'Cannot connect',
    body: html`<h1>This app cannot be connected</h1>
<p>${reason}</p>
<p class="soft">Nothing was granted. Start again from the app.</p>
${backTo !== undefined && html`<p><a class="button" href="${backTo}">Back to ${destination(backTo)}</a></p>`}`,
  })

/** Chromium applies form-action also to the redirect after the form, so the app's address is allowed. */
export function consentHeaders(redirectUri: string | null) {
  const target = redirectUri === null ? null : new URL(redirectUri)
  const allowed = target === null ? '' : target.protocol.startsWith('http') ? target.origin : target.protocol
  return {
    ...PAGE_HEADERS,
    'content-security-policy': PAGE_HEADERS['content-security-policy'].replace(
      "form-action 'self'",
      `form-action 'self' ${allowed}`.trim(),
    ),
    'cache-control': 'no-store',
  }
}

const AUTHORIZE = '/oauth/authorize'
const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' }

const ctxOf = (services: Services, request: FastifyRequest): Ctx =>
  contextFor(services, { viewer: null, requestId: request.id, ip: request.clientHost, ifMatch: undefined })

/** Returns the issuer with the address that the caller used; a client refuses a different spelling. */
const issuerFor = ({ config }: Services, request: FastifyRequest): string =>
  addressFor(config, request.headers.host)

const MAX_BODY_BYTES = 64 * 1024
const MAX_FORM_FIELDS = 100

const readForm = (text: string): URLSearchParams | undefined =>
  text.split('&', MAX_FORM_FIELDS + 1).length > MAX_FORM_FIELDS
    ? undefined
    : new URLSearchParams(text.replaceAll('\0', ''))

const takeForms = (app: FastifyInstance) => {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, text, done) => done(null, readForm(String(text))),
  )
}

const formOf = (request: FastifyRequest): URLSearchParams => {
  if (request.body instanceof URLSearchParams) return request.body
  throw new OAuthProblem(
    'invalid_request',
    `Send the parameters as application/x-www-form-urlencoded, at most ${MAX_FORM_FIELDS} of them.`,
  )
}

/** Returns the parameters and refuses repeated ones (RFC 6749 §3.2), except `grant` of the consent form. */
const parametersOf = (request: FastifyRequest): URLSearchParams => {
  const form = formOf(request)
  const repeated = [...form.keys()].find((name) => form.getAll(name).length > 1)
  if (repeated !== undefined) throw new OAuthProblem('invalid_request', 'A parameter is given twice.')
  return form
}

/** Recognises the person by the web app's session cookie only; keys and other tokens do not count. */
async function personAt(services: Services, request: FastifyRequest) {
  const token = sessionCookie(request, services.config.baseUrl)
  if (!token) return undefined
  try {
    return { token, viewer: await viewerOf(services, token, request.url) }
  } catch (error) {
    if (error instanceof AppError && error.status === 401) return undefined
    throw error
  }
}

/** Returns a form token against CSRF, valid for this session cookie and this request only. */
const formProof = (sessionToken: string, fields: Record<string, string>): string =>
  sha256(`consent\n${sessionToken}\n${JSON.stringify(fields)}`)

function showRefusal(reply: FastifyReply, reason: string) {
  return reply.code(400).headers(consentHeaders(null)).send(refusalPage(reason))
}

/** Uses a link if a redirect is unsafe: an automatic one could serve phishing (RFC 9700 §4.11.2). */
function sendBack(reply: FastifyReply, problem: RedirectedProblem) {
  if (isSafeUnasked(problem.location)) return reply.headers(NO_STORE).redirect(problem.location, 303)
  return reply.code(400).headers(consentHeaders(null)).send(refusalPage(problem.message, problem.location))
}

async function onPage(reply: FastifyReply, step: () => Promise<unknown>) {
  try {
    return await step()
  } catch (error) {
    if (error instanceof RedirectedProblem) return sendBack(reply, error)
    if (error instanceof OAuthProblem) return showRefusal(reply, error.message)
    throw error
  }
}

async function showConsent(services: Services, request: FastifyRequest, reply: FastifyReply) {
  const ctx = ctxOf(services, request)
  // A query may itself contain a `?` (RFC 3986 §3.4).
  const query = request.url.replace(/^[^?]*\??/, '')
  const asked = await readAuthorizationRequest(ctx, new URLSearchParams(query), issuerFor(services, request))
  const person = await personAt(services, request)
  const signIn = `/sign-in?next=${encodeURIComponent(`${AUTHORIZE}?${query}`)}`
  if (!person) return reply.redirect(signIn, 303)
  return reply.headers(consentHeaders(asked.redirectUri)).send(
    consentPage({
      clientName: asked.client.name,
      clientHost: asked.client.host,
      redirectUri: asked.redirectUri,
      scopes: asked.scopes,
      userEmail: await emailOf(ctx, person.viewer.userId),
      otherAccount: `${signIn}&other=true`,
      fields: { ...asked.fields, csrf: formProof(person.token, asked.fields) },
    }),
  )
}

/** Returns the scopes that the person left ticked, never more than the app requested. */
function grantedOf(form: URLSearchParams, asked: AuthorizationRequest) {
  const ticked = new Set(form.getAll('grant'))
  return asked.scopes.filter((scope) => ticked.has(scope))
}

async function decide(services: Services, request: FastifyRequest, reply: FastifyReply) {
  const form = formOf(request)
  const issuer = issuerFor(services, request)
  const asked = await readAuthorizationRequest(ctxOf(services, request), form, issuer)
  const person = await personAt(services, request)
  if (!person || form.get('csrf') !== formProof(person.token, asked.fields))
    throw new OAuthProblem('access_denied', 'This page is out of date, or you have been signed out.')
  const scopes = grantedOf(form, asked)
  reply.headers(NO_STORE)
  if (form.get('decision') !== 'allow' || scopes.length === 0) {
    const denied = { error: 'access_denied', message: 'The request was declined.' }
    return reply.redirect(refusalLocation(asked.redirectUri, denied, asked.state, issuer), 303)
  }
  const { viewer } = person
  const code = await grantCode({ ...ctxOf(services, request), viewer }, { ...asked, scopes })
  return reply.redirect(withQuery(asked.redirectUri, { code, state: asked.state, iss: issuer }), 303)
}

/** Reads Basic credentials. Both parts are form-encoded before they are joined (RFC 6749 §2.3.1). */
function basicOf(request: FastifyRequest): { id: string; secret: string } | undefined {
  const match = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(request.headers.authorization ?? '')
  if (!match?.[1]) return undefined
  const [id = '', ...rest] = Buffer.from(match[1], 'base64').toString('utf8').split(':')
  const decode = (text: string) => new URLSearchParams(`v=${text}`).get('v') ?? ''
  return { id: decode(id), secret: decode(rest.join(':')) }
}

async function clientOf(ctx: Ctx, request: FastifyRequest, form: URLSearchParams): Promise<OAuthClient> {
  const basic = basicOf(request)
  const client = await findKnownClient(ctx, basic?.id ?? form.get('client_id') ?? undefined)
  authenticateClient(client, basic?.secret ?? form.get('client_secret') ?? undefined)
  return client
}

const need = (form: URLSearchParams, name: string): string => {
  const value = form.get(name)
  if (!value) throw new OAuthProblem('invalid_request', `${name} is required.`)
  return value
}

async function answerToken(services: Services, request: FastifyRequest) {
  const form = parametersOf(request)
  const ctx = ctxOf(services, request)
  const grantType = need(form, 'grant_type')
  const client = await clientOf(ctx, request, form)
  const optional = (name: string) => form.get(name) || undefined
  const asked = optional('resource')
  const resource = asked && canonicalResource(services.config, asked)
  if (grantType === 'authorization_code')
    return exchangeCode(ctx, client, {
      code: need(form, 'code'),
      redirectUri: optional('redirect_uri'),
      verifier: need(form, 'code_verifier'),
      resource,
    })
  if (grantType === 'refresh_token')
    return refreshTokens(ctx, client, {
      token: need(form, 'refresh_token'),
      scope: optional('scope'),
      resource,
    })
  if (grantType === DEVICE_GRANT) return exchangeDeviceCode(ctx, client, need(form, 'device_code'))
  throw new OAuthProblem(
    'unsupported_grant_type',
    `authorization_code, refresh_token and ${DEVICE_GRANT} are offered.`,
  )
}

async function answerDeviceAuthorization(services: Services, request: FastifyRequest) {
  const form = parametersOf(request)
  const ctx = ctxOf(services, request)
  const client = await clientOf(ctx, request, form)
  const scopes = parseScopes(form.get('scope') || undefined)
  const resource = parseResource(form.get('resource') || undefined, ctx.config)
  return startDevice(ctx, { client, scopes, resource }, issuerFor(services, request))
}

const DEVICE_PAGE = '/oauth/device'
const SIGN_IN_FOR_DEVICE = `/sign-in?next=${encodeURIComponent(DEVICE_PAGE)}`

const sendPage = (reply: FastifyReply, text: string) => reply.headers(consentHeaders(null)).send(text)

async function showDeviceForm(services: Services, request: FastifyRequest, reply: FastifyReply) {
  const person = await personAt(services, request)
  if (!person) return reply.redirect(SIGN_IN_FOR_DEVICE, 303)
  return sendPage(reply, deviceForm(formProof(person.token, {})))
}

/** Takes the typed code, then the decision about what waits for it. */
async function enterDeviceCode(services: Services, request: FastifyRequest, reply: FastifyReply) {
  const form = formOf(request)
  const ctx = ctxOf(services, request)
  const person = await personAt(services, request)
  if (!person) return reply.redirect(SIGN_IN_FOR_DEVICE, 303)
  const typed = form.get('user_code') ?? ''
  const decision = form.get('decision')
  if (form.get('csrf') !== formProof(person.token, decision ? { user_code: typed } : {}))
    throw new OAuthProblem('access_denied', 'This page is out of date, or you have been signed out.')
  const waiting = await findDevice(ctx, typed)
  const client = await findKnownClient(ctx, waiting.clientId)
  if (decision) {
    const ticked = new Set(form.getAll('grant'))
    const scopes = decision === 'allow' ? waiting.scopes.filter((scope) => ticked.has(scope)) : []
    await decideDevice({ ...ctx, viewer: person.viewer }, { code: waiting.code, client, scopes })
    return sendPage(reply, deviceDone(scopes.length > 0))
  }
  const fields = { user_code: waiting.code }
  return sendPage(
    reply,
    consentPage({
      clientName: client.name,
      clientHost: client.host,
      redirectUri: null,
      scopes: waiting.scopes,
      userEmail: await emailOf(ctx, person.viewer.userId),
      otherAccount: `${SIGN_IN_FOR_DEVICE}&other=true`,
      fields: { ...fields, csrf: formProof(person.token, fields) },
    }),
  )
}

const deviceForm = (csrf: string): string =>
  page({
    title: 'Connect a device',
    body: html`<h1>Connect a device</h1>
<p>Type the code that your terminal shows.</p>
<p class="warn">Did somebody send you a code, or ask you to come here? Then stop: they would get into your vault.</p>
<form method="post" action="${DEVICE_PAGE}">
<input type="hidden" name="csrf" value="${csrf}">
<label>Code <input name="user_code" required maxlength="20" autocomplete="off" autocapitalize="characters" spellcheck="false" autofocus placeholder="XXXX-XXXX"></label>
<div class="actions"><button class="primary">Continue</button></div>
</form>`,
  })

const deviceDone = (isConnected: boolean): string =>
  page({
    title: isConnected ? 'Connected' : 'Declined',
    body: isConnected
      ? html`<h1>Connected</h1>
<p>Go back to your terminal. You can disconnect it at any time under Settings, Connected apps.</p>`
      : html`<h1>Declined</h1>
<p>Nothing was granted.</p>`,
  })

async function answerRevocation(services: Services, request: FastifyRequest) {
  const form = parametersOf(request)
  const ctx = ctxOf(services, request)
  await revokeToken(ctx, await clientOf(ctx, request, form), need(form, 'token'))
  return {}
}

/** Wraps endpoints for programs, whose errors have the form of OAuth. */
const inOAuthWords =
  (
    handle: (services: Services, request: FastifyRequest) => Promise<unknown>,
    status = 200,
  ): RawRoute['handle'] =>
  async (services, request, reply) => {
    reply.headers(NO_STORE)
    try {
      return await reply.code(status).send(await handle(services, request))
    } catch (error) {
      if (!(error instanceof OAuthProblem)) throw error
      if (error.status === 401) reply.header('WWW-Authenticate', 'Basic realm="oauth"')
      return reply.code(error.status).send({ error: error.error, error_description: error.message })
    }
  }

/** Returns whether a well-known address ends with the path of the base URL, with or without /mcp. */
function isOwnPath(services: Services, request: FastifyRequest): boolean {
  const own = new URL(services.config.baseUrl).pathname.replace(/\/$/, '')
  const asked = `/${(request.params as { '*': string })['*']}`.replace(/\/$/, '')
  return asked === own || asked === `${own}/mcp` || asked === '/mcp'
}

const document =
  (content: (services: Services, address: string) => object): RawRoute['handle'] =>
  async (services, request, reply) => {
    if ('*' in (request.params as object) && !isOwnPath(services, request))
      throw new AppError(404, 'not_found', 'There is no such resource or issuer here.')
    reply.header('access-control-allow-origin', '*').header('cache-control', 'public, max-age=3600')
    return content(services, issuerFor(services, request))
  }

const resourceDocument = document((_services, address) => protectedResourceMetadata(address))
const issuerDocument = document(({ config }, address) =>
  authorizationServerMetadata(address, config.oauthClientDocuments),
)

const open = (
  name: string,
  summary: string,
  route: RawRoute['route'],
  handle: RawRoute['handle'],
): RawRoute => ({
  name,
  summary,
  route,
  scopes: 'public',
  bodyLimit: MAX_BODY_BYTES,
  handle,
})

/** OAuth 2.1 for apps that connect to the vault: discovery, registration, consent, tokens. */
export const oauthRoutes: readonly RawRoute[] = [
  open(
    'oauth.resource',
    'Protected resource metadata',
    'GET /.well-known/oauth-protected-resource',
    resourceDocument,
  ),
  open(
    'oauth.resource.path',
    'The same, by path',
    'GET /.well-known/oauth-protected-resource/*',
    resourceDocument,
  ),
  open(
    'oauth.issuer',
    'Authorization server metadata',
    'GET /.well-known/oauth-authorization-server',
    issuerDocument,
  ),
  open(
    'oauth.issuer.path',
    'The same, by path',
    'GET /.well-known/oauth-authorization-server/*',
    issuerDocument,
  ),
  open('oauth.consent', 'Consent page', `GET ${AUTHORIZE}`, (services, request, reply) =>
    onPage(reply, () => showConsent(services, request, reply)),
  ),
  {
    ...open('oauth.decide', 'Decision on the consent page', `POST ${AUTHORIZE}`, (services, request, reply) =>
      onPage(reply, () => decide(services, request, reply)),
    ),
    prepare: takeForms,
  },
  open(
    'oauth.device',
    'Short address of the page for device codes',
    'GET /device',
    (_services, _request, reply) => Promise.resolve(reply.redirect(DEVICE_PAGE, 303)),
  ),
  open(
    'oauth.device_page',
    'Page where a device code is typed',
    `GET ${DEVICE_PAGE}`,
    (services, request, reply) => onPage(reply, () => showDeviceForm(services, request, reply)),
  ),
  {
    ...open(
      'oauth.device_code',
      'Typed device code, and the decision',
      `POST ${DEVICE_PAGE}`,
      (services, request, reply) => onPage(reply, () => enterDeviceCode(services, request, reply)),
    ),
    prepare: takeForms,
    limit: 'auth',
  },
  {
    ...open(
      'oauth.device_authorization',
      'Start the sign-in of a device',
      'POST /oauth/device_authorization',
      inOAuthWords(answerDeviceAuthorization),
    ),
    prepare: takeForms,
    limit: 'auth',
  },
  {
    ...open(
      'oauth.register',
      'Register a client',
      'POST /oauth/register',
      inOAuthWords((services, request) => registerClient(ctxOf(services, request), request.body), 201),
    ),
    limit: 'auth',
  },
  {
    ...open(
      'oauth.token',
      'Exchange a code or a refresh token',
      'POST /oauth/token',
      inOAuthWords(answerToken),
    ),
    prepare: takeForms,
  },
  {
    ...open('oauth.revoke', 'Revoke a token', 'POST /oauth/revoke', inOAuthWords(answerRevocation)),
    prepare: takeForms,
  },
]
