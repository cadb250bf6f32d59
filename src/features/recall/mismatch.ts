import { tokens } from '../../text/analyse.ts'
import { fold } from '../../text/fold.ts'
import { isCommonStem, PRODUCT_NAMES, STOP_WORDS } from '../../text/terms.ts'
import { withoutEnd } from '../../text/unicode.ts'

export type Word = { term: string; typed: string }

export const READ_CHARACTERS = 3000
const ONLY_NUMBERS = /^[\d.]+$/

export function wordsOf(text: string): Word[] {
  const read = text.slice(0, READ_CHARACTERS)
  return tokens(read).flatMap(({ start, end, terms }) => {
    const typed = read.slice(start, end)
    if (STOP_WORDS.has(fold(typed)) || ONLY_NUMBERS.test(typed)) return []
    return [{ term: terms.at(-1) ?? '', typed }]
  })
}

/** A sentence that programs print for many causes would favour every card that quotes the sentence. */

const QUOTED = `['"\`‘“][^'"\`’”\\n]{0,200}['"\`’”]`

/** The cause follows on the same line. */
const BEFORE_CAUSE: readonly RegExp[] = [
  new RegExp(`unable to access (?:${QUOTED}|\\S{1,200}):`, 'gi'),
  /connection to server (?:at|on socket)[^\n]{0,200}? failed:(?:\s{1,3}FATAL:)?/gi,
  /error response from daemon:/gi,
]
const SENTENCES: readonly RegExp[] = [
  ...BEFORE_CAUSE,
  new RegExp(`failed to push some refs(?: to (?:${QUOTED}|\\S{1,200}))?`, 'gi'),
  /could not read from remote repository/gi,
]

const BESIDE: readonly RegExp[] = [
  /please make sure you have the correct access rights/gi,
  /and the repository exists/gi,
  /\S{1,100} -> \S{1,100}/g,
  /\bfor user\b/gi,
  new RegExp(QUOTED, 'g'),
]

const has = (text: string, sentence: RegExp): boolean => text.search(sentence) >= 0

const without = (text: string, patterns: readonly RegExp[]): string =>
  patterns.reduce((left, pattern) => left.replaceAll(pattern, ' '), text)

function afterSentence(line: string): string {
  for (const sentence of BEFORE_CAUSE)
    for (const match of line.matchAll(sentence)) return line.slice(match.index + match[0].length)
  return line
}

const SAYS_FAILED = new Set(['error', 'fatal', 'fail', 'hint', 'remot', 'reject'])

const termsIn = (text: string): string[] => wordsOf(text).map(({ term }) => term)

const causesIn = (text: string): Set<string>[] =>
  text
    .split('\n')
    .flatMap((line) => without(afterSentence(line), [...SENTENCES, ...BESIDE]).split(/[.;] /))
    .map((cause) => new Set(termsIn(cause).filter((term) => !SAYS_FAILED.has(term))))
    .filter(({ size }) => size > 0)

/** Returns true if more than half of the words occur; half is enough for two or more words. */
function isTold(cause: ReadonlySet<string>, told: ReadonlySet<string>): boolean {
  const shared = [...cause].filter((word) => told.has(word)).length
  return 2 * shared > cause.size || (2 * shared === cause.size && shared > 1)
}

