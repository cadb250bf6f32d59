import type { Viewer } from './context.ts'

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
