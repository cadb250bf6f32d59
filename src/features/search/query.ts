import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { CARD_TYPES, type CardType } from '../../shared/card-fields.ts'
import { isLoneCharacter, termsOf } from '../../text/analyse.ts'
import { fold } from '../../text/fold.ts'
import type { AskedWord } from '../../text/query.ts'
import type { CardFields } from '../../text/snippet.ts'
import { listedIn, type SearchScope } from './retrieve.ts'

export type QueryRead = {
  text: string
  /** Phrases that a card must have. */
  phrases: string[]
  /** Quoted parts of a question: cards that have them come first. */
  preferred: string[]
  /** Words of required phrases, which are never corrected. */
  asTyped: ReadonlySet<string>
  tags: string[]
  type: CardType | undefined
  isInTitle: boolean
  without: string[]
}

/** Syntax is typed in one line; longer text is pasted. */
const MAX_WITH_SYNTAX_LENGTH = 300

/** Matches `-redis`, `-x509`, `-错误`; shorter words and `-Xmx2g` are command options. */
const LEFT_OUT = String.raw`(?:\p{L}\p{M}*){3,}|\p{Ll}[\p{Ll}\p{Nd}]{2,}|\p{sc=Han}{2}`
const OPERATOR = new RegExp(
  String.raw`(?<=^|\s)(?:(?<name>tag|type|in):(?:"(?<quoted>[^"]+)"|(?<value>[^\s":]+))|-(?<without>${LEFT_OUT})|(?<must>\+?)["“](?<phrase>[^"“”]+)["”])(?=\s|$)`,
  'gu',
)

type OperatorGroups = Record<string, string | undefined>

/** Characters of code, commands or messages, beside which a dash or quotation mark is not syntax. */
const NOT_PROSE = /[^\p{L}\p{N}\p{M}\s'’.,?!_-]|(?:^|\s)-/u

/** In code a plus joins texts. */
const CONCATENATES = /["“”+]/
/** Whether a text is a question in a person's words, not what a program wrote. */
export const isSpoken = (text: string): boolean =>
  text.length <= MAX_WITH_SYNTAX_LENGTH && !text.includes('\n') && !NOT_PROSE.test(text)

/** Words of error messages that quote names, as in `relation "users" does not exist`. */
const MESSAGE_WORDS = new Set(
  `attribute argument cannot can't column command could couldn't denied does doesn't error exception exist exists expected failed
  failure field file found has import invalid is key missing module name named no not object package property refused relation
  symbol table token type unable undefined unexpected unknown unresolved value variable was`.split(/\s+/),
)

/** Programs: in a line that begins with one, dashes mark options (`java -version`). */
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
  preferred: [],
  asTyped: new Set(),
  tags: [],
  type: undefined,
  isInTitle: false,
  without: [],
})

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}\p{M}_'’]+/gu) ?? []

/**
 * Parses `"phrases"`, `+"phrases"`, `tag:`, `type:`, `in:title` and `-word`. A name for which `isTag` is false is a word.
 * A phrase with other words beside it is only preferred, unless it has a plus.
 */
export function readSyntax(query: string, isTag: (tag: string) => boolean): QueryRead {
  if (query.length > MAX_WITH_SYNTAX_LENGTH || query.includes('\n')) return plain(query)
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
    const { name, quoted, value, without, must, phrase } = groups.at(-1) as OperatorGroups
    if (name) return readFilter(read, name, quoted ?? value ?? '', isTag) ? ' ' : whole
    if (without) {
      if (!isProse || isCommand || !hasSubject) return whole
      read.without.push(without)
      return ' '
    }
    const quotedWords = wordsOf(phrase ?? '')
    if (quotedWords.length === 0 || !(must === '+' ? !CONCATENATES.test(rest) : isProse)) return whole
    const isRequired = must === '+' || words.length === 0
    if (isRequired) for (const word of quotedWords) asTyped.add(fold(word))
    if (must === '+' || quotedWords.length > 1 || !isMessage)
      read[isRequired ? 'phrases' : 'preferred'].push(phrase ?? '')
    return ` ${phrase} `
  })
  read.asTyped = asTyped
  if (wordsOf(read.text).length > 0) return read
  // A query of filters only: its tags are searched as words. Without any word, the whole query is text.
  return read.tags.length > 0 ? { ...read, text: read.tags.join(' ') } : plain(query)
}

/** Returns ever less strict readings, for a query that finds nothing. Words to leave out stay. */
export function looserReadings(read: QueryRead): QueryRead[] {
  const { phrases, preferred, tags, type, isInTitle, text } = read
  const readings: QueryRead[] = []
  if (phrases.length > 0) {
    readings.push({ ...read, phrases: [], preferred: [...preferred, ...phrases] })
    readings.push({ ...(readings[0] as QueryRead), asTyped: new Set() })
  }
  if (tags.length > 0 || type || isInTitle) {
    const last = readings.at(-1) ?? read
    readings.push({ ...plain(text), preferred: last.preferred, without: read.without })
  }
  return readings
}

