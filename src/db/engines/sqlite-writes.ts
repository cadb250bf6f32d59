import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { unavailable } from '../../core/errors.ts'

const LOCK_PATIENCE_MS = 15_000
/** How much work one commit may carry: enough to share the disk's latency, little enough that nobody waits long. */
const MAX_BATCH = 16

type Work = { run: () => Promise<unknown>; done: (value: unknown) => void; failed: (error: unknown) => void }

/**
 * The one writer of a SQLite file in this process. Transactions that wait at the same moment run one after the other, each
 * in its own savepoint, and share one commit, since reaching the disk costs far more than the statements. Each is
 * serialisable as before, fails alone, and is acknowledged only when the shared commit is on disk.
 */
export class SqliteWrites {
  readonly #db: DatabaseSync
  readonly #isBusy: (error: unknown) => boolean
  readonly #waiting: Work[] = []
  #draining: Promise<void> | undefined

  constructor(db: DatabaseSync, isBusy: (error: unknown) => boolean) {
    this.#db = db
    this.#isBusy = isBusy
  }

  transaction<T>(run: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ run, done: (value) => resolve(value as T), failed: reject })
      this.#draining ??= this.#drain()
    })
  }

  /** Waits for what is under way. */
  async idle(): Promise<void> {
    await this.#draining
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) await this.#batch()
    // In the same breath as the last look at the queue, or work that comes between the two would wait for ever.
    this.#draining = undefined
  }

  async #batch(): Promise<void> {
    const finished: (() => void)[] = []
    const unfinished: Work[] = []
    try {
      await this.#begin()
      while (this.#waiting.length > 0 && finished.length < MAX_BATCH) {
        const work = this.#waiting.shift()
        if (!work) break
        unfinished.push(work)
        this.#db.exec('savepoint work')
        try {
          const value = await work.run()
          this.#db.exec('release work')
          finished.push(() => work.done(value))
        } catch (error) {
          unfinished.pop()
          work.failed(error)
          this.#db.exec('rollback to work; release work')
        }
      }
      this.#db.exec('commit')
    } catch (error) {
      this.#abandon(error, unfinished)
      return
    }
    for (const acknowledge of finished) acknowledge()
  }

  /** Nothing of the batch is on disk, whatever had run: all of it fails, and so does who would have been first. */
  #abandon(error: unknown, unfinished: Work[]): void {
    // SQLite has rolled back by itself after errors such as a full disk.
    if (this.#db.isTransaction) this.#db.exec('rollback')
    const victims = unfinished.length > 0 ? unfinished : this.#waiting.splice(0, 1)
    for (const work of victims) work.failed(error)
  }

  async #begin(): Promise<void> {
    const deadline = Date.now() + LOCK_PATIENCE_MS
    for (;;) {
      try {
        this.#db.exec('begin immediate')
        return
      } catch (error) {
        if (!this.#isBusy(error)) throw error
        if (Date.now() > deadline) throw unavailable('The database is busy.')
        await sleep(1 + Math.random() * 5)
      }
    }
  }
}
