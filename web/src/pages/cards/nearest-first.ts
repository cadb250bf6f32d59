/** The server orders by what is related; what is shown is how much is the same, so the list follows that. */
export const nearestFirst = <T extends { similarity: number }>(cards: readonly T[]): T[] =>
  cards.toSorted((a, b) => b.similarity - a.similarity)
