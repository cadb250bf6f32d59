import { type Ctx, inTx } from '../../../core/context.ts'
import { plainName } from '../../../core/names.ts'
import { randomToken, sha256 } from '../../../core/secrets.ts'
import { flag, fromJson, toJson } from '../../../db/columns.ts'
import { newId } from '../../../db/ids.ts'
import type { OAuthClientsTable } from '../../../db/tables/oauth.ts'
import {
  DocumentAway,
  type DocumentNet,
  fetchClientDocument,
  internet,
  isDocumentId,
} from './client-document.ts'
import { type ClientMetadata, parseClientDocument, parseClientMetadata } from './client-metadata.ts'
import { OAuthProblem } from './oauth.rules.ts'
import { findClientRow, upsertClient } from './oauth.store.ts'

const SECRET_PREFIX = 'kvx_'
const DOCUMENT_KEPT_MS = 3_600_000

export type OAuthClient = ClientMetadata & {
  clientId: string
  secretHash: string | null
  /** Who vouches for the name: the host of its document, or nobody. */
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

/** RFC 7591. The answer repeats what was registered; a secret is shown here only. */
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

/** An app may keep a registration that has ended here, and come with it for ever: only its own stored sign-in ends that. */
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

/** The client of an id: registered here, or described by the document at that address if documents are allowed. */
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

/**
 * For tokens, which a person has consented to before: while the host of the document is away, what the document said last
 * holds. Otherwise every connection would end with that host.
 */
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

/** A client with a secret must send it, in either of the two ways. A public client has none. */
export function authenticateClient(client: OAuthClient, secret: string | undefined): void {
  if (client.secretHash === null) return
  if (secret === undefined || sha256(secret) !== client.secretHash)
    throw new OAuthProblem('invalid_client', 'The client secret is missing or wrong.', 401)
}
