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
