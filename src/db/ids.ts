import { randomUUID } from 'node:crypto'

let lastTime = 0
let countInTime = 0

/**
 * UUID version 7: sorts by its time, so an index grows at its end. Ids of one process that share a millisecond sort in
 * the order in which they were made, so lists of rows written one after another have one order.
 */
export function newId(now: number = Date.now()): string {
  countInTime = now === lastTime ? (countInTime + 1) & 0xfff : 0
  lastTime = now
  const time = now.toString(16).padStart(12, '0')
  // Variant and random bits stand where version 4 has them, which Node draws from a store of random bytes.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${countInTime.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`
}

/** The one system workspace: what is published without a target goes here. */
export const PUBLIC_LIBRARY_ID = '00000000-0000-7000-8000-000000000001'
export const PUBLIC_LIBRARY_NAME = 'Public Library'
