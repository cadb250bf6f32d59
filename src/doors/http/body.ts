import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Services } from '../../core/context.ts'
import { AppError, InvalidInput } from '../../core/errors.ts'
import { storable } from '../../core/storable.ts'
import { MAX_KEYS, MAX_KEYS_OF_LONG, shapeProblem } from './limits/json-shape.ts'
import { countBodyBytes } from './limits/rate-limit.ts'

/**
 * Text that `clean` may have to remove: NUL, half of a surrogate pair, a key named __proto__ in any spelling.
 * Most bodies have none of it and are not walked through.
 */
const MAY_NEED_CLEANING = /\0|__proto__|\\u(0000|005f|006f|007[024]|d[89a-f])/i

/** A key named __proto__ would become the prototype of whatever is built from it. Cleans in place: most values stay. */
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

/** A number that is read as infinite would be stored as null. Values are few, so this costs less than a look at the text. */
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

/** JSON is UTF-8. Text in another encoding would be stored with its letters lost. */
const JSON_TYPE = /^application\/([\w.+-]+\+)?json(?=\s*(;|$))(?!.*charset\s*=(?!\s*"?(utf-?8|us-ascii)))/i

/** Editors on Windows begin a file with it; no part of the JSON (RFC 8259 §8.1). */
const BYTE_ORDER_MARK = '\ufeff'

function readText(request: FastifyRequest, bytes: Buffer): string {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw new AppError(415, 'unsupported_media_type', 'Send the body without Content-Encoding.')
  if (!isUtf8(bytes)) throw invalidJson('The body is not UTF-8')
  const text = bytes.toString()
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
}

/** JSON bodies only; a route that takes something else (multipart, raw) registers it for itself. */
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
