import { interpret, partsOf, type Reading } from './token-terms.ts'

/**
 * Readings of tokens that were met before, for as long as the process lives. Texts repeat their words, and working out a
 * stem costs as much as a hundred look-ups. The map is emptied when it is full: the usual words are back at once.
 */
const MOST_TOKENS = 2 ** 17
const readings = new Map<string, Reading>()

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
  const own = ownCopy(token)
  const reading = interpret(own)
  if (readings.size >= MOST_TOKENS) readings.clear()
  readings.set(own, reading)
  return reading
}

const MOST_NAMES = 2 ** 13
const names = new Map<string, string[]>()

/** The words that a name is made of. Cards that are found together have names in common, and cutting one takes as long as a stem. */
export function partsOfName(name: string): string[] {
  if (name.length > LONGEST_TOKEN) return partsOf(name)
  const known = names.get(name)
  if (known) return known
  if (names.size >= MOST_NAMES) names.clear()
  const own = ownCopy(name)
  const parts = partsOf(own)
  names.set(own, parts)
  return parts
}
