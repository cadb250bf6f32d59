/** The characters of a value in one notation, and those that may stand behind it. Both are ASCII. */
export type Notation = { inside: Uint8Array; behind: Uint8Array; longest: number }

export const WORD_CHARACTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'
export const BLANKS = ' \t\n\v\f\r'

export const setOf = (characters: string): Uint8Array => {
  const set = new Uint8Array(128)
  for (const character of characters) set[character.charCodeAt(0)] = 1
  return set
}

/** Many names in one run are data or an attack. Only the first ones are tried. */
const MOST_TRIES = 8
const AMPERSAND = 38
/** The next field of an address. The value before it ends here. */
const NEXT_FIELD = /&\w{1,30}[=;]/y

/**
 * Decides whether the pattern of a notation is worth trying. It reads to the end of a run of characters of values, only to
 * find there that no value ends so. The run is read once for all names inside it: a paste of them kept the server busy
 * for seconds.
 */
export class ValueRuns {
  readonly #text: string
  readonly #notation: Notation
  #start = 0
  #end = 0
  #hasInnerEnd = false
  #tries = 0
  #lastTry = -1

  constructor(text: string, notation: Notation) {
    this.#text = text
    this.#notation = notation
  }

  /** May a value start here? */
  admits(at: number): boolean {
    if (at < this.#start || at >= this.#end) this.#moveTo(at)
    const isValue = this.#end - at <= this.#notation.longest && this.#mayEnd(this.#end)
    if (!isValue && !this.#hasInnerEnd) return false
    if (at !== this.#lastTry) {
      this.#lastTry = at
      this.#tries += 1
    }
    return this.#tries <= MOST_TRIES
  }

  /** Beyond ASCII the pattern knows the blanks. */
  #mayEnd(at: number): boolean {
    const code = this.#text.charCodeAt(at)
    return at === this.#text.length || code > 127 || this.#notation.behind[code] === 1
  }

  #moveTo(at: number): void {
    const { inside, behind } = this.#notation
    let end = at
    this.#hasInnerEnd = false
    for (; end < this.#text.length; end += 1) {
      const code = this.#text.charCodeAt(end)
      if (inside[code] === 1) continue
      if (code !== AMPERSAND || this.#beginsField(end)) break
      if (behind[AMPERSAND] === 1) this.#hasInnerEnd = true
    }
    this.#start = at
    this.#end = end
    this.#tries = 0
  }

  #beginsField(at: number): boolean {
    NEXT_FIELD.lastIndex = at
    return NEXT_FIELD.test(this.#text)
  }
}
