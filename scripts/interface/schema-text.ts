/** JSON Schema in words: `string, 1 to 120 characters`. */

export type Schema = {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  allOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: string[]
  description?: string
  default?: unknown
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
}

const counted = new Intl.NumberFormat('en')

/** "1 to 5,000", "up to 50", "at least 1"; nothing where JavaScript's own bounds are all there is. */
function range(min: number | undefined, max: number | undefined): string | undefined {
  const low =
    min !== undefined && min > Number.MIN_SAFE_INTEGER && min !== 0 ? counted.format(min) : undefined
  const high = max !== undefined && max < Number.MAX_SAFE_INTEGER ? counted.format(max) : undefined
  if (low && high) return low === high ? low : `${low} to ${high}`
  if (high) return `up to ${high}`
  return low ? `at least ${low}` : undefined
}

const anchor = (name: string) => name.toLowerCase()
const shapeLink = (ref: string): string => {
  const name = ref.split('/').at(-1) ?? ''
  return `[${name}](#${anchor(name)})`
}

const FORMATS: Record<string, string> = {
  uuid: 'uuid',
  'date-time': 'time',
  email: 'e-mail address',
  uri: 'address',
}

function stringText(schema: Schema): string {
  const length = range(schema.minLength, schema.maxLength)
  return [FORMATS[schema.format ?? ''] ?? 'string', length && `${length} characters`]
    .filter(Boolean)
    .join(', ')
}

function objectText(schema: Schema): string {
  if (schema.properties && Object.keys(schema.properties).length > 0)
    return `object (${fieldTexts(schema).join(', ')})`
  const values = schema.additionalProperties
  const inside = values && values !== true ? typeText(values) : ''
  const size = range(undefined, schema.maxProperties)
  return [inside ? `object of ${inside}` : 'object', size && `${size} entries`].filter(Boolean).join(', ')
}

function arrayText(schema: Schema): string {
  const size = range(schema.minItems, schema.maxItems)
  const items = schema.items ? typeText(schema.items) : 'anything'
  return `array of ${items}${size ? ` (${size})` : ''}`
}

const value = (given: unknown) => `\`${typeof given === 'string' ? given : JSON.stringify(given)}\``

/** The type of a value and its limits, without its description and default. */
export function typeText(schema: Schema): string {
  if (schema.$ref) return shapeLink(schema.$ref)
  const either = schema.anyOf ?? schema.oneOf
  if (either) return [...new Set(either.map(typeText))].join(' or ')
  if (schema.allOf) return schema.allOf.map(typeText).join(' and ')
  if (schema.enum) return schema.enum.map(value).join(', ')
  if (schema.const !== undefined) return value(schema.const)
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeText({ ...schema, type })).join(' or ')
  if (schema.type === 'string') return stringText(schema)
  if (schema.type === 'object') return objectText(schema)
  if (schema.type === 'array') return arrayText(schema)
  if (schema.type === 'integer' || schema.type === 'number') {
    const limits = range(schema.minimum ?? schema.exclusiveMinimum, schema.maximum)
    return [schema.type, limits].filter(Boolean).join(', ')
  }
  return schema.type ?? 'anything'
}

const isWorthSaying = (standard: unknown) =>
  standard !== undefined &&
  standard !== null &&
  JSON.stringify(standard) !== '[]' &&
  JSON.stringify(standard) !== '{}'

/** One field: name, whether it must be sent, type, default. */
export function fieldText(name: string, schema: Schema, required: boolean): string {
  const standard = isWorthSaying(schema.default) ? ` = ${value(schema.default)}` : ''
  return `\`${name}\`${required ? '\\*' : ''} ${typeText(schema)}${standard}`
}

/** The fields of an object, one text each. */
export const fieldTexts = (schema: Schema): string[] =>
  Object.entries(schema.properties ?? {}).map(([name, field]) =>
    fieldText(name, field, schema.required?.includes(name) ?? false),
  )
