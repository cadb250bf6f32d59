import snowball from 'snowball-stemmers'
import { expect, test } from 'vitest'
import { stemEnglish } from './terms.ts'

const theirs = snowball.newStemmer('english')

const ENDINGS =
  ' s es ed ing ly y er ies ied eed eedly edly ingly sses us ss ational tional enci anci ably ably entli izer ization ation ator alism aliti alli fulness ousli ousness iveness iviti biliti bli ogi ology fulli lessli li ally alize icate iciti ical ful ness ative al ance ence ic able ible ant ement ment ent ism ate iti ous ive ize ion sion tion e l ll le'.split(
    ' ',
  )
const LETTERS = 'aabcdeefghiijklmnoopqrstuuvwxyyz'

/** Reproducible: a failure names its word, and the next run has it again. */
function* words(count: number): Generator<string> {
  let seed = 7
  const below = (n: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * n)
  }
  const beginnings = ['', '', '', '', 'gener', 'commun', 'arsen', 'y', 'ay']
  for (let i = 0; i < count; i++) {
    let word = beginnings[below(beginnings.length)] as string
    for (let left = 1 + below(6); left > 0; left--) word += LETTERS[below(LETTERS.length)]
    for (let left = below(3); left > 0; left--) word += ENDINGS[below(ENDINGS.length)]
    yield word
  }
}

test('a word has the stem that Snowball gives it', () => {
  const exceptions =
    'skis skies dying lying tying idly gently ugly early only singly sky news howe atlas cosmos bias andes inning innings outing canning herring herrings earring proceed proceeds exceed succeed succeeds hopping hoping hop bed beds be yes yay flying say 0x1fed 3rds win32s utf8s'
  const wrong = [...exceptions.split(' '), ...words(15_000)].filter(
    (word) => stemEnglish(word) !== theirs.stem(word),
  )
  expect(wrong).toEqual([])
})
