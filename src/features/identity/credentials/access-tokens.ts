import type { Ctx } from '../../../core/context.ts'
import type { Recognised } from '../../../core/credential-cache.ts'
import { notAuthenticated } from '../../../core/errors.ts'
import type { Scope } from '../../../core/scopes.ts'
import { sha256 } from '../../../core/secrets.ts'
import { fromJson } from '../../../db/columns.ts'
import { isOlder, recordUse } from './credential-use.ts'

export const ACCESS_PREFIX = 'kva_'
const USE_RECORDED_EVERY_MS = 60_000

const invalidToken = (detail: string) => notAuthenticated(detail, 'invalid_token')

/** Whether a token for this resource may be used at this path. */
export function resourceCovers(resource: string, baseUrl: string, path: string): boolean {
  if (resource === baseUrl) return true
  const prefix = resource.slice(baseUrl.length)
  return path === prefix || path.startsWith(`${prefix}/`) || path.startsWith(`${prefix}?`)
}

/** The person that an app acts for, by its access token: one look-up by an indexed hash, like keys and sessions. */
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
