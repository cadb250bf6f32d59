import { randomUUID } from 'node:crypto'

let lastTime = 0
let countInTime = 0

/** Returns a UUID version 7; ids of one process sort in the order of creation, even within a ms. */
export function newId(now: number = Date.now()): string {
  countInTime = now === lastTime ? (countInTime + 1) & 0xfff : 0
  lastTime = now
  const time = now.toString(16).padStart(12, '0')
  // Variant and random bits come from the tail of a version 4 UUID, which has them at the same position.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${countInTime.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`
}

/** Id of the only system workspace, the default target of publishing. */
export const PUBLIC_LIBRARY_ID = '00000000-0000-7000-8000-000000000001'
export const PUBLIC_LIBRARY_NAME = 'Public Library'
