/** Long work in pieces: each piece takes a few milliseconds at most, and the last one returns the result. */
export type Pieces<T> = Generator<void, T>

/** Does all pieces without a pause. */
export function doAll<T>(pieces: Pieces<T>): T {
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value
  }
}

/** Says what an analysis finds in a text. The `Work` of a request charges its caller and lets others go on. */
export type Analyst = {
  about: <T>(analysis: string, text: string, analyse: (text: string) => Pieces<T>) => Promise<T>
}

/** For programs of one person, such as the web app. */
export const UNCHARGED: Analyst = { about: async (_, text, analyse) => doAll(analyse(text)) }
