/**
 * Typing errors: a letter is left out, doubled, swapped with the next one, or replaced by a neighbouring key.
 * Trigrams find words that look alike; this decides which of them may be meant.
 */
const KEY_ROWS = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm']

const neighbours = new Set(
  KEY_ROWS.flatMap((row, y) =>
    [...row].flatMap((key, x) => {
      const below = KEY_ROWS[y + 1] ?? ''
      return [row[x + 1], below[x], below[x - 1]]
        .filter((other) => other !== undefined)
        .flatMap((other) => [`${key}${other}`, `${other}${key}`])
    }),
  ),
)

const COST = { usual: 1, neighbour: 0.7, swapped: 0.7, doubled: 0.5, firstLetter: 0.7 }

/** People rarely mistype the first letter. */
const firstLetterCost = (a: string, b: string) => (a[0] === b[0] ? 0 : COST.firstLetter)

/** Accepted typing errors change at most this many letters in a row. */
const MOST_CHANGED = 4

/** The cost of turning one word into the other by typing errors; from `most` on it is not exact. */
export function slipCost(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) * COST.doubled >= most) return most
  let same = 0
  while (same < a.length && a.charCodeAt(same) === b.charCodeAt(same)) same++
  let [endA, endB] = [a.length, b.length]
  while (endA > same && endB > same && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1)) {
    endA--
    endB--
  }
  if (endA - same > MOST_CHANGED || endB - same > MOST_CHANGED) return most
  // One letter before the change stays, as it tells whether the change doubles it.
  const from = Math.max(0, same - 1)
  const cost = editCost(a.slice(from, endA), b.slice(from, endB), most)
  return Math.min(most, cost + firstLetterCost(a, b))
}

/** The usual table, a row at a time; the row before the last is for letters that are swapped. */
function editCost(a: string, b: string, most: number): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j * COST.usual)
  for (let i = 1; i <= a.length; i++) {
    const row = [i * COST.usual]
    for (let j = 1; j <= b.length; j++) {
      const [x, y] = [a[i - 1] as string, b[j - 1] as string]
      const leftOut = (last[j] as number) + (x === a[i - 2] ? COST.doubled : COST.usual)
      const added = (row[j - 1] as number) + (y === b[j - 2] ? COST.doubled : COST.usual)
      const changed =
        (last[j - 1] as number) + (x === y ? 0 : neighbours.has(x + y) ? COST.neighbour : COST.usual)
      const isSwapped = i > 1 && j > 1 && x === b[j - 2] && y === a[i - 2] && x !== y
      const swapped = isSwapped ? (before[j - 2] as number) + COST.swapped : most
      const cost = Math.min(leftOut, added, changed, swapped)
      row.push(cost)
    }
    before = last
    last = row
  }
  return Math.min(most, last[b.length] as number)
}

/** A short word has many neighbours that are words themselves, so less is accepted. */
const forgiven = (length: number): number => (length <= 4 ? 0.7 : length <= 8 ? 1 : 1.7)

/** The index knows stems; a slip in the ending hides the stem, so a word is also tried with the usual endings. */
const ENDINGS = ['', 's', 'e', 'es', 'ed', 'ing', 'er', 'y', 'ion', 'al', 'ly']

const LEAST = 0.1
/** No slip at all, but an ending more: `linker` may be said for link, or be something else. */
const OTHER_FORM = 0.55

/**
 * How likely `word`, a stem of the index, is meant by `typed`, whose own stem is `term`: 0 if no typing error
 * explains it, and near 1 for a small error in a long word.
 */
export function meantSurely(typed: string, term: string, word: string): number {
  if (numbersIn(typed) !== numbersIn(word)) return 0
  const plain = surelyBySlip(term, word)
  if (plain > 0 && typed === term) return plain
  let best = plain
  for (const ending of ENDINGS) {
    const form = `${word}${ending}`
    best = Math.max(best, form === typed ? OTHER_FORM : surelyBySlip(typed, form))
  }
  return best
}

const NUMBERS = /\d{2,}/g
const NO_NUMBERS = ''

/** Two digits in a row and more are a number, which is exact or another one: ERR_POOL_41 is not ERR_POOL_42. */
const numbersIn = (word: string): string =>
  /\d\d/.test(word) ? (word.match(NUMBERS) ?? []).join(' ') : NO_NUMBERS

function surelyBySlip(typed: string, word: string): number {
  const length = Math.min(typed.length, word.length)
  const most = forgiven(length) + 0.01
  const cost = slipCost(typed, word, most)
  return cost >= most ? 0 : Math.max(LEAST, 1 - (3 * cost) / length)
}