/** Writes a reading as a query. */
export const queryOf = ({ text, tags, type, isInTitle, without }: QueryRead): string =>
  [
    text.trim().replace(/\s+/g, ' '),
    ...tags.map((tag) => (/\s/.test(tag) ? `tag:"${tag}"` : `tag:${tag}`)),
    ...(type ? [`type:${type}`] : []),
    ...(isInTitle ? ['in:title'] : []),
    ...without.map((word) => `-${word}`),
  ].join(' ')

/** A query needs a phrase or a tag before words can be left out. */
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

export const tagsNamed = (query: string): string[] =>
  query.length > MAX_WITH_SYNTAX_LENGTH || query.includes('\n')
    ? []
    : [...query.matchAll(OPERATOR)].flatMap(({ groups }) =>
        groups?.name === 'tag' ? [groups.quoted ?? groups.value ?? ''] : [],
      )

const MAX_CHARACTERS = 8000

/** The character is a letter, so it cannot be a wildcard. */
async function textsWith(ctx: Ctx, scope: SearchScope, character: string, limit: number): Promise<string[]> {
  const rows = await ctx.db
    .selectFrom('cards')
    .select(sql<string>`substr(cards.filter_text, 1, ${MAX_CHARACTERS})`.as('filter_text'))
    .where(listedIn(ctx.db, scope))
    .where('cards.filter_text', 'like', `%${character}%`)
    .orderBy('cards.updated_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => row.filter_text)
}

const MAX_READ = 500
const MAX_PAIRS = 100

export async function withPairs(ctx: Ctx, scope: SearchScope, words: AskedWord[]): Promise<AskedWord[]> {
  const [word] = words
  if (scope.scope === 'public' || words.length !== 1 || !word || !isLoneCharacter(word.term)) return words
  const pairs = new Set<string>()
  for (const text of await textsWith(ctx, scope, word.term, MAX_READ)) {
    for (const term of termsOf(text)) if (term !== word.term && term.includes(word.term)) pairs.add(term)
    if (pairs.size >= MAX_PAIRS) break
  }
  return [{ ...word, otherTerms: [...pairs].slice(0, MAX_PAIRS) }]
}

/** Versions are not codes, because a fix often holds for the next version. */

type Kind = { kind?: string; pattern: RegExp }
const KINDS: readonly Kind[] = [
  // Matches ORA-00001, TS2345, E0499. Names such as SHA256 have fewer digits.
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
  // Windows status codes. Other hexadecimal numbers are memory addresses.
  { kind: '0x', pattern: /\b(?<number>0x[8c][0-9a-f]{7})\b/gi },
]

/** Spellings in typed queries only (TS 2345, ts(2345)); in a card the same form may be a port or a year. */
const KINDS_TYPED: readonly Kind[] = [
  ...KINDS,
  { pattern: /(?<![\w-])(?<kind>[A-Z]{1,6})[ (](?<number>\d{4,7})(?![\w-])/g },
]

/** Only after these letters is a separate number a code: `port 3000` and `RSA 4096` are none. */
const TOOLS = 'AADSTS|BC|CS|DPI|DPY|FS|LNK|MSB|NETSDK|NG|NU|ORA|PLS|RMAN|SC|TNS|TS|[A-UW-Z]'
const SURELY_CODE = [
  ...KINDS.map(({ pattern }) => pattern),
  new RegExp(`(?<![\\w-])(?:${TOOLS})[ (]\\d{4,7}(?![\\w-])`, 'g'),
]

type Codes = ReadonlyMap<string, ReadonlySet<string>>

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

/** Longer text was pasted and has codes that nobody asks about. */
const MAX_TYPED_LENGTH = 200

export type AskedCodes = {
  codes: Codes
  /** The query has only codes, so a card without the number is not meant. */
  isAll: boolean
}

export const NO_CODES: AskedCodes = { codes: new Map(), isAll: false }

const SAYS_CODE = /\b(?:error|code|status|exit|failed|with)s?\b/gi

export function codesAsked(query: string): AskedCodes {
  if (query.length > MAX_TYPED_LENGTH || query.includes('\n')) return NO_CODES
  const text = query.toUpperCase()
  const codes = codesIn(text, KINDS_TYPED)
  if (codes.size === 0) return NO_CODES
  const rest = SURELY_CODE.reduce((left, pattern) => left.replace(pattern, ' '), text).replace(SAYS_CODE, ' ')
  return { codes, isAll: !/[\p{L}\p{N}]/u.test(rest) }
}

/** Title and symptom name the subject of a card; other texts mention codes in passing. */
const isAbout = ({ where }: { where: string }): boolean => where === 'title' || where === 'symptom'

const hasNumber = (text: string, number: string): boolean =>
  text.includes(number) && new RegExp(`(?<!\\d)${number}(?!\\d)`, 'i').test(text)

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
