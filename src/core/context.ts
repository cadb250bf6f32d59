import type { EventEmitter } from 'node:events'
import { LRUCache } from 'lru-cache'
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

/** Parameters of password hashing. Each hash also stores its own parameters. */
export type PasswordHashing = {
  hash: (password: string) => Promise<string>
  verify: (hash: string, password: string) => Promise<boolean>
}

/** The present values of what admins change while the server runs. `refresh` follows other processes and nodes. */
export type ServerSettings = { readonly credits: boolean; refresh: () => Promise<void> }

export type Services = {
  config: Config
  serverSettings: ServerSettings
  database: Database
  adapters: Adapters
  limits: Limits
  credentials: CredentialCache
  databaseSpace: DatabaseSpace
  /** When the search index folds, merges, and reads a whole scope. */
  searchTuning: SearchTuning
  passwordHashing: PasswordHashing
  secret: string
  /** Key for hashes that must not change with the server secret. */
  hashKey: string
  /** `wakeups.emit(name)` runs the job of that name now, before its next interval. */
  wakeups: EventEmitter
  /** Functions of features that run when something happens in another feature. */
  subscribers: Subscribers<Ctx>
  log: Logger
  now: () => Date
}

/** The context of one call. Outside `inTx`, `db` only reads (on PostgreSQL perhaps from a replica). */
export type Ctx = Services & {
  db: Db
  transacting: boolean
  /** Runs an effect outside the database after the transaction has committed. */
  afterCommit: (effect: () => void) => void
  /** Receives the options of each `inTx` that joins the open transaction directly. */
  onJoined?: (options: TransactionOptions | undefined) => void
  /** Equal for all requests with one Idempotency-Key, in calls with `idempotency: 'answer'`. */
  attempt?: string
  /** Names another person whose next read must show this transaction's writes. */
  mustSee: (userId: string) => void
  viewer: Viewer | null
  requestId: string
  ip: string
  ifMatch: string | undefined
  work: Work
}

export type UserCtx = Ctx & { viewer: Viewer }

export type Caller = Pick<Ctx, 'viewer' | 'requestId' | 'ip' | 'ifMatch'> & { meter?: Meter | undefined }

const NOBODY: Caller = { viewer: null, requestId: 'background', ip: '', ifMatch: undefined }

const atOnce: Ctx['afterCommit'] = (effect) => effect()
const nobodyElse: Ctx['mustSee'] = () => {}

/** Creates the context of a call. Fields are copied one by one: spreading objects at every request is slow. */
export const contextFor = (services: Services, caller: Caller = NOBODY): Ctx => ({
  config: services.config,
  serverSettings: services.serverSettings,
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

/** For transactions that lock before they read: on a busy row, waiting is cheaper than running again. */
export const SELF_GUARDED = { isolation: 'read committed' } as const satisfies TransactionOptions

/** PostgreSQL may run `fn` again, so `fn` must have no effect outside the database. */
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

/** Adapters to services outside this process; each interface has a real and a local implementation. */
type Adapters = {
  google: IdentityProvider | null
  payments: PaymentProvider | null
  /** Null where no mail server is configured: links are then shown on the page instead of mailed. */
  mail: MailTransport | null
}

const MAX_ENTRIES = 10_000
/** Maximum age of an entry in ms, in case the news of a revocation is lost. */
const TRUSTED_MS = 900

export type Recognised = {
  viewer: Viewer
  /** When the credential expires; null for never. */
  endsAt: number | null
  /** Throws for an address that the credential is not meant for. */
  check?: (path: string) => void
}

type Entry = { recognised: Recognised; from: number; until: number }

/** Caches callers; a changed `credentialsVersion` drops all, since any may have been revoked. */
export class CredentialCache {
  readonly #entries = new LRUCache<string, Entry>({ max: MAX_ENTRIES })
  readonly #currentVersion: () => number | undefined
  #version: number | undefined

  constructor(currentVersion: () => number | undefined) {
    this.#currentVersion = currentVersion
  }

  get size(): number {
    return this.#entries.size
  }

  /** Returns the current version. Read it before the look-up whose result is kept. */
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

  /** Caches a caller unless the version changed: the credential may have been revoked since the look-up. */
  keep(credential: string, recognised: Recognised, now: number, version: number | undefined): void {
    if (version === undefined || version !== this.version()) return
    const until = Math.min(now + TRUSTED_MS, recognised.endsAt ?? Number.POSITIVE_INFINITY)
    this.#entries.set(credential, { recognised, from: now, until })
  }
}
