/** The server orders by relation; the page shows the similarity, so the list is ordered by that. */
export const nearestFirst = <T extends { similarity: number }>(cards: readonly T[]): T[] =>
  cards.toSorted((a, b) => b.similarity - a.similarity)
