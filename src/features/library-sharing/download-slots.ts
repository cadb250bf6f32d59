/** A snapshot is long; many at once would hold connections and memory that others need. */
import type { Readable } from 'node:stream'
import { AppError } from '../../core/errors.ts'

export const MOST_DOWNLOADS = 16
/** Enough for an office behind one address; a machine that reads slowly on purpose leaves room for others. */
export const MOST_OF_ONE_HOST = 3
/** Whoever reads slower than this on average keeps others waiting. A range goes on where the transfer ended. */
const LEAST_BYTES_A_SECOND = 16 * 1024
const LEAST_MS = 60_000
/** A timer takes no more. */
const MOST_MS = 2 ** 31 - 1

/** How many downloads each host reads now. */
const READING = new Map<string, number>()

const allReading = () => [...READING.values()].reduce((sum, count) => sum + count, 0)

export function refuseCrowd(host: string): void {
  if (allReading() < MOST_DOWNLOADS && (READING.get(host) ?? 0) < MOST_OF_ONE_HOST) return
  throw new AppError(
    503,
    'unavailable',
    'Too many snapshots are being read. Try again in a minute.',
    {},
    { 'Retry-After': '60' },
  )
}

/** Counts a download until it ends, and ends it where it takes far too long for its bytes. */
export function countedIn<Stream extends Readable>(stream: Stream, host: string, bytes: number): Stream {
  READING.set(host, (READING.get(host) ?? 0) + 1)
  const patience = Math.min(MOST_MS, Math.max(LEAST_MS, (bytes / LEAST_BYTES_A_SECOND) * 1000))
  const timer = setTimeout(() => stream.destroy(), patience).unref()
  stream.once('close', () => {
    clearTimeout(timer)
    const left = (READING.get(host) ?? 1) - 1
    if (left > 0) READING.set(host, left)
    else READING.delete(host)
  })
  return stream
}
