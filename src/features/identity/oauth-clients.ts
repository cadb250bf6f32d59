import { Resolver } from 'node:dns/promises'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { BlockList, isIP } from 'node:net'
import { z } from 'zod'
import { type Ctx, inTx } from '../../core/context.ts'
import { randomToken, sha256 } from '../../core/crypto.ts'
import { plainName } from '../../core/untrusted-text.ts'
import { sizeIssues } from '../../core/validation.ts'
import { flag, fromJson, toJson } from '../../db/columns.ts'
import { newId } from '../../db/ids.ts'
import type { OAuthClientsTable } from '../../db/schema.ts'
import { findSecrets, redact, sanitise } from '../../redaction/redact.ts'
import { TookTooLong, within } from '../../shared/time.ts'
import { OAuthProblem, redirectProblem } from './oauth-protocol.ts'
import { findClientRow, upsertClient } from './oauth-store.ts'

// Ranges that are not the public internet (IANA special-purpose registries), against SSRF.
const blocked = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  blocked.addSubnet(net, bits, 'ipv4')

// Only 2000::/3 of IPv6 is assigned; these ranges in it embed or represent other addresses.
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  blocked.addSubnet(net, bits, 'ipv6')
}

export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !blocked.check(address, 'ipv4')
  if (family === 6) return globalUnicast.check(address, 'ipv6') && !blocked.check(address, 'ipv6')
  return false
}

const MAX_BYTES = 16 * 1024
const TIMEOUT_MS = 5000
const TOO_MANY = 429

const NAME_SERVER = { timeout: 1500, tries: 2 }

type Address = { address: string; family: number }

type AskNames = (host: string) => Promise<string[]>

export type DocumentNet = {
  lookup: (host: string) => Promise<Address[]>
  request: (url: URL, options: RequestOptions, answer: (response: IncomingMessage) => void) => ClientRequest
  allowed: (address: string) => boolean
}

/** Bypasses the system's look-up: slow name servers of strangers could block it (denial of service). */
export async function lookUp(
  host: string,
  names: { resolve4: AskNames; resolve6: AskNames } = new Resolver(NAME_SERVER),
): Promise<Address[]> {
  const given = isIP(host)
  if (given !== 0) return [{ address: host, family: given }]
  const [v4, v6] = await Promise.allSettled([names.resolve4(host), names.resolve6(host)])
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason
  const found = (answer: PromiseSettledResult<string[]>, family: number): Address[] =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []
  return [...found(v4, 4), ...found(v6, 6)]
}

const internet: DocumentNet = {
  lookup: (host) => lookUp(host),
  request: httpsRequest,
  allowed: isPublicAddress,
}

const isDocumentId = (clientId: string): boolean => clientId.startsWith('https://')

/** The document could not be fetched, so nothing is known about the client; a later retry may work. */
export class DocumentAway extends OAuthProblem {
  constructor(why: string) {
    super('invalid_client', `The client metadata document ${why}`, 401)
  }
}

const away = (why: string): never => {
  throw new DocumentAway(why)
}

const refuse = (why: string): never => {
  throw new OAuthProblem('invalid_client', `The client metadata document ${why}`, 401)
}

// Parses a client_id that is the address of a document (Client ID Metadata Documents).
export function documentUrl(clientId: string): URL {
  if (!URL.canParse(clientId)) return refuse('has no valid address')
  const url = new URL(clientId)
  if (url.href !== clientId) return refuse('address is not in its normal form')
  if (url.protocol !== 'https:' || url.username || url.password || url.hash || url.port) {
    return refuse('must be at a plain https address without port, credentials or fragment')
  }
  if (url.pathname === '/') return refuse('address needs a path')
  return url
}

// Connects to the address resolved once, against DNS rebinding; follows no redirect (SSRF).
export async function fetchClientDocument(clientId: string, net: DocumentNet = internet): Promise<unknown> {
  const url = documentUrl(clientId)
  const text = await within(TIMEOUT_MS, readAt(url, net)).catch((error: unknown) => {
    throw error instanceof TookTooLong ? new DocumentAway('took too long') : error
  })
  try {
    return JSON.parse(text)
  } catch {
    return refuse('is not JSON')
  }
}

async function readAt(url: URL, net: DocumentNet): Promise<string> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = await net.lookup(host).catch(() => away('host cannot be resolved'))
  const target = addresses[0]
  if (!target || !addresses.every(({ address }) => net.allowed(address))) {
    return refuse('is not on the public internet')
  }
  return download(url, target, net)
}

