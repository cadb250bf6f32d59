import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setImmediate } from 'node:timers'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../core/errors.ts'

/** Limit in ms for the wait for another process's lock, shorter than the client timeout (`idleTimeoutMs`). */
const LOCK_PATIENCE_MS = 15_000
/** How often the lock is tried quickly: a commit of another process takes a few milliseconds. */
const QUICK_ATTEMPTS = 10
/** Transactions per commit: enough to share the disk's latency, few enough for a short wait. */
const MAX_BATCH = 16
/** In ms: full batches in a row before other work runs, since one per busy iteration is too few. */
const BATCHES_FOR_MS = 50
/** After this long (ms) without a transaction, the next one starts at once. */
const LONELY_AFTER_MS = 5

export class DatabaseBusy extends AppError {
  constructor() {
    super(503, 'unavailable', 'The database is busy.', {}, { 'Retry-After': '1' })
  }
}

type Work = {
  run: () => Promise<unknown>
  done: (value: unknown) => void
  failed: (error: unknown) => void
  since: number
  mayTakeLong: boolean
}
type Acknowledge = () => void

type WritesOptions = {
  isBusy: (error: unknown) => boolean
  written: () => number
  /** Throws where a commit would be lost. */
  requireFile?: () => void
  /** In milliseconds. */
  now?: () => number
  lockPatienceMs?: number
}

/**
 * The only writer of a SQLite file here. Transactions share one commit, but each is serialisable, fails alone
 * and is acknowledged after the commit is on disk.
 */
export class SqliteWrites {
  readonly #db: DatabaseSync
  readonly #isBusy: (error: unknown) => boolean
  readonly #written: () => number
  readonly #requireFile: () => void
  readonly #now: () => number
  readonly #lockPatienceMs: number
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #waiting: Work[] = []
  #draining: Promise<void> | undefined
  #isEnding = false
  #lastEnd = Number.NEGATIVE_INFINITY

  constructor(db: DatabaseSync, options: WritesOptions) {
    const { isBusy, written, requireFile = () => {}, now = () => performance.now() } = options
    this.#db = db
    this.#lockPatienceMs = options.lockPatienceMs ?? LOCK_PATIENCE_MS
    this.#requireFile = requireFile
    this.#isBusy = isBusy
    this.#written = written
    this.#now = now
    this.#begin = db.prepare('begin immediate')
    this.#commit = db.prepare('commit')
  }

  /** Runs a transaction. With `mayTakeLong` it waits for another process's lock without a timeout. */
  transaction<T>(run: () => Promise<T>, mayTakeLong = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        run,
        done: (value) => resolve(value as T),
        failed: reject,
        since: this.#now(),
        mayTakeLong,
      })
      this.#draining ??= this.#drain()
    })
  }

  waitMs(): number {
    const [next] = this.#waiting
    return next ? this.#now() - next.since : 0
  }

  /** Waits for running transactions. Later waits for a lock all have a timeout. */
  async idle(): Promise<void> {
    this.#isEnding = true
    await this.#draining
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      if (this.#now() - this.#lastEnd < LONELY_AFTER_MS) await this.#gather()
      const until = this.#now() + BATCHES_FOR_MS
      do await this.#batch()
      while (this.#waiting.length >= MAX_BATCH && this.#now() < until)
      this.#lastEnd = this.#now()
    }
    // No await may follow the last check of the queue: work that arrives in between would wait forever.
    this.#draining = undefined
  }

  async #gather(): Promise<void> {
    for (let before = 0; before < this.#waiting.length && before < MAX_BATCH; ) {
      before = this.#waiting.length
      await nextIteration()
    }
  }

  async #batch(): Promise<void> {
    let works: Work[] = []
    let acknowledges: Acknowledge[] | undefined
    try {
      await this.#beginSoon()
      works = this.#waiting.splice(0, MAX_BATCH)
      acknowledges = await this.#runTogether(works)
      if (!acknowledges) {
        this.#db.exec('rollback')
        await this.#beginSoon(works)
        acknowledges = await this.#runApart(works)
      }
      this.#requireFile()
      this.#commit.run()
    } catch (error) {
      this.#abandon(error, works)
      return
    }
    for (const acknowledge of acknowledges) acknowledge()
  }

  /** Uses no savepoints, because each flushes the text index; undefined: roll the whole batch back. */
  async #runTogether(works: readonly Work[]): Promise<Acknowledge[] | undefined> {
    const acknowledges: Acknowledge[] = []
    for (const work of works) {
      const before = this.#written()
      try {
        const value = await work.run()
        acknowledges.push(() => work.done(value))
      } catch (error) {
        if (!this.#db.isTransaction) throw error
        if (this.#written() !== before) return undefined
        acknowledges.push(() => work.failed(error))
      }
    }
    return acknowledges
  }

  /** Runs each transaction in its own savepoint. Transactions must be repeatable. */
  async #runApart(works: readonly Work[]): Promise<Acknowledge[]> {
    const acknowledges: Acknowledge[] = []
    for (const work of works) {
      this.#db.exec('savepoint work')
      try {
        const value = await work.run()
        this.#db.exec('release work')
        acknowledges.push(() => work.done(value))
      } catch (error) {
        if (!this.#db.isTransaction) throw error
        this.#db.exec('rollback to work; release work')
        acknowledges.push(() => work.failed(error))
      }
    }
    return acknowledges
  }

  #abandon(error: unknown, works: readonly Work[]): void {
    // SQLite rolls back by itself after errors such as a full disk.
    if (this.#db.isTransaction) this.#db.exec('rollback')
    const victims = works.length > 0 ? works : this.#waiting.splice(0, 1)
    for (const work of victims) work.failed(error)
  }

  #refuseLate(isLate: boolean, taken: readonly Work[]): void {
    if (!isLate && !this.#isEnding) return
    const isRefused = ({ mayTakeLong }: Work) => (mayTakeLong ? this.#isEnding : isLate)
    const busy = new DatabaseBusy()
    for (const work of this.#waiting.splice(0))
      if (isRefused(work)) work.failed(busy)
      else this.#waiting.push(work)
    if ((taken.length > 0 ? taken : this.#waiting).every(isRefused)) throw busy
  }

  /** Begins a transaction. `taken` is the batch that has already left the queue. */
  async #beginSoon(taken: readonly Work[] = []): Promise<void> {
    let deadline = this.#now() + this.#lockPatienceMs
    for (let attempt = 1; ; attempt++) {
      try {
        this.#begin.run()
        return
      } catch (error) {
        if (!this.#isBusy(error)) throw error
        const isLate = this.#now() > deadline
        this.#refuseLate(isLate, taken)
        if (isLate) deadline = this.#now() + this.#lockPatienceMs
        await sleep(attempt <= QUICK_ATTEMPTS ? 1 : 1 + Math.random() * 5)
      }
    }
  }
}

const nextIteration = () => new Promise<void>((resolve) => setImmediate(resolve))
