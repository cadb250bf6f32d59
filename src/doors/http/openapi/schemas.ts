import type { z } from 'zod'
import { jsonSchemaOf } from '../../../core/json-schema.ts'

export type Json = Record<string, unknown>
export type Schemas = Record<string, Json>

const PREFIX = '#/components/schemas/'

export const refTo = (name: string): Json => ({ $ref: `${PREFIX}${name}` })

/** Types that can include `null` in `type`; for others, such as enums, it is an alternative. */
const PLAIN_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object']

function nullInType({ anyOf, ...rest }: Json): Json | undefined {
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || anyOf[1]?.type !== 'null') return undefined
  const [{ type, ...plain }] = anyOf
  if (!PLAIN_TYPES.includes(type) || 'enum' in plain || 'const' in plain) return undefined
  return { type: [type, 'null'], ...plain, ...rest }
}

/** Rewrites a schema into the form that most tools understand; named parts become references to components. */
function inCommonWords(key: string, value: unknown): unknown {
  if (key === '$ref') return String(value).replace('#/$defs/', PREFIX)
  if (typeof value !== 'object' || value === null) return value
  if (key === 'additionalProperties' && Object.keys(value).length === 0) return true
  if (key === 'propertyNames' && JSON.stringify(value) === '{"type":"string"}') return undefined
  return nullInType(value as Json) ?? value
}

const hoist = (part: Json): Json => JSON.parse(JSON.stringify(part, inCommonWords))

/** JSON Schema of a zod schema; every named part moves to the components and is referred to. */
export function schemaOf(schema: z.ZodType, components: Schemas): Json {
  const { $schema, $defs, id, ...json } = jsonSchemaOf(schema) as Json
  for (const [name, definition] of Object.entries(($defs ?? {}) as Schemas)) {
    const { id: _id, ...rest } = definition
    components[name] ??= hoist(rest)
  }
  if (typeof id !== 'string') return hoist(json)
  components[id] = hoist(json)
  return refTo(id)
}

/** The input without the fields of the path and the query, under the input's own name; undefined if nothing is left. */
export function bodySchema(
  input: z.ZodObject,
  elsewhere: readonly string[],
  components: Schemas,
): Json | undefined {
  if (elsewhere.length === Object.keys(input.shape).length) return undefined
  const schema = schemaOf(input, components)
  if (elsewhere.length === 0) return schema
  const name = input.meta()?.id
  const { properties, required, ...rest } = (name ? components[name] : schema) as {
    properties: Json
    required?: string[]
  }
  const needed = required?.filter((field) => !elsewhere.includes(field)) ?? []
  const body: Json = {
    ...rest,
    properties: Object.fromEntries(
      Object.entries(properties).filter(([field]) => !elsewhere.includes(field)),
    ),
    ...(needed.length > 0 ? { required: needed } : {}),
  }
  if (!name) return body
  components[name] = body
  return refTo(name)
}

const mayBeLeftOut = (field: z.ZodType): boolean => field.safeParse(undefined).success

/** Whether a body must be sent: not if every field of it is optional. */
export const needsBody = (input: z.ZodObject, elsewhere: readonly string[] = []): boolean =>
  Object.entries(input.shape).some(([name, field]) => !elsewhere.includes(name) && !mayBeLeftOut(field))

export const isRequired = (field: z.ZodType): boolean => !mayBeLeftOut(field)
