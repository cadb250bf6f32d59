/**
 * The English stemmer of Snowball (Porter 2), written by hand: it answers as the stemmer of `snowball-stemmers` does for words
 * without apostrophes, in a tenth of the time. A text of many different words is analysed word by word, so this time counts.
 */

const SHORTEST_STEMMED = 3

/** Words that no rule serves. */
const WHOLE_WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    skis: 'ski',
    skies: 'sky',
    dying: 'die',
    lying: 'lie',
    tying: 'tie',
    idly: 'idl',
    gently: 'gentl',
    ugly: 'ugli',
    early: 'earli',
    only: 'onli',
    singly: 'singl',
    ...Object.fromEntries(
      ['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map((word) => [word, word]),
    ),
  }),
)

/** Words that are finished when a plural's ending is off. */
const FINISHED: ReadonlySet<string> = new Set([
  'inning',
  'outing',
  'canning',
  'herring',
  'earring',
  'proceed',
  'exceed',
  'succeed',
])

/** After these beginnings R1 begins at once. */
const R1_BEGINNINGS = ['gener', 'commun', 'arsen']

const isVowel = (letter: string | undefined): boolean =>
  letter === 'a' || letter === 'e' || letter === 'i' || letter === 'o' || letter === 'u' || letter === 'y'

/** A y at the beginning or after a vowel is a consonant, written as Y. */
function markConsonants(word: string): string {
  if (!word.includes('y')) return word
  let marked = ''
  for (let i = 0; i < word.length; i++) {
    const letter = word[i] as string
    marked += letter === 'y' && (i === 0 || isVowel(marked[i - 1])) ? 'Y' : letter
  }
  return marked
}

/** Where the part behind the next consonant that follows a vowel begins. */
function regionAfter(word: string, from: number): number {
  let at = from
  while (at < word.length && !isVowel(word[at])) at++
  while (at < word.length && isVowel(word[at])) at++
  return Math.min(at + 1, word.length)
}

function firstRegion(word: string): number {
  const beginning = R1_BEGINNINGS.find((some) => word.startsWith(some))
  return beginning ? beginning.length : regionAfter(word, 0)
}

function hasVowelBefore(word: string, end: number): boolean {
  for (let i = 0; i < end; i++) if (isVowel(word[i])) return true
  return false
}

const isOneOf = (letters: string, letter: string | undefined): boolean =>
  letter !== undefined && letters.includes(letter)

/** Whether a word ends with a short syllable. */
function endsShort(word: string): boolean {
  const last = word.length - 1
  if (last < 1 || isVowel(word[last]) || !isVowel(word[last - 1])) return false
  return last === 1 || (!isOneOf('wxY', word[last]) && !isVowel(word[last - 2]))
}

function withoutPlural(word: string): string {
  const { length } = word
  if (word.endsWith('sses')) return word.slice(0, -2)
  if (word.endsWith('ies') || word.endsWith('ied')) return word.slice(0, length > 4 ? -2 : -1)
  if (!word.endsWith('s') || word.endsWith('us') || word.endsWith('ss')) return word
  return hasVowelBefore(word, length - 2) ? word.slice(0, -1) : word
}

const PAST_AND_ING = ['eedly', 'ingly', 'edly', 'eed', 'ing', 'ed']
const DOUBLED = 'bdfgmnprt'

function withoutPastOrIng(word: string, r1: number): string {
  const ending = PAST_AND_ING.find((some) => word.endsWith(some))
  if (ending === undefined) return word
  const from = word.length - ending.length
  if (ending.startsWith('ee')) return from >= r1 ? word.slice(0, from + 2) : word
  if (!hasVowelBefore(word, from)) return word
  const rest = word.slice(0, from)
  if (rest.endsWith('at') || rest.endsWith('bl') || rest.endsWith('iz')) return `${rest}e`
  const last = rest[from - 1]
  if (last === rest[from - 2] && isOneOf(DOUBLED, last)) return rest.slice(0, -1)
  return from === r1 && endsShort(rest) ? `${rest}e` : rest
}

