import type { FastifyInstance } from 'fastify'
import { InvalidInput } from '../../core/errors.ts'
import { storable } from '../../core/storable.ts'

/** Escapes and raw bytes that may stand for what `storable` mends; most bodies have none and are not walked. */
const MAY_BE_UNSTORABLE = /\0|\\u0000|\\u[dD][89a-fA-F]/

function storableDeep(value: unknown): unknown {
  if (typeof value === 'string') return storable(value)
  if (Array.isArray(value)) return value.map(storableDeep)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storable(key), storableDeep(item)]))
}

const MAX_DEPTH = 100

/** Most bodies have fewer brackets than the limit altogether, which is quickly seen. */
function hasFewBrackets(text: string): boolean {
  let left = MAX_DEPTH
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1))
      if (--left < 0) return false
  return true
}

/** Counts brackets before parsing: a deeply nested body would end the stack of whatever walks it later. */
function isTooDeep(text: string): boolean {
  if (hasFewBrackets(text)) return false
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (inString) {
      if (char === '\\') i++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{' || char === '[') {
      if (++depth > MAX_DEPTH) return true
    } else if (char === '}' || char === ']') depth--
  }
  return false
}

const invalidJson = (error: string) =>
  new InvalidInput([{ type: 'json_invalid', path: [], msg: 'JSON decode error', input: {}, ctx: { error } }])

export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw invalidJson(`Nested deeper than ${MAX_DEPTH} levels`)
  try {
    // A key named __proto__ would become the prototype of whatever is built from it.
    const value = JSON.parse(text, text.includes('__proto__') ? dropProto : undefined)
    return MAY_BE_UNSTORABLE.test(text) ? storableDeep(value) : value
  } catch (error) {
    throw invalidJson(error instanceof Error ? error.message.replace(/".*"/s, 'the text') : 'not JSON')
  }
}

const dropProto = (key: string, value: unknown) => (key === '__proto__' ? undefined : value)

/** JSON bodies only; whatever else a route takes (multipart, raw) it registers for itself. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^application\/([\w.+-]+\+)?json(?=\s*(;|$))/i,
    { parseAs: 'string' },
    (_request, text, done) => {
      try {
        done(null, text === '' ? undefined : parseJson(String(text)))
      } catch (error) {
        done(error as Error)
      }
    },
  )
}
