import type { Insertable } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { Schema } from '../../db/schema.ts'

export const findAnswer = (db: Db, keyHash: string) =>
  db.selectFrom('idempotency_keys').selectAll().where('key_hash', '=', keyHash).executeTakeFirst()

/** An answer that is older than a day is overwritten. */
export async function saveAnswer(db: Db, row: Insertable<Schema['idempotency_keys']>): Promise<void> {
  await db
    .insertInto('idempotency_keys')
    .values(row)
    .onConflict((oc) =>
      oc.column('key_hash').doUpdateSet((eb) => ({
        request_hash: eb.ref('excluded.request_hash'),
        sealed_answer: eb.ref('excluded.sealed_answer'),
        created_at: eb.ref('excluded.created_at'),
      })),
    )
    .execute()
}

export async function deleteAnswersBefore(db: Db, before: string): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('created_at', '<', before).execute()
}
