import { speaksOfAnother } from './named-files.ts'
import { areRelated, type NamedWord, namedWords, saysName } from './names.ts'
import { READ_CHARACTERS } from './words.ts'

/**
 * Whether a failure and a card say the same of two things: `error 0x80370102` and `error 0x8007019e`, `'RNGestureHandler'
 * could not be found` and `'RNCAsyncStorage' could not be found`. Between the same words stands one name in the failure and
 * another in the card. It counts if the card is about its name: title or fix has it, or the part of it that tells.
 */

/** How many neighbouring words must be the same, on both sides together. */
const LEAST_NEIGHBOURS = 2

/** Many names between the same words are data: only the first pairs are compared, since each reads the title. */
const MOST_PAIRS = 200

/** The first names of a text: each of the failure is compared with each of the card. */
const MOST_NAMES = 200

/** A name, where it stands among the words around it. */
type Slot = { name: string; words: readonly NamedWord[]; at: number }

const slotsIn = (line: string): Slot[] => {
  const words = namedWords(line)
  return words.flatMap(({ word, isName }, at) => (isName ? [{ name: word, words, at }] : []))
}

/** How many words before and after two names are the same, at most two on a side. */
function sameNeighbours(one: Slot, other: Slot): number {
  const isSame = (by: number) => {
    const neighbour = one.words[one.at + by]
    return neighbour !== undefined && neighbour.word === other.words[other.at + by]?.word
  }
  const onSide = (step: -1 | 1) => (isSame(step) ? (isSame(2 * step) ? 2 : 1) : 0)
  return onSide(-1) + onSide(1)
}

export type Told = {
  /** Title and symptom, as they were written. */
  quoting: readonly string[]
  /** The title, title and fix, and all texts, in small letters. */
  title: string
  about: string
  all: string
}

/** The names of the card that stand nowhere in the output, in small letters. Each is looked for once. */
function slotsOfMissing(quoting: readonly string[], whole: string): Slot[] {
  const told = quoting.flatMap((text) => text.slice(0, READ_CHARACTERS).split('\n').flatMap(slotsIn))
  const names = [...new Set(told.map(({ name }) => name))]
  const missing = new Set(names.filter((name) => !saysName(whole, name)))
  return told.filter(({ name }) => missing.has(name)).slice(0, MOST_NAMES)
}

/** `lines` as they were written; `whole` is the output in small letters. */
export function namesAnotherBetween(
  lines: readonly string[],
  whole: string,
  { quoting, title, about, all }: Told,
): boolean {
  const asked = lines
    .flatMap(slotsIn)
    .filter(({ name }) => !saysName(all, name))
    .slice(0, MOST_NAMES)
  const told = asked.length === 0 ? [] : slotsOfMissing(quoting, whole)
  let pairs = 0
  for (const one of asked)
    for (const other of told) {
      if (sameNeighbours(one, other) < LEAST_NEIGHBOURS) continue
      const isAbout = about.includes(other.name) || speaksOfAnother([one.name], other.name, title)
      if (isAbout && !areRelated(one.name, other.name)) return true
      pairs += 1
      if (pairs === MOST_PAIRS) return false
    }
  return false
}
