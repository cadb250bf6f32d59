/** Each piece takes a few milliseconds at most. */
export type Pieces<T> = Generator<void, T>

export function doAll<T>(pieces: Pieces<T>): T {
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value
  }
}

/** Analyses a text. The `Work` of a request charges its caller and yields between pieces. */
export type Analyst = {
  about: <T>(analysis: string, text: string, analyse: (text: string) => Pieces<T>) => Promise<T>
}

/** An analyst without a charge, for programs of one person such as the web app. */
export const UNCHARGED: Analyst = { about: async (_, text, analyse) => doAll(analyse(text)) }