function download(url: URL, target: Address, net: DocumentNet): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const fail = (why: string) =>
    reject(new OAuthProblem('invalid_client', `The client metadata document ${why}`, 401))
  const options: RequestOptions = {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    lookup: (_host, wanted, done) =>
      wanted.all ? done(null, [target]) : done(null, target.address, target.family),
  }
  const outgoing = net.request(url, options, (response) => {
    const { statusCode = 0 } = response
    if (statusCode !== 200) {
      response.destroy()
      const why = `answered ${statusCode}`
      return statusCode >= 500 || statusCode === TOO_MANY ? reject(new DocumentAway(why)) : fail(why)
    }
    if (!/^application\/([\w.-]+\+)?json\b/i.test(response.headers['content-type'] ?? '')) {
      response.destroy()
      return fail('is not served as JSON')
    }
    const chunks: Buffer[] = []
    let size = 0
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_BYTES) return chunks.push(chunk)
      response.destroy()
      return fail(`is larger than ${MAX_BYTES} bytes`)
    })
    response.on('error', () => reject(new DocumentAway('could not be read')))
    response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
  })
  outgoing.on('error', () => reject(new DocumentAway('could not be fetched')))
  outgoing.end()
  return promise
}

// The used part of RFC 7591 §2. Unknown members are ignored, as the RFC demands.
export const Metadata = z.object({
  redirect_uris: z.array(z.string().max(2000)).min(1).max(20),
  client_name: z.string().max(1000).overwrite(plainName).max(200).optional(),
  client_uri: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional()
    .catch(undefined),
  token_endpoint_auth_method: z
    .enum(['none', 'client_secret_basic', 'client_secret_post'])
    .default('client_secret_basic'),
  grant_types: z.array(z.string().max(200)).max(20).default(['authorization_code']),
  response_types: z.array(z.string().max(200)).max(20).default(['code']),
})

type ClientMetadata = {
  redirectUris: string[]
  name: string
  uri: string | null
  authMethod: 'none' | 'client_secret_basic' | 'client_secret_post'
  mayRefresh: boolean
}

const wrongMetadata = (path: readonly PropertyKey[], message: string) =>
  new OAuthProblem(
    path[0] === 'redirect_uris' ? 'invalid_redirect_uri' : 'invalid_client_metadata',
    `${path.join('.') || 'body'}: ${message}`,
  )

/** Redirect addresses are compared exactly, so a secret in one cannot be redacted. */
function refuseSecret(uri: string): void {
  const [found] = findSecrets(uri)
  if (found)
    throw new OAuthProblem(
      'invalid_redirect_uri',
      `redirect_uris: an address contains a secret (${found.kind}). Register an address without it.`,
    )
}

export function parseClientMetadata(body: unknown): ClientMetadata {
  const [tooLarge] = sizeIssues(Metadata, body)
  if (tooLarge) throw wrongMetadata(tooLarge.path, tooLarge.msg)
  const parsed = Metadata.safeParse(body)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw wrongMetadata(issue?.path ?? [], issue?.message ?? 'invalid')
  }
  const given = parsed.data
  for (const uri of given.redirect_uris) {
    const problem = redirectProblem(uri)
    if (problem)
      throw new OAuthProblem(
        'invalid_redirect_uri',
        `${redact(uri).text.slice(0, 200).toWellFormed()} ${problem}`,
      )
    refuseSecret(uri)
  }
  if (!given.grant_types.includes('authorization_code') || !given.response_types.includes('code')) {
    throw new OAuthProblem('invalid_client_metadata', 'Only the authorization code grant is offered')
  }
  return {
    redirectUris: [...new Set(given.redirect_uris)],
    name: sanitise(given.client_name || 'Unnamed app').text,
    uri: given.client_uri === undefined ? null : redact(given.client_uri).text,
    authMethod: given.token_endpoint_auth_method,
    mayRefresh: given.grant_types.includes('refresh_token'),
  }
}

// A client with a public document cannot have a secret, since anybody could impersonate it.
export function parseClientDocument(clientId: string, body: unknown): ClientMetadata {
  const members = z.looseObject({ client_id: z.literal(clientId) }).safeParse(body)
  if (!members.success)
    throw new OAuthProblem('invalid_client', 'The client metadata document names another client_id', 401)
  if ('client_secret' in members.data) {
    throw new OAuthProblem('invalid_client', 'The client metadata document must not contain a secret', 401)
  }
  return parseClientMetadata({ ...members.data, token_endpoint_auth_method: 'none' })
}

