export type Summed = { docNo: number; score: number }

/** Rounds of throwing away are rare where there is room for this many times what is wanted. */
const ROOM = 4

/**
 * Keeps the best of what is offered, of equals the newer. Whatever is not below the bar is noted; when there is no more
 * room, all but the best are thrown away and the bar rises. That costs less than keeping them in order all the time.
 */
export class Best {
  readonly #wanted: number
  readonly #numbers: Int32Array
  readonly #scores: Float64Array
  #size = 0
  /** What is below this is out. */
  bar = 0

  constructor(wanted: number) {
    this.#wanted = wanted
    this.#numbers = new Int32Array(wanted * ROOM)
    this.#scores = new Float64Array(wanted * ROOM)
  }

  offer(docNo: number, score: number): void {
    if (this.#size === this.#numbers.length) this.#throwAway()
    this.#numbers[this.#size] = docNo
    this.#scores[this.#size++] = score
  }

  /** Leaves the best, in any order. */
  #throwAway(): void {
    if (this.#size <= this.#wanted) return
    bringForward(this.#numbers, this.#scores, this.#size, this.#wanted)
    this.#size = this.#wanted
    this.bar = this.#scores[this.#wanted - 1] as number
  }

  /** All of them, best first. */
  inOrder(): Summed[] {
    this.#throwAway()
    const found = new Array<Summed>(this.#size)
    for (let i = 0; i < this.#size; i++)
      found[i] = { docNo: this.#numbers[i] as number, score: this.#scores[i] as number }
    return found.sort((a, b) => b.score - a.score || b.docNo - a.docNo)
  }
}

/** Quickselect: moves the `wanted` best of `size` to the front, the worst of them last. No document is there twice. */
function bringForward(numbers: Int32Array, scores: Float64Array, size: number, wanted: number): void {
  let low = 0
  let high = size - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    const [docNo, score] = [numbers[middle] as number, scores[middle] as number]
    let i = low
    let j = high
    while (i <= j) {
      while (isBetter(scores[i] as number, numbers[i] as number, score, docNo)) i++
      while (isBetter(score, docNo, scores[j] as number, numbers[j] as number)) j--
      if (i > j) break
      swap(numbers, i, j)
      swap(scores, i++, j--)
    }
    if (wanted - 1 <= j) high = j
    else if (wanted - 1 >= i) low = i
    else return
  }
}

const isBetter = (score: number, docNo: number, otherScore: number, otherNo: number): boolean =>
  score > otherScore || (score === otherScore && docNo > otherNo)

function swap(values: Int32Array | Float64Array, i: number, j: number): void {
  const value = values[i] as number
  values[i] = values[j] as number
  values[j] = value
}
