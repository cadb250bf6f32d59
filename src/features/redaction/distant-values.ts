import { quotedSecret, SHORT_PAIR, secretValue } from './assignments.ts'
import type { Span } from './rules/rule.ts'

/** Where a name that says "secret" stands in the text. */
export type Name = { start: number; end: number }

const LONGEST_NAME = 40
const LONGEST_BEFORE = 400

const IN_NAME = new Uint8Array(128)
for (const character of '.-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789')
  IN_NAME[character.charCodeAt(0)] = 1

/** Where the quote is that opens the name, or -1. Most names have none, and cost no more than this. */
function openingQuote(text: string, { start }: Name): number {
  let at = start - 1
  while (at > start - LONGEST_NAME && IN_NAME[text.charCodeAt(at)] === 1) at -= 1
  return text[at] === '"' || text[at] === "'" ? at : -1
}

/** The value of a name in quotes that is not next to it. */
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

/** `variable "db_password" { default = "…" }` and `"db_password": { "value": "…" }` of Terraform. */
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

/** `{"value": "…", "name": "MY_API_KEY"}`: a list that has the value first. */
function valueBefore(text: string, quote: number, kind: string): Span | undefined {
  if (text[quote - 1] !== ':' && text[quote - 2] !== ':') return undefined
  if (!IS_NAME.test(text.slice(Math.max(0, quote - 20), quote))) return undefined
  const from = Math.max(0, quote - LONGEST_BEFORE)
  const found = VALUE_BEFORE.exec(text.slice(from, quote))
  const value = found?.[1]
  if (!found || value === undefined) return undefined
  return secretValue(value, from + found.index + found[0].indexOf(value, '"value":'.length), kind)
}
