// A model reads tools/list on every connection and pays for each character, so schemas go out without what a caller does not
// need in order to call well: dialect, expressions, wide limits, the alternative `null` of optional fields, words about
// fields deeper than the tool's own. Limits and defaults are repeated in words, since some clients give models
// only the descriptions. Validation uses the full schema, which the manifest shows.

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
  'format',
  'propertyNames',
  'maxItems',
  'minItems',
  'maxProperties',
])
/** A limit that no sensible call reaches is left out; the error names it. */
const LONG = 300
/** A minimum length that every address and every token has is left out too. */
const SHORT = 10
/** A count begins at one and a share at zero; the words say so. */
const LEAST_COUNT = 1
/** Fields of the tool itself. Below them names and types are enough. */
const OWN_FIELDS = 1

type Where = { defs: JsonSchema; depth: number; inside: readonly string[]; isItem?: boolean }

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
  if (typeof out.description === 'string') out.description = firstClause(out.description)
  if (where.depth === OWN_FIELDS) sayLimits(out)
  if (Number(out.minimum) <= LEAST_COUNT && out.maximum !== undefined) delete out.minimum
  if (out.items !== undefined) {
    const inner = compact(out.items, { ...where, depth: where.depth + 1, isItem: true })
    delete out.items
    if (Object.keys(inner).length > 0) out.items = inner
  }
  if (isObject(out.properties))
    out.properties = Object.fromEntries(
      Object.entries(out.properties).map(([name, inner]) => [
        name,
        compact(inner, { ...where, depth: where.depth + 1, isItem: false }),
      ]),
    )
  return out
}

/** The first clause tells what a field is; what follows a semicolon is for people who read the manifest. */
const firstClause = (text: string): string => text.split('; ', 1)[0] ?? text

const range = (least: unknown, most: unknown): string[] => {
  if (least !== undefined && most !== undefined) return [`${least} to ${most}`]
  if (most !== undefined) return [`at most ${most}`]
  return least === undefined ? [] : [`at least ${least}`]
}

function sayLimits(field: JsonSchema): void {
  const words = [
    ...range(field.minimum, field.maximum),
    ...range(field.minLength, field.maxLength).map((text) => `${text} characters`),
    ...(field.default === undefined ? [] : [`default ${field.default}`]),
  ].join(', ')
  if (words === '') return
  field.description = typeof field.description === 'string' ? `${field.description}; ${words}` : words
}

function matters(key: string, value: unknown, { depth, isItem }: Where): boolean {
  if (DROPPED.has(key)) return false
  switch (key) {
    case 'description':
      return depth <= OWN_FIELDS
    // Of an object among the fields the description names the keys; objects in lists are spelt out.
    case 'properties':
      return depth !== OWN_FIELDS || isItem === true
    // `false` at the top is what a model must know: another key is an error.
    case 'additionalProperties':
      return depth === 0
    // A default of false is the same as none.
    case 'default':
      return depth <= OWN_FIELDS && value !== null && value !== false && typeof value !== 'object'
    case 'minLength':
      return depth <= OWN_FIELDS && Number(value) > SHORT
    case 'maxLength':
      return depth <= OWN_FIELDS && Number(value) <= LONG
    case 'minimum':
    case 'maximum':
      return Math.abs(Number(value)) < Number.MAX_SAFE_INTEGER
    default:
      return true
  }
}

/** Shared parts are written out where they are used; one that contains itself becomes any JSON. */
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

/** Fields in short, where another tool spells them out under the same name: objects in lists, choices and words. */
export function withoutFieldsOf(schema: JsonSchema, other: JsonSchema): JsonSchema {
  const spelt = other.properties as Record<string, JsonSchema>
  const properties = Object.entries(schema.properties as Record<string, JsonSchema>).map(([name, field]) => [
    name,
    spelt[name] ? inShort(field, spelt[name]) : field,
  ])
  return { ...schema, properties: Object.fromEntries(properties) }
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

function inShort(field: JsonSchema, spelt: JsonSchema): JsonSchema {
  const short = { ...field }
  if (isObject(spelt.items) && isObject(spelt.items.properties)) short.items = { type: 'object' }
  if (short.enum !== undefined && isSame(short.enum, spelt.enum)) delete short.enum
  if (short.description === spelt.description && short.default === spelt.default) {
    delete short.description
    delete short.default
  }
  return short
}
