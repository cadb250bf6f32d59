import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx, type Viewer } from '../../core/context.ts'
import { randomToken, sha256 } from '../../core/crypto.ts'
import { conflict, invalid, missingScope, notFound } from '../../core/errors.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import { flag, fromJson, toJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { ApiKeysTable } from '../../db/schema.ts'
import { cleanText, Findings } from '../../redaction/redact.ts'
import { requiredText } from '../../redaction/required-text.ts'
import { AGENT_KEYS, ANY_SCOPE, SCOPES, TOOL_SCOPES } from '../../shared/scopes.ts'
import { DAY_MS } from '../../shared/time.ts'
import { audit } from '../audit/index.ts'
import { hasRole, roleIn } from '../permissions/index.ts'
import { settingsOf } from './user-settings.ts'
import { isOwnPrivateTeam, requireLiveCredential, requireUser, updateUser } from './users.ts'

/** Returns when the key of this call ends; null if it never ends or the credential is no key. */
async function endOfKey(db: Db, { kind, id }: Viewer['credential']): Promise<string | null> {
  if (kind !== 'api_key') return null
  const row = await db.selectFrom('api_keys').select('expires_at').where('key_id', '=', id).executeTakeFirst()
  return row?.expires_at ?? null
}

async function countKeys(db: Db, userId: string): Promise<number> {
  const { keys } = await db
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('keys'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return keys
}

export const KEY_PREFIX = 'kv_'
/** 30 random bytes are 40 url-safe characters. */
const KEY_BYTES = 30
/** Enough of the key to recognise it in a list, far too little to use. */
const SHOWN_CHARACTERS = KEY_PREFIX.length + 6
/** Limit of keys, because one answer lists all of them. */
const MAX_KEYS = 500

const ScopeName = z.enum(SCOPES)
const MAX_SCOPES = 50

const APIKeyCreate = z
  .object({
    name: requiredText(1, 120),
    scopes: z
      .array(ScopeName)
      .min(1)
      .max(MAX_SCOPES)
      .optional()
      .describe('All that the creating credential has, when left out.'),
    expires_in_days: z
      .int()
      .min(1)
      .max(3650)
      .nullish()
      .describe('Never, when left out. A key that is made with another key ends with it at the latest.'),
    default_workspace_id: Id.nullish().describe(
      'Where new cards go that name no workspace. You must be editor or admin there. Null is the personal workspace, which is also used once you lose that role.',
    ),
    share_recorded: z
      .boolean()
      .optional()
      .describe(
        'true: cards that the key records in default_workspace_id, a private team, are shared there at once. Ask the person first.',
      ),
  })
  .meta({ id: 'APIKeyCreate' })

const APIKeyResponse = z
  .object({
    key_id: AnswerId,
    name: z.string(),
    prefix: z.string(),
    scopes: z.array(ScopeName),
    created_at: Time,
    last_used_at: Time.nullable(),
    expires_at: Time.nullable(),
    default_workspace_id: AnswerId.nullable(),
    share_recorded: z.boolean(),
  })
  .meta({ id: 'APIKeyResponse' })

const APIKeyCreatedResponse = APIKeyResponse.extend({
  api_key: z.string().describe('The whole key. Shown only now.'),
}).meta({ id: 'APIKeyCreatedResponse' })

const present = (row: ApiKeysTable): z.input<typeof APIKeyResponse> => ({
  ...row,
  scopes: fromJson(row.scopes),
  share_recorded: row.share_recorded === 1,
})

async function refuseTooMany(ctx: UserCtx): Promise<void> {
  const keys = await countKeys(ctx.db, ctx.viewer.userId)
  if (keys >= MAX_KEYS)
    throw conflict('too_many_keys', `You have ${keys} API keys. Delete those that nobody uses first.`)
}

type NewKey = {
  name: string
  scopes: readonly (typeof SCOPES)[number][]
  expiresInDays?: number | null | undefined
  defaultWorkspaceId?: string | null | undefined
  isSharing?: boolean | undefined
}

async function requireWritable(ctx: UserCtx, workspaceId: string | null): Promise<void> {
  if (workspaceId !== null && !hasRole(await roleIn(ctx, workspaceId), 'editor'))
    throw invalid('default_workspace_id', 'You cannot write cards in this workspace')
}

/** Refuses a team that strangers can read: recorded cards are shared there at once. */
async function requireTeamToShareWith(ctx: UserCtx, workspaceId: string | null): Promise<void> {
  if (workspaceId === null || !(await isOwnPrivateTeam(ctx, workspaceId, ctx.viewer.userId)))
    throw invalid(
      'share_recorded',
      'Name a private team as default_workspace_id, where you are editor or admin',
    )
}

/** Returns the end of a new key. A key that ends must not outlive itself through a key that it makes. */
async function endOfNewKey(ctx: UserCtx, days: number | null | undefined): Promise<string | null> {
  const wanted = days ? new Date(ctx.now().getTime() + days * DAY_MS).toISOString() : null
  const makers = await endOfKey(ctx.db, ctx.viewer.credential)
  return makers !== null && (wanted === null || wanted > makers) ? makers : wanted
}

const insertKey = (
  ctx: UserCtx,
  { name, scopes, expiresInDays, defaultWorkspaceId = null, isSharing = false }: NewKey,
) => {
  const key = KEY_PREFIX + randomToken(KEY_BYTES)
  // Removes secrets: people sometimes paste the key itself as its name.
  const cleanName = cleanText(name, new Findings())
  return inTx(ctx, async (ctx) => {
    await requireLiveCredential(ctx)
    await refuseTooMany(ctx)
    await requireWritable(ctx, defaultWorkspaceId)
    if (isSharing) await requireTeamToShareWith(ctx, defaultWorkspaceId)
    const now = ctx.now()
    const row: ApiKeysTable = {
      key_id: newId(),
      key_hash: sha256(key),
      user_id: ctx.viewer.userId,
      name: cleanName,
      prefix: key.slice(0, SHOWN_CHARACTERS),
      scopes: toJson(scopes),
      created_at: now.toISOString(),
      last_used_at: null,
      expires_at: await endOfNewKey(ctx, expiresInDays),
      default_workspace_id: defaultWorkspaceId,
      share_recorded: flag(isSharing),
    }
    await ctx.db.insertInto('api_keys').values(row).execute()
    await audit(ctx, {
      action: 'key.created',
      subject: { type: 'api_key', id: row.key_id },
      details: { scopes },
    })
    return { ...present(row), api_key: key }
  })
}

export const createApiKey = capability({
  name: 'keys.create',
  summary: 'Create an API key; the answer is the only time the whole key is shown',
  scopes: ['account'],
  rest: ['POST /api/v1/auth/api-keys'],
  status: 201,
  errors: [409],
  input: APIKeyCreate,
  output: APIKeyCreatedResponse,
  run: (ctx, { name, scopes, expires_in_days, default_workspace_id, share_recorded }) => {
    const granted = scopes ? [...new Set(scopes)] : SCOPES.filter((scope) => ctx.viewer.scopes.has(scope))
    const exceeding = granted.filter((scope) => !ctx.viewer.scopes.has(scope))
    if (exceeding.length > 0) throw missingScope(exceeding)
    return insertKey(ctx, {
      name,
      scopes: granted,
      expiresInDays: expires_in_days,
      defaultWorkspaceId: default_workspace_id,
      isSharing: share_recorded,
    })
  },
})

/** The person answered for themselves and their agents, so the web app does not ask again. */
async function keepSharingChoice(ctx: UserCtx, team: string): Promise<void> {
  const user = await requireUser(ctx, ctx.viewer.userId)
  const settings = settingsOf(user)
  const home = settings.default_workspace_id ?? team
  const isSharing = settings.share_recorded || home === team
  if (settings.sharing_answered && settings.share_recorded === isSharing) return
  const chosen = { default_workspace_id: home, share_recorded: isSharing, sharing_answered: true }
  await updateUser(ctx.db, user.user_id, {
    settings: toJson({ ...settings, ...chosen }),
    updated_at: ctx.now().toISOString(),
  })
}

export const createAgentKey = capability({
  name: 'keys.create_for_agent',
  summary: 'Create an API key for one agent; for an app that was granted the scope agent-keys',
  description:
    'The key has the tool scopes that the app was granted. `kvault connect` makes one for each agent on a computer.',
  scopes: [AGENT_KEYS],
  rest: ['POST /api/v1/auth/api-keys/agent'],
  status: 201,
  errors: [409],
  input: APIKeyCreate.pick({ name: true, default_workspace_id: true, share_recorded: true }).meta({
    id: 'AgentKeyCreate',
  }),
  output: APIKeyCreatedResponse,
  run: (ctx, { name, default_workspace_id, share_recorded }) => {
    const scopes = TOOL_SCOPES.filter((scope) => ctx.viewer.scopes.has(scope))
    if (scopes.length === 0) throw missingScope(TOOL_SCOPES)
    return inTx(ctx, async (ctx) => {
      const key = await insertKey(ctx, {
        name,
        scopes,
        defaultWorkspaceId: default_workspace_id,
        isSharing: share_recorded,
      })
      if (share_recorded && default_workspace_id) await keepSharingChoice(ctx, default_workspace_id)
      return key
    })
  },
})

export const changeApiKey = capability({
  name: 'keys.update',
  summary: 'Change where the cards of an API key go, and whether they are shared there at once',
  scopes: ['account'],
  rest: ['PATCH /api/v1/auth/api-keys/{key_id}'],
  errors: [404],
  input: z
    .object({ key_id: Id, ...APIKeyCreate.pick({ default_workspace_id: true, share_recorded: true }).shape })
    .meta({ id: 'APIKeyUpdate' }),
  output: APIKeyResponse,
  run: (ctx, { key_id, default_workspace_id, share_recorded }) =>
    inTx(ctx, async (ctx) => {
      await requireLiveCredential(ctx)
      const own = { key_id, user_id: ctx.viewer.userId }
      const row = await ctx.db
        .selectFrom('api_keys')
        .selectAll()
        .where((eb) => eb.and(own))
        .executeTakeFirst()
      if (!row) throw notFound('API key')
      const team = default_workspace_id === undefined ? row.default_workspace_id : default_workspace_id
      const isSharing = share_recorded ?? (row.share_recorded === 1 && team === row.default_workspace_id)
      if (default_workspace_id !== undefined) await requireWritable(ctx, team)
      if (isSharing) await requireTeamToShareWith(ctx, team)
      const change = { default_workspace_id: team, share_recorded: flag(isSharing) }
      await ctx.db
        .updateTable('api_keys')
        .set(change)
        .where((eb) => eb.and(own))
        .execute()
      return present({ ...row, ...change })
    }),
})

export const listApiKeys = capability({
  name: 'keys.list',
  summary: 'The API keys of the signed-in user, newest first',
  scopes: ['account'],
  rest: ['GET /api/v1/auth/api-keys'],
  input: z.object({}),
  output: z.array(APIKeyResponse),
  run: async (ctx) => {
    const rows = await ctx.db
      .selectFrom('api_keys')
      .selectAll()
      .where('user_id', '=', ctx.viewer.userId)
      .orderBy('created_at', 'desc')
      .orderBy('key_id', 'desc')
      .execute()
    return rows.map(present)
  },
})

export const deleteApiKey = capability({
  name: 'keys.delete',
  summary: 'Delete an API key; it stops working at once',
  scopes: ['account'],
  rest: ['DELETE /api/v1/auth/api-keys/{key_id}'],
  status: 204,
  errors: [404],
  input: z.object({ key_id: Id }),
  output: z.void(),
  run: (ctx, { key_id }) =>
    inTx(ctx, async (ctx) => {
      const deleted = await ctx.db
        .deleteFrom('api_keys')
        .where('key_id', '=', key_id)
        .where('user_id', '=', ctx.viewer.userId)
        .returning('key_id')
        .executeTakeFirst()
      if (!deleted) throw notFound('API key')
      await audit(ctx, { action: 'key.deleted', subject: { type: 'api_key', id: key_id } })
    }),
})

export const endCurrentKey = capability({
  name: 'keys.end_current',
  summary: 'Delete the API key that makes this call; no scope is needed for that',
  description: 'A program can sign itself out with it, without the scope account.',
  scopes: ANY_SCOPE,
  rest: ['DELETE /api/v1/auth/api-keys/current'],
  status: 204,
  errors: [404],
  input: z.object({}),
  output: z.void(),
  run: (ctx) =>
    inTx(ctx, async (ctx) => {
      const { kind, id } = ctx.viewer.credential
      if (kind !== 'api_key') throw notFound('API key', 'This call was not made with an API key.')
      await ctx.db.deleteFrom('api_keys').where('key_id', '=', id).execute()
      await audit(ctx, { action: 'key.deleted', subject: { type: 'api_key', id } })
    }),
})
