import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { CardType } from '../../db/knowledge-schema.ts'
import { isLoneCharacter, termsOf } from '../../text/analyse.ts'
import { fold } from '../../text/fold.ts'
import type { AskedWord } from '../../text/query.ts'
import type { CardFields } from '../../text/snippet.ts'
import { listedIn, type SearchScope } from './retrieve.ts'

/** A parsed query. Everything that is not syntax is text. */
export type QueryRead = {
  /** The words to look for, those of phrases included. */
  text: string
  /** A card must contain each of them literally. */
  phrases: string[]
  /** Words in quotation marks: they are never corrected. */
  asTyped: ReadonlySet<string>
  tags: string[]
  type: CardType | undefined
  isInTitle: boolean
  /** Cards that have one of these words are left out. */
  without: string[]
}

/** People type syntax in one line; longer text is pasted. */
const LONGEST_WITH_SYNTAX = 300
const CARD_TYPES: readonly CardType[] = ['debug_fix', 'how_to', 'lesson_learned', 'decision', 'reference']

/** A word to leave out: `-redis`, `-x509`, `-错误`. Shorter ones, and capitals with digits (`-Xmx2g`), are options. */
const LEFT_OUT = String.raw`(?:\p{L}\p{M}*){3,}|\p{Ll}[\p{Ll}\p{Nd}]{2,}|\p{sc=Han}{2}`
const OPERATOR = new RegExp(
  String.raw`(?<=^|\s)(?:(?<name>tag|type|in):(?:"(?<quoted>[^"]+)"|(?<value>[^\s":]+))|-(?<without>${LEFT_OUT})|["“](?<phrase>[^"“”]+)["”])(?=\s|$)`,
  'gu',
)

type OperatorGroups = Record<string, string | undefined>

/** Characters of code, commands or messages. Beside them a dash or a quotation mark is not syntax. */
const NOT_PROSE = /[^\p{L}\p{N}\p{M}\s'’.,?!_-]|(?:^|\s)-/u

/** Words of error messages, which put names in quotation marks: `relation "users" does not exist`. */
const MESSAGE_WORDS = new Set(
  `attribute argument cannot can't column command could couldn't denied does doesn't error exception exist exists expected failed
  failure field file found has import invalid is key missing module name named no not object package property refused relation
  symbol table token type unable undefined unexpected unknown unresolved value variable was`.split(/\s+/),
)

/** Programs: in a line that begins with one, dashes are options: `java -version`. */
const COMMANDS = new Set(
  `ansible apt awk aws az bash brew cargo cat cd chmod clang cmake composer cp curl deno docker dotnet ffmpeg find gcc gcloud gem gh git go
  gradle grep helm java javac jest kubectl ls make mongo msbuild mv mvn mysql node npm npx nvm openssl php pip podman pnpm
  powershell psql python pytest rm rsync ruby rustc scp sed sh sqlite ssh sudo systemctl tar terraform tsc uv vite vitest wget yarn`.split(
    /\s+/,
  ),
)

const plain = (text: string): QueryRead => ({
  text,
  phrases: [],
  asTyped: new Set(),
  tags: [],
  type: undefined,
  isInTitle: false,
  without: [],
})

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}\p{M}_'’]+/gu) ?? []

/**
 * Reads `"phrases"`, `tag:`, `type:`, `in:title` and `-word`. `isTag` says whether a card in scope has the tag: a
 * name that none has is a word.
 */
export function readSyntax(query: string, isTag: (tag: string) => boolean): QueryRead {
  if (query.length > LONGEST_WITH_SYNTAX || query.includes('\n')) return plain(query)
  const operators = [...query.matchAll(OPERATOR)]
  if (operators.length === 0) return plain(query)
  const rest = query.replace(OPERATOR, ' ').trim()
  const isProse = !NOT_PROSE.test(rest)
  const words = wordsOf(rest).map((word) => word.toLowerCase())
  const isMessage = words.some((word) => MESSAGE_WORDS.has(word))
  const isCommand = COMMANDS.has(words[0] ?? '')
  const hasSubject = words.length > 0 || operators.some((one) => isSubject(one.groups ?? {}, isTag))
  const read = plain('')
  const asTyped = new Set<string>()
  read.text = query.replace(OPERATOR, (whole, ...groups) => {
    const { name, quoted, value, without, phrase } = groups.at(-1) as OperatorGroups
    if (name) return readFilter(read, name, quoted ?? value ?? '', isTag) ? ' ' : whole
    if (without) {
      if (!isProse || isCommand || !hasSubject) return whole
      read.without.push(without)
      return ' '
    }
    const quotedWords = wordsOf(phrase ?? '')
    if (quotedWords.length === 0 || !isProse) return whole
    for (const word of quotedWords) asTyped.add(fold(word))
    if (quotedWords.length > 1 || !isMessage) read.phrases.push(phrase ?? '')
    return ` ${phrase} `
  })
  read.asTyped = asTyped
  if (wordsOf(read.text).length > 0) return read
  // Only filters: then the tags are searched as words. Without any word, the whole query is text.
  return read.tags.length > 0 ? { ...read, text: read.tags.join(' ') } : plain(query)
}