function withI(word: string): string {
  const last = word.length - 1
  return isOneOf('yY', word[last]) && last > 1 && !isVowel(word[last - 1]) ? `${word.slice(0, last)}i` : word
}

/** Endings and what takes their place, by the last letter and the longest first. */
type Endings = ReadonlyMap<string, readonly (readonly [ending: string, instead: string])[]>

function endingsOf(instead: Readonly<Record<string, string>>): Endings {
  const longestFirst = Object.entries(instead).sort(([a], [b]) => b.length - a.length)
  return Map.groupBy(longestFirst, ([ending]) => ending.slice(-1))
}

const endingIn = (word: string, endings: Endings) =>
  endings.get(word[word.length - 1] as string)?.find(([ending]) => word.endsWith(ending))

const SECOND = endingsOf({
  tional: 'tion',
  enci: 'ence',
  anci: 'ance',
  abli: 'able',
  entli: 'ent',
  izer: 'ize',
  ization: 'ize',
  ational: 'ate',
  ation: 'ate',
  ator: 'ate',
  alism: 'al',
  aliti: 'al',
  alli: 'al',
  fulness: 'ful',
  ousli: 'ous',
  ousness: 'ous',
  iveness: 'ive',
  iviti: 'ive',
  biliti: 'ble',
  bli: 'ble',
  ogi: 'og',
  fulli: 'ful',
  lessli: 'less',
  li: '',
})
const BEFORE_LI = 'cdeghkmnrt'

function withoutSecond(word: string, r1: number): string {
  const found = endingIn(word, SECOND)
  if (!found) return word
  const [ending, instead] = found
  const from = word.length - ending.length
  if (from < r1) return word
  if (ending === 'ogi' && word[from - 1] !== 'l') return word
  if (ending === 'li' && !isOneOf(BEFORE_LI, word[from - 1])) return word
  return word.slice(0, from) + instead
}

const THIRD = endingsOf({
  tional: 'tion',
  ational: 'ate',
  alize: 'al',
  icate: 'ic',
  iciti: 'ic',
  ical: 'ic',
  ful: '',
  ness: '',
  ative: '',
})

function withoutThird(word: string, r1: number, r2: number): string {
  const found = endingIn(word, THIRD)
  if (!found) return word
  const [ending, instead] = found
  const from = word.length - ending.length
  return from < (ending === 'ative' ? Math.max(r1, r2) : r1) ? word : word.slice(0, from) + instead
}

const FOURTH = endingsOf(
  Object.fromEntries(
    'al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion'
      .split(' ')
      .map((ending) => [ending, '']),
  ),
)

function withoutFourth(word: string, r2: number): string {
  const found = endingIn(word, FOURTH)
  if (!found) return word
  const from = word.length - found[0].length
  if (from < r2 || (found[0] === 'ion' && !isOneOf('st', word[from - 1]))) return word
  return word.slice(0, from)
}

function withoutFifth(word: string, r1: number, r2: number): string {
  const last = word.length - 1
  const without = () => word.slice(0, last)
  if (word[last] === 'l') return last >= r2 && word[last - 1] === 'l' ? without() : word
  if (word[last] !== 'e' || last < r1) return word
  return last >= r2 || !endsShort(without()) ? without() : word
}

/** The stem of a folded word. */
export function stemEnglish(word: string): string {
  if (word.length < SHORTEST_STEMMED) return word
  const whole = WHOLE_WORDS.get(word)
  if (whole !== undefined) return whole
  const marked = markConsonants(word)
  const r1 = firstRegion(marked)
  const r2 = regionAfter(marked, r1)
  const singular = withoutPlural(marked)
  if (FINISHED.has(singular)) return singular
  let stem = withI(withoutPastOrIng(singular, r1))
  stem = withoutThird(withoutSecond(stem, r1), r1, r2)
  stem = withoutFifth(withoutFourth(stem, r2), r1, r2)
  return stem.includes('Y') ? stem.replaceAll('Y', 'y') : stem
}
