import {
  changesIn,
  isPlaceholder,
  isPlainlyRandom,
  isUnpronounceable,
  looksLikePassword,
} from './placeholders.ts'
import { RANK, type Span } from './rules/rule.ts'
import { BLANKS, type Notation, setOf, WORD_CHARACTERS } from './value-runs.ts'

/**
 * Bare values with signs that code has too: `DB_PASSWORD=…?…`, `password: …:…`, `FAL_KEY=<id>:<key>`. A value with a
 * closing bracket is code.
 */
const VALUE = /(?![:?|([{])(?:[A-Za-z0-9_+/.~!@#%^*=$:?|([{-]|&(?!\w{1,30}[=;])){8,200}(?=[\s"'`;,<]|$)/y
export const SIGNED_NOTATION: Notation = {
  inside: setOf(`${WORD_CHARACTERS}+/.~!@#%^*=$:?|([{-`),
  behind: setOf(`${BLANKS}"'\`;,<`),
  longest: 200,
}
const SIGN = /[:?|([{]/
const BRACKET = /[([{]/g
const SIGNS_AT_END = /[:?|([{.]{1,8}$/
const END_OF_LINE = /[ \t]{0,20}(?:\r?\n|$)/y
/** No key has them, nor an equals sign but at its end. */
const SIGN_OF_PASSWORD = /[?([{]|=(?!=?$)/
/** Cells of a table, or commands of a shell. */
const MANY_BARS = /\|.*\|/

/** Times, addresses of machines, digests, names of resources, keys of rows, variables: they mix letters and digits too. */
export const KNOWN_FORM = new RegExp(
  [
    String.raw`^\d{4}-\d\d-\d\dT`,
    '(?:^|:)(?:[0-9a-f]{0,4}:){2}',
    String.raw`(?:^|[@:])(?:sha\d{1,3}|md5):`,
    '^(?:arn|urn|ssm|vault):',
    String.raw`^(?:[a-z][\w-]{0,30}:){1,4}[0-9a-f]{8}-[0-9a-f]{4}-`,
    String.raw`(?:^|[:?|([{/.@=-])\$[\w({]`,
  ].join('|'),
  'i',
)
const BETWEEN_PARTS = /[:?|([{/.@_=+-]/
/** A word, a number, or a word with a number: `db1.example.com:5432`, `Foo1|Bar2`, `tokens[index1`. */
const PLAIN_PART = /^[A-Za-z]{0,200}\d{0,200}$/

const isCode = (value: string): boolean =>
  KNOWN_FORM.test(value) || value.split(BETWEEN_PARTS).every((part) => PLAIN_PART.test(part))

/** More than `looksLikePassword` asks for, because most bare text with such signs is code. */
function isSurelyPassword(value: string): boolean {
  const isMixed = /[a-z]/.test(value) && /\d/.test(value) && /[A-Z!@#%^*~]/.test(value)
  const changes = changesIn(value)
  return isMixed && (changes >= 2 || (changes === 1 && isUnpronounceable(value))) && looksLikePassword(value)
}

/** The value that starts here, if it has such a sign and is a secret beyond doubt. */
export function secretWithSigns(text: string, start: number, kind: string): Span | undefined {
  VALUE.lastIndex = start
  const written = VALUE.exec(text)?.[0]
  if (written === undefined) return undefined
  const value = written.replace(SIGNS_AT_END, '')
  if (!SIGN.test(value) || MANY_BARS.test(value)) return undefined
  if ((kind !== 'password' && SIGN_OF_PASSWORD.test(value)) || isCode(value)) return undefined
  const plain = value.replace(BRACKET, '')
  if (plain !== value && !endsLine(text, start + written.length)) return undefined
  if (isPlaceholder(plain)) return undefined
  const isSecret = kind === 'password' ? isSurelyPassword(plain) : isPlainlyRandom(value)
  return isSecret ? { start, end: start + value.length, kind, rank: RANK.assigned } : undefined
}

/** What follows a bracket that is never closed is the rest of a call. */
function endsLine(text: string, at: number): boolean {
  END_OF_LINE.lastIndex = at
  return END_OF_LINE.test(text)
}
