import { fnv1a } from '../../text/fnv.ts'

/** Signed, as PostgreSQL's integer is. */
const hash = (text: string, seed: number, from = 0, to = text.length): number =>
  fnv1a(text, seed, from, to) | 0

/** The partition is part of every hash: a look-up never touches the rows of another project. */
const seedOf = (partition: number) => hash(String(partition), 0)

export const partitionHashes = (texts: Iterable<string>, partition: number): number[] => {
  const seed = seedOf(partition)
  return Array.from(texts, (text) => hash(text, seed))
}

/** A set of hashes that is emptied by raising a counter: making a new set for every text costs more than filling it. */
class SeenHashes {
  #values = new Int32Array(4096)
  #rounds = new Uint32Array(4096)
  #round = 0

  /** Empties the set and makes room for `most` hashes. */
  begin(most: number): void {
    this.#round = (this.#round + 1) >>> 0
    const tooSmall = this.#values.length < most * 2
    if (!tooSmall && this.#round > 0) return
    const size = tooSmall ? 2 ** Math.ceil(Math.log2(most * 2)) : this.#values.length
    this.#values = new Int32Array(size)
    this.#rounds = new Uint32Array(size)
    this.#round = 1
  }

  /** Whether it was not there yet. */
  add(value: number): boolean {
    const mask = this.#values.length - 1
    let slot = value & mask
    for (; this.#rounds[slot] === this.#round; slot = (slot + 1) & mask)
      if (this.#values[slot] === value) return false
    this.#rounds[slot] = this.#round
    this.#values[slot] = value
    return true
  }
}

const seen = new SeenHashes()

/** The hashes of all trigrams of a text, each once, without making the trigrams as strings: a turn has hundreds. */
export function gramHashes(text: string, partition: number): number[] {
  const seed = seedOf(partition)
  const found: number[] = []
  seen.begin(text.length)
  // Where the last three characters begin, in UTF-16 units.
  let [first, second, third] = [-1, -1, -1]
  for (let at = 0; at <= text.length; at += 1) {
    if (at > 0 && at < text.length && isPair(text, at)) continue
    if (first >= 0) {
      const gram = hash(text, seed, first, at)
      if (seen.add(gram)) found.push(gram)
    }
    first = second
    second = third
    third = at
  }
  return found
}

const isPair = (text: string, at: number) => {
  const [before, here] = [text.charCodeAt(at - 1), text.charCodeAt(at)]
  return before >= 0xd800 && before <= 0xdbff && here >= 0xdc00 && here <= 0xdfff
}

const DIGITS = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz')
const SPACE = 0x20
/** The digits of a 32-bit number in base 36. */
const MOST_DIGITS = 7

const digitsOf = (value: number) => {
  let digits = 1
  for (let limit = 36; value >= limit; limit *= 36) digits += 1
  return digits
}

/**
 * Hashes in a form that no tokenizer of SQLite splits, written into one buffer: joining single strings takes twice as
 * long.
 */
export function inCodes(hashes: readonly number[]): string {
  const text = Buffer.allocUnsafe(hashes.length * (MOST_DIGITS + 1))
  let at = 0
  for (const hash of hashes) {
    let value = hash >>> 0
    const end = at + digitsOf(value)
    for (let digit = end - 1; digit >= at; digit -= 1) {
      const rest = Math.floor(value / 36)
      text[digit] = DIGITS[value - rest * 36] as number
      value = rest
    }
    text[end] = SPACE
    at = end + 1
  }
  return text.toString('latin1', 0, Math.max(0, at - 1))
}
