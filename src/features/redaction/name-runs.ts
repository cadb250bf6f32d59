/** What names of secrets are written with. */
const IN_NAME = new Uint8Array(128)
for (const character of '.-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789')
  IN_NAME[character.charCodeAt(0)] = 1

const isInName = (text: string, at: number): boolean => IN_NAME[text.charCodeAt(at)] === 1

/** The patterns for a value look no further than this: back for the quote that opens its name, on for what ends it. */
const LOOKED_BACK = 40
const LOOKED_ON = 25

/**
 * Finds names that stand deep inside letters: nothing near them could be a value. The letters are read once for all names
 * among them, because a paste of millions of names side by side kept the server busy for half a minute.
 */
export class NameRuns {
  readonly #text: string
  #start = 0
  #end = 0

  constructor(text: string) {
    this.#text = text
  }

  isDeepInside({ start, end }: { start: number; end: number }): boolean {
    if (start < this.#start || end > this.#end) this.#moveTo(start, end)
    return start - LOOKED_BACK >= this.#start && end + LOOKED_ON <= this.#end
  }

  #moveTo(start: number, end: number): void {
    let first = start
    while (first > Math.max(0, start - LOOKED_BACK) && isInName(this.#text, first - 1)) first -= 1
    let last = end
    while (last < this.#text.length && isInName(this.#text, last)) last += 1
    this.#start = first
    this.#end = last
  }
}
