import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, type Recognised, type UserCtx } from '../../core/context.ts'
import { randomToken, sha256 } from '../../core/crypto.ts'
import { notAuthenticated, notFound } from '../../core/errors.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import { plainName } from '../../core/untrusted-text.ts'
import { fromJson, toJson } from '../../db/columns.ts'
import { newId } from '../../db/ids.ts'
import type { OAuthTokensTable } from '../../db/schema.ts'
import type { Scope } from '../../shared/scopes.ts'
import { audit } from '../audit/index.ts'
import type { OAuthClient } from './oauth-clients.ts'
import { type GrantableScope, OAuthProblem, pkceMatches } from './oauth-protocol.ts'
import {
  deleteGrant,
  deleteLeftovers,
  deleteOwnGrant,
  deleteToken,
  findCode,
  findToken,
  insertCode,
  insertGrant,
  insertTokens,
  listGrants,
  spendCode,
  spendRefreshToken,
} from './oauth-store.ts'
import { requireLiveCredential } from './users.ts'

/** Records that a credential was used. A failure here must never fail the request. */
export async function recordUse(ctx: Ctx, write: (ctx: Ctx) => Promise<unknown>): Promise<void> {
  try {
    await inTx(ctx, write)
  } catch (error) {
    ctx.log.warn({ err: error }, 'the use of a credential could not be recorded')
  }
}

export const isOlder = (time: string | null, ms: number, now: Date) =>
  time === null || now.getTime() - Date.parse(time) >= ms

export const ACCESS_PREFIX = 'kva_'
const USE_RECORDED_EVERY_MS = 60_000

const invalidToken = (detail: string) => notAuthenticated(detail, 'invalid_token')

export function resourceCovers(resource: string, baseUrl: string, path: string): boolean {
  if (resource === baseUrl) return true
  const prefix = resource.slice(baseUrl.length)
  return path === prefix || path.startsWith(`${prefix}/`) || path.startsWith(`${prefix}?`)
}

export async function recogniseAccessToken(ctx: Ctx, token: string): Promise<Recognised> {
  const row = await ctx.db
    .selectFrom('oauth_tokens')
    .innerJoin('oauth_grants', 'oauth_grants.grant_id', 'oauth_tokens.grant_id')
    .innerJoin('users', 'users.user_id', 'oauth_grants.user_id')
    .select([
      'oauth_tokens.scopes',
      'oauth_tokens.expires_at',
      'oauth_grants.grant_id',
      'oauth_grants.user_id',
      'oauth_grants.resource',
      'oauth_grants.last_used_at',
    ])
    .where('oauth_tokens.token_hash', '=', sha256(token))
    .where('oauth_tokens.kind', '=', 'access')
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst()
  const now = ctx.now()
  if (!row || row.expires_at <= now.toISOString())
    throw invalidToken('This access token is not known or has expired.')
  if (isOlder(row.last_used_at, USE_RECORDED_EVERY_MS, now))
    await recordUse(ctx, ({ db }) =>
      db
        .updateTable('oauth_grants')
        .set({ last_used_at: now.toISOString() })
        .where('grant_id', '=', row.grant_id)
        .execute(),
    )
  return {
    viewer: {
      userId: row.user_id,
      scopes: new Set(fromJson<Scope[]>(row.scopes)),
      // An app acts for a person, never for the service.
      isAdmin: false,
      credential: { kind: 'oauth', id: row.grant_id },
    },
    endsAt: Date.parse(row.expires_at),
    check: (path) => {
      if (!resourceCovers(row.resource, ctx.config.baseUrl, path))
        throw invalidToken(`This access token was issued for ${row.resource} only.`)
    },
  }
}

const REFRESH_PREFIX = 'kvr_'
const CODE_PREFIX = 'kvc_'
const SECOND = 1000
const DAY = 86_400 * SECOND
const CODE_MS = 60 * SECOND
const ACCESS_SECONDS = 3600
const REFRESH_MS = 90 * DAY
/** Two refreshes within this time are an accident of one client with two processes, not a theft. */
const SIMULTANEOUS_MS = 10 * SECOND

type Consent = {
  client: OAuthClient
  redirectUri: string
  challenge: string
  resource: string
  scopes: readonly GrantableScope[]
}

export type TokenAnswer = {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  scope: string
  refresh_token?: string
}

const after = (ctx: Ctx, ms: number) => new Date(ctx.now().getTime() + ms).toISOString()

