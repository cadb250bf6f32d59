export type Summed = { docNo: number; score: number }

/** Keeps the best of what is offered, of equals the newer: a heap whose root is the worst of them. */
export class Best {
  readonly #numbers: Int32Array
  readonly #scores: Float64Array
  #size = 0
  /** What is below this is out. */
  bar = 0

  constructor(wanted: number) {
    this.#numbers = new Int32Array(wanted)
    this.#scores = new Float64Array(wanted)
  }

  offer(docNo: number, score: number): void {
    if (this.#size < this.#scores.length) this.#rise(this.#size++, docNo, score)
    else if (this.#isWorse(0, docNo, score)) this.#sink(docNo, score)
    if (this.#size === this.#scores.length) this.bar = this.#scores[0] as number
  }

  #isWorse(at: number, docNo: number, score: number): boolean {
    const other = this.#scores[at] as number
    return other < score || (other === score && (this.#numbers[at] as number) < docNo)
  }

  #put(at: number, docNo: number, score: number): void {
    this.#numbers[at] = docNo
    this.#scores[at] = score
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#numbers[from] as number, this.#scores[from] as number)
  }

  #rise(from: number, docNo: number, score: number): void {
    let at = from
    while (at > 0) {
      const above = (at - 1) >> 1
      if (this.#isWorse(above, docNo, score)) break
      this.#move(above, at)
      at = above
    }
    this.#put(at, docNo, score)
  }

  /** Replaces the worst. */
  #sink(docNo: number, score: number): void {
    let at = 0
    for (let below = 1; below < this.#size; below = 2 * at + 1) {
      const next = below + 1
      const worse =
        next < this.#size &&
        this.#isWorse(next, this.#numbers[below] as number, this.#scores[below] as number)
          ? next
          : below
      if (!this.#isWorse(worse, docNo, score)) break
      this.#move(worse, at)
      at = worse
    }
    this.#put(at, docNo, score)
  }

  /** All of them, best first. Nothing is left: the worst is taken out again and again. */
  takeInOrder(): Summed[] {
    const taken = new Array<Summed>(this.#size)
    while (this.#size > 0) {
      const last = --this.#size
      taken[last] = { docNo: this.#numbers[0] as number, score: this.#scores[0] as number }
      if (last > 0) this.#sink(this.#numbers[last] as number, this.#scores[last] as number)
    }
    return taken
  }
}
