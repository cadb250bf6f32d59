import { randomInt } from 'node:crypto'
import { type Ctx, inTx, type UserCtx } from '../../core/context.ts'
import { randomToken, sha256 } from '../../core/crypto.ts'
import { fromJson, toJson } from '../../db/columns.ts'
import { newId } from '../../db/ids.ts'
import { audit } from '../audit/index.ts'
import type { OAuthClient } from './oauth-clients.ts'
import { issue, type Outcome, requireSession, settle, type TokenAnswer } from './oauth-grants.ts'
import { type GrantableScope, OAuthProblem } from './oauth-protocol.ts'
import { insertGrant } from './oauth-store.ts'
import { requireLiveCredential } from './users.ts'

/** Device authorization (RFC 8628): a person types a short code in a browser to sign in a program elsewhere. */

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

const SECOND = 1000
const LIFETIME_SECONDS = 600
const INTERVAL_SECONDS = 5
/** Consonants without look-alikes: no words, no vowels, easy to type. 20^8 codes are too many to guess in ten minutes. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const CODE_LETTERS = 8

const newUserCode = (): string =>
  Array.from({ length: CODE_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join('')

const spelt = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

/** Returns the code as it is stored, however a person typed it; undefined for anything else. */
export function readUserCode(typed: string): string | undefined {
  const letters = typed.toUpperCase().replaceAll(/[\s-]/g, '')
  return new RegExp(`^[${LETTERS}]{${CODE_LETTERS}}$`).test(letters) ? letters : undefined
}

type DeviceRequest = { client: OAuthClient; scopes: readonly GrantableScope[]; resource: string }

export async function startDevice(ctx: Ctx, { client, scopes, resource }: DeviceRequest, issuer: string) {
  const device = randomToken()
  const code = newUserCode()
  const now = ctx.now()
  await inTx(ctx, (ctx) =>
    ctx.db
      .insertInto('oauth_device_codes')
      .values({
        device_hash: sha256(device),
        user_code_hash: sha256(code),
        client_id: client.clientId,
        scopes: toJson(scopes),
        resource,
        created_at: now.toISOString(),
        expires_at: new Date(now.getTime() + LIFETIME_SECONDS * SECOND).toISOString(),
        interval_seconds: INTERVAL_SECONDS,
        polled_at: null,
        grant_id: null,
        denied_at: null,
      })
      .execute(),
  )
  // Without verification_uri_complete: a link with the code in it would help phishing.
  return {
    device_code: device,
    user_code: spelt(code),
    verification_uri: `${issuer}/device`,
    expires_in: LIFETIME_SECONDS,
    interval: INTERVAL_SECONDS,
  }
}

const WRONG_CODE =
  'This code is not known, has expired, or was used. Look at the terminal, or start again there.'

const open = (ctx: Ctx, code: string) =>
  ctx.db
    .selectFrom('oauth_device_codes')
    .selectAll()
    .where('user_code_hash', '=', sha256(code))
    .where('expires_at', '>', ctx.now().toISOString())
    .where('grant_id', 'is', null)
    .where('denied_at', 'is', null)

export type WaitingDevice = { code: string; clientId: string; scopes: GrantableScope[] }

/** Returns the request that waits for this code. Throws if there is none. */
export async function findDevice(ctx: Ctx, typed: string): Promise<WaitingDevice> {
  const code = readUserCode(typed)
  const row = code === undefined ? undefined : await open(ctx, code).executeTakeFirst()
  if (!row || code === undefined) throw new OAuthProblem('access_denied', WRONG_CODE)
  return { code, clientId: row.client_id, scopes: fromJson<GrantableScope[]>(row.scopes) }
}

/** Decides once about the request of a code; without scopes it is refused. */
export function decideDevice(
  ctx: UserCtx,
  { code, client, scopes }: { code: string; client: OAuthClient; scopes: readonly GrantableScope[] },
): Promise<void> {
  requireSession(ctx)
  return inTx(ctx, async (ctx) => {
    await requireLiveCredential(ctx)
    const row = await open(ctx, code).executeTakeFirst()
    if (!row) throw new OAuthProblem('access_denied', WRONG_CODE)
    const now = ctx.now().toISOString()
    const decide = (change: { grant_id: string } | { denied_at: string }) =>
      ctx.db
        .updateTable('oauth_device_codes')
        .set(change)
        .where('device_hash', '=', row.device_hash)
        .where('grant_id', 'is', null)
        .where('denied_at', 'is', null)
        .returning('device_hash')
        .executeTakeFirst()
    if (scopes.length === 0) return void (await decide({ denied_at: now }))
    const grantId = newId()
    await insertGrant(ctx.db, {
      grant_id: grantId,
      user_id: ctx.viewer.userId,
      client_id: client.clientId,
      scopes: toJson(scopes),
      resource: row.resource,
      created_at: now,
      activated_at: null,
      last_used_at: null,
    })
    if (!(await decide({ grant_id: grantId }))) throw new OAuthProblem('access_denied', WRONG_CODE)
    await audit(ctx, {
      action: 'app.connected',
      subject: { type: 'oauth_grant', id: grantId },
      details: { client: client.name, scopes, way: 'device' },
    })
  })
}

/** Answers a poll of the device. A code is exchanged once, by the client that started with it. */
export const exchangeDeviceCode = (ctx: Ctx, client: OAuthClient, device: string): Promise<TokenAnswer> =>
  settle(
    inTx(ctx, async (ctx): Promise<Outcome> => {
      const deviceHash = sha256(device)
      const codes = ctx.db.selectFrom('oauth_device_codes').selectAll()
      const row = await codes.where('device_hash', '=', deviceHash).executeTakeFirst()
      if (!row || row.client_id !== client.clientId)
        return new OAuthProblem('invalid_grant', 'This device code is not valid.')
      const now = ctx.now()
      if (row.expires_at <= now.toISOString())
        return new OAuthProblem('expired_token', 'This device code has expired. Start again.')
      if (row.denied_at !== null) return new OAuthProblem('access_denied', 'The request was declined.')
      const isEarly =
        row.polled_at !== null &&
        now.getTime() - Date.parse(row.polled_at) < (row.interval_seconds - 1) * SECOND
      if (row.grant_id === null || isEarly) {
        const interval_seconds = row.interval_seconds + (isEarly ? INTERVAL_SECONDS : 0)
        await ctx.db
          .updateTable('oauth_device_codes')
          .set({ polled_at: now.toISOString(), interval_seconds })
          .where('device_hash', '=', deviceHash)
          .execute()
        return isEarly
          ? new OAuthProblem('slow_down', `Wait ${interval_seconds} seconds between requests.`)
          : new OAuthProblem('authorization_pending', 'Nobody has entered the code yet.')
      }
      const spent = await ctx.db
        .deleteFrom('oauth_device_codes')
        .where('device_hash', '=', deviceHash)
        .returning('device_hash')
        .executeTakeFirst()
      const grant = await ctx.db
        .updateTable('oauth_grants')
        .set({ activated_at: now.toISOString() })
        .where('grant_id', '=', row.grant_id)
        .returning('scopes')
        .executeTakeFirst()
      if (!spent || !grant) return new OAuthProblem('invalid_grant', 'This device code is not valid.')
      return issue(ctx, row.grant_id, fromJson<string[]>(grant.scopes), client.mayRefresh)
    }),
  )
