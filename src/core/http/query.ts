import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { parseInput } from '../invoke.ts'
import { storable } from '../storable.ts'

type QueryType = 'string' | 'integer' | 'boolean' | 'array'

const INTEGER = /^-?\d{1,16}$/
const INTEGERS = new Set(['safeint', 'int32', 'uint32'])

/** The type of a text in a query string, without its wrappers such as optional and default. */
function queryType(schema: z.core.$ZodType): QueryType {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'boolean':
    case 'array':
      return def.type
    case 'number':
      return 'format' in def && INTEGERS.has(String(def.format)) ? 'integer' : 'string'
    case 'literal':
      return typeof def.values[0] === 'boolean' ? 'boolean' : 'string'
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return queryType(def.innerType)
    case 'pipe':
      return queryType(def.in)
    case 'union':
      return def.options[0] ? queryType(def.options[0]) : 'string'
    default:
      return 'string'
  }
}

export const queryTypes = ({ shape }: z.ZodObject): Map<string, QueryType> =>
  new Map(Object.entries(shape).map(([name, field]) => [name, queryType(field)]))

/**
 * A path and a query string have only text; the declared type says what is meant. A value that does not fit stays
 * text, and the schema refuses it.
 */
export function readValue(text: string | string[], type: QueryType): unknown {
  if (type === 'array') return [text].flat().map(storable)
  const last = storable(typeof text === 'string' ? text : (text.at(-1) ?? ''))
  if (type === 'integer' && INTEGER.test(last) && Number.isSafeInteger(Number(last))) return Number(last)
  if (type === 'boolean' && /^(true|1)$/i.test(last)) return true
  if (type === 'boolean' && /^(false|0)$/i.test(last)) return false
  return last
}

/** The query of a raw route, read and checked as that of a capability is. */
export function parseQuery<S extends z.ZodObject>(schema: S, request: FastifyRequest): z.output<S> {
  const query = request.query as Record<string, string | string[]>
  const given = [...queryTypes(schema)].flatMap(([name, type]) => {
    const text = query[name]
    return text === undefined ? [] : [[name, readValue(text, type)] as const]
  })
  return parseInput(schema, Object.fromEntries(given))
}