const SECRET_PREFIX = 'kvx_'
const DOCUMENT_KEPT_MS = 3_600_000

export type OAuthClient = ClientMetadata & {
  clientId: string
  secretHash: string | null
  host: string | null
}

const fromRow = (row: OAuthClientsTable): OAuthClient => ({
  clientId: row.client_id,
  name: plainName(row.name),
  uri: row.uri,
  redirectUris: fromJson(row.redirect_uris),
  authMethod: row.auth_method,
  mayRefresh: row.may_refresh === 1,
  secretHash: row.secret_hash,
  host: row.source === 'document' ? new URL(row.client_id).host : null,
})

const toRow = (
  clientId: string,
  source: OAuthClientsTable['source'],
  metadata: ClientMetadata,
  secretHash: string | null,
  now: string,
): OAuthClientsTable => ({
  client_id: clientId,
  source,
  name: metadata.name,
  uri: metadata.uri,
  redirect_uris: toJson(metadata.redirectUris),
  auth_method: metadata.authMethod,
  secret_hash: secretHash,
  may_refresh: flag(metadata.mayRefresh),
  created_at: now,
  described_at: now,
  consented_at: null,
})

/** Registers a client (RFC 7591) and returns what was registered. A secret is shown only here. */
export async function registerClient(ctx: Ctx, body: unknown) {
  const metadata = parseClientMetadata(body)
  const clientId = newId()
  const secret = metadata.authMethod === 'none' ? null : SECRET_PREFIX + randomToken()
  const now = ctx.now()
  const row = toRow(clientId, 'registered', metadata, secret && sha256(secret), now.toISOString())
  await inTx(ctx, (ctx) => upsertClient(ctx.db, row))
  return {
    client_id: clientId,
    client_id_issued_at: Math.floor(now.getTime() / 1000),
    ...(secret ? { client_secret: secret, client_secret_expires_at: 0 } : {}),
    client_name: metadata.name,
    ...(metadata.uri ? { client_uri: metadata.uri } : {}),
    redirect_uris: metadata.redirectUris,
    token_endpoint_auth_method: metadata.authMethod,
    grant_types: ['authorization_code', ...(metadata.mayRefresh ? ['refresh_token'] : [])],
    response_types: ['code'],
  }
}

const unknownClient = () =>
  new OAuthProblem(
    'invalid_client',
    'This client is not registered here. Remove the sign-in that the app has stored for this server (in Claude Code: /mcp, Clear authentication), then connect again.',
    401,
  )

async function describeDocument(ctx: Ctx, clientId: string, net: DocumentNet): Promise<OAuthClient> {
  const metadata = parseClientDocument(clientId, await fetchClientDocument(clientId, net))
  const row = toRow(clientId, 'document', metadata, null, ctx.now().toISOString())
  await inTx(ctx, (ctx) => upsertClient(ctx.db, row))
  return fromRow(row)
}

export async function findClient(
  ctx: Ctx,
  clientId: string | undefined,
  net: DocumentNet = internet,
): Promise<OAuthClient> {
  // PostgreSQL refuses to look for a NUL.
  if (!clientId || clientId.length > 2000 || clientId.includes('\0')) throw unknownClient()
  const row = await findClientRow(ctx.db, clientId)
  if (!isDocumentId(clientId)) {
    if (!row) throw unknownClient()
    return fromRow(row)
  }
  if (!ctx.config.oauthClientDocuments) throw unknownClient()
  const fresh = row && ctx.now().getTime() - Date.parse(row.described_at) < DOCUMENT_KEPT_MS
  return fresh ? fromRow(row) : describeDocument(ctx, clientId, net)
}

/** While the document's host is unreachable, the last stored document counts. */
export async function findKnownClient(
  ctx: Ctx,
  clientId: string | undefined,
  net: DocumentNet = internet,
): Promise<OAuthClient> {
  try {
    return await findClient(ctx, clientId, net)
  } catch (error) {
    const row = error instanceof DocumentAway && clientId ? await findClientRow(ctx.db, clientId) : undefined
    if (!row) throw error
    return fromRow(row)
  }
}

/** Checks the secret of a client, which may be sent in either of two ways. A public client has none. */
export function authenticateClient(client: OAuthClient, secret: string | undefined): void {
  if (client.secretHash === null) return
  if (secret === undefined || sha256(secret) !== client.secretHash)
    throw new OAuthProblem('invalid_client', 'The client secret is missing or wrong.', 401)
}
