const SLOTS = 2 ** 16

/**
 * Tells numbers that come again from those that come once. It forgets: a number takes the place of the last one with the
 * same low bits.
 */
export class SecondTimes {
  readonly #lately = new Uint32Array(SLOTS)

  isSecond(number: number): boolean {
    const slot = number % SLOTS
    if (this.#lately[slot] === number) return true
    this.#lately[slot] = number
    return false
  }
}
