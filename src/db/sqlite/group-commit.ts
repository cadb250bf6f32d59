import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setImmediate } from 'node:timers'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../core/errors.ts'

/** For the lock of another process. A client that waits is cut off later (`silenceMs`), and would get no answer. */
const LOCK_PATIENCE_MS = 15_000
/** A commit takes a few milliseconds, so another process has the lock for about as many looks at it. */
const QUICK_ATTEMPTS = 10
/** How much work one commit may carry: enough to share the disk's latency, little enough that nobody waits long. */
const MAX_BATCH = 16
/**
 * How long full batches follow each other before other work goes on. An iteration of a busy event loop is long, so one
 * batch per iteration would be too few.
 */
const BATCHES_FOR_MS = 50
/** After so long without a transaction the next one begins at once: where nobody writes, there is nobody to wait for. */
const LONELY_AFTER_MS = 5

/** Another process has kept the lock for too long. */
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

export type WritesOptions = {
  isBusy: (error: unknown) => boolean
  /** How many statements that may write were run so far. */
  written: () => number
  /** Throws where a commit would be lost. */
  requireFile?: () => void
  /** In milliseconds. */
  now?: () => number
  lockPatienceMs?: number
}

/**
 * The one writer of a SQLite file in this process. Transactions that wait at the same moment run one after the other
 * and share one commit, since reaching the disk costs far more than the statements. Each is serialisable as before,
 * fails alone, and is acknowledged only when the shared commit is on disk.
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

  /** One that may take long waits for the lock of another process without a deadline. */
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

  /** For how long the oldest waiting transaction has waited. */
  waitMs(): number {
    const [next] = this.#waiting
    return next ? this.#now() - next.since : 0
  }

  /** Waits for what is under way. From then on nothing waits for a lock without a deadline. */
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
    // No await may come after the last look at the queue. Otherwise work that arrives in between would wait forever.
    this.#draining = undefined
  }

  /**
   * A transaction that begins at once ends before the next request is read, and shares its commit with nobody. So among
   * others work begins when an iteration of the event loop has brought no more: clients that were answered together ask
   * again together. The wait is as long as what the iteration brings, such as a search.
   */
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

  /**
   * Uses no savepoints, because the text index writes out what it has gathered at each. Returns undefined if a
   * transaction failed after it had written: then the whole batch must be rolled back.
   */
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

  /** Each in its own savepoint; transactions can be run again by contract. */
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

  /** Nothing of the batch is on disk, so each of its transactions fails. If none was taken yet, the oldest one fails. */
  #abandon(error: unknown, works: readonly Work[]): void {
    // SQLite has rolled back by itself after errors such as a full disk.
    if (this.#db.isTransaction) this.#db.exec('rollback')
    const victims = works.length > 0 ? works : this.#waiting.splice(0, 1)
    for (const work of victims) work.failed(error)
  }

  /**
   * Refuses all that have waited too long, together: one after another, each would wait for the lock as long again. Throws if
   * nobody is left for whom the lock is wanted.
   */
  #refuseLate(isLate: boolean, taken: readonly Work[]): void {
    if (!isLate && !this.#isEnding) return
    const isRefused = ({ mayTakeLong }: Work) => (mayTakeLong ? this.#isEnding : isLate)
    const busy = new DatabaseBusy()
    for (const work of this.#waiting.splice(0))
      if (isRefused(work)) work.failed(busy)
      else this.#waiting.push(work)
    if ((taken.length > 0 ? taken : this.#waiting).every(isRefused)) throw busy
  }

  /** `taken` are those of the batch, if it has left the queue already. */
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
