import { fold, withoutDividers } from './fold.ts'
import { partsOfName } from './token-cache.ts'

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

const NAME = /[\p{L}\p{N}\p{M}_]+/gu

export type NamedTexts = {
  texts: readonly string[]
  names: () => {
    /** The words of each name that has several. */
    words: readonly (readonly string[])[]
    /** The same names as one text. */
    spoken: string
  }
}

/**
 * Texts that are asked for many names. To cut all of theirs into words takes far longer than to look for one, so it is
 * done once, and only if a name may be there.
 */
export function namedTexts(texts: readonly string[]): NamedTexts {
  const wordsIn = (text: string) =>
    [...text.matchAll(NAME)].map(([name]) => partsOfName(name)).filter(({ length }) => length > 1)
  const cut = () => {
    const words = texts.flatMap(wordsIn)
    return { words, spoken: words.map((name) => ` ${name.join(' ')} `).join('\n') }
  }
  let names: ReturnType<typeof cut> | undefined
  return {
    texts,
    names: () => {
      names ??= cut()
      return names
    },
  }
}

/**
 * A test for texts that say a name, given by its words: one after the other, or as words of a longer name. So `crash loop`
 * is in `CrashLoopBackOff`, and not in `crashLooper`.
 */
export function nameTest(spoken: string): (named: NamedTexts) => boolean {
  const isSaid = phraseTest(spoken)
  const whole = spoken.replaceAll(' ', '')
  const mayHave = (text: string) => text.toLowerCase().includes(whole)
  return ({ texts, names }) =>
    texts.some(isSaid) || (texts.some(mayHave) && names().spoken.includes(` ${spoken} `))
}

/** A test for texts with a longer name that has this beginning, up to the end of one of its parts: `crashloop` of `CrashLoopBackOff`. */
export function beginningTest(beginning: string): (named: NamedTexts) => boolean {
  const isBegun = (words: readonly string[]): boolean => {
    let begun = ''
    for (const word of words) {
      begun += word
      if (begun.length >= beginning.length) return begun === beginning
    }
    return false
  }
  const mayHave = (text: string) => text.toLowerCase().replaceAll('_', '').includes(beginning)
  return ({ texts, names }) => texts.some(mayHave) && names().words.some(isBegun)
}
