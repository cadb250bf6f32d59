import { sql } from 'kysely'
import type { Db } from '../../db/db.ts'

export const ACCOUNTS_AT_ONCE = 1000

/** As `book` counts: what a refund takes back is not spent, and is taken from what was earned. */
const spentSum = sql<number>`coalesce(sum(case when e.delta < 0 and e.reason <> 'refund' then e.delta else 0 end), 0)`
const earnedSum = sql<number>`coalesce(sum(case when e.delta < 0 and e.reason <> 'refund' then 0 else e.delta end), 0)`

/** The next accounts after `after` in the order of their ids, each with the sums of its entries. */
export const accountsWithSums = (db: Db, after: string) =>
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
