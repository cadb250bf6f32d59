import { sql } from 'kysely'
import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { Ctx } from '../../core/context.ts'
import { forbidden } from '../../core/errors.ts'
import { AnswerId, Time } from '../../core/schemas.ts'
import type { Db } from '../../db/db.ts'

const ACCOUNTS_AT_ONCE = 1000

/** Must stay in step with `book`: a refund is subtracted from what was earned, not added to the spent. */
const spentSum = sql<number>`coalesce(sum(case when e.delta < 0 and e.reason <> 'refund' then e.delta else 0 end), 0)`
const earnedSum = sql<number>`coalesce(sum(case when e.delta < 0 and e.reason <> 'refund' then 0 else e.delta end), 0)`

const accountsWithSums = (db: Db, after: string) =>
  db
    .selectFrom('credit_balances as b')
    .leftJoin('credit_entries as e', 'e.user_id', 'b.user_id')
    .where('b.user_id', '>', after)
    .groupBy(['b.user_id', 'b.balance', 'b.lifetime_earned', 'b.lifetime_spent'])
    .select((eb) => [
      'b.user_id',
      'b.balance',
      'b.lifetime_earned',
      'b.lifetime_spent',
      eb.fn.coalesce(eb.fn.sum<number>('e.delta'), eb.lit(0)).as('entries'),
      earnedSum.as('entries_earned'),
      spentSum.as('entries_lost'),
    ])
    .orderBy('b.user_id')
    .limit(ACCOUNTS_AT_ONCE)
    .execute()

const ReconciliationReport = z
  .object({
    checked_accounts: z.int(),
    differences: z.array(
      z.object({
        user_id: AnswerId,
        balance: z.int().describe('What the balance row says'),
        entries: z.int().describe('What the entries add up to'),
        lifetime_earned: z.int(),
        entries_earned: z.int(),
        lifetime_spent: z.int(),
        entries_spent: z.int(),
      }),
    ),
    checked_at: Time,
  })
  .meta({ id: 'ReconciliationReport' })

type Report = z.input<typeof ReconciliationReport>

/** Each slice is one statement, so that concurrent bookings are in both sums or in neither. */
export async function reconcile(ctx: Ctx): Promise<Report> {
  const differences: Report['differences'] = []
  let checked = 0
  let after = ''
  for (;;) {
    const rows = await accountsWithSums(ctx.db, after)
    for (const { entries_lost, ...row } of rows) {
      const found = {
        ...row,
        entries: Number(row.entries),
        entries_earned: Number(row.entries_earned),
        entries_spent: 0 - Number(entries_lost),
      }
      const isRight =
        found.balance === found.entries &&
        found.lifetime_earned === found.entries_earned &&
        found.lifetime_spent === found.entries_spent
      if (!isRight) differences.push(found)
    }
    checked += rows.length
    const last = rows.at(-1)
    if (rows.length < ACCOUNTS_AT_ONCE || !last) break
    after = last.user_id
  }
  if (differences.length > 0)
    ctx.log.error(
      { differences: differences.slice(0, 20), count: differences.length },
      'balances differ from their entries',
    )
  else ctx.log.info({ accounts: checked }, 'every balance equals the sum of its entries')
  return { checked_accounts: checked, differences, checked_at: ctx.now().toISOString() }
}

const NIGHT_HOUR = 3

/** Runs the check in one hour of the day; called every hour. */
export async function reconcileAtNight(ctx: Ctx): Promise<void> {
  if (ctx.now().getUTCHours() === NIGHT_HOUR) await reconcile(ctx)
}

export const reconcileCredits = capability({
  name: 'credits.reconcile',
  summary: 'Add up every ledger entry and report balances that differ; for the admins of the server',
  scopes: ['account'],
  rest: ['POST /api/v1/credits/reconcile'],
  input: z.object({}),
  output: ReconciliationReport,
  run: async (ctx) => {
    if (!ctx.viewer.isAdmin) throw forbidden('Only the admins of this server may reconcile the ledger.')
    return reconcile(ctx)
  },
})
