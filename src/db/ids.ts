import { randomUUID } from 'node:crypto'

/** UUID version 7: sorts by its time, so an index grows at its end. */
export function newId(now: number = Date.now()): string {
  const time = now.toString(16).padStart(12, '0')
  // Variant and random bits stand where version 4 has them, which Node draws from a store of random bytes.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
