import { randomInt } from 'node:crypto'
import type { Selectable } from 'kysely'
import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx } from '../../core/context.ts'
import { AppError, conflict, forbidden, gone, notFound } from '../../core/errors.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { BillingInvitesTable } from '../../db/schema.ts'
import { cleanOptional, Findings } from '../../redaction/redact.ts'
import { DAY_MS } from '../../shared/time.ts'
import { audit } from '../audit/index.ts'
import { isProven, LEFT_ADDRESS_DAYS, mayEarn } from './earning.ts'
import { balanceOf, book } from './ledger.ts'

type InviteRow = Selectable<BillingInvitesTable>

async function insertInvite(db: Db, row: InviteRow): Promise<void> {
  await db.insertInto('billing_invites').values(row).execute()
}

function findInvite(db: Db, code: string): Promise<InviteRow | undefined> {
  return db.selectFrom('billing_invites').selectAll().where('code', '=', code).executeTakeFirst()
}

function findInviteOf(db: Db, userId: string, inviteId: string): Promise<InviteRow | undefined> {
  return db
    .selectFrom('billing_invites')
    .selectAll()
    .where('invite_id', '=', inviteId)
    .where('created_by', '=', userId)
    .executeTakeFirst()
}

async function setWithdrawn(db: Db, inviteId: string, now: string): Promise<void> {
  await db
    .updateTable('billing_invites')
    .set({ withdrawn_at: now })
    .where('invite_id', '=', inviteId)
    .execute()
}

async function countOpen(db: Db, userId: string, now: string): Promise<number> {
  const { open } = await db
    .selectFrom('billing_invites')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('created_by', '=', userId)
    .where('withdrawn_at', 'is', null)
    .where('expires_at', '>', now)
    .whereRef('uses', '<', 'max_uses')
    .executeTakeFirstOrThrow()
  return open
}

