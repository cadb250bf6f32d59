/** Long work in pieces: each piece takes a few milliseconds at most, and the last one returns the result. */
export type Pieces<T> = Generator<void, T>

/** Does all pieces without a pause. */
export function doAll<T>(pieces: Pieces<T>): T {
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value
  }
}
