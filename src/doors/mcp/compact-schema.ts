// A model reads tools/list on every connection and pays for each character, so schemas go out without what a caller does not
// need in order to call well: dialect, titles, expressions behind a format, and the alternative `null` of optional fields.
// Validation stays with the full schema; the manifest shows that one.

export type JsonSchema = { [key: string]: unknown }

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const DROPPED = new Set([
  '$schema',
  '$id',
  'id',
  'title',
  'examples',
  'propertyNames',
  'maxItems',
  'minItems',
])
// Limits that no sensible call meets. A caller that does meet one is told by the error.
const WIDE = 1000

export function compactSchema(schema: unknown): JsonSchema {
  if (!isObject(schema)) return {}
  const options = alternatives(schema)
  if (options) {
    const { anyOf: _anyOf, ...rest } = schema
    const only = options[0]
    if (options.length === 1) return compactSchema({ ...only, ...rest })
    return { ...compactSchema(rest), anyOf: options.map(compactSchema) }
  }
  const out: JsonSchema = {}
  for (const [key, value] of Object.entries(schema)) {
    if (DROPPED.has(key)) continue
    if (key === 'pattern' && 'format' in schema) continue
    if (key === 'default' && (value === null || isObject(value) || Array.isArray(value))) continue
    if ((key === 'maxLength' || key === 'maximum') && Number(value) > limitOf(key)) continue
    if (key === 'minimum' && Number(value) < -WIDE) continue
    if (key === 'minLength' && value === 1) continue
    if (key === 'additionalProperties') {
      if (isObject(value) && Object.keys(value).length > 0) out[key] = compactSchema(value)
      continue
    }
    if (key === 'properties' && isObject(value)) {
      out[key] = Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, compactSchema(inner)]),
      )
      continue
    }
    out[key] = isObject(value) ? compactSchema(value) : value
  }
  return out
}

const limitOf = (key: string): number => (key === 'maxLength' ? WIDE : Number.MAX_SAFE_INTEGER - 1)

function alternatives(schema: JsonSchema): JsonSchema[] | null {
  if (!Array.isArray(schema.anyOf)) return null
  return schema.anyOf.filter(isObject).filter((option) => option.type !== 'null')
}
