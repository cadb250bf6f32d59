import type { Selectable } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { SigningKeysTable } from '../../db/tables/library.ts'

export type SigningKeyRow = Selectable<SigningKeysTable>

export const allKeys = (db: Db): Promise<SigningKeyRow[]> =>
  db.selectFrom('signing_keys').selectAll().orderBy('created_at', 'desc').orderBy('key_id').execute()

export const activeKey = (db: Db): Promise<SigningKeyRow | undefined> =>
  db
    .selectFrom('signing_keys')
    .selectAll()
    .where('retired_at', 'is', null)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()

export async function retireKeys(db: Db, now: string): Promise<void> {
  await db.updateTable('signing_keys').set({ retired_at: now }).where('retired_at', 'is', null).execute()
}

export async function addKey(db: Db, row: SigningKeyRow): Promise<void> {
  await db.insertInto('signing_keys').values(row).execute()
}

export async function saveSealedKey(db: Db, keyId: string, private_key: string): Promise<void> {
  await db.updateTable('signing_keys').set({ private_key }).where('key_id', '=', keyId).execute()
}
