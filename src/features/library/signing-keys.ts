import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Selectable } from 'kysely'
import { type Ctx, inTx } from '../../core/context.ts'
import { reseal, seal, unseal } from '../../core/crypto.ts'
import type { Db } from '../../db/db.ts'
import type { SigningKeysTable } from '../../db/knowledge-schema.ts'
import { acquireLock } from '../../db/locks.ts'
import { keyIdOf, type ListedKey } from '../../shared/library-snapshot.ts'

type SigningKeyRow = Selectable<SigningKeysTable>

const allKeys = (db: Db): Promise<SigningKeyRow[]> =>
  db.selectFrom('signing_keys').selectAll().orderBy('created_at', 'desc').orderBy('key_id').execute()

const activeKey = (db: Db): Promise<SigningKeyRow | undefined> =>
  db
    .selectFrom('signing_keys')
    .selectAll()
    .where('retired_at', 'is', null)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()

async function retireKeys(db: Db, now: string): Promise<void> {
  await db.updateTable('signing_keys').set({ retired_at: now }).where('retired_at', 'is', null).execute()
}

async function addKey(db: Db, row: SigningKeyRow): Promise<void> {
  await db.insertInto('signing_keys').values(row).execute()
}

async function saveSealedKey(db: Db, keyId: string, private_key: string): Promise<void> {
  await db.updateTable('signing_keys').set({ private_key }).where('key_id', '=', keyId).execute()
}

export type SigningKey = { keyId: string; privateKey: KeyObject }

/** Makes a key. Call it in a transaction that holds the lock, so that two processes do not both make one. */
async function makeKey(ctx: Ctx): Promise<SigningKey> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  const now = ctx.now().toISOString()
  await retireKeys(ctx.db, now)
  await addKey(ctx.db, {
    key_id: keyIdOf(x),
    public_key: x,
    private_key: seal(pkcs8, ctx.secret),
    created_at: now,
    retired_at: null,
  })
  return { keyId: keyIdOf(x), privateKey }
}

export const activeKeyId = async (ctx: Ctx): Promise<string | undefined> => (await activeKey(ctx.db))?.key_id

/** Returns the signing key, made if there is none. A key sealed with another server secret cannot be opened. */
export async function signingKey(ctx: Ctx): Promise<SigningKey> {
  const row = await activeKey(ctx.db)
  const opened = row && unseal(row.private_key, ctx.secret)
  if (!row || opened === null || opened === undefined) {
    if (row)
      ctx.log.warn({ key_id: row.key_id }, 'the server secret has changed, so a new key will sign snapshots')
    return makeKey(ctx)
  }
  const der = Buffer.from(opened, 'base64')
  return { keyId: row.key_id, privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) }
}

export const activeSigningKey = (db: Db): Promise<SigningKeyRow | undefined> => activeKey(db)

/** Seals the keys with the new secret; returns how many. Keys of a third secret stay unchanged. */
export async function resealSigningKeys(db: Db, from: string, to: string): Promise<number> {
  let resealed = 0
  for (const { key_id, private_key } of await allKeys(db)) {
    const sealed = reseal(private_key, from, to)
    if (sealed === null) continue
    await saveSealedKey(db, key_id, sealed)
    resealed += 1
  }
  return resealed
}

/** Retires the current key. The server makes a new key together with the next snapshot. */
export const retireKey = (ctx: Ctx): Promise<string | undefined> =>
  inTx(ctx, async (ctx) => {
    await acquireLock(ctx.db, ctx.database.engine, 'librarySnapshot')
    const row = await activeKey(ctx.db)
    if (row) await retireKeys(ctx.db, ctx.now().toISOString())
    return row?.key_id
  })

export async function listedKeys(ctx: Pick<Ctx, 'db'>): Promise<ListedKey[]> {
  const rows = await allKeys(ctx.db)
  return rows.map(({ key_id, public_key, created_at, retired_at }) => ({
    key_id,
    algorithm: 'Ed25519',
    public_key,
    created_at,
    retired_at,
  }))
}
