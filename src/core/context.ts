import type { EventEmitter } from 'node:events'
import type { Logger } from 'pino'
import type { IdentityProvider } from '../adapters/google.ts'
import type { MailTransport } from '../adapters/mail.ts'
import type { PaymentProvider } from '../adapters/payments.ts'
import type { Config } from '../config.ts'
import type { Database, Db, TransactionOptions } from '../db/db.ts'
import type { SearchTuning } from '../search-index/postings.ts'
import type { Scope } from '../shared/scopes.ts'
import type { DatabaseSpace } from './disk.ts'
import type { Subscribers } from './events.ts'
import type { Limits } from './limits.ts'
import { type Meter, Work } from './work.ts'

export type Viewer = {
  userId: string
  scopes: ReadonlySet<Scope>
  isAdmin: boolean
  credential: { kind: 'session' | 'api_key' | 'oauth'; id: string }
}

/** How passwords are hashed. A hash says itself how much work it is. */
export type PasswordHashing = {
  hash: (password: string) => Promise<string>
  verify: (hash: string, password: string) => Promise<boolean>
}

/** What lives as long as the process. */
export type Services = {
  config: Config
  database: Database
  adapters: Adapters
  limits: Limits
  /** Callers that were recognised within the last second. */
  credentials: CredentialCache
  databaseSpace: DatabaseSpace
  /** When the search index folds, merges, and reads a scope whole. */
  searchTuning: SearchTuning
  passwordHashing: PasswordHashing
  /** The server's own secret: what is sealed with it can be opened only here. */
  secret: string
  /** Goes into hashes that must be the same after a change of the secret. */
  hashKey: string
  /** `wakeups.emit(name)` runs the job of that name now instead of at its next interval. */
  wakeups: EventEmitter
  /** Functions of features that run when something happens in another feature. */
  subscribers: Subscribers<Ctx>
  log: Logger
  now: () => Date
}

/** What one call gets. Outside `inTx`, `db` only reads (on PostgreSQL perhaps from a replica). */
export type Ctx = Services & {
  db: Db
  transacting: boolean
  /** For an effect outside the database: after the transaction, and only if it is committed. */
  afterCommit: (effect: () => void) => void
  /** Told of the options of each `inTx` that joins the open transaction, but not of those inside that one. */
  onJoined?: (options: TransactionOptions | undefined) => void
  /** The same for all requests with one Idempotency-Key, in calls that another host answers (`idempotency: 'answer'`). */
  attempt?: string
  /** Names another person whose next read must show what this transaction writes. */
  mustSee: (userId: string) => void
  viewer: Viewer | null
  requestId: string
  ip: string
  ifMatch: string | undefined
  /** The long work of this call. */
  work: Work
}

export type UserCtx = Ctx & { viewer: Viewer }

export type Caller = Pick<Ctx, 'viewer' | 'requestId' | 'ip' | 'ifMatch'> & { meter?: Meter | undefined }

const NOBODY: Caller = { viewer: null, requestId: 'background', ip: '', ifMatch: undefined }

const atOnce: Ctx['afterCommit'] = (effect) => effect()
const nobodyElse: Ctx['mustSee'] = () => {}

/** Field by field: spreading objects at every request costs more than everything else here. */
export const contextFor = (services: Services, caller: Caller = NOBODY): Ctx => ({
  config: services.config,
  database: services.database,
  adapters: services.adapters,
  limits: services.limits,
  credentials: services.credentials,
  databaseSpace: services.databaseSpace,
  searchTuning: services.searchTuning,
  passwordHashing: services.passwordHashing,
  secret: services.secret,
  hashKey: services.hashKey,
  wakeups: services.wakeups,
  subscribers: services.subscribers,
  log: services.log,
  now: services.now,
  viewer: caller.viewer,
  requestId: caller.requestId,
  ip: caller.ip,
  ifMatch: caller.ifMatch,
  work: new Work(caller.meter),
  db: caller.viewer ? services.database.readFor(caller.viewer.userId) : services.database.read,
  transacting: false,
  afterCommit: atOnce,
  mustSee: nobodyElse,
})

