import { normalForm } from './normal-form.ts'

const ONLY_ASCII = /^[\0-\x7f]*$/
/** Chinese characters, Hangul in syllables and kana. Two normal forms would take them apart and put them together again. */
const FOLDED_ALREADY = /^[\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]*$/

/** Letters that Unicode does not take apart, as people write them who lack them: `Strasse`, `aendring`, `Lodz`. */
const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
}
const NOT_PLAIN = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'g')

/** Where a word may be divided, or must not be: a soft hyphen, a space of no width, a joiner of words. Not part of the word. */
export const DIVIDER = '[\\u00ad\\u200b\\u2060\\ufeff]'
const EVERY_DIVIDER = new RegExp(DIVIDER, 'g')

/** A text that may hold words such as `data\u00adbase`, with each of them in one piece. */
export const withoutDividers = (text: string): string => text.replace(EVERY_DIVIDER, '')

/**
 * What a sign becomes that Unicode writes out: in scripts without spaces at most 6 characters, in Arabic up to 18, which are
 * one word. Of a long word the index keeps the beginning, so a text of thousands of such signs need not be folded whole.
 */
const longestWrittenOut = (text: string): number => 6 * text.length + 1000

/** Latin and Cyrillic letters, each of which is folded alone, whatever stands beside it. */
const ALPHABETIC = /^[\0-\x7f\u00c0-\u024f\u0400-\u0482\u048a-\u04ff]*$/
const foldedLetters: string[] = []

function foldLetters(text: string): string {
  let folded = ''
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    let letter = foldedLetters[code]
    if (letter === undefined) {
      letter = foldAny(text[i] as string)
      foldedLetters[code] = letter
    }
    folded += letter
  }
  return folded
}

/** Lower-case, compatibility forms made one, accents of alphabetic scripts dropped. */
export function fold(text: string): string {
  if (ONLY_ASCII.test(text)) return text.toLowerCase()
  if (FOLDED_ALREADY.test(text)) return text
  return ALPHABETIC.test(text) ? foldLetters(text) : foldAny(text)
}

/** The slow way, for every script: normal forms take longer than all else that is done with a word. */
export function foldAny(text: string): string {
  const lower = normalForm(withoutDividers(text), 'NFKC').slice(0, longestWrittenOut(text)).toLowerCase()
  const plain = normalForm(lower, 'NFD')
    .replace(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g, '')
    .replace(NOT_PLAIN, (letter) => PLAIN_LETTERS[letter] ?? letter)
    // Some compatibility forms fall apart into signs and blanks, such as a bracketed number or a lone vowel mark.
    .replace(/["'*():%\s\p{Cc}]/gu, '')
  return normalForm(plain, 'NFC')
}

/** Text without its case, in every script: `STRASSE` is `straße`, `ΟΔΟΣ` is `οδος`, `İ` is `i`. */
export function foldCase(text: string): string {
  const lower = normalForm(text, 'NFC').toUpperCase().toLowerCase()
  return lower.replaceAll('ς', 'σ').replaceAll('i̇', 'i')
}
