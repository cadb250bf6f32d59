import { type Ctx, inTx } from '../../core/context.ts'
import { fingerprintOf, seal, unseal } from '../../core/crypto.ts'
import type { Database, Db } from '../../db/db.ts'
import { acquireLock, otherServers } from '../../db/locks.ts'
import { claimFolder } from '../../db/sqlite/server-lock.ts'
import { activeSigningKey, resealSigningKeys } from '../library/index.ts'
import { countMailsOfOtherKeys, lastFingerprint, resealMails } from '../mail/index.ts'
import { resealConversations } from '../support/index.ts'

/** Handles what the server's secret key seals in the database, and how the key is changed. */

/** Replaces the fingerprint if an older database does not record its key. */
const UNNAMED = 'unnamed'

export class OtherSecretKey extends Error {
  override readonly name = 'OtherSecretKey'
}

/** Returns the fingerprint of the last used key; undefined for a vault without sealed data. */
export async function knownFingerprint(db: Db, secret: string | undefined): Promise<string | undefined> {
  const row = await db.selectFrom('server_secret').select('fingerprint').executeTakeFirst()
  if (row) return row.fingerprint
  // Older databases record no fingerprint, so the key is tested on the stored signing key.
  const last = await lastFingerprint(db)
  if (last !== undefined) return last
  const key = await activeSigningKey(db)
  const opens = key === undefined || (secret !== undefined && unseal(key.private_key, secret) !== null)
  return opens ? undefined : UNNAMED
}

async function listUnreadable(db: Db, secret: string): Promise<string> {
  const mails = await countMailsOfOtherKeys(db, fingerprintOf(secret))
  const key = await activeSigningKey(db)
  const chats = await countRows(db, 'support_conversations')
  const addresses = (await countRows(db, 'left_addresses')) + (await countBannedAddresses(db))
  const found = [
    mails > 0 && `${mails} waiting mails`,
    chats > 0 && `${chats} chats with support`,
    key && unseal(key.private_key, secret) === null && 'the key that signs snapshots of the library',
    addresses > 0 && `the memory of ${addresses} addresses that were banned or have left an account`,
  ].filter((part) => typeof part === 'string')
  return found.length === 0 ? 'nothing' : found.join(', ')
}

async function countRows(db: Db, table: 'support_conversations' | 'left_addresses'): Promise<number> {
  const { rows } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow()
  return Number(rows)
}

async function countBannedAddresses(db: Db): Promise<number> {
  const { rows } = await db
    .selectFrom('publishing_bans')
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .where('email_hash', 'is not', null)
    .executeTakeFirstOrThrow()
  return Number(rows)
}

async function saveKey(db: Db, secret: string, hashKey: string): Promise<void> {
  const row = { fingerprint: fingerprintOf(secret), hash_key: seal(hashKey, secret) }
  await db
    .insertInto('server_secret')
    .values({ id: 1, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

async function hashKeyOf(db: Db, secret: string): Promise<string> {
  const row = await db.selectFrom('server_secret').select('hash_key').executeTakeFirst()
  if (!row) return secret
  const hashKey = unseal(row.hash_key, secret)
  if (hashKey === null) throw new Error('server_secret.hash_key is damaged')
  return hashKey
}

/** Serialises key changes and process starts. */
export const withKeyLock = <T>(database: Database, work: (db: Db) => Promise<T>): Promise<T> =>
  database.transaction(
    async (db) => {
      await acquireLock(db, database.engine, 'secretKey')
      return work(db)
    },
    { isolation: 'read committed', mayTakeLong: true },
  )

export type GivenKey = { secret: string /** Where it comes from, for messages. */; source: string }

export const otherKey = (given: string, known: string): string =>
  `This vault was last used with the secret key ${known} (fingerprint), but ${given}. Give it that key, by SECRET_KEY or as secret.key in DATA_DIR.`

export const nameKey = ({ secret, source }: GivenKey): string =>
  `${source} holds the key ${fingerprintOf(secret)}`

/** `lost`: the fingerprint of a key that the operator gives up; `onLoss` gets the unreadable data. */
export async function adoptKey(
  db: Db,
  key: GivenKey,
  lost: string | undefined,
  onLoss: (list: string) => void,
): Promise<string> {
  const fingerprint = fingerprintOf(key.secret)
  const row = await db.selectFrom('server_secret').select('fingerprint').executeTakeFirst()
  if (row?.fingerprint === fingerprint) return hashKeyOf(db, key.secret)
  const known = await knownFingerprint(db, key.secret)
  if (known !== undefined && known !== fingerprint) {
    const list = await listUnreadable(db, key.secret)
    if (known !== lost)
      throw new OtherSecretKey(
        `${otherKey(nameKey(key), known)} If it is lost, start once with LOST_SECRET_KEY=${known}, which makes unreadable: ${list}.`,
      )
    onLoss(list)
  }
  await saveKey(db, key.secret, key.secret)
  return key.secret
}

export type Resealed = { mails: number; chats: number; signingKeys: number }

/** Another process would seal with the old key. Call this in the transaction that holds the lock. */
async function requireStopped({ database, config, db }: Ctx): Promise<void> {
  const isRunning = database.engine === 'sqlite' ? !claimFolder(config.dataDir) : (await otherServers(db)) > 0
  if (isRunning)
    throw new ServerRunning(
      'A server of this vault is running. Stop every server, then change the key. Behind a pooler, end its idle connections too.',
    )
}

class ServerRunning extends Error {
  override readonly name = 'ServerRunning'
}

/** `keep` stores the new key for the next start, before anything is sealed with it. */
export const changeKey = (
  ctx: Ctx,
  from: GivenKey,
  to: string,
  keep: () => void = () => {},
): Promise<Resealed> =>
  inTx(
    ctx,
    async (ctx) => {
      const { db } = ctx
      await acquireLock(db, ctx.database.engine, 'secretKey')
      await requireStopped(ctx)
      const known = await knownFingerprint(db, from.secret)
      if (known !== undefined && known !== fingerprintOf(from.secret))
        throw new OtherSecretKey(otherKey(nameKey(from), known))
      const hashKey = await hashKeyOf(db, from.secret)
      keep()
      const mails = await resealMails(db, from.secret, to)
      const signingKeys = await resealSigningKeys(db, from.secret, to)
      const chats = await resealConversations(db, from.secret, to)
      await saveKey(db, to, hashKey)
      return { mails, chats, signingKeys }
    },
    { isolation: 'read committed', mayTakeLong: true },
  )
