import pg from 'pg'

export const CREDENTIALS_CHANNEL = 'credentials_taken'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/**
 * Hears by LISTEN on a connection of its own when any node has taken a credential away. Without the connection it
 * knows nothing, says so, and comes back with a new version, since it cannot tell what it has missed.
 */
export class CredentialNews {
  readonly #config: pg.ClientConfig
  readonly #onError: (error: Error) => void
  #version = 0
  #listening = false
  #started = false
  #closed = false
  #client: pg.Client | undefined
  #retry: NodeJS.Timeout | undefined
  #pauseMs = FIRST_PAUSE_MS

  constructor(config: pg.ClientConfig, onError: (error: Error) => void) {
    this.#config = config
    this.#onError = onError
  }

  add(): void {
    this.#version++
  }

  /** Starts to listen at the first call: a process that never asks needs no connection. */
  version(): number | undefined {
    if (!this.#started) {
      this.#started = true
      void this.#connect()
    }
    return this.#listening ? this.#version : undefined
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    await this.#client?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    // No time limits: a connection that listens runs no statement and no transaction.
    const client = new pg.Client({ ...this.#config, keepAlive: true })
    this.#client = client
    client.on('notification', () => this.add())
    client.on('error', this.#onError)
    client.on('end', () => this.#lost(client))
    try {
      await client.connect()
      await client.query(`listen ${CREDENTIALS_CHANNEL}`)
      this.add()
      this.#listening = !this.#closed
      this.#pauseMs = FIRST_PAUSE_MS
    } catch (error) {
      this.#onError(error as Error)
      await client.end().catch(() => {})
      this.#lost(client)
    }
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#listening = false
    if (this.#closed) return
    this.#retry = setTimeout(() => void this.#connect(), this.#pauseMs).unref()
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2)
  }
}
