import { LRUCache } from 'lru-cache'
import { type Ctx, contextFor, type Recognised, type Services, type Viewer } from '../../core/context.ts'
import { sha256 } from '../../core/crypto.ts'
import { notAuthenticated } from '../../core/errors.ts'
import { SESSION_PREFIX } from '../../core/http.ts'
import { fromJson } from '../../db/columns.ts'
import { type Named, prepared } from '../../db/prepared.ts'
import { SCOPES, type Scope } from '../../shared/scopes.ts'
import { KEY_PREFIX } from './api-keys.ts'
import { ACCESS_PREFIX, isOlder, recogniseAccessToken, recordUse } from './oauth-grants.ts'
import { sessionEnd } from './sessions.ts'
import { isServiceAdmin } from './users.ts'

const KEY_USE_RECORDED_EVERY_MS = 60_000
const SESSION_USE_RECORDED_EVERY_MS = 3_600_000

const ALL_SCOPES: ReadonlySet<Scope> = new Set(SCOPES)

/** Cached, because most credentials have one of few lists of scopes. */
const scopeSets = new LRUCache<string, ReadonlySet<Scope>>({ max: 500 })

function scopesIn(json: string): ReadonlySet<Scope> {
  let scopes = scopeSets.get(json)
  if (!scopes) {
    scopes = new Set(fromJson<Scope[]>(json))
    scopeSets.set(json, scopes)
  }
  return scopes
}

const invalidToken = (detail: string) => notAuthenticated(detail, 'invalid_token')

const findKey = prepared('findApiKey', (db, parameter: Named<{ hash: string }>) =>
  db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.user_id', 'api_keys.user_id')
    .select([
      'api_keys.key_id',
      'api_keys.user_id',
      'api_keys.scopes',
      'api_keys.expires_at',
      'api_keys.last_used_at',
      'users.email_normal',
      'users.email_verified',
      'users.service_admin',
    ])
    .where('api_keys.key_hash', '=', parameter('hash'))
    .where('users.deleted_at', 'is', null),
)

const findSession = prepared('findSession', (db, parameter: Named<{ hash: string }>) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.user_id', 'sessions.user_id')
    .select([
      'sessions.session_id',
      'sessions.user_id',
      'sessions.expires_at',
      'sessions.last_seen_at',
      'users.email_normal',
      'users.email_verified',
      'users.service_admin',
    ])
    .where('sessions.token_hash', '=', parameter('hash'))
    .where('users.deleted_at', 'is', null),
)

async function recogniseKey(ctx: Ctx, key: string): Promise<Recognised> {
  const [row] = await findKey(ctx.db, { hash: sha256(key) })
  if (!row) throw invalidToken('This API key is not known here. It may have been deleted.')
  const now = ctx.now()
  if (row.expires_at !== null && row.expires_at <= now.toISOString())
    throw invalidToken('This API key has expired.')
  if (isOlder(row.last_used_at, KEY_USE_RECORDED_EVERY_MS, now))
    await recordUse(ctx, ({ db }) =>
      db
        .updateTable('api_keys')
        .set({ last_used_at: now.toISOString() })
        .where('key_id', '=', row.key_id)
        .execute(),
    )
  const viewer: Viewer = {
    userId: row.user_id,
    scopes: scopesIn(row.scopes),
    isAdmin: isServiceAdmin(ctx.config, row),
    credential: { kind: 'api_key', id: row.key_id },
  }
  return { viewer, endsAt: row.expires_at === null ? null : Date.parse(row.expires_at) }
}

async function recogniseSession(ctx: Ctx, token: string): Promise<Recognised> {
  const [row] = await findSession(ctx.db, { hash: sha256(token) })
  const now = ctx.now()
  if (!row || row.expires_at <= now.toISOString())
    throw invalidToken('This session has ended. Sign in again.')
  if (isOlder(row.last_seen_at, SESSION_USE_RECORDED_EVERY_MS, now))
    await recordUse(ctx, ({ db }) =>
      db
        .updateTable('sessions')
        .set({ last_seen_at: now.toISOString(), expires_at: sessionEnd(ctx) })
        .where('session_id', '=', row.session_id)
        .execute(),
    )
  const viewer: Viewer = {
    userId: row.user_id,
    scopes: ALL_SCOPES,
    isAdmin: isServiceAdmin(ctx.config, row),
    credential: { kind: 'session', id: row.session_id },
  }
  return { viewer, endsAt: Date.parse(row.expires_at) }
}

function recognise(ctx: Ctx, credential: string): Promise<Recognised> {
  if (credential.startsWith(SESSION_PREFIX)) return recogniseSession(ctx, credential)
  if (credential.startsWith(KEY_PREFIX)) return recogniseKey(ctx, credential)
  if (credential.startsWith(ACCESS_PREFIX)) return recogniseAccessToken(ctx, credential)
  throw invalidToken(`This is neither an API key (${KEY_PREFIX}…) nor a session token (${SESSION_PREFIX}…).`)
}

async function lookUp(services: Services, credential: string, path: string): Promise<Viewer> {
  const version = services.credentials.version()
  const recognised = await recognise(contextFor(services), credential)
  services.credentials.keep(credential, recognised, services.now().getTime(), version)
  recognised.check?.(path)
  return recognised.viewer
}

/** Throws 401, directly or by its promise; returns no promise if the caller was recognised recently. */
export function viewerOf(services: Services, credential: string, path: string): Viewer | Promise<Viewer> {
  const known = services.credentials.find(credential, services.now().getTime())
  if (!known) return lookUp(services, credential, path)
  known.check?.(path)
  return known.viewer
}
