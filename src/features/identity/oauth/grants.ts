import { type Ctx, inTx, type UserCtx } from '../../../core/context.ts'
import { randomToken, sha256 } from '../../../core/secrets.ts'
import { fromJson, toJson } from '../../../db/columns.ts'
import { newId } from '../../../db/ids.ts'
import type { OAuthTokensTable } from '../../../db/tables/oauth.ts'
import { audit } from '../../audit/audit.ts'
import { ACCESS_PREFIX } from '../credentials/access-tokens.ts'
import { requireLiveCredential } from '../credentials/live-credential.ts'
import type { OAuthClient } from './clients.ts'
import { type GrantableScope, OAuthProblem, pkceMatches } from './oauth.rules.ts'
import {
  deleteGrant,
  deleteLeftovers,
  deleteToken,
  findCode,
  findToken,
  insertCode,
  insertGrant,
  insertTokens,
  spendCode,
  spendRefreshToken,
} from './oauth.store.ts'

const REFRESH_PREFIX = 'kvr_'
const CODE_PREFIX = 'kvc_'
const SECOND = 1000
const DAY = 86_400 * SECOND
const CODE_MS = 60 * SECOND
const ACCESS_SECONDS = 3600
const REFRESH_MS = 90 * DAY
/** Two processes of one client that refresh at the same moment are an accident, not a theft. */
const SIMULTANEOUS_MS = 10 * SECOND

export type Consent = {
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

/** A key or an app that could consent for its person would give itself what the person kept from it. */
function requireSession({ viewer }: UserCtx): void {
  if (viewer.credential.kind !== 'session')
    throw new OAuthProblem('access_denied', 'Only a person who is signed in may connect an app.')
}

/** The person said yes: a grant, and the code with which the client fetches its first tokens. */
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

async function issue(
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

/** A refusal may end a grant, and that must be committed. So the transaction returns the refusal instead of throwing it. */
type Outcome = TokenAnswer | OAuthProblem

async function settle(outcome: Promise<Outcome>): Promise<TokenAnswer> {
  const result = await outcome
  if (result instanceof OAuthProblem) throw result
  return result
}

const refused = (why: string) => new OAuthProblem('invalid_grant', why)

/** A code or refresh token that is used a second time was copied, so everything that was issued from it ends. */
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

export type CodeExchange = {
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

export type Refresh = { token: string; scope: string | undefined; resource: string | undefined }

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

/** RFC 7009: revokes an access token alone, or everything if given a refresh token. An unknown token is not an error. */
export const revokeToken = (ctx: Ctx, client: OAuthClient, token: string): Promise<void> =>
  inTx(ctx, async (ctx) => {
    const row = await findToken(ctx.db, sha256(token))
    if (!row || row.client_id !== client.clientId) return
    if (row.kind === 'access') await deleteToken(ctx.db, row.token_hash)
    else await deleteGrant(ctx.db, row.grant_id)
  })

/** Housekeeping: removes expired codes, tokens and unused registrations. */
export const dropOAuthLeftovers = (ctx: Ctx): Promise<void> =>
  inTx(ctx, (ctx) =>
    deleteLeftovers(ctx.db, ctx.now().toISOString(), new Date(ctx.now().getTime() - DAY).toISOString()),
  )
