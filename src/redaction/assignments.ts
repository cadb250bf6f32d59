import {
  changesIn,
  isPlaceholder,
  isPlainlyRandom,
  isUnpronounceable,
  looksLikePassword,
  looksRandom,
} from './placeholders.ts'
import { RANK, type Span } from './rule.ts'

/** Longer than the opaque tokens of services; a longer value is data. */
export const MAX_TOKEN_LENGTH = 4000
const LONG = new RegExp(`[A-Za-z0-9_+/.~=%-]{201,${MAX_TOKEN_LENGTH}}(?=[\\s"'\`;,)\\]}\\\\<&]|$)`, 'y')

const SAMPLE = 400
const MIN_SHARE_OF_CHANGES = 0.1
const PUBLIC_KEY_OF_SSH = /^AAAA[A-Z][23][NVY]/

/** Returns a long token beside its name, such as a refresh token. No password is that long. */
function longToken(text: string, start: number, kind: string): Span | undefined {
  if (kind === 'password') return undefined
  LONG.lastIndex = start
  const value = LONG.exec(text)?.[0]
  if (value === undefined || PUBLIC_KEY_OF_SSH.test(value)) return undefined
  const sample = value.slice(0, SAMPLE)
  if (isPlaceholder(sample) || !isPlainlyRandom(sample)) return undefined
  if (changesIn(sample) < MIN_SHARE_OF_CHANGES * sample.length) return undefined
  return { start, end: start + value.length, kind, rank: RANK.assigned }
}

