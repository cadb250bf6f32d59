import { type ParseError, parse } from 'jsonc-parser'

/** People write comments and trailing commas into settings, and editors save an empty file. */
export const LENIENT = { allowTrailingComma: true, allowEmptyContent: true }

/** The byte order mark of Windows editors. Our parsers need the text without it; a file that is written keeps it. */
const MARK = '\uFEFF'

export const withoutMark = (text: string): string => (text.startsWith(MARK) ? text.slice(1) : text)

export const belowMark = (text: string, edit: (plain: string) => string): string =>
  text.startsWith(MARK) ? MARK + edit(text.slice(1)) : edit(text)

export type JsonObject = Record<string, unknown>

/** What a file of settings says: an object, which is empty for an empty file; otherwise what is wrong with it. */
export function readObject(text: string): JsonObject | 'not JSON' | 'no object' {
  const errors: ParseError[] = []
  const value: unknown = parse(withoutMark(text), errors, LENIENT)
  if (errors.length > 0) return 'not JSON'
  if (value === undefined) return {}
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : 'no object'
}
