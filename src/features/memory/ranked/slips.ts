/** How far a word may be from the one that is meant: a short word with two slips is another word. */
const SHORTEST = 4
const SHORTEST_WITH_TWO = 8

const slipsAllowed = (length: number) => (length < SHORTEST ? 0 : length < SHORTEST_WITH_TWO ? 1 : 2)

/**
 * How many letters were left out, put in, changed or swapped with a neighbour on the way from one word to the other;
 * undefined where that is more than people slip in a word of this length.
 */
export function slipsBetween(typed: string, other: string): number | undefined {
  const most = slipsAllowed(Math.min(typed.length, other.length))
  if (most === 0 || Math.abs(typed.length - other.length) > most) return undefined
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, i) => i)]
  for (let row = 1; row <= typed.length; row += 1) {
    const here = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = typed[row - 1] === other[column - 1]
      const isSwapped =
        row > 1 && column > 1 && typed[row - 1] === other[column - 2] && typed[row - 2] === other[column - 1]
      here[column] = Math.min(
        (last[column] as number) + 1,
        (here[column - 1] as number) + 1,
        (last[column - 1] as number) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[column - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = here
  }
  const slips = last[other.length] as number
  return slips <= most ? slips : undefined
}
