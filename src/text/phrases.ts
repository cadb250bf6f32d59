import { fold, withoutDividers } from './fold.ts'

const WORD = /[\p{L}\p{N}\p{M}]+/gu
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

const wordsOf = (text: string): string => ` ${(withoutDividers(text).match(WORD) ?? []).map(fold).join(' ')} `

const ONLY_ASCII = /^[\0-\x7f]*$/

/** A test for texts that have the words of a phrase one after the other, with any signs between them. */
export function phraseTest(phrase: string): (text: string) => boolean {
  const words = wordsOf(phrase)
  // Where words are not set apart by blanks, a phrase may begin and end inside of what looks like one word.
  const wanted = UNSPACED.test(phrase) ? words.trim() : words
  const each = wanted.split(' ').filter(Boolean)
  // Most texts lack one of the words, which is seen without cutting the text into words.
  const mayHave = (text: string): boolean => {
    if (!ONLY_ASCII.test(text)) return true
    const folded = text.toLowerCase()
    return each.every((word) => folded.includes(word))
  }
  return (text) => each.length > 0 && mayHave(text) && wordsOf(text).includes(wanted)
}
