/**
 * A cache in memory, limited in bytes. Recently used values stay. When it is full, the older half is dropped at once, which
 * is cheaper than tracking the exact order of use.
 */
export class Kept<V, K = number> {
  readonly #mostBytes: number
  readonly #bytesOf: (value: V) => number
  #recent = new Map<K, V>()
  #earlier = new Map<K, V>()
  #recentBytes = 0

  constructor(mostBytes: number, bytesOf: (value: V) => number) {
    this.#mostBytes = mostBytes
    this.#bytesOf = bytesOf
  }

  get(key: K): V | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const earlier = this.#earlier.get(key)
    if (earlier !== undefined) this.keep(key, earlier)
    return earlier
  }

  keep(key: K, value: V): void {
    const bytes = this.#recent.has(key) ? 0 : this.#bytesOf(value)
    this.#recent.set(key, value)
    this.#count(bytes)
  }

  /** Changes a value that was just got, which makes it larger. */
  grow(value: V, change: (value: V) => void): void {
    const before = this.#bytesOf(value)
    change(value)
    this.#count(this.#bytesOf(value) - before)
  }

  #count(bytes: number): void {
    this.#recentBytes += bytes
    if (this.#recentBytes <= this.#mostBytes / 2) return
    this.#earlier = this.#recent
    this.#recent = new Map()
    this.#recentBytes = 0
  }

  clear(): void {
    this.#recent.clear()
    this.#earlier.clear()
    this.#recentBytes = 0
  }
}