/** A phrase or a tag is something to look for; words are left out of what is found by it. */
const isSubject = (
  { name, quoted, value, phrase }: OperatorGroups,
  isTag: (tag: string) => boolean,
): boolean =>
  phrase === undefined ? name === 'tag' && isTag(quoted ?? value ?? '') : wordsOf(phrase).length > 0

function readFilter(read: QueryRead, name: string, value: string, isTag: (tag: string) => boolean): boolean {
  if (name === 'in') {
    if (value !== 'title') return false
    read.isInTitle = true
    return true
  }
  if (name === 'type') {
    const type = CARD_TYPES.find((type) => type === value)
    if (type) read.type = type
    return type !== undefined
  }
  if (!isTag(value)) return false
  read.tags.push(value)
  return true
}

/** The names that a query may mean as tags. */
export const tagsNamed = (query: string): string[] =>
  query.length > LONGEST_WITH_SYNTAX || query.includes('\n')
    ? []
    : [...query.matchAll(OPERATOR)].flatMap(({ groups }) =>
        groups?.name === 'tag' ? [groups.quoted ?? groups.value ?? ''] : [],
      )

/** A card whose words are not all in the index has more text to filter by. */
const MAX_CHARACTERS = 8000

/**
 * The beginning of the text that lists filter by, of the cards in scope that have this character, those changed last first. The character is a
 * letter, so it is never a wildcard.
 */
async function textsWith(ctx: Ctx, scope: SearchScope, character: string, limit: number): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('cards')
    .select(sql<string>`substr(cards.filter_text, 1, ${MAX_CHARACTERS})`.as('filter_text'))
    .where(listedIn(scope))
    .where('cards.filter_text', 'like', `%${character}%`)
    .orderBy('cards.updated_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => row.filter_text)
}

/** Cards that are read for the pairs which stand around the character; further ones have mostly the same. */
const MOST_READ = 500
const MOST_PAIRS = 100

/**
 * The index knows scripts without spaces by pairs of characters. For a question of one character, the pairs that hold it are
 * taken from the cards in scope. The library is left out: it has too many cards to look through for each question.
 */
export async function withPairs(ctx: Ctx, scope: SearchScope, words: AskedWord[]): Promise<AskedWord[]> {
  const [word] = words
  if (scope.scope === 'public' || words.length !== 1 || !word || !isLoneCharacter(word.term)) return words
  const pairs = new Set<string>()
  for (const text of await textsWith(ctx, scope, word.term, MOST_READ)) {
    for (const term of termsOf(text)) if (term !== word.term && term.includes(word.term)) pairs.add(term)
    if (pairs.size >= MOST_PAIRS) break
  }
  return [{ ...word, otherTerms: [...pairs].slice(0, MOST_PAIRS) }]
}

/**
 * Whether a card is about another code than the query: `exit code 255` is asked, and the card is about `exit code 137`.
 * The words around the number are the same then, and the number alone says what is meant. Versions are not codes: what
 * holds for one often holds for the next.
 */

