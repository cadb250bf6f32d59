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

/** How many words before and after two positions are the same, at most two on a side. */
function sameNeighbours(
  one: readonly NamedWord[],
  i: number,
  other: readonly NamedWord[],
  k: number,
): number {
  const isSame = (by: number) => one[i + by] !== undefined && one[i + by]?.word === other[k + by]?.word
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

/** `lines` as they were written; `whole` is the output in small letters. */
export function namesAnotherBetween(
  lines: readonly string[],
  whole: string,
  { quoting, title, about, all }: Told,
): boolean {
  const isAbout = (name: string, asked: string) =>
    about.includes(name) || speaksOfAnother([asked], name, title)
  const told = quoting.flatMap((text) => text.slice(0, READ_CHARACTERS).split('\n').map(namedWords))
  return lines.map(namedWords).some((line) =>
    line.some(({ word: asked, isName }, i) => {
      if (!isName || saysName(all, asked)) return false
      return told.some((sentence) =>
        sentence.some(
          (other, k) =>
            other.isName &&
            sameNeighbours(line, i, sentence, k) >= LEAST_NEIGHBOURS &&
            !saysName(whole, other.word) &&
            isAbout(other.word, asked) &&
            !areRelated(asked, other.word),
        ),
      )
    }),
  )
}