/** Lists codes, newest first. The list is limited, because codes can be made without limit. */
function listInvites(db: Db, userId: string, limit: number): Promise<InviteRow[]> {
  return db
    .selectFrom('billing_invites')
    .selectAll()
    .where('created_by', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('invite_id', 'desc')
    .limit(limit)
    .execute()
}

async function hasRedeemed(db: Db, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('billing_redemptions')
    .select('user_id')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row !== undefined
}

async function recordRedemption(
  db: Db,
  use: { inviteId: string; userId: string; now: string },
): Promise<void> {
  await db
    .updateTable('billing_invites')
    .set((eb) => ({ uses: eb('uses', '+', 1) }))
    .where('invite_id', '=', use.inviteId)
    .execute()
  await db
    .insertInto('billing_redemptions')
    .values({ user_id: use.userId, invite_id: use.inviteId, created_at: use.now })
    .execute()
}

type Redeemed = Pick<InviteRow, 'invite_id' | 'created_by' | 'credits'>

function redemptionsWith(db: Db, userId: string): Promise<(Redeemed & { user_id: string })[]> {
  return db
    .selectFrom('billing_redemptions')
    .innerJoin('billing_invites', 'billing_invites.invite_id', 'billing_redemptions.invite_id')
    .select([
      'billing_redemptions.user_id',
      'billing_invites.invite_id',
      'billing_invites.created_by',
      'billing_invites.credits',
    ])
    .where((eb) =>
      eb.or([eb('billing_redemptions.user_id', '=', userId), eb('billing_invites.created_by', '=', userId)]),
    )
    .execute()
}

const INVITE_CREDITS = 20
const INVITE_REWARD_CREDITS = 20
const MAX_OPEN_INVITES = 10
const MAX_LISTED = 200

const CreateInviteRequest = z
  .object({
    note: z.string().max(200).nullish(),
    expires_in_days: z.int().min(1).max(365).default(30),
    max_uses: z.int().min(1).max(10_000).default(1),
    credits: z.int().min(1).max(10_000).optional().describe('For administrators: what the code is worth'),
  })
  .meta({ id: 'CreateInviteRequest' })

const STATUSES = ['open', 'used', 'expired', 'withdrawn'] as const

const InviteResponse = z
  .object({
    invite_id: AnswerId,
    code: z.string(),
    note: z.string().nullable(),
    credits: z.int(),
    max_uses: z.int(),
    uses: z.int(),
    status: z.enum(STATUSES),
    expires_at: Time,
    created_at: Time,
  })
  .meta({ id: 'InviteResponse' })

const RedeemInviteRequest = z
  .object({ code: z.string().trim().min(1).max(200) })
  .meta({ id: 'RedeemInviteRequest' })

const RedeemInviteResponse = z
  .object({
    credits_awarded: z
      .int()
      .describe(
        `0 with nothing pending: an account with this address was deleted less than ${LEFT_ADDRESS_DAYS} days ago`,
      ),
    credits_pending: z.int().describe('Booked as soon as the e-mail address is confirmed'),
    credits_balance: z.int(),
  })
  .meta({ id: 'RedeemInviteResponse' })

export const createInvite = capability({
  name: 'billing.invite_create',
  summary: 'Make an invite code',
  description: `It gives credits to the person who redeems it and to its maker. At most ${MAX_OPEN_INVITES} may be open at a time.`,
  scopes: ['account'],
  rest: ['POST /api/v1/billing/invites'],
  status: 201,
  errors: [409],
  input: CreateInviteRequest,
  output: InviteResponse,
  run: (ctx, input) => {
    if (!ctx.viewer.isAdmin && (input.credits !== undefined || input.max_uses > 1)) {
      throw forbidden('Only administrators may set credits, or let a code be used more than once.')
    }
    return inTx(ctx, async (ctx) => {
      const now = ctx.now()
      const open = await countOpen(ctx.db, ctx.viewer.userId, now.toISOString())
      if (open >= MAX_OPEN_INVITES) {
        throw conflict(
          'too_many_invites',
          `You have ${open} open codes. Wait until one is used or expires, or withdraw one.`,
        )
      }
      const row: InviteRow = {
        invite_id: newId(),
        code: newCode(),
        created_by: ctx.viewer.userId,
        note: cleanOptional(input.note, new Findings()),
        credits: input.credits ?? INVITE_CREDITS,
        max_uses: input.max_uses,
        uses: 0,
        expires_at: new Date(now.getTime() + input.expires_in_days * DAY_MS).toISOString(),
        created_at: now.toISOString(),
        withdrawn_at: null,
      }
      await insertInvite(ctx.db, row)
      return present(row, now)
    })
  },
})

export const listMyInvites = capability({
  name: 'billing.invite_list',
  summary: 'My invite codes, newest first',
  description: `The newest ${MAX_LISTED}.`,
  scopes: ['account'],
  rest: ['GET /api/v1/billing/invites'],
  input: z.object({}),
  output: z.array(InviteResponse),
  run: async (ctx) => {
    const now = ctx.now()
    return (await listInvites(ctx.db, ctx.viewer.userId, MAX_LISTED)).map((row) => present(row, now))
  },
})

export const withdrawInvite = capability({
  name: 'billing.invite_withdraw',
  summary: 'Withdraw an open invite code; nobody can redeem it afterwards',
  description: 'Credits that it already gave stay. A withdrawn code no longer counts as open.',
  scopes: ['account'],
  rest: ['DELETE /api/v1/billing/invites/{invite_id}'],
  errors: [404, 409],
  input: z.object({ invite_id: Id }),
  output: InviteResponse,
  run: (ctx, { invite_id }) =>
    inTx(ctx, async (ctx) => {
      const invite = await findInviteOf(ctx.db, ctx.viewer.userId, invite_id)
      if (!invite) throw notFound('Invite code')
      const now = ctx.now()
      const status = statusOf(invite, now)
      if (status !== 'open')
        throw conflict('invite_not_pending', `This invite code is ${status}: there is nothing to withdraw.`)
      const withdrawn_at = now.toISOString()
      await setWithdrawn(ctx.db, invite_id, withdrawn_at)
      await audit(ctx, {
        action: 'invite_code.withdrawn',
        subject: { type: 'invite_code', id: invite_id },
      })
      return present({ ...invite, withdrawn_at }, now)
    }),
})

export const redeemInvite = capability({
  name: 'billing.invite_redeem',
  summary: 'Redeem an invite code, once per account',
  scopes: ['account'],
  rest: ['POST /api/v1/billing/redeem-invite'],
  errors: [404, 409, 410],
  limit: 'auth',
  input: RedeemInviteRequest,
  output: RedeemInviteResponse,
  run: (ctx, { code }) => inTx(ctx, (ctx) => redeemCode(ctx, ctx.viewer.userId, code)),
})

/** Redeems a code, in the caller's transaction. Also used by a registration that needs a code. */
export async function redeemCode(
  ctx: Ctx,
  userId: string,
  code: string,
): Promise<z.input<typeof RedeemInviteResponse>> {
  const invite = await findInvite(ctx.db, normalCode(code))
  // A withdrawn code gets the same answer as an unknown one.
  if (!invite || invite.withdrawn_at !== null)
    throw new AppError(404, 'not_found', 'There is no such invite code. Check it for typing errors.')
  if (invite.created_by === userId)
    throw forbidden('You cannot redeem your own code. Give it to somebody else.')
  if (await hasRedeemed(ctx.db, userId)) {
    throw conflict('already_redeemed', 'This account has already redeemed an invite code.')
  }
  const status = statusOf(invite, ctx.now())
  if (status === 'expired') throw gone('This invite code has expired. Ask for a new one.')
  if (status === 'used') throw conflict('invite_not_pending', 'This invite code has already been used.')
  await recordRedemption(ctx.db, { inviteId: invite.invite_id, userId, now: ctx.now().toISOString() })
  const isBooked = await bookBonus(ctx, invite, userId)
  // Without a proven address a person must not learn whether the address had an account, so every bonus waits.
  const isPending = !isBooked && !(await isProven(ctx, userId))
  await audit(ctx, {
    action: 'invite_code.redeemed',
    subject: { type: 'invite_code', id: invite.invite_id },
    actorId: userId,
  })
  return {
    credits_awarded: isBooked ? invite.credits : 0,
    credits_pending: isPending ? invite.credits : 0,
    credits_balance: await balanceOf(ctx, userId),
  }
}

/** Books the bonus of each side that may earn; returns false while the redeemer may not. */
async function bookBonus(ctx: Ctx, invite: Redeemed, userId: string): Promise<boolean> {
  if (!(await mayEarn(ctx, userId))) return false
  const ref = { type: 'invite_code', id: invite.invite_id }
  await book(ctx, {
    userId,
    delta: invite.credits,
    reason: 'invite_redeemed',
    cause: 'invite_redeemed',
    ref,
  })
  if (await mayEarn(ctx, invite.created_by))
    await book(ctx, {
      userId: invite.created_by,
      delta: INVITE_REWARD_CREDITS,
      reason: 'invite_reward',
      cause: `invite_reward:${userId}`,
      ref,
    })
  return true
}

/** Books the bonuses that wait for a proven address. Call it in the transaction that proves the address. */
export async function bookWaitingBonuses(ctx: Ctx, userId: string): Promise<void> {
  for (const { user_id, ...invite } of await redemptionsWith(ctx.db, userId))
    await bookBonus(ctx, invite, user_id)
}

function statusOf(row: InviteRow, now: Date): (typeof STATUSES)[number] {
  if (row.withdrawn_at !== null) return 'withdrawn'
  if (row.uses >= row.max_uses) return 'used'
  return row.expires_at <= now.toISOString() ? 'expired' : 'open'
}

function present(row: InviteRow, now: Date): z.input<typeof InviteResponse> {
  const { created_by: _, withdrawn_at: __, ...shown } = row
  return { ...shown, status: statusOf(row, now) }
}

/** Without letters and digits that look alike, because codes are read aloud and typed. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'

function newCode(): string {
  const part = () => Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return `KV-${part()}-${part()}`
}

function normalCode(code: string): string {
  return code.trim().toUpperCase().replace(/\s+/g, '')
}
