export const DAY_MS = 86_400_000

/** Returns the start of the UTC day, from which daily limits count. */
export const dayBegan = (now: Date): string => `${now.toISOString().slice(0, 10)}T00:00:00.000Z`

export class TookTooLong extends Error {
  override readonly name = 'TookTooLong'
}

/** Waits at most `longestMs` and then throws; the work itself continues. */
export async function within<T>(longestMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TookTooLong(`no answer within ${longestMs} ms`)), longestMs)
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

/** RFC 5321 allows ten minutes after the last byte; a shorter timeout would send the mail twice. */
export const MAX_SILENCE_MS = 10 * 60_000
