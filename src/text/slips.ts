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

const firstLetterCost = (a: string, b: string) => (a[0] === b[0] ? 0 : COST.firstLetter)

const MAX_CHANGED = 4

/** Returns the cost of typing errors between two words; not exact from `most` on. */
export function slipCost(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) * COST.doubled >= most) return most
  let same = 0
  while (same < a.length && a.charCodeAt(same) === b.charCodeAt(same)) same++
  let [endA, endB] = [a.length, b.length]
  while (endA > same && endB > same && a.charCodeAt(endA - 1) === b.charCodeAt(endB - 1)) {
    endA--
    endB--
  }
  if (endA - same > MAX_CHANGED || endB - same > MAX_CHANGED) return most
  // Keep one letter before the change: it shows whether the change doubles a letter.
  const from = Math.max(0, same - 1)
  const cost = editCost(a.slice(from, endA), b.slice(from, endB), most)
  return Math.min(most, cost + firstLetterCost(a, b))
}

/** Edit distance row by row; the row before the last is for swapped letters. */
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

const forgiven = (length: number): number => (length <= 4 ? 0.7 : length <= 8 ? 1 : 1.7)

/** The index holds stems, and a typing error in the ending hides the stem. */
const ENDINGS = ['', 's', 'e', 'es', 'ed', 'ing', 'er', 'y', 'ion', 'al', 'ly']

const LEAST = 0.1
/** Certainty if only an ending differs: `linker` may mean link. */
const OTHER_FORM = 0.55

/** Returns 0 if no typing error explains `typed`, near 1 for a small error in a long word. */
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

/** Returns numbers of two or more digits, which must match exactly: ERR_POOL_41 is not ERR_POOL_42. */
const numbersIn = (word: string): string =>
  /\d\d/.test(word) ? (word.match(NUMBERS) ?? []).join(' ') : NO_NUMBERS

function surelyBySlip(typed: string, word: string): number {
  const length = Math.min(typed.length, word.length)
  const most = forgiven(length) + 0.01
  const cost = slipCost(typed, word, most)
  return cost >= most ? 0 : Math.max(LEAST, 1 - (3 * cost) / length)
}