const NO_REPOSITORY = /not a git repository \(or any/i
const REPOSITORY_GONE = /not a git repository: ['"]?[\w.~-]{0,60}[/\\]/i

function isGoneInCardOnly(failure: string, card: string): boolean {
  const isOnly = (text: string, one: RegExp, other: RegExp) => one.test(text) && !other.test(text)
  return isOnly(failure, NO_REPOSITORY, REPOSITORY_GONE) && isOnly(card, REPOSITORY_GONE, NO_REPOSITORY)
}

/** `quoting`: the card texts that may quote an error; `others`: card texts that may name its cause too. */
export function hasAnotherCause(
  lines: readonly string[],
  quoting: readonly string[],
  others: readonly string[],
): boolean {
  if (isGoneInCardOnly(lines.join('\n'), quoting.join('\n'))) return true
  const said = SENTENCES.filter((sentence) => lines.some((line) => has(line, sentence)))
  const quotes = quoting.filter((text) => said.some((sentence) => has(text, sentence)))
  if (!quotes.some((text) => causesIn(text).length > 0)) return false
  const causes = lines.flatMap(causesIn)
  const told = new Set([...quoting, ...others].flatMap((text) => termsIn(without(text, SENTENCES))))
  return causes.length > 0 && !causes.some((cause) => isTold(cause, told))
}

/** Requires a folder, so that a word before a colon does not match. */
const PATH = String.raw`((?:[\w.~+-]{0,60}/)[\w./~@+-]{1,200})`
/** Patterns for a refused or missing file in messages of Node, Python, shells and Docker. */
const FILES = [
  /\be(?:acces|perm|rofs|noent|busy|exist|isdir|notdir): [^,\n]{3,60}, \w{2,12} '([^'\n]{1,200})'/gi,
  /\[errno \d{1,3}\] [^:\n]{3,60}: '([^'\n]{1,200})'/gi,
  new RegExp(`(?<![\\w./~@+-])${PATH}['"’]?: (?:permission denied|no such file)`, 'gi'),
  new RegExp(`\\bpermission denied(?: \\w{1,20}){0,12}:? ['"]?(?:unix://)?${PATH}`, 'gi'),
  /\b(listen) eacces/gi,
]

export const filesIn = (text: string): string[] =>
  FILES.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name))

const COMMON_PARTS = new Set(
  `app apps bin build builds client code config core data dev dist etc file files home index json lib libs linux local log
  main module modules node npm opt out package packages path private project repo root run server share src srv system test
  tests tmp txt types user users usr util utils var work workspace yaml yml`.split(/\s+/),
)
const MIN_PART_LENGTH = 3

const fileNameOf = (name: string): string => name.split(/[/\\]/).at(-1) ?? ''

const wordsIn = (text: string): string[] =>
  text
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/\d{1,3}$/, ''))
    .filter((word) => word.length >= MIN_PART_LENGTH)

const wordsOfName = (name: string): string[] => [...wordsIn(name), fileNameOf(name)]

const saysLittle = (word: string) => COMMON_PARTS.has(word) || STOP_WORDS.has(word) || isCommonStem(word)

const FILE_NAME = /^.{2,}\.\w/

/** Returns the words of a name, or the whole file name, that a text has too. Both in lower case. */
function subjectWords(name: string, about: string): string[] {
  const said = new Set(wordsIn(about))
  const words = wordsIn(name).filter((word) => said.has(word) && !saysLittle(word))
  const file = fileNameOf(name)
  return FILE_NAME.test(file) && about.includes(file) ? [...words, file] : words
}

function speaksOfAnother(names: readonly string[], other: string, title: string): boolean {
  const subject = subjectWords(other, title)
  return subject.length > 0 && !names.flatMap(wordsOfName).some((word) => subject.includes(word))
}

const QUOTED_NAME = `['"\`‘“]([^'"\`’”\\s]{2,100})['"\`’”]`
const KINDS =
  'module|package|import|crate|gem|plugin|extension|relation|table|column|symbol|attribute|name|make target'
