// A model reads tools/list on every connection and pays for each character, so schemas go out without what a caller does not
// need in order to call well: dialect, expressions, wide limits, the alternative `null` of optional fields, words about
// what lies deeper than the tool's own fields. Validation stays with the full schema; the manifest shows that one.

export type JsonSchema = { [key: string]: unknown }

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const DROPPED = new Set([
  '$schema',
  '$defs',
  '$id',
  'id',
  'title',
  'examples',
  'pattern',
  'propertyNames',
  'maxItems',
  'minItems',
])
/** A length that no sensible call meets is not worth its characters; who meets it is told by the error. */
const LONG = 400
/** Fields of the tool itself. Below them names and types are enough. */
const OWN_FIELDS = 1

type Where = { defs: JsonSchema; depth: number; inside: readonly string[] }

export function compactSchema(schema: unknown): JsonSchema {
  const defs = isObject(schema) && isObject(schema.$defs) ? schema.$defs : {}
  return compact(schema, { defs, depth: 0, inside: [] })
}

function compact(schema: unknown, where: Where): JsonSchema {
  if (!isObject(schema)) return {}
  if (typeof schema.$ref === 'string') return resolve(schema, schema.$ref, where)
  if (Array.isArray(schema.anyOf)) return alternatives(schema, schema.anyOf, where)
  const out: JsonSchema = {}
  for (const [key, value] of Object.entries(schema)) if (matters(key, value, where)) out[key] = value
  for (const key of ['items', 'additionalProperties'] as const) {
    if (out[key] === undefined) continue
    const inner = compact(out[key], { ...where, depth: where.depth + 1 })
    delete out[key]
    if (Object.keys(inner).length > 0) out[key] = inner
  }
  if (isObject(out.properties))
    out.properties = Object.fromEntries(
      Object.entries(out.properties).map(([name, inner]) => [
        name,
        compact(inner, { ...where, depth: where.depth + 1 }),
      ]),
    )
  return out
}

function matters(key: string, value: unknown, { depth }: Where): boolean {
  if (DROPPED.has(key)) return false
  switch (key) {
    case 'description':
      return depth <= OWN_FIELDS
    case 'default':
      return depth <= OWN_FIELDS && value !== null && typeof value !== 'object'
    case 'minLength':
      return depth <= OWN_FIELDS && value !== 1
    case 'maxLength':
      return depth <= OWN_FIELDS && Number(value) <= LONG
    case 'minimum':
    case 'maximum':
      return Math.abs(Number(value)) < Number.MAX_SAFE_INTEGER
    default:
      return true
  }
}

/** Shared parts are written out where they are used; one that contains itself is any JSON, which needs no words. */
function resolve({ $ref: _ref, ...rest }: JsonSchema, ref: string, where: Where): JsonSchema {
  const name = ref.replace('#/$defs/', '')
  if (where.inside.includes(name) || refersTo(where.defs[name], ref)) return compact(rest, where)
  return compact(
    { ...(where.defs[name] as JsonSchema), ...rest },
    { ...where, inside: [...where.inside, name] },
  )
}

const refersTo = (schema: unknown, ref: string): boolean =>
  JSON.stringify(schema ?? null).includes(`"$ref":"${ref}"`)

function alternatives(schema: JsonSchema, anyOf: unknown[], where: Where): JsonSchema {
  const { anyOf: _anyOf, ...rest } = schema
  const options = anyOf.filter(isObject).filter((option) => option.type !== 'null')
  if (options.length === 1) return compact({ ...options[0], ...rest }, where)
  return { ...compact(rest, where), anyOf: options.map((option) => compact(option, where)) }
}
