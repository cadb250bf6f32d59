import type { CardFields } from '../../text/read-texts.ts'

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
