import type { Db } from '../../../db/db.ts'

export async function countKeys(db: Db, userId: string): Promise<number> {
  const { keys } = await db
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('keys'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return keys
}
