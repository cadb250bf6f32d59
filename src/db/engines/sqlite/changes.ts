import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** A key that another process revoked still works here for at most this long. */
const LOOK_EVERY_MS = 200

/**
 * Counts what may have revoked a credential: this process says so itself; of others, and of the command line, SQLite only
 * reports that they have written something. It is asked by the connection that writes: to any other one, the writes of this
 * process would look like those of others.
 */
export class SqliteChanges {
  readonly #dataVersion: StatementSync
  #seen: unknown
  #lookedAt: number
  #version = 0

  constructor(writer: DatabaseSync) {
    this.#dataVersion = writer.prepare('pragma data_version')
    this.#seen = this.#look()
    this.#lookedAt = performance.now()
  }

  add(): void {
    this.#version++
  }

  version(): number {
    const now = performance.now()
    if (now - this.#lookedAt >= LOOK_EVERY_MS) {
      this.#lookedAt = now
      const found = this.#look()
      if (found !== this.#seen) this.#version++
      this.#seen = found
    }
    return this.#version
  }

  #look(): unknown {
    return this.#dataVersion.get()?.data_version
  }
}
