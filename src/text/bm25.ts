/** k1: how quickly extra occurrences of a term stop adding to the score. b: how much long texts are held back. */
export type Bm25 = { k1: number; b: number }

/** The weight of a term that occurs in `holding` of `all` documents. */
export const rarity = (holding: number, all: number): number => {
  const known = Math.max(all, holding, 1)
  return Math.log(1 + (known - holding + 0.5) / (holding + 0.5))
}

/** The k1 of the formula, grown with the length of the text: it holds long texts back. */
export const dampingOf = ({ k1, b }: Bm25, length: number, averageLength: number): number =>
  k1 * (1 - b + (b * length) / averageLength)

/** The gain of a term with this frequency, before its rarity. */
export const gainOf = ({ k1 }: Bm25, frequency: number, damping: number): number =>
  (frequency * (k1 + 1)) / (frequency + damping)
