export type WordChange = {
  hash: number
  word: string | undefined
  delta: number
  /** The part of it that concerns cards which everybody may find. */
  publicDelta: number
}

/** A word as it is counted after a change. */
export type CountedWord = { hash: number; cards: number; public_cards: number }

/**
 * The words that no card has any more. A count below zero is none of them: what it lacks is a note that is still to be
 * folded.
 */
export const unusedAmong = (counted: readonly CountedWord[]): number[] =>
  counted.filter(({ cards, public_cards }) => cards === 0 && public_cards === 0).map(({ hash }) => hash)

/** The words that are new. One that came and went before it was counted is not. */
export function freshAmong(
  changes: readonly WordChange[],
  counted: readonly CountedWord[],
): (WordChange & { word: string })[] {
  const known = new Set(counted.map(({ hash }) => hash))
  return changes.flatMap((change) =>
    change.word === undefined || change.delta <= 0 || known.has(change.hash)
      ? []
      : [{ ...change, word: change.word, publicDelta: Math.max(0, change.publicDelta) }],
  )
}
