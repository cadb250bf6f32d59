import snowball from 'snowball-stemmers'
import { fold } from './fold.ts'
import { wordHash } from './term-hash.ts'

/** Must agree with `snowball-stemmers` for words without apostrophes. */

const MIN_STEMMED_LENGTH = 3

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

const R1_BEGINNINGS = ['gener', 'commun', 'arsen']

const isVowel = (letter: string | undefined): boolean =>
  letter === 'a' || letter === 'e' || letter === 'i' || letter === 'o' || letter === 'u' || letter === 'y'

/** Writes a y at the beginning or after a vowel as Y: there it is a consonant. */
function markConsonants(word: string): string {
  if (!word.includes('y')) return word
  let marked = ''
  for (let i = 0; i < word.length; i++) {
    const letter = word[i] as string
    marked += letter === 'y' && (i === 0 || isVowel(marked[i - 1])) ? 'Y' : letter
  }
  return marked
}

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

export function stemEnglish(word: string): string {
  if (word.length < MIN_STEMMED_LENGTH) return word
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

/** Leaves out names whose part is asked for in their place: `postgres` for PostgreSQL. */
export const PRODUCT_NAMES = `ActionScript AirTable AppleScript BigQuery BitBucket BrowserStack CentOS CloudFlare
  CloudFormation CloudFront CloudTrail CloudWatch CodePen CodeSandbox CoffeeScript DataBricks DataDog DeepSeek DevOps
  DigitalOcean DocuSign DropBox ElasticSearch FaceBook FastAPI FireBase FireFox FireStore GitHub GitLab GraphQL HubSpot
  HuggingFace IntelliJ JavaScript JetBrains LaTeX LangChain LaunchDarkly LibreOffice LinkedIn MacBook MailChimp MixPanel
  NewRelic OneDrive OneNote OpenAI OpenOffice OpenSearch OpenShift OpenStack PagerDuty PayPal PhpStorm PostHog PostScript
  PowerBI PowerPC PowerPoint PowerShell PureScript PyCharm PyPI QuickBooks RStudio RedShift SQLite SalesForce SendGrid
  ServiceNow SharePoint SnapChat SnowFlake SonarQube StackBlitz TeamCity TensorFlow TypeScript VSCode VirtualBox WebStorm
  WhatsApp WiFi WordPad WordPress YouTube iCloud iOS iPad iPadOS iPhone jQuery macOS tvOS visionOS watchOS`

export type Reading = {
  /** Parts first; an identifier of several parts ends with its whole name. */
  terms: string[]
  hashes: number[]
  /** How many words the token adds to the length; 0 if it means nothing. */
  words: number
}

const MAX_TERM_LENGTH = 64
const ONLY_LATIN = /^[\p{sc=Latin}\p{N}]+$/u
const ONLY_CYRILLIC = /^\p{sc=Cyrillic}+$/u
const HAS_INNER_CASE = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u
const LETTERS_THEN_DIGITS = /^(\p{L}{3,})\p{Nd}+$/u
const VERSION_NUMBER = /^[vV]?(\p{Nd}+(?:\.\p{Nd}+)+)$/u
const HAS_DIGIT = /\p{Nd}/u
const WORD_PART =
  /\p{Lu}+(?!\p{Ll})[\p{Nd}\p{M}]*|\p{Lu}?[\p{L}\p{M}]+?(?=\p{Lu}|\p{Nd}|$)\p{Nd}*|[\p{L}\p{N}\p{M}]+/gu

const russian = snowball.newStemmer('russian')

const cut = (term: string) => (term.length <= MAX_TERM_LENGTH ? term : term.slice(0, MAX_TERM_LENGTH))

/** Splits a word at inner capitals and folds the pieces. */
const piecesOf = (word: string): string[] => (word.match(WORD_PART) ?? []).map(fold).filter(Boolean)

/** Pieces of product names: java and script for `javascript`. Each piece is its own stem. */
const PIECES_OF_PRODUCTS: ReadonlyMap<string, readonly string[]> = new Map(
  PRODUCT_NAMES.split(/\s+/).map((name) => [fold(name), piecesOf(name)]),
)
/** Leaves out names in -s, because stemming makes them another word (`ios` to io). */
const NAMES_BY_STEM: ReadonlyMap<string, string> = new Map(
  [...PIECES_OF_PRODUCTS.keys()]
    .filter((name) => !name.endsWith('s'))
    .map((name) => [stemEnglish(name), name]),
)
const BEGINNINGS_OF_PRODUCTS: ReadonlySet<string> = new Set(
  [...PIECES_OF_PRODUCTS.keys()].flatMap((name) => [...name].map((_, i) => name.slice(0, i + 1))),
)
const MAX_PIECES = Math.max(...[...PIECES_OF_PRODUCTS.values()].map(({ length }) => length))

function stem(folded: string): string {
  const word = cut(folded)
  if (PIECES_OF_PRODUCTS.has(word)) return word
  if (ONLY_LATIN.test(word)) {
    const stemmed = stemEnglish(word)
    return NAMES_BY_STEM.get(stemmed) ?? stemmed
  }
  return ONLY_CYRILLIC.test(word) ? russian.stem(word) : word
}

const reading = (terms: string[], words: number): Reading => ({ terms, hashes: terms.map(wordHash), words })

const asIs = (folded: string): Reading => (folded ? reading([cut(folded)], 1) : reading([], 0))

function plain(folded: string): Reading {
  const numbered = LETTERS_THEN_DIGITS.exec(folded)?.[1]
  if (numbered) return reading([cut(folded), stem(numbered)], 1)
  return folded && !HAS_DIGIT.test(folded) ? reading([stem(folded)], 1) : asIs(folded)
}

/** Returns a product name as separate words, folded (`mac os` for `macos`), or undefined. */
export const spokenProduct = (folded: string): string | undefined => PIECES_OF_PRODUCTS.get(folded)?.join(' ')

function withProducts(pieces: readonly string[]): string[] {
  const words: string[] = []
  for (let at = 0; at < pieces.length; ) {
    const first = pieces[at] as string
    let length = BEGINNINGS_OF_PRODUCTS.has(first) ? Math.min(MAX_PIECES, pieces.length - at) : 1
    while (length > 1 && !PIECES_OF_PRODUCTS.has(pieces.slice(at, at + length).join(''))) length--
    words.push(length === 1 ? first : pieces.slice(at, at + length).join(''))
    at += length
  }
  return words
}

export const partsOf = (token: string): string[] =>
  token.split('_').flatMap((piece) => withProducts(piecesOf(piece)))

function identifier(token: string): Reading {
  const parts = partsOf(token)
  if (parts.length < 2) return plain(parts[0] ?? '')
  return reading([...parts.map(stem), stem(parts.join(''))], parts.length)
}

function version(number: string): Reading {
  const folded = cut(fold(number))
  const beginnings = [...folded.matchAll(/\./g)].map(({ index }) => folded.slice(0, index))
  return reading([...beginnings, folded], 1)
}

const MAX_NAME_LENGTH = 256
/** In encoded data such as Base64, pieces of one kind average two characters; in names five. */
const MIN_ENCODED_LENGTH = 16
const ENCODED_PIECE = 3

const kindOf = (code: number): number => {
  if (code >= 97) return 1
  return code >= 65 ? 2 : 3
}

/** Whether letters and digits change too often for a name. */
function isEncoded(token: string): boolean {
  if (token.length < MIN_ENCODED_LENGTH) return false
  let pieces = 1
  let before = kindOf(token.charCodeAt(0))
  for (let i = 1; i < token.length; i++) {
    const kind = kindOf(token.charCodeAt(i))
    if (kind !== before && !(kind === 1 && before === 2)) pieces++
    before = kind
  }
  return pieces * ENCODED_PIECE > token.length
}

export function interpret(token: string): Reading {
  if (token.length > MAX_NAME_LENGTH || isEncoded(token)) return asIs(fold(token.slice(0, MAX_NAME_LENGTH)))
  const number = VERSION_NUMBER.exec(token)?.[1]
  if (number) return version(number)
  return token.includes('_') || HAS_INNER_CASE.test(token) ? identifier(token) : plain(fold(token))
}

export const readAsIs = (text: string): Reading => ({ terms: [text], hashes: [wordHash(text)], words: 1 })

/** Dropped from queries, except when a query has no other words ("to be or not to be"). */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by
  can could did do does doing done for from further get got had has have having he her here hers him his how i if in
  into is it its itself just let me more most my no nor not of off on once only or other our out over own per please
  same she should so some such than that the their them then there these they this those through to too under until up
  us use used using via very was we were what when where whether which while who whom why will with would you your s t d ll re ve`
    .split(/\s+/)
    .filter(Boolean),
)

/** Stems of stop words; typing errors are never corrected to one of these. */
export const STOP_STEMS: ReadonlySet<string> = new Set(
  [...STOP_WORDS].flatMap((word) => interpret(word).terms),
)

/** English words of every subject. They are indexed normally, but add little certainty to a hit. */
const COMMON_WORDS = `able accept accord achieve act action actual add addition additional affect age agree aim allow almost alone
  already alternative although always among amount analyse analysis analyze another answer appear apply approach
  appropriate approximate area arise around arrange ask aspect assign assume attempt available average avoid aware
  away back bad basis bear become begin behave behavior behaviour believe benefit best better beyond big bit
  bottom bring broad call care carry case catch cause certain chance change characteristic check choice choose
  clean clear clearly collect combination combine come comment common compare comparison complete completely
  complex compute concern conclude conclusion condition conduct consider consist contain content continue contrast
  contribute correct correctly cost course cover create critical current currently cut daily date day deal decide
  decision decrease deep define definition degree demand demonstrate depend derive describe description design
  desire detail determine develop development differ difference different difficult directly discuss distribute
  divide down draw due during each early easily easy effect effective effectively either else employ empty enable
  end enough ensure enter entire equal error especially establish estimate evaluate even eventually every
  everything evidence exact exactly examine example except exceed exist existing expect expected experience
  experimental explain explore express extend extent external extra extract face facilitate fact factor fail
  failure fall far fast feature feel few field figure fill final finally find fine finish first fit fix focus
  follow following force form former forward found four free frequent frequently full fully future gain general
  generally generate give given global go goal good great group grow guide half handle happen hard hear help high
  higher highly hold home hour however idea identical identify illustrate immediate immediately impact important
  improve include increase indeed independent indicate individual induce influence inform information initial
  inside instance instead interact interaction interest internal introduce investigate investigation involve issue
  job join keep kind know knowledge known lack large largely last late later lead learn least leave left less
  level life like likely limit limited line little live locate location long longer look lose lot low lower main
  mainly maintain major make manage manner manual many match material matter maximum may mean meaning means
  measure measurement mechanism meet mention middle might mind minimum minute miss missing mix modern modify
  moment month mostly movement much multiple must name nature near nearly necessary need never new newly next
  night non none normally note nothing notice novel now number numerous objective observe obtain obvious occur
  occurrence offer often old one operate operation opposite option order ordinary organization origin original
  otherwise outcome outside overall pair paper part partial participant particular particularly partly party pass
  past pattern pay people percent perform performance perhaps period permanent permit person personal physical
  pick picture piece place plan play plus point poor popular portion position positive possible possibly post
  potential potentially practical practice precise predict prefer prepare presence present press prevent previous
  previously primarily primary principle prior probably problem procedure proceed process produce product progress
  promote proper properly property proportion propose protect prove provide publish pull purpose push put quality
  quantity question quick quickly quite raise range rapid rapidly rare rarely rate rather raw reach ready real
  reality realize really reason reasonable receive recent recently recognize recommend recover reduce reduction
  refer reference regard region regular relate related relation relationship relative relatively release relevant
  remain repeat replace reply report represent require required requirement research respect respectively respond
  rest restrict result reveal right rise role round rule safe save say scope second section see seem select
  selection self sell send sense separate series serious serve set several severe share sharp short show side
  significance significant significantly similar similarly simple simply since single situation six skip slow
  slowly small smaller solution solve something sometimes somewhere soon sort source speak special specific
  specifically specify spend spread stage start state statement status stay steady step still stop story straight
  strategy strict strong strongly study style subsequent substance success successful successfully sudden suffer
  sufficient suggest suitable summary supply suppose sure surprise survive systematic take talk teach tell ten
  tend term thank therefore thing think third though thought three throughout throw thus tight time tiny together
  top topic total touch toward towards track traditional travel trend trouble try turn two type typical typically
  ultimate unable undergo understand understanding unexpected unique unknown unless unlike upon usage useful usual
  usually utility valid variation variety various visible visit wait walk want watch way weak week well whatever
  whenever whereas white whole widely win wish within without word work worker world worse worst worth wrong year
  yes yet young`

let stems: ReadonlySet<string> | undefined

/** Whether an index term is a common word. Built at first use, to keep the start fast. */
export function isCommonStem(term: string): boolean {
  stems ??= new Set(COMMON_WORDS.split(/\s+/).flatMap((word) => interpret(word).terms))
  return stems.has(term)
}