const NAMED_THING = new RegExp(
  `\\b(${KINDS}|module named|resolve|named|undefined):?\\s{1,3}${QUOTED_NAME}`,
  'gi',
)
/** In `Could not load the "sharp" module` the name comes first. */
const THING_NAMED_BEFORE = new RegExp(
  `${QUOTED_NAME}\\s{1,3}(module|package|crate|gem|plugin|extension)\\b`,
  'gi',
)
/** Python, Go and people also write the name without quotes. */
const BARE_THING = /\b(module named|undefined:|make target)\s{1,3}([\w./-]{2,100})/gi
const BARE_MODULE = /\bcannot find (module) (@?[\w-][\w./-]{1,100})/gi
/** Linkers quote the name with its parameters; people write the name without quotes. */
const UNDEFINED_REFERENCE = /\bundefined (reference) to\s{1,3}[`'"‘“]?([\w:~$.]{2,100})/gi
const MISSING_HEADER = /\bfatal (error): ([\w./+-]{2,100}\.h(?:pp)?): No such file/gi
const BUILD_OF_CRATE = /\bcustom (build) command for [`'"]?([\w-]{2,60})/gi
const CODE_OF_NPM = /\bnpm (?:error|err!) code (E[A-Z]{3,20})\b/gi
/** Builders name the failed command together with its shell. */
const NAMED_COMMAND =
  /\b(process|command|script):?\s{1,3}["'`](?:\/bin\/(?:ba)?sh -c )?([^"'`\n]{2,100})["'`]/gi
/** Patterns for a missing command in bash, sh, zsh, Windows and Go. In zsh the first name is its own. */
const MISSING_COMMAND = [
  /(?<![\w.+-])([\w.+-]{2,60}): command not found(?!:)/gi,
  /\bsh: (?:(?:line )?\d{1,5}: )?([\w.+-]{2,60}): not found/gi,
  /\bcommand not found: ([\w.+-]{2,60})/gi,
  new RegExp(`${QUOTED_NAME} is not recognized as`, 'gi'),
  /\bexec: "([\w.+-]{2,60})": executable file not found/gi,
]
/** Matches `Cannot connect to the Docker daemon`; a server or host without a name may be any. */
const NAMED_SERVICE =
  /\b(connect to)(?: the| local)? (?!server|host|database|socket|remote|proxy|local)([a-z][\w-]{2,40})\b/gi
/** Matches message codes such as `P1001`, `TS2345`, `ORA-00942`: the tool in letters, then the number. */
const CODE = /(?<![\w-])(([A-Z]{1,5})-?\d{3,5})(?![\w-])/g

/** A refused connection identifies the service only by name, client or usual port. */
const REFUSED = /connection refused|econnrefused|could not connect|couldn't connect|can't connect/i
const SERVICES = [
  /postgres|\bpsql\b|\bpg_|\b5432\b/i,
  /redis|\b6379\b/i,
  /mysql|mariadb|\b3306\b/i,
  /mongo|\b27017\b/i,
  /kubectl|kubernetes|\bkube|\b6443\b/i,
  /rabbitmq|\bamqp|\b5672\b/i,
  /kafka|\b9092\b/i,
  /elasticsearch|opensearch|\b9200\b/i,
] as const

/** Returns true if one named service does not answer and the card is about other services only. */
function isOfAnotherService(failure: string, card: string): boolean {
  if (!REFUSED.test(failure)) return false
  const asked = SERVICES.filter((service) => service.test(failure))
  const told = SERVICES.filter((service) => service.test(card))
  return asked.length > 0 && told.length > 0 && !asked.some((service) => told.includes(service))
}

const NAMED_OTHERWISE = [
  NAMED_THING,
  BARE_THING,
  BARE_MODULE,
  UNDEFINED_REFERENCE,
  MISSING_HEADER,
  BUILD_OF_CRATE,
  NAMED_COMMAND,
  NAMED_SERVICE,
]

type Names = Map<string, string[]>

const inSmallLetters = (found: readonly (readonly [string, string])[]): Names => {
  const names: Names = new Map()
  for (const [kind, name] of found) {
    const known = names.get(kind)
    if (known) known.push(name.toLowerCase())
    else names.set(kind, [name.toLowerCase()])
  }
  return names
}

const FILE = 'file'

function thingsIn(text: string): Names {
  const all = (pattern: RegExp) => [...text.matchAll(pattern)]
  const kindOf = (said: string) =>
    said
      .toLowerCase()
      .replace(/^(?:module named|resolve)$/, 'module')
      .replace(':', '')
  return inSmallLetters([
    ...all(THING_NAMED_BEFORE).map(([, name = '', kind = '']) => [kindOf(kind), name] as const),
    ...NAMED_OTHERWISE.flatMap(all).map(([, kind = '', name = '']) => [kindOf(kind), name] as const),
    ...MISSING_COMMAND.flatMap(all).map(([, name = '']) => ['missing command', name] as const),
    ...filesIn(text).map((name) => [FILE, name] as const),
  ])
}

const codesIn = (text: string, codes: RegExp): Names =>
  inSmallLetters([
    ...[...text.matchAll(codes)].map(([, name = '', tool = '']) => [tool.toLowerCase(), name] as const),
    ...[...text.matchAll(CODE_OF_NPM)].map(([, name = '']) => ['code of npm', name] as const),
  ])

/** The texts of a card are in lower case. */
const CODE_OF_CARD = new RegExp(CODE, 'gi')

/** Tells apart a path of the project, an alias such as `@/lib`, and something installed. */
const formOf = (name: string): 'path' | 'alias' | 'installed' =>
  /^\.{0,2}[/\\]/.test(name) ? 'path' : /^[@~#]\//.test(name) ? 'alias' : 'installed'

type NamingCard = { all: string; about: string; title: string }

/** `sub/module` of a package counts as that package, and `*.css` matches any such file. */
const isRelated = (name: string, told: string): boolean => {
  const other = told.replaceAll('*', '')
  return name.includes(other) || other.includes(name)
}

function isAnother(
  kind: string,
  names: readonly string[],
  other: string,
  { about, title }: NamingCard,
): boolean {
  if (names.some((name) => isRelated(name, other))) return false
  if ((kind === FILE || kind === 'module') && speaksOfAnother(names, other, title)) return true
  if (kind === FILE) return false
  if (!names.some((name) => formOf(name) === formOf(other))) return true
  // A card that names its thing only inside a quoted error may help with others too. A path is an example.
  return about.includes(other) && !(kind === 'module' && formOf(other) === 'path')
}

/** Returns true if for each kind that both name, the card has another name and no name of the failure. */
function differ(asked: Names, told: Names, card: NamingCard): boolean {
  if ([...asked.values()].flat().some((name) => card.all.includes(name))) return false
  return [...asked].some(([kind, names]) =>
    (told.get(kind) ?? []).some((other) => isAnother(kind, names, other, card)),
  )
}

/** `around`: the failed command, whose name may identify the service. */
export function namesAnother(lines: readonly string[], card: NamingCard, around = ''): boolean {
  const text = lines.join('\n')
  if (isOfAnotherService(`${around}\n${text}`, card.all)) return true
  const things = thingsIn(text)
  const codes = codesIn(text, CODE)
  // The code says what kind of thing is wrong, so the same code with another name is another failure.
  if (differ(things, thingsIn(card.all), card)) return true
  const isNamed = [...things.values()].flat().some((name) => card.all.includes(name))
  return !isNamed && differ(codes, codesIn(card.all, CODE_OF_CARD), card)
}

const TOKEN = /[@\p{L}\p{N}_][\p{L}\p{N}_./:@#\\-]*/gu
/** Signs that belong to a token only between its letters. */
const SIGNS = './:@#\\-'
/** Four capitals, letters with digits, inner capitals or underscores, or parts with a sign between them. */
const NAME = /^[A-Z][A-Z_]{3,}$|^(?=.*\d)(?=.*[A-Za-z])[\w-]{3,}$|[a-z][A-Z]|\w_\w|\w[.:\\/@#]+\w/
const ONLY_A_NUMBER = /^v?[\d.:/-]+$/
/** Strips the version, because a fix often holds for the next version too: `react@19.0.0` is `react`. */
const VERSION = /[@_-]v?\d+(?:\.\d+)+[\w.+-]*$/
/** Product names, which a card mentions in passing. */
const PRODUCTS = new Set(PRODUCT_NAMES.toLowerCase().split(/\s+/))

type NamedWord = { word: string; isName: boolean }

function readWord(typed: string): NamedWord {
  const word = typed.toLowerCase()
  if (!NAME.test(typed) || ONLY_A_NUMBER.test(typed) || PRODUCTS.has(word)) return { word, isName: false }
  return { word: word.replace(VERSION, ''), isName: true }
}

export const namedWords = (text: string): NamedWord[] =>
  (text.match(TOKEN) ?? [])
    .map((token) => withoutEnd(token, SIGNS))
    .filter((token) => [...token].length > 1)
    .map(readWord)

export const namesIn = (text: string): string[] => [
  ...new Set(namedWords(text).flatMap(({ word, isName }) => (isName ? [word] : []))),
]

const partsOf = (name: string): string[] => name.split(/[^\p{L}\p{N}]+/u).filter((part) => part.length > 1)

export const saysName = (text: string, name: string): boolean =>
  text.includes(name) || partsOf(name).every((part) => text.includes(part))

const COMMON_BEGINNINGS = new Set('app com dev home io lib net org src srv usr var'.split(' '))

export function areRelated(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)]
  const isWithin = (some: readonly string[], all: readonly string[]) =>
    some.every((part) => all.includes(part))
  const [beginning = ''] = a
  return isWithin(a, b) || isWithin(b, a) || (beginning === b[0] && !COMMON_BEGINNINGS.has(beginning))
}

/** Detects one sentence about two things: `error 0x80370102` and `error 0x8007019e`. */

const MIN_NEIGHBOURS = 2

/** Many names between the same words are data, so only the first pairs are compared. */
const MAX_PAIRS = 200

/** The limit for the names of each text: every name of the failure is compared with every name of the card. */
const MAX_NAMES = 200

type Slot = { name: string; words: readonly NamedWord[]; at: number }

const slotsIn = (line: string): Slot[] => {
  const words = namedWords(line)
  return words.flatMap(({ word, isName }, at) => (isName ? [{ name: word, words, at }] : []))
}

function sameNeighbours(one: Slot, other: Slot): number {
  const isSame = (by: number) => {
    const neighbour = one.words[one.at + by]
    return neighbour !== undefined && neighbour.word === other.words[other.at + by]?.word
  }
  const onSide = (step: -1 | 1) => (isSame(step) ? (isSame(2 * step) ? 2 : 1) : 0)
  return onSide(-1) + onSide(1)
}

type Told = {
  quoting: readonly string[]
  /** The title; title and fix; all texts. In lower case. */
  title: string
  about: string
  all: string
}

/** Returns the card's names that are missing in the output, in lower case, each searched once. */
function slotsOfMissing(quoting: readonly string[], whole: string): Slot[] {
  const told = quoting.flatMap((text) => text.slice(0, READ_CHARACTERS).split('\n').flatMap(slotsIn))
  const names = [...new Set(told.map(({ name }) => name))]
  const missing = new Set(names.filter((name) => !saysName(whole, name)))
  return told.filter(({ name }) => missing.has(name)).slice(0, MAX_NAMES)
}

/** `lines`: as written; `whole`: the output in lower case. */
export function namesAnotherBetween(
  lines: readonly string[],
  whole: string,
  { quoting, title, about, all }: Told,
): boolean {
  const asked = lines
    .flatMap(slotsIn)
    .filter(({ name }) => !saysName(all, name))
    .slice(0, MAX_NAMES)
  const told = asked.length === 0 ? [] : slotsOfMissing(quoting, whole)
  let pairs = 0
  for (const one of asked)
    for (const other of told) {
      if (sameNeighbours(one, other) < MIN_NEIGHBOURS) continue
      const isAbout = about.includes(other.name) || speaksOfAnother([one.name], other.name, title)
      if (isAbout && !areRelated(one.name, other.name)) return true
      pairs += 1
      if (pairs === MAX_PAIRS) return false
    }
  return false
}