/**
 * For a transaction that needs no serialisable snapshot: it locks what it relies on before it reads it, or consists of
 * statements that are safe by themselves, such as a conditional update of one busy row. There waiting for a row is cheaper
 * than running again.
 */
export const SELF_GUARDED = { isolation: 'read committed' } as const satisfies TransactionOptions

/**
 * Runs `fn` in one serialisable transaction, or in the one already open. PostgreSQL may run it
 * again after a serialisation failure, so `fn` has no effect outside the database.
 */
export async function inTx<C extends Ctx, T>(
  ctx: C,
  fn: (ctx: C) => Promise<T>,
  options?: TransactionOptions,
): Promise<T> {
  if (ctx.transacting) {
    if (!ctx.onJoined) return fn(ctx)
    ctx.onJoined(options)
    return fn({ ...ctx, onJoined: undefined })
  }
  let effects: (() => void)[] = []
  const readers = new Set(ctx.viewer ? [ctx.viewer.userId] : [])
  const result = await ctx.database.transaction((db) => {
    effects = []
    return fn({
      ...ctx,
      db,
      transacting: true,
      afterCommit: (effect) => void effects.push(effect),
      mustSee: (userId) => void readers.add(userId),
    })
  }, options)
  await ctx.database.wrote([...readers])
  for (const effect of effects) effect()
  return result
}

/** What reaches outside this process, each behind an interface with a real and a local side. */
type Adapters = {
  /** Null where Google sign-in is not configured. */
  google: IdentityProvider | null
  /** Null in production without Stripe. */
  payments: PaymentProvider | null
  /** Null where no mail server is configured; links are then shown to those who ask for them. */
  mail: MailTransport | null
}

/** Beyond it the oldest are dropped; each is looked up again after a second anyway. */
const MAX_ENTRIES = 10_000
/** A bound in case news of a revocation gets lost: no entry is trusted longer without a look at the database. */
const TRUSTED_MS = 900

/** Who a credential belongs to, as the database had it. */
export type Recognised = {
  viewer: Viewer
  /** When the credential itself ends; null for never. */
  endsAt: number | null
  /** Throws for an address that the credential is not meant for. */
  check?: (path: string) => void
}

type Entry = { recognised: Recognised; from: number; until: number }

/**
 * Callers who were recognised a moment ago, by their credential, so that a busy one costs neither hash nor look-up.
 * Only accepted callers are kept. The version says whether anything that credentials depend on may have been revoked
 * since (`Database.credentialsVersion`); then all are looked up again. Credentials stay in this process.
 */
export class CredentialCache {
  readonly #entries = new Map<string, Entry>()
  readonly #currentVersion: () => number | undefined
  #version: number | undefined

  constructor(currentVersion: () => number | undefined) {
    this.#currentVersion = currentVersion
  }

  get size(): number {
    return this.#entries.size
  }

  /** Read it before the look-up whose answer is kept. */
  version(): number | undefined {
    const version = this.#currentVersion()
    if (version !== this.#version) {
      this.#entries.clear()
      this.#version = version
    }
    return version
  }

  find(credential: string, now: number): Recognised | undefined {
    if (this.version() === undefined) return undefined
    const entry = this.#entries.get(credential)
    return entry && now >= entry.from && now < entry.until ? entry.recognised : undefined
  }

  /** Not kept if anything was revoked since `version`: the look-up may have seen what is gone. */
  keep(credential: string, recognised: Recognised, now: number, version: number | undefined): void {
    if (version === undefined || version !== this.version()) return
    this.#entries.delete(credential)
    if (this.#entries.size >= MAX_ENTRIES) {
      const oldest = this.#entries.keys().next().value
      if (oldest !== undefined) this.#entries.delete(oldest)
    }
    const until = Math.min(now + TRUSTED_MS, recognised.endsAt ?? Number.POSITIVE_INFINITY)
    this.#entries.set(credential, { recognised, from: now, until })
  }
}