/** Prevents a key or an app from consenting for its person and so gaining permissions. */
export function requireSession({ viewer }: UserCtx): void {
  if (viewer.credential.kind !== 'session')
    throw new OAuthProblem('access_denied', 'Only a person who is signed in may connect an app.')
}

export function grantCode(ctx: UserCtx, consent: Consent): Promise<string> {
  requireSession(ctx)
  const code = CODE_PREFIX + randomToken()
  return inTx(ctx, async (ctx) => {
    await requireLiveCredential(ctx)
    const grantId = newId()
    await insertGrant(ctx.db, {
      grant_id: grantId,
      user_id: ctx.viewer.userId,
      client_id: consent.client.clientId,
      scopes: toJson(consent.scopes),
      resource: consent.resource,
      created_at: ctx.now().toISOString(),
      activated_at: null,
      last_used_at: null,
    })
    await insertCode(ctx.db, {
      code_hash: sha256(code),
      grant_id: grantId,
      redirect_uri: consent.redirectUri,
      challenge: consent.challenge,
      expires_at: after(ctx, CODE_MS),
      used_at: null,
    })
    await audit(ctx, {
      action: 'app.connected',
      subject: { type: 'oauth_grant', id: grantId },
      details: { client: consent.client.name, scopes: consent.scopes },
    })
    return code
  })
}

export async function issue(
  ctx: Ctx,
  grantId: string,
  scopes: readonly string[],
  mayRefresh: boolean,
): Promise<TokenAnswer> {
  const access = ACCESS_PREFIX + randomToken()
  const refresh = REFRESH_PREFIX + randomToken()
  const row = (kind: OAuthTokensTable['kind'], token: string, ms: number): OAuthTokensTable => ({
    token_hash: sha256(token),
    grant_id: grantId,
    kind,
    scopes: toJson(scopes),
    created_at: ctx.now().toISOString(),
    expires_at: after(ctx, ms),
    used_at: null,
  })
  await insertTokens(ctx.db, [
    row('access', access, ACCESS_SECONDS * SECOND),
    ...(mayRefresh ? [row('refresh', refresh, REFRESH_MS)] : []),
  ])
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: ACCESS_SECONDS,
    scope: scopes.join(' '),
    ...(mayRefresh ? { refresh_token: refresh } : {}),
  }
}

/** Returned instead of thrown, because a refusal may end a grant, which must be committed. */
export type Outcome = TokenAnswer | OAuthProblem

export async function settle(outcome: Promise<Outcome>): Promise<TokenAnswer> {
  const result = await outcome
  if (result instanceof OAuthProblem) throw result
  return result
}

const refused = (why: string) => new OAuthProblem('invalid_grant', why)

/** Ends everything issued from a code or refresh token that is used a second time, because it was stolen. */
async function endStolenGrant(
  ctx: Ctx,
  grantId: string,
  userId: string,
  what: string,
): Promise<OAuthProblem> {
  await deleteGrant(ctx.db, grantId)
  await audit(ctx, {
    action: 'app.reuse_detected',
    subject: { type: 'oauth_grant', id: grantId },
    actorId: userId,
    details: { what },
  })
  return refused(`This ${what} was used before. The connection has been ended; connect again.`)
}

type CodeExchange = {
  code: string
  redirectUri: string | undefined
  verifier: string
  resource: string | undefined
}

export const exchangeCode = (ctx: Ctx, client: OAuthClient, given: CodeExchange): Promise<TokenAnswer> =>
  settle(
    inTx(ctx, async (ctx): Promise<Outcome> => {
      const codeHash = sha256(given.code)
      const row = await findCode(ctx.db, codeHash)
      if (!row || row.client_id !== client.clientId) return refused('This code is not valid.')
      if (row.used_at !== null) return endStolenGrant(ctx, row.grant_id, row.user_id, 'code')
      if (row.expires_at <= ctx.now().toISOString()) return refused('This code has expired.')
      if (given.redirectUri !== undefined && given.redirectUri !== row.redirect_uri)
        return refused('redirect_uri is not the one the code was sent to.')
      if (!pkceMatches(given.verifier, row.challenge)) return refused('code_verifier does not match.')
      if (given.resource !== undefined && given.resource !== row.resource)
        return new OAuthProblem('invalid_target', 'resource is not the one that was authorized.')
      await spendCode(ctx.db, codeHash, row.grant_id, ctx.now().toISOString())
      return issue(ctx, row.grant_id, fromJson<string[]>(row.scopes), client.mayRefresh)
    }),
  )

