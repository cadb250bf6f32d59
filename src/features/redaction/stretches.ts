/** Characters at which a value ends, whatever the notation. */
const BREAKS = new Uint8Array(128)
for (const character of ' \t\n\r\v\f"\'`;,<>&)]}|\\#') BREAKS[character.charCodeAt(0)] = 1

/** Many names and prefixes without a break between them are data or an attack. Only the first ones are tried. */
const MOST_VALUES = 8
const MOST_TOKENS = 200

/**
 * Decides whether a match is worth trying. A stretch has no break inside: a value reaches at least to its end. It is
 * read once for all names inside it, so that a million names without a break cost no more than a million letters.
 */
export class Stretches {
  readonly #text: string
  #start = 0
  #end = 0
  #values = 0
  #tokens = 0
  #lastValue = -1

  constructor(text: string) {
    this.#text = text
  }

  /** May a value of at most `longest` characters start here? */
  admitsValue(at: number, longest: number): boolean {
    this.#moveTo(at)
    if (this.#end - at > longest) return false
    if (at !== this.#lastValue) {
      this.#lastValue = at
      this.#values += 1
    }
    return this.#values <= MOST_VALUES
  }

  admitsToken(at: number): boolean {
    this.#moveTo(at)
    this.#tokens += 1
    return this.#tokens <= MOST_TOKENS
  }

  #moveTo(at: number): void {
    if (at >= this.#start && at < this.#end) return
    let end = at
    while (end < this.#text.length && BREAKS[this.#text.charCodeAt(end)] !== 1) end += 1
    this.#start = at
    this.#end = end
    this.#values = 0
    this.#tokens = 0
  }
}
