export const DAY_MS = 86_400_000

/** When the day began, in UTC: at the same moment for everybody. Limits of a day count from here. */
export const dayBegan = (now: Date): string => `${now.toISOString().slice(0, 10)}T00:00:00.000Z`

export class TookTooLong extends Error {
  override readonly name = 'TookTooLong'
}

/** Whoever asks must get an answer, so what takes longer is given up; the work itself goes on. */
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

/**
 * A server that looks at a mail before it accepts it may take ten minutes after the last byte (RFC 5321, 4.5.3.2.6). Whoever
 * gives up sooner sends the mail again, and it arrives twice.
 */
export const LONGEST_SILENCE_MS = 10 * 60_000
