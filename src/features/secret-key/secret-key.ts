import { type Ctx, inTx } from '../../core/context.ts'
import { fingerprintOf, seal, unseal } from '../../core/crypto.ts'
import type { Database, Db } from '../../db/db.ts'
import { holdLock, otherServers } from '../../db/locks.ts'
import { claimFolder } from '../../db/sqlite/server-lock.ts'
import { activeSigningKey, resealSigningKeys } from '../library/index.ts'
import { countMailsOfOtherKeys, lastFingerprint, resealMails } from '../mail/index.ts'
import { resealConversations } from '../support/index.ts'

/** What the secret key of the server seals in the database: which key that is, what it seals, and how it is changed. */

/** Named in place of a fingerprint where a database of an older version does not tell which key it is. */
const UNNAMED = 'unnamed'

/** The database was last used with another key. */
export class OtherSecretKey extends Error {
  override readonly name = 'OtherSecretKey'
}

/** The fingerprint of the key that the database was last used with; undefined for a vault that has sealed nothing. */
export async function knownFingerprint(db: Db, secret: string | undefined): Promise<string | undefined> {
  const row = await db.selectFrom('server_secret').select('fingerprint').executeTakeFirst()
  if (row) return row.fingerprint
  // A database of an older version tells by what it holds.
  const last = await lastFingerprint(db)
  if (last !== undefined) return last
  const key = await activeSigningKey(db)
  const opens = key === undefined || (secret !== undefined && unseal(key.private_key, secret) !== null)
  return opens ? undefined : UNNAMED
}

/** What only another key than `fingerprint` opens, in words. */
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

/** A process that changes the key and one that starts go one after the other. */
export const withKeyLock = <T>(database: Database, work: (db: Db) => Promise<T>): Promise<T> =>
  database.transaction(
    async (db) => {
      await holdLock(db, database.engine, 'secretKey')
      return work(db)
    },
    { isolation: 'read committed', mayTakeLong: true },
  )

export type GivenKey = { secret: string /** Where it comes from, for messages. */; source: string }

/** The sentence about a key that does not fit, however it is met. */
export const otherKey = (given: string, known: string): string =>
  `This vault was last used with the secret key ${known} (fingerprint), but ${given}. Give it that key, by SECRET_KEY or as secret.key in DATA_DIR.`

export const nameKey = ({ secret, source }: GivenKey): string =>
  `${source} holds the key ${fingerprintOf(secret)}`

/**
 * Requires that the key is the one of the database, and returns the key of the hashes. `lost` is the fingerprint of a key
 * that the operator gives up: then this one takes its place, and `onLoss` gets the list of what cannot be read any more.
 */
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

/** No process may seal by the old key meanwhile, or afterwards. Call it in the transaction that holds the lock. */
async function requireStopped({ database, config, db }: Ctx): Promise<void> {
  const isRunning = database.engine === 'sqlite' ? !claimFolder(config.dataDir) : (await otherServers(db)) > 0
  if (isRunning)
    throw new ServerRunning(
      'A server of this vault is running. Stop every server, then change the key. Behind a pooler, end its idle connections too.',
    )
}

export class ServerRunning extends Error {
  override readonly name = 'ServerRunning'
}

/**
 * Seals everything anew, or changes nothing. `keep` puts the new key where a start finds it: no other change runs then, and
 * nothing is sealed by the new key yet.
 */
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
      await holdLock(db, ctx.database.engine, 'secretKey')
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
