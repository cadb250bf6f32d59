import { interpret, partsOf, type Reading } from './token-terms.ts'

/** A map of limited size: of a full one the half stays that was used last. */
class RecentMap<V> {
  readonly #most: number
  #recent = new Map<string, V>()
  #earlier = new Map<string, V>()

  constructor(most: number) {
    this.#most = most
  }

  get(key: string): V | undefined {
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const earlier = this.#earlier.get(key)
    if (earlier !== undefined) this.set(key, earlier)
    return earlier
  }

  set(key: string, value: V): void {
    if (this.#recent.size >= this.#most / 2) {
      this.#earlier = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
  }
}

/**
 * Readings of tokens that were met before, for as long as the process lives. Texts repeat their words, and working out a
 * stem costs as much as many look-ups. A token is known from its second meeting: a text of words that nobody else writes
 * must not put out everybody's.
 */
const readings = new RecentMap<Reading>(2 ** 17)
const newcomers = new RecentMap<Reading>(2 ** 14)

/** Longer tokens are mostly hashes and encoded data, which do not come again. */
const LONGEST_TOKEN = 32

/** V8 copies shorter pieces of a text. A longer piece would keep its whole text in memory. */
const SHORTEST_PIECE = 13

const ownCopy = (token: string): string =>
  token.length < SHORTEST_PIECE ? token : Buffer.from(token, 'utf16le').toString('utf16le')

/** What a token means to the index. */
export function readToken(token: string): Reading {
  if (token.length > LONGEST_TOKEN) return interpret(token)
  const known = readings.get(token)
  if (known) return known
  const met = newcomers.get(token)
  if (met) {
    readings.set(ownCopy(token), met)
    return met
  }
  const own = ownCopy(token)
  const reading = interpret(own)
  newcomers.set(own, reading)
  return reading
}

const names = new RecentMap<string[]>(2 ** 13)

/** The words that a name is made of. Cards that are found together have names in common, and cutting one takes as long as a stem. */
export function partsOfName(name: string): string[] {
  if (name.length > LONGEST_TOKEN) return partsOf(name)
  const known = names.get(name)
  if (known) return known
  const own = ownCopy(name)
  const parts = partsOf(own)
  names.set(own, parts)
  return parts
}
