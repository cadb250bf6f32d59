import type { Insertable } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { Schema } from '../../db/schema.ts'

export const findAnswer = (db: Db, keyHash: string) =>
  db.selectFrom('idempotency_keys').selectAll().where('key_hash', '=', keyHash).executeTakeFirst()

/** Long ago: what is older than a day counts as no answer. */
const NEVER = '1970-01-01T00:00:00.000Z'

/** Holds the row of a key until the transaction ends. Whoever comes with the same key waits, and then finds the answer. */
export async function holdKey(db: Db, keyHash: string): Promise<void> {
  await db
    .insertInto('idempotency_keys')
    .values({ key_hash: keyHash, request_hash: '', sealed_answer: '', created_at: NEVER })
    .onConflict((oc) =>
      oc.column('key_hash').doUpdateSet((eb) => ({ key_hash: eb.ref('excluded.key_hash') })),
    )
    .execute()
}

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
