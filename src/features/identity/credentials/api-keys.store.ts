import type { Viewer } from '../../../core/context.ts'
import type { Db } from '../../../db/db.ts'

/** When the key that makes a call ends; null for never, and for what is no key. */
export async function endOfKey(db: Db, { kind, id }: Viewer['credential']): Promise<string | null> {
  if (kind !== 'api_key') return null
  const row = await db.selectFrom('api_keys').select('expires_at').where('key_id', '=', id).executeTakeFirst()
  return row?.expires_at ?? null
}

export async function countKeys(db: Db, userId: string): Promise<number> {
  const { keys } = await db
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('keys'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return keys
}
