import { fold } from './fold.ts'

const WORD = /[\p{L}\p{N}\p{M}]+/gu
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

const wordsOf = (text: string): string => ` ${(text.match(WORD) ?? []).map(fold).join(' ')} `

/** A test for texts in which the words of a phrase stand one after the other as they are, whatever signs are between them. */
export function phraseTest(phrase: string): (text: string) => boolean {
  const words = wordsOf(phrase)
  // Where words are not set apart by blanks, a phrase may begin and end inside of what looks like one word.
  const wanted = UNSPACED.test(phrase) ? words.trim() : words
  return (text) => wanted.trim() !== '' && wordsOf(text).includes(wanted)
}
