import { LONGEST_TOKEN, longToken } from './long-tokens.ts'
import { isPasswordLike, phraseAt } from './phrases.ts'
import { isPlaceholder, isPlainlyRandom, looksLikePassword, looksRandom } from './placeholders.ts'
import { RANK, type Span } from './rules/rule.ts'
import type { Stretches } from './stretches.ts'
import { BLANKS, type Notation, setOf, type ValueRuns, WORD_CHARACTERS } from './value-runs.ts'
import { secretWithSigns } from './values-with-signs.ts'

/**
 * From the end of a name to the start of its value: the rest of the name, a closing quote or bracket, an
 * operator of some language, opening quotes. Bounded everywhere, so that one try costs a constant.
 */
const REST_OF_NAME = `[ \\t\\w.-]{0,24}?(?:&quot;|[\\s"'\`\\])\\\\*~]{0,4})`
/** A pair of JSON that may stand between a name and its value. */
export const SHORT_PAIR = `["']\\w{1,30}["']\\s{0,4}:\\s{0,4}(?:true|false|null|\\d{1,10}|"[^"\\n]{0,40}")`
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
/**
 * Markdown closes its emphasis behind the operator: `**Password:** …`. A value may begin with `_`. In YAML `>-` begins a
 * value on the next line.
 */
const OPENING = `(?:[*~]{1,3}|_{1,3}(?=\\s))?[ \\t]{0,40}(?:(?:[|>][+-]?)?\\r?\\n[ \\t]{1,40}|\\\\\\r?\\n[ \\t]{0,40})?(?:[A-Za-z_.]{0,30}\\(?\\\\?["'\`]|&quot;)?`
const LINK = new RegExp(`${REST_OF_NAME}(?:${OPERATOR})${OPENING}`, 'iy')

/** `--password value`: a blank is enough after a flag, also with the value on the next line. */
const FLAG_LINK = /[\w-]{0,20}[ \t]{1,4}(?:\\\r?\n[ \t]{0,40})?["']?/y

const LONGEST_REST = 25
const IN_NAME = new Uint8Array(128)
for (const character of ' \t.-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789') {
  IN_NAME[character.charCodeAt(0)] = 1
}

/** In prose a name is usually followed by more words, so there is nothing to match. */
function mayHaveOperator(text: string, nameEnd: number): boolean {
  for (let at = nameEnd; at < nameEnd + LONGEST_REST; at += 1) {
    if (IN_NAME[text.charCodeAt(at)] !== 1) return at < text.length
  }
  return false
}

/** Where the value of the name that ends at `nameEnd` starts, or -1. */
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

/** What has been read of the text. It decides whether a value is worth trying. */
export type Reach = { stretches: Stretches; bare: ValueRuns; signed: ValueRuns }

/** A value after a name that says "secret": a secret if it looks random enough. */
export function assignedSecret(text: string, nameEnd: number, kind: string, reach: Reach): Span | undefined {
  const linked = valueStart(text, nameEnd)
  const start = linked === -1 ? flagValueStart(text, nameEnd) : linked
  const longest = kind === 'password' ? LONGEST_VALUE : LONGEST_TOKEN
  const isTried = start !== -1 && reach.stretches.admitsValue(start, longest)
  const assigned = isTried ? secretAt(text, start, kind, reach) : undefined
  return assigned ?? spokenSecret(text, nameEnd, kind) ?? secretBelow(text, nameEnd, kind)
}

/** A name that ends its line, and a value that has one of the next two lines to itself. */
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

/** `my token is …`, `ENV TOKEN …`, `PASSWORD '…'`: only a blank between them, so the value itself must look like a secret. */
const spoken = (about: string) =>
  new RegExp(
    `[A-Z_]{0,20}[ \\t]{1,4}${about}((?:is|was|to|ist|lautet|est|es|[-–—→])[ \\t]{1,4})?(["'\`]?)([A-Za-z0-9_+/.~!@#%^*=$&-]{8,200})(?=[\\s"'\`;,)\\]}]|$)`,
    'y',
  )
const SPOKEN = spoken('')
/** `the password for staging is …`. A key for something is often a number of a row. */
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

const LONGEST_VALUE = 400
const QUOTED = /[^"'`\s\\<>]{6,200}(?=\\?["'`])/y
const BARE = /(?:[A-Za-z0-9_+/.~!@#%^*=$-]|&(?!\w{1,30}[=;])){6,400}(?=[\s"'`;,)\]}\\<&]|$)/y
export const BARE_NOTATION: Notation = {
  inside: setOf(`${WORD_CHARACTERS}+/.~!@#%^*=$-`),
  behind: setOf(`${BLANKS}"'\`;,)]}\\<&`),
  longest: LONGEST_VALUE,
}

/** Quotes of the other kinds and escaped ones belong to a password. Between escaped quotes nothing else is escaped. */
const inQuotes = (quote: string) => ({
  plain: new RegExp(`(?:[^${quote}\\s\\\\<>]|\\\\[^\\sA-Za-z0-9]){6,200}(?=${quote})`, 'y'),
  escaped: new RegExp(`[^${quote}\\s\\\\<>]{6,200}(?=\\\\${quote})`, 'y'),
})
const IN_QUOTES = { '"': inQuotes('"'), "'": inQuotes("'"), '`': inQuotes('`') }
/** Folders and name spaces. */
const BACKSLASHED = /\\\\.*\\\\/
/** `{{x}}`, `${x}`, `a{x}`: brackets in pairs hold a name. One alone belongs to the password. */
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

/** The value that starts here, behind its opening quote, if it is a secret. */
export function quotedSecret(text: string, start: number, kind: string): Span | undefined {
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

/** A value beside a name of this kind: a secret if it looks random enough. */
export function secretValue(value: string, start: number, kind: string): Span | undefined {
  if (isPlaceholder(value)) return undefined
  const secret = kind === 'password' ? looksLikePassword(value) : looksRandom(value)
  return secret ? { start, end: start + value.length, kind, rank: RANK.assigned } : undefined
}