type Refresh = { token: string; scope: string | undefined; resource: string | undefined }

export const refreshTokens = (ctx: Ctx, client: OAuthClient, given: Refresh): Promise<TokenAnswer> =>
  settle(
    inTx(ctx, async (ctx): Promise<Outcome> => {
      const tokenHash = sha256(given.token)
      const row = await findToken(ctx.db, tokenHash)
      if (row?.kind !== 'refresh' || row.client_id !== client.clientId)
        return refused('This refresh token is not valid.')
      if (row.used_at !== null) {
        const since = ctx.now().getTime() - Date.parse(row.used_at)
        if (since <= SIMULTANEOUS_MS) return refused('This refresh token has just been used.')
        return endStolenGrant(ctx, row.grant_id, row.user_id, 'refresh token')
      }
      if (row.expires_at <= ctx.now().toISOString()) return refused('This refresh token has expired.')
      if (given.resource !== undefined && given.resource !== row.resource)
        return new OAuthProblem('invalid_target', 'resource is not the one that was authorized.')
      const granted = fromJson<string[]>(row.granted_scopes)
      const named = given.scope?.split(/\s+/).filter(Boolean) ?? []
      const asked = named.length > 0 ? named : granted
      if (asked.some((scope) => !granted.includes(scope)))
        return new OAuthProblem('invalid_scope', `Granted were: ${granted.join(' ')}`)
      await spendRefreshToken(ctx.db, tokenHash, ctx.now().toISOString())
      return issue(ctx, row.grant_id, asked, true)
    }),
  )

/** Revokes an access token alone, or the whole grant for a refresh token (RFC 7009). */
export const revokeToken = (ctx: Ctx, client: OAuthClient, token: string): Promise<void> =>
  inTx(ctx, async (ctx) => {
    const row = await findToken(ctx.db, sha256(token))
    if (!row || row.client_id !== client.clientId) return
    if (row.kind === 'access') await deleteToken(ctx.db, row.token_hash)
    else await deleteGrant(ctx.db, row.grant_id)
  })

export const dropOAuthLeftovers = (ctx: Ctx): Promise<void> =>
  inTx(ctx, (ctx) =>
    deleteLeftovers(ctx.db, ctx.now().toISOString(), new Date(ctx.now().getTime() - DAY).toISOString()),
  )

const ConnectedApp = z
  .object({
    app_id: AnswerId,
    client_id: z.string(),
    name: z.string().describe('Chosen by the app itself unless verified_host is set.'),
    uri: z.string().nullable(),
    verified_host: z.string().nullable().describe('The host whose document names this app.'),
    scopes: z.array(z.string()),
    resource: z.string(),
    connected_at: Time,
    last_used_at: Time.nullable(),
  })
  .meta({ id: 'ConnectedApp' })

export const listConnectedApps = capability({
  name: 'apps.list',
  summary: 'The apps that the signed-in user has connected, newest first',
  scopes: ['account'],
  rest: ['GET /api/v1/auth/connected-apps'],
  input: z.object({}),
  output: z.array(ConnectedApp),
  run: async (ctx) => {
    const rows = await listGrants(ctx.db, ctx.viewer.userId)
    return rows.map((row) => ({
      app_id: row.grant_id,
      client_id: row.client_id,
      name: plainName(row.name),
      uri: row.uri,
      verified_host: row.source === 'document' ? new URL(row.client_id).host : null,
      scopes: fromJson<string[]>(row.scopes),
      resource: row.resource,
      connected_at: row.created_at,
      last_used_at: row.last_used_at,
    }))
  },
})

export const disconnectApp = capability({
  name: 'apps.disconnect',
  summary: 'Disconnect an app; its tokens stop working at once',
  scopes: ['account'],
  rest: ['DELETE /api/v1/auth/connected-apps/{app_id}'],
  status: 204,
  errors: [404],
  input: z.object({ app_id: Id }),
  output: z.void(),
  run: (ctx, { app_id }) =>
    inTx(ctx, async (ctx) => {
      const deleted = await deleteOwnGrant(ctx.db, ctx.viewer.userId, app_id)
      if (!deleted) throw notFound('Connected app')
      await audit(ctx, { action: 'app.disconnected', subject: { type: 'oauth_grant', id: app_id } })
    }),
})

/** Disconnects all apps of an account that a stranger may have used. */
export const disconnectAllApps = async (ctx: Ctx, userId: string): Promise<void> => {
  await ctx.db.deleteFrom('oauth_grants').where('user_id', '=', userId).execute()
}