/** Only a quote marks where a password with blanks ends. */
const PHRASE = /[^"'`\r\n\\<>{}]{8,100}(?=["'`])/y

/** App passwords of a mail provider: four groups of four letters. */
const APP_PASSWORD = /^[a-z]{4}(?: [a-z]{4}){3}$/

const PROSE =
  /\b(?:an?|and|are|as|at|be(?:en)?|by|can|cannot|characters?|contain|digits?|do|does|enter|fail(?:ed|s)?|for|from|has|have|here|if|in|is|it|least|letters?|long|min|must|need|new|no|not|of|on|one|only|or|passwords?|please|see|short|should|than|that|the|they|this|to|use|used|was|we|when|will|with|your?)\b/i

const SIGN = /[!@#$%^&*~]/
const REFERENCE_OR_MAIL = /^\$|@[^@]*\./

/** Requires a digit and a sign besides letters, which excludes words and versions. */
function isPasswordLike(word: string): boolean {
  return /\d/.test(word) && SIGN.test(word) && !REFERENCE_OR_MAIL.test(word) && looksLikePassword(word)
}

function phraseAt(text: string, start: number): Span | undefined {
  PHRASE.lastIndex = start
  const phrase = PHRASE.exec(text)?.[0]
  if (phrase === undefined || text[start + phrase.length] !== text[start - 1] || PROSE.test(phrase))
    return undefined
  const isSecret = APP_PASSWORD.test(phrase) || phrase.split(' ').some(isPasswordLike)
  // Samples such as `abcd efgh ijkl mnop` are recognised as one word.
  if (!isSecret || isPlaceholder(phrase) || isPlaceholder(phrase.replaceAll(' ', ''))) return undefined
  return { start, end: start + phrase.length, kind: 'password', rank: RANK.assigned }
}

/** The ASCII characters of a value in one notation, and those that may follow the value. */
type Notation = { inside: Uint8Array; behind: Uint8Array; longest: number }

export const WORD_CHARACTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'
export const BLANKS = ' \t\n\v\f\r'

export const setOf = (characters: string): Uint8Array => {
  const set = new Uint8Array(128)
  for (const character of characters) set[character.charCodeAt(0)] = 1
  return set
}

/** Many names in one run are data or an attack, so only the first are tried. */
const MAX_TRIES = 8
const AMPERSAND = 38
/** Matches the next URL parameter, which ends the value before it. */
const NEXT_FIELD = /&\w{1,30}[=;]/y

/** Reads a run of value characters once for all names in it (denial of service by pasted runs). */
export class ValueRuns {
  readonly #text: string
  readonly #notation: Notation
  #start = 0
  #end = 0
  #hasInnerEnd = false
  #tries = 0
  #lastTry = -1

  constructor(text: string, notation: Notation) {
    this.#text = text
    this.#notation = notation
  }

  admits(at: number): boolean {
    if (at < this.#start || at >= this.#end) this.#moveTo(at)
    const isValue = this.#end - at <= this.#notation.longest && this.#mayEnd(this.#end)
    if (!isValue && !this.#hasInnerEnd) return false
    if (at !== this.#lastTry) {
      this.#lastTry = at
      this.#tries += 1
    }
    return this.#tries <= MAX_TRIES
  }

  #mayEnd(at: number): boolean {
    const code = this.#text.charCodeAt(at)
    return at === this.#text.length || code > 127 || this.#notation.behind[code] === 1
  }

  #moveTo(at: number): void {
    const { inside, behind } = this.#notation
    let end = at
    this.#hasInnerEnd = false
    for (; end < this.#text.length; end += 1) {
      const code = this.#text.charCodeAt(end)
      if (inside[code] === 1) continue
      if (code !== AMPERSAND || this.#beginsField(end)) break
      if (behind[AMPERSAND] === 1) this.#hasInnerEnd = true
    }
    this.#start = at
    this.#end = end
    this.#tries = 0
  }

  #beginsField(at: number): boolean {
    NEXT_FIELD.lastIndex = at
    return NEXT_FIELD.test(this.#text)
  }
}

/** Matches values with signs that code has too; a value with a closing bracket is code. */
const VALUE = /(?![:?|([{])(?:[A-Za-z0-9_+/.~!@#%^*=$:?|([{-]|&(?!\w{1,30}[=;])){8,200}(?=[\s"'`;,<]|$)/y
export const SIGNED_NOTATION: Notation = {
  inside: setOf(`${WORD_CHARACTERS}+/.~!@#%^*=$:?|([{-`),
  behind: setOf(`${BLANKS}"'\`;,<`),
  longest: 200,
}
const VALUE_SIGN = /[:?|([{]/
const BRACKET = /[([{]/g
const SIGNS_AT_END = /[:?|([{.]{1,8}$/
const END_OF_LINE = /[ \t]{0,20}(?:\r?\n|$)/y
/** Signs that no key has; an equals sign only at the end. */
const SIGN_OF_PASSWORD = /[?([{]|=(?!=?$)/
/** Matches table cells or shell pipes. */
const MANY_BARS = /\|.*\|/

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
/** Matches plain parts such as `db1.example.com:5432`, `Foo1|Bar2`, `tokens[index1`. */
const PLAIN_PART = /^[A-Za-z]{0,200}\d{0,200}$/

const isCode = (value: string): boolean =>
  KNOWN_FORM.test(value) || value.split(BETWEEN_PARTS).every((part) => PLAIN_PART.test(part))

/** Requires more than `looksLikePassword`, because most bare text with such signs is code. */
function isSurelyPassword(value: string): boolean {
  const isMixed = /[a-z]/.test(value) && /\d/.test(value) && /[A-Z!@#%^*~]/.test(value)
  const changes = changesIn(value)
  return isMixed && (changes >= 2 || (changes === 1 && isUnpronounceable(value))) && looksLikePassword(value)
}

function secretWithSigns(text: string, start: number, kind: string): Span | undefined {
  VALUE.lastIndex = start
  const written = VALUE.exec(text)?.[0]
  if (written === undefined) return undefined
  const value = written.replace(SIGNS_AT_END, '')
  if (!VALUE_SIGN.test(value) || MANY_BARS.test(value)) return undefined
  if ((kind !== 'password' && SIGN_OF_PASSWORD.test(value)) || isCode(value)) return undefined
  const plain = value.replace(BRACKET, '')
  if (plain !== value && !endsLine(text, start + written.length)) return undefined
  if (isPlaceholder(plain)) return undefined
  const isSecret = kind === 'password' ? isSurelyPassword(plain) : isPlainlyRandom(value)
  return isSecret ? { start, end: start + value.length, kind, rank: RANK.assigned } : undefined
}

/** An unclosed bracket is followed by the rest of a call. */
function endsLine(text: string, at: number): boolean {
  END_OF_LINE.lastIndex = at
  return END_OF_LINE.test(text)
}

/** Every quantifier is bounded, so that one try costs a constant. */
const REST_OF_NAME = `[ \\t\\w.-]{0,24}?(?:&quot;|[\\s"'\`\\])\\\\*~]{0,4})`
/** A JSON pair that may stand between a name and its value. */
const SHORT_PAIR = `["']\\w{1,30}["']\\s{0,4}:\\s{0,4}(?:true|false|null|\\d{1,10}|"[^"\\n]{0,40}")`
const OPERATOR = [
  `:[ \\t]{0,2}(?:&(?:'[a-z]{1,10}[ \\t])?)?[A-Za-z][\\w<>[\\]|?.]{0,30}[ \\t]{1,2}=(?=[ \\t])`, // name: Type =
  // key="name" value="…", a name and its value in a list
  `(?:,\\s{0,40}${SHORT_PAIR}){0,2},?\\s{0,40}["']?value["']?[ \\t]{0,2}[:=]`,
  '={1,3}>?',
  '%3D',
  ':{1,3}=',
  '[?.|+]{1,2}=',
  '\\|{2}',
  '->',
  '[:>]',
  `[,(](?=[ \\t]{0,4}["'\`])`, // name("…"), "name", "…"
].join('|')
/** Markdown closes emphasis behind the operator (`**Password:** …`); YAML `>-` starts a new line. */
const OPENING = `(?:[*~]{1,3}|_{1,3}(?=\\s))?[ \\t]{0,40}(?:(?:[|>][+-]?)?\\r?\\n[ \\t]{1,40}|\\\\\\r?\\n[ \\t]{0,40})?(?:[A-Za-z_.]{0,30}\\(?\\\\?["'\`]|&quot;)?`
const LINK = new RegExp(`${REST_OF_NAME}(?:${OPERATOR})${OPENING}`, 'iy')

/** In `--password value` a blank separates flag and value; the value may stand on the next line. */
const FLAG_LINK = /[\w-]{0,20}[ \t]{1,4}(?:\\\r?\n[ \t]{0,40})?["']?/y

const MAX_REST_LENGTH = 25
const IN_NAME = new Uint8Array(128)
for (const character of ' \t.-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789') {
  IN_NAME[character.charCodeAt(0)] = 1
}

/** Returns false for most names in prose, which are followed by more words. */
function mayHaveOperator(text: string, nameEnd: number): boolean {
  for (let at = nameEnd; at < nameEnd + MAX_REST_LENGTH; at += 1) {
    if (IN_NAME[text.charCodeAt(at)] !== 1) return at < text.length
  }
  return false
}

export function valueStart(text: string, nameEnd: number): number {
  if (!mayHaveOperator(text, nameEnd)) return -1
  LINK.lastIndex = nameEnd
  return LINK.test(text) ? LINK.lastIndex : -1
}

function flagValueStart(text: string, nameEnd: number): number {
  FLAG_LINK.lastIndex = nameEnd
  if (!FLAG_LINK.test(text)) return -1
  const before = text.slice(Math.max(0, nameEnd - 40), nameEnd)
  return before.includes('--', before.lastIndexOf(' ') + 1) ? FLAG_LINK.lastIndex : -1
}

type Reach = { stretches: Stretches; bare: ValueRuns; signed: ValueRuns }

export function assignedSecret(text: string, nameEnd: number, kind: string, reach: Reach): Span | undefined {
  const linked = valueStart(text, nameEnd)
  const start = linked === -1 ? flagValueStart(text, nameEnd) : linked
  const longest = kind === 'password' ? MAX_VALUE_LENGTH : MAX_TOKEN_LENGTH
  const isTried = start !== -1 && reach.stretches.admitsValue(start, longest)
  const assigned = isTried ? secretAt(text, start, kind, reach) : undefined
  return assigned ?? spokenSecret(text, nameEnd, kind) ?? secretBelow(text, nameEnd, kind)
}

const BELOW =
  /[ \t"'`*_~)\]]{0,4}(:?)[ \t"'`*_~)\]]{0,4}\r?\n(?:[ \t]{0,20}\r?\n)?[ \t>*"'`-]{0,12}([A-Za-z0-9_+/.~!@#%^*$&-]{6,200}={0,2})["'`*]{0,3}[ \t]{0,20}(?=\r?\n|$)/y

function secretBelow(text: string, nameEnd: number, kind: string): Span | undefined {
  BELOW.lastIndex = nameEnd
  const found = BELOW.exec(text)
  const value = found?.[2]
  if (!found || value === undefined) return undefined
  const start = found.index + found[0].lastIndexOf(value)
  // Without a colon it may be any word and any line, so the value itself must look like a secret.
  if (found[1] === ':') return secretValue(value, start, kind)
  return isPlaceholder(value) || !isPlainlyRandom(value)
    ? undefined
    : { start, end: start + value.length, kind, rank: RANK.assigned }
}

/** Without an operator (`my token is …`) the value itself must look like a secret. */
const spoken = (about: string) =>
  new RegExp(
    `[A-Z_]{0,20}[ \\t]{1,4}${about}((?:is|was|to|ist|lautet|est|es|[-–—→])[ \\t]{1,4})?(["'\`]?)([A-Za-z0-9_+/.~!@#%^*=$&-]{8,200})(?=[\\s"'\`;,)\\]}]|$)`,
    'y',
  )
const SPOKEN = spoken('')
/** Excludes other names: a "key for" something is often a row number. */
const SPOKEN_PASSWORD = spoken('(?:(?:for|of|on)(?:[ \\t]{1,4}[\\w.-]{1,30}){1,3}[ \\t]{1,4}(?=is|was))?')

function spokenSecret(text: string, nameEnd: number, kind: string): Span | undefined {
  const next = text.charCodeAt(nameEnd)
  if (next !== 32 && next !== 9 && next !== 95) return undefined
  const pattern = kind === 'password' ? SPOKEN_PASSWORD : SPOKEN
  pattern.lastIndex = nameEnd
  const found = pattern.exec(text)
  const value = found?.[3]?.replace(/[;,.!]{1,8}$/, '')
  if (!found || value === undefined || isPlaceholder(value)) return undefined
  const isSaid = kind === 'password' && found[1] !== undefined && isPasswordLike(value)
  if (!isSaid && !isPlainlyRandom(value)) return undefined
  const start = found.index + found[0].length - (found[3] as string).length
  return { start, end: start + value.length, kind, rank: RANK.assigned }
}

const MAX_VALUE_LENGTH = 400
const QUOTED = /[^"'`\s\\<>]{6,200}(?=\\?["'`])/y
const BARE = /(?:[A-Za-z0-9_+/.~!@#%^*=$-]|&(?!\w{1,30}[=;])){6,400}(?=[\s"'`;,)\]}\\<&]|$)/y
export const BARE_NOTATION: Notation = {
  inside: setOf(`${WORD_CHARACTERS}+/.~!@#%^*=$-`),
  behind: setOf(`${BLANKS}"'\`;,)]}\\<&`),
  longest: MAX_VALUE_LENGTH,
}

/** Other quotes and escaped quotes belong to a password. Between escaped quotes nothing else is escaped. */
const inQuotes = (quote: string) => ({
  plain: new RegExp(`(?:[^${quote}\\s\\\\<>]|\\\\[^\\sA-Za-z0-9]){6,200}(?=${quote})`, 'y'),
  escaped: new RegExp(`[^${quote}\\s\\\\<>]{6,200}(?=\\\\${quote})`, 'y'),
})
const IN_QUOTES = { '"': inQuotes('"'), "'": inQuotes("'"), '`': inQuotes('`') }
const BACKSLASHED = /\\\\.*\\\\/
/** Paired brackets such as `{{x}}`, `${x}`, `a{x}` hold a name. A single bracket belongs to the password. */
const TEMPLATE = /[$#%]\{|\{\{|\{[^{}]{0,200}\}/
const LONE_BRACE = /(?<=.)[{}]/g

function quotedPassword(text: string, start: number, quote: keyof typeof IN_QUOTES): Span | undefined {
  const pattern = IN_QUOTES[quote][text[start - 2] === '\\' ? 'escaped' : 'plain']
  pattern.lastIndex = start
  const value = pattern.exec(text)?.[0]
  if (value === undefined || BACKSLASHED.test(value) || TEMPLATE.test(value)) return undefined
  const found = secretValue(value.replace(LONE_BRACE, ''), start, 'password')
  return found && { ...found, end: start + value.length }
}

const isQuote = (sign: string | undefined): sign is keyof typeof IN_QUOTES =>
  sign === '"' || sign === "'" || sign === '`'

function valueAt(text: string, start: number, pattern: RegExp): string | undefined {
  pattern.lastIndex = start
  return pattern.exec(text)?.[0].replace(/[;,.]{1,8}$/, '')
}

function quotedSecret(text: string, start: number, kind: string): Span | undefined {
  const opener = text[start - 1]
  const whole = isQuote(opener) && kind === 'password' ? quotedPassword(text, start, opener) : undefined
  if (whole) return whole
  const value = valueAt(text, start, QUOTED)
  if (value !== undefined) return secretValue(value, start, kind)
  return kind === 'password' ? phraseAt(text, start) : longToken(text, start, kind)
}

function bareSecret(text: string, start: number, kind: string, { bare, signed }: Reach): Span | undefined {
  const value = bare.admits(start) ? valueAt(text, start, BARE) : undefined
  if (value !== undefined) return secretValue(value, start, kind)
  const withSigns = signed.admits(start) ? secretWithSigns(text, start, kind) : undefined
  return withSigns ?? longToken(text, start, kind)
}

const secretAt = (text: string, start: number, kind: string, reach: Reach): Span | undefined =>
  isQuote(text[start - 1]) ? quotedSecret(text, start, kind) : bareSecret(text, start, kind, reach)

export function secretValue(value: string, start: number, kind: string): Span | undefined {
  if (isPlaceholder(value)) return undefined
  const secret = kind === 'password' ? looksLikePassword(value) : looksRandom(value)
  return secret ? { start, end: start + value.length, kind, rank: RANK.assigned } : undefined
}

export type Name = { start: number; end: number }

const MAX_NAME_LENGTH = 40
const MAX_LENGTH_BEFORE = 400

const IN_DISTANT_NAME = new Uint8Array(128)
for (const character of '.-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789')
  IN_DISTANT_NAME[character.charCodeAt(0)] = 1

/** Returns where the opening quote of the name is, or -1. This cheap check excludes most names. */
function openingQuote(text: string, { start }: Name): number {
  let at = start - 1
  while (at > start - MAX_NAME_LENGTH && IN_DISTANT_NAME[text.charCodeAt(at)] === 1) at -= 1
  return text[at] === '"' || text[at] === "'" ? at : -1
}

export function distantSecret(text: string, name: Name, kind: string): Span | undefined {
  const quote = openingQuote(text, name)
  if (quote === -1) return undefined
  return (
    valueInside(text, name, kind, DEFAULT) ??
    valueInside(text, name, kind, OUTPUT) ??
    valueBefore(text, quote, kind)
  )
}

const DEFAULT = /[\w-]{0,40}["']\s{0,4}\{[^{}]{0,400}?\bdefault\s{0,20}=\s{0,4}["']/y
const OUTPUT = new RegExp(
  `[\\w-]{0,40}["']\\s{0,4}:\\s{0,4}\\{\\s{0,40}(?:${SHORT_PAIR},\\s{0,40}){0,2}["']value["']\\s{0,4}:\\s{0,4}["']`,
  'y',
)

/** Matches `variable "db_password" { default = "…" }` and `"db_password": { "value": "…" }` of Terraform. */
function valueInside(text: string, { end }: Name, kind: string, opening: RegExp): Span | undefined {
  opening.lastIndex = end
  return opening.test(text) ? quotedSecret(text, opening.lastIndex, kind) : undefined
}

const NAME_OF_PAIR = '["\'](?:name|key)["\']\\s{0,4}:\\s?$'
const IS_NAME = new RegExp(NAME_OF_PAIR, 'i')
const VALUE_BEFORE = new RegExp(
  `["']value["']\\s{0,4}:\\s{0,4}["']([^"'\\n\\\\]{6,200})["']\\s{0,20},(?:\\s{0,40}${SHORT_PAIR},){0,2}\\s{0,40}${NAME_OF_PAIR}`,
  'i',
)

/** Matches a list that has the value first: `{"value": "…", "name": "MY_API_KEY"}`. */
function valueBefore(text: string, quote: number, kind: string): Span | undefined {
  if (text[quote - 1] !== ':' && text[quote - 2] !== ':') return undefined
  if (!IS_NAME.test(text.slice(Math.max(0, quote - 20), quote))) return undefined
  const from = Math.max(0, quote - MAX_LENGTH_BEFORE)
  const found = VALUE_BEFORE.exec(text.slice(from, quote))
  const value = found?.[1]
  if (!found || value === undefined) return undefined
  return secretValue(value, from + found.index + found[0].indexOf(value, '"value":'.length), kind)
}

/** Characters at which a value ends in any notation. */
const BREAKS = new Uint8Array(128)
for (const character of ' \t\n\r\v\f"\'`;,<>&)]}|\\#') BREAKS[character.charCodeAt(0)] = 1

/** Many names and prefixes without a break are data or an attack, so only the first are tried. */
const MAX_VALUES = 8
const MAX_TOKENS = 200

/** Reads a stretch once for all names in it, so that a million names stay linear. */
export class Stretches {
  readonly #text: string
  #start = 0
  #end = 0
  #values = 0
  #tokens = 0
  #lastValue = -1

  constructor(text: string) {
    this.#text = text
  }

  /** Returns true if a value of at most `longest` characters may start here. */
  admitsValue(at: number, longest: number): boolean {
    this.#moveTo(at)
    if (this.#end - at > longest) return false
    if (at !== this.#lastValue) {
      this.#lastValue = at
      this.#values += 1
    }
    return this.#values <= MAX_VALUES
  }

  admitsToken(at: number): boolean {
    this.#moveTo(at)
    this.#tokens += 1
    return this.#tokens <= MAX_TOKENS
  }

  #moveTo(at: number): void {
    if (at >= this.#start && at < this.#end) return
    let end = at
    while (end < this.#text.length && BREAKS[this.#text.charCodeAt(end)] !== 1) end += 1
    this.#start = at
    this.#end = end
    this.#values = 0
    this.#tokens = 0
  }
}