/** How programs write the kind of a code and its number; each pattern has the number, and the kind if it names several. */
type Kind = { kind?: string; pattern: RegExp }
const KINDS: readonly Kind[] = [
  // ORA-00001, TS2345, E0499. Names such as SHA256 have fewer digits.
  { pattern: /(?<![\w-])(?<kind>[A-Z]{1,6})-?(?<number>\d{4,7})(?![\w-])/g },
  {
    kind: 'exit',
    pattern: /\bexit(?:s|ed)?(?: with)?(?:[ -]?(?:code|status))?[ :=]{1,2}(?<number>\d{1,3})\b/gi,
  },
  {
    kind: 'http',
    pattern:
      /\b(?:http(?:\/[\d.]{1,3})?(?: (?:status|error|code)){0,2}|(?<!exit )(?<!exited with )status(?:[ -]?code)?)[ :=]{1,2}(?<number>[1-5]\d\d)\b/gi,
  },
  { kind: 'error', pattern: /\berror(?: code)?[ :=#]{1,2}(?<number>\d{3,6})\b/gi },
  { kind: 'signal', pattern: /\bsignal[ :=]{1,2}(?<number>\d{1,2})\b/gi },
  // Status codes of Windows. Other hexadecimal numbers are addresses.
  { kind: '0x', pattern: /\b(?<number>0x[8c][0-9a-f]{7})\b/gi },
]

/** People also type TS 2345 and ts(2345). Of a card that would be a port or a year as well. */
const KINDS_TYPED: readonly Kind[] = [
  ...KINDS,
  { pattern: /(?<![\w-])(?<kind>[A-Z]{1,6})[ (](?<number>\d{4,7})(?![\w-])/g },
]

/**
 * Letters by which a tool numbers its messages; a letter alone is one too, but for the V of a version. In two words
 * others may be a port, a size or a year: `port 3000`, `RSA 4096`, `VS 2022`.
 */
const TOOLS = 'AADSTS|BC|CS|DPI|DPY|FS|LNK|MSB|NETSDK|NG|NU|ORA|PLS|RMAN|SC|TNS|TS|[A-UW-Z]'
const SURELY_CODE = [
  ...KINDS.map(({ pattern }) => pattern),
  new RegExp(`(?<![\\w-])(?:${TOOLS})[ (]\\d{4,7}(?![\\w-])`, 'g'),
]

/** The numbers of the codes in a text, in small letters, by their kind. */
export type Codes = ReadonlyMap<string, ReadonlySet<string>>

function codesIn(text: string, kinds: readonly Kind[] = KINDS): Codes {
  const codes = new Map<string, Set<string>>()
  if (!/\d/.test(text)) return codes
  for (const { kind: known, pattern } of kinds)
    for (const { groups } of text.matchAll(pattern)) {
      const kind = known ?? groups?.kind ?? ''
      codes.set(kind, (codes.get(kind) ?? new Set()).add(groups?.number?.toLowerCase() ?? ''))
    }
  return codes
}

/** A longer text was pasted: it has codes that nobody asks about. */
const LONGEST_TYPED = 200

export type AskedCodes = {
  codes: Codes
  /** Nothing else is asked: then a card without the number is not meant either, whatever words it shares. */
  isAll: boolean
}

export const NO_CODES: AskedCodes = { codes: new Map(), isAll: false }

const SAYS_CODE = /\b(?:error|code|status|exit|failed|with)s?\b/gi

/** The codes that somebody typed into a query, in whatever case. */
export function codesAsked(query: string): AskedCodes {
  if (query.length > LONGEST_TYPED || query.includes('\n')) return NO_CODES
  const text = query.toUpperCase()
  const codes = codesIn(text, KINDS_TYPED)
  if (codes.size === 0) return NO_CODES
  const rest = SURELY_CODE.reduce((left, pattern) => left.replace(pattern, ' '), text).replace(SAYS_CODE, ' ')
  return { codes, isAll: !/[\p{L}\p{N}]/u.test(rest) }
}

/** What a card is about stands in its title and symptom; other texts mention codes in passing. */
const isAbout = ({ where }: { where: string }): boolean => where === 'title' || where === 'symptom'

const hasNumber = (text: string, number: string): boolean =>
  text.includes(number) && new RegExp(`(?<!\\d)${number}(?!\\d)`, 'i').test(text)

/** The card has no code that was asked, and others of an asked kind; or nothing but a code was asked. */
export function isAboutAnotherCode({ codes, isAll }: AskedCodes, { fields }: CardFields): boolean {
  if (codes.size === 0) return false
  const numbers = [...codes.values()].flatMap((some) => [...some])
  const isTold = () => {
    const told = codesIn(
      fields
        .filter(isAbout)
        .map(({ text }) => text)
        .join('\n'),
    )
    return [...codes.keys()].some((kind) => told.has(kind))
  }
  return (
    (isAll || isTold()) &&
    !fields.some(({ text }) => numbers.some((number) => hasNumber(text.toLowerCase(), number)))
  )
}
