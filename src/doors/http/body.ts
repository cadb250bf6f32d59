import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Services } from '../../core/context.ts'
import { AppError, InvalidInput } from '../../core/errors.ts'
import { storable } from '../../text/unicode.ts'
import { countBodyBytes } from './rate-limit.ts'

/** Limit of nesting. Recursive code relies on it. */
export const MAX_DEPTH = 100
export const MAX_KEYS = 1_000
const MAX_KEYS_OF_LONG = 2_500
export const MAX_VALUES = 20_000

/** A shorter text cannot exceed the limits: each value needs two characters and each key five. */
const SHORT = Math.min(2 * MAX_VALUES, 5 * MAX_KEYS)

const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_LIST = 91
const BACKSLASH = 92
const CLOSE_LIST = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

function hasFewBrackets(text: string): boolean {
  let left = MAX_DEPTH
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1))
      if (--left < 0) return false
  return true
}

function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at
    while (before > from && text.charCodeAt(before - 1) === BACKSLASH) before--
    if ((at - before) % 2 === 0) return at
  }
  return -1
}

/** Returns which limit a JSON text exceeds, before the text is parsed. Invalid JSON is left to the parser. */
function shapeProblem(text: string, maxKeys: number): string | undefined {
  if (text.length < SHORT && hasFewBrackets(text)) return undefined
  let depth = 0
  let keys = 0
  let values = 1
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfString(text, i + 1)
        if (i === -1) return undefined
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > MAX_DEPTH) return `Nested deeper than ${MAX_DEPTH} levels`
        if (++values > MAX_VALUES) return `More than ${MAX_VALUES} values`
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--
        break
      case COLON:
        if (++keys > maxKeys) return `More than ${maxKeys} keys`
        break
      case COMMA:
        if (++values > MAX_VALUES) return `More than ${MAX_VALUES} values`
        break
    }
  }
  return undefined
}

/** Matches NUL, half of a surrogate pair, or a key named __proto__ in any spelling. */
const MAY_NEED_CLEANING = /\0|__proto__|\\u(0000|005f|006f|007[024]|d[89a-f])/i

/** Removes what must not be stored, in place. A key named __proto__ would allow prototype pollution. */
function clean(value: unknown): unknown {
  if (typeof value === 'string') return storable(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) value[i] = clean(item)
    return value
  }
  const fields = value as Record<string, unknown>
  for (const key of Object.keys(fields)) {
    const name = storable(key)
    const item = clean(fields[key])
    if (name !== key || name === '__proto__') delete fields[key]
    if (name !== '__proto__') fields[name] = item
  }
  return fields
}

const invalidJson = (error: string) =>
  new InvalidInput([{ type: 'json_invalid', path: [], msg: 'JSON decode error', input: {}, ctx: { error } }])

/** Returns whether a number was parsed as infinite, which would be stored as null. */
function hasInfinite(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return false
  for (const key in value) if (hasInfinite((value as Record<string, unknown>)[key])) return true
  return false
}

function parseJson(text: string, maxKeys: number): unknown {
  const problem = shapeProblem(text, maxKeys)
  if (problem !== undefined) throw invalidJson(problem)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalidJson(error instanceof Error ? error.message.replace(/".*"/s, 'the text') : 'not JSON')
  }
  if (hasInfinite(value)) throw invalidJson('A number is too large')
  return MAY_NEED_CLEANING.test(text) ? clean(value) : value
}

const ORDINARY_BYTES = 1024 * 1024

/** Matches JSON in UTF-8. Text in another encoding would lose letters. */
const JSON_TYPE = /^application\/([\w.+-]+\+)?json(?=\s*(;|$))(?!.*charset\s*=(?!\s*"?(utf-?8|us-ascii)))/i

/** Windows editors write a byte order mark, which is not part of JSON (RFC 8259 §8.1). */
const BYTE_ORDER_MARK = '\ufeff'

function readText(request: FastifyRequest, bytes: Buffer): string {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new AppError(415, 'unsupported_media_type', 'Send the body without Content-Encoding.')
  if (!isUtf8(bytes)) throw invalidJson('The body is not UTF-8')
  const text = bytes.toString()
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
}

/** Accepts JSON bodies only. A route for other bodies (multipart, raw) registers its own parser. */
export function acceptJson(app: FastifyInstance, services: Services): void {
  app.removeAllContentTypeParsers()
  const parse = (request: FastifyRequest, bytes: Buffer) => {
    request.bodyBytes = bytes.length
    countBodyBytes(services, request, bytes.length)
    const text = readText(request, bytes)
    const takesLong = (request.routeOptions.bodyLimit ?? 0) > ORDINARY_BYTES
    return text === '' ? undefined : parseJson(text, takesLong ? MAX_KEYS_OF_LONG : MAX_KEYS)
  }
  app.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      done(null, parse(request, bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}
