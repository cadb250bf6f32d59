import type { Db } from '../../db/db.ts'

export const ACCOUNTS_AT_ONCE = 1000

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
      eb.fn
        .coalesce(
          eb.fn.sum<number>(eb.case().when('e.delta', '>', 0).then(eb.ref('e.delta')).else(0).end()),
          eb.lit(0),
        )
        .as('entries_earned'),
      eb.fn
        .coalesce(
          eb.fn.sum<number>(eb.case().when('e.delta', '<', 0).then(eb.ref('e.delta')).else(0).end()),
          eb.lit(0),
        )
        .as('entries_lost'),
    ])
    .orderBy('b.user_id')
    .limit(ACCOUNTS_AT_ONCE)
    .execute()
