import type { CardType } from '../../db/tables/cards.ts'
import { fold } from '../../text/fold.ts'

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
