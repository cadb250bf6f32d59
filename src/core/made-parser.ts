import type { z } from 'zod'

type Plain = (value: unknown) => unknown

/** What the made code answers for a value that it cannot judge; zod judges it then. */
export const UNSURE = Symbol('unsure')

type Schema = z.core.$ZodType
type Def = z.core.$ZodTypes['_zod']['def']

const defOf = (schema: Schema) => schema._zod.def as Def

/** Writes the body of a function that copies what a schema declares, statement by statement. */
class Writer {
  readonly lines: string[] = []
  readonly constants: unknown[] = []
  readonly exact: boolean
  #names = 0

  constructor(exact: boolean) {
    this.exact = exact
  }

  name(): string {
    this.#names++
    return `v${this.#names}`
  }

  constant(value: unknown): string {
    this.constants.push(value)
    return `constants[${this.constants.length - 1}]`
  }

  line(text: string): void {
    this.lines.push(text)
  }

  require(condition: string): void {
    this.line(`if (!(${condition})) return UNSURE`)
  }

  block(head: string, body: () => void): void {
    this.line(`${head} {`)
    body()
    this.line('}')
  }
}

/** Only zod can judge these: refinements, transforms, unions, anything not listed in `copy`. */
function copyByZod(schema: Schema, value: string, w: Writer): string {
  const result = w.name()
  w.line(`const ${result} = ${w.constant(schema)}.safeParse(${value})`)
  w.require(`${result}.success`)
  return `${result}.data`
}

const mayBeAbsent = (schema: Schema) => defOf(schema).type === 'optional'

function copyObject(def: z.core.$ZodObjectDef, value: string, w: Writer): string {
  w.require(`typeof ${value} === 'object' && ${value} !== null && !Array.isArray(${value})`)
  const fields = Object.entries(def.shape).map(([key, field]) => {
    const name = w.name()
    w.line(`const ${name} = ${value}[${JSON.stringify(key)}]`)
    return { key: JSON.stringify(key), copied: copy(field, name, w), absent: mayBeAbsent(field) }
  })
  const result = w.name()
  // One literal is much faster than field after field. Only what looks for fields minds one that is there and undefined.
  const first = w.exact ? fields.findIndex(({ absent }) => absent) : -1
  const [whole, rest] = first === -1 ? [fields, []] : [fields.slice(0, first), fields.slice(first)]
  w.line(`const ${result} = {${whole.map(({ key, copied }) => `${key}: ${copied}`).join()}}`)
  for (const { key, copied, absent } of rest)
    w.line(
      `${absent ? `if (${copied} !== undefined || ${key} in ${value}) ` : ''}${result}[${key}] = ${copied}`,
    )
  if (!def.catchall) return result
  const isDeclared = w.constant(new Set(Object.keys(def.shape)))
  const keep = defOf(def.catchall).type === 'never' ? 'return UNSURE' : `${result}[key] = ${value}[key]`
  w.line(`for (const key in ${value}) if (!${isDeclared}.has(key)) ${keep}`)
  return result
}

function copyEach(def: z.core.$ZodArrayDef, value: string, w: Writer): string {
  w.require(`Array.isArray(${value})`)
  const [result, item] = [w.name(), w.name()]
  w.line(`let ${result} = []`)
  w.block(`for (const ${item} of ${value})`, () => w.line(`${result}.push(${copy(def.element, item, w)})`))
  for (const check of checksOf(def)) {
    if (check.check === 'min_length') w.require(`${result}.length >= ${check.minimum}`)
    if (check.check === 'max_length') w.require(`${result}.length <= ${check.maximum}`)
    if (check.check === 'overwrite') w.line(`${result} = ${w.constant(check.tx)}(${result})`)
  }
  return result
}

function copyRecord(values: Schema, value: string, w: Writer): string {
  w.require(`typeof ${value} === 'object' && ${value} !== null && !Array.isArray(${value})`)
  const [result, key, item] = [w.name(), w.name(), w.name()]
  w.line(`const ${result} = {}`)
  w.block(`for (const ${key} in ${value})`, () => {
    w.line(`const ${item} = ${value}[${key}]`)
    w.line(`${result}[${key}] = ${copy(values, item, w)}`)
  })
  return result
}

function copyUnless(empty: 'null' | 'undefined', inner: Schema, value: string, w: Writer): string {
  const result = w.name()
  w.line(`let ${result} = ${empty}`)
  w.block(`if (${value} !== ${empty})`, () => w.line(`${result} = ${copy(inner, value, w)}`))
  return result
}

/** What is looked at of a check; the schema's own class has no common type for them. */
type Check = {
  check: string
  minimum: number
  maximum: number
  value: number
  inclusive: boolean
  format: string
  pattern: RegExp | undefined
  tx: unknown
}

const checksOf = (def: object): Check[] => {
  const { checks = [] } = def as { checks?: readonly { _zod: { def: unknown } }[] }
  return checks.map((check) => check._zod.def as Check)
}

const hasOnly = (def: object, kinds: readonly string[]) =>
  checksOf(def).every(({ check, format }) => kinds.includes(check) || kinds.includes(`${check}:${format}`))

const isBare = (schema: Schema) => hasOnly(defOf(schema), [])
const isText = (schema: Schema) =>
  defOf(schema).type === 'string' && isBare(schema) && !('format' in defOf(schema))

const PLAIN_FORMATS = ['guid', 'uuid']
const STRING_CHECKS = ['min_length', 'max_length', 'overwrite', 'string_format:regex']

function requirePattern(pattern: RegExp, text: string, w: Writer): void {
  const regex = w.constant(pattern)
  w.line(`${regex}.lastIndex = 0`)
  w.require(`${regex}.test(${text})`)
}

function copyString(schema: Schema, value: string, w: Writer): string {
  const def = defOf(schema) as z.core.$ZodStringDef & Partial<Check> & { coerce?: boolean }
  const isPlain = def.format === undefined || (PLAIN_FORMATS.includes(def.format) && def.pattern)
  if (!isPlain || def.coerce || !hasOnly(def, STRING_CHECKS)) return copyByZod(schema, value, w)
  w.require(`typeof ${value} === 'string'`)
  if (checksOf(def).length === 0 && !def.pattern) return value
  const text = w.name()
  w.line(`let ${text} = ${value}`)
  if (def.pattern) requirePattern(def.pattern, text, w)
  for (const { check, minimum, maximum, pattern, tx } of checksOf(def)) {
    // zod counts code points, of which there are half as many as units at least; in between it decides itself.
    if (check === 'min_length') w.require(`${text}.length >= ${minimum <= 1 ? minimum : 2 * minimum}`)
    if (check === 'max_length') w.require(`${text}.length <= ${maximum}`)
    if (check === 'string_format' && pattern) requirePattern(pattern, text, w)
    if (check === 'overwrite') w.line(`${text} = ${w.constant(tx)}(${text})`)
  }
  return text
}

function copyNumber(schema: Schema, value: string, w: Writer): string {
  const def = defOf(schema) as z.core.$ZodNumberDef & { format?: string }
  if (def.coerce || (def.format !== undefined && def.format !== 'safeint')) return copyByZod(schema, value, w)
  if (!hasOnly(def, ['greater_than', 'less_than'])) return copyByZod(schema, value, w)
  w.require(`Number.${def.format === undefined ? 'isFinite' : 'isSafeInteger'}(${value})`)
  for (const { check, value: bound, inclusive } of checksOf(def)) {
    const sign = check === 'greater_than' ? '>' : '<'
    w.require(`${value} ${sign}${inclusive ? '=' : ''} ${w.constant(bound)}`)
  }
  return value
}

/** Kinds that a missing value passes by; of others zod knows what a missing value means to them. */
const MISSING_IS_NOTHING = new Set([
  'string',
  'number',
  'boolean',
  'enum',
  'literal',
  'nullable',
  'array',
  'record',
  'object',
  'union',
])

/** Writes statements that check `value` and copy it; answers the expression that then holds the copy. */
function copy(schema: Schema, value: string, w: Writer): string {
  const def = defOf(schema)
  switch (def.type) {
    case 'string':
      return copyString(schema, value, w)
    case 'number':
      return copyNumber(schema, value, w)
    case 'array':
      return hasOnly(def, ['min_length', 'max_length', 'overwrite'])
        ? copyEach(def, value, w)
        : copyByZod(schema, value, w)
  }
  if (!isBare(schema)) return copyByZod(schema, value, w)
  switch (def.type) {
    case 'boolean':
      w.require(`typeof ${value} === 'boolean'`)
      return value
    case 'unknown':
      return value
    case 'enum':
      w.require(`${w.constant(new Set(Object.values(def.entries)))}.has(${value})`)
      return value
    case 'literal':
      w.require(`${w.constant(new Set(def.values))}.has(${value})`)
      return value
    case 'nullable':
      return copyUnless('null', def.innerType, value, w)
    case 'optional':
      return MISSING_IS_NOTHING.has(defOf(def.innerType).type)
        ? copyUnless('undefined', def.innerType, value, w)
        : copyByZod(schema, value, w)
    case 'default':
      return copyOrDefault(def, value, w)
    case 'record':
      return isText(def.keyType) ? copyRecord(def.valueType, value, w) : copyByZod(schema, value, w)
    case 'object':
      return def.catchall && !['unknown', 'never'].includes(defOf(def.catchall).type)
        ? copyByZod(schema, value, w)
        : copyObject(def, value, w)
    default:
      return copyByZod(schema, value, w)
  }
}

function copyOrDefault(def: z.core.$ZodDefaultDef, value: string, w: Writer): string {
  const result = w.name()
  w.line(`let ${result}`)
  // Asked for each time: a list or an object must not be shared.
  w.block(`if (${value} === undefined)`, () => w.line(`${result} = ${w.constant(def)}.defaultValue`))
  w.block('else', () => w.line(`${result} = ${copy(def.innerType, value, w)}`))
  return result
}

function compile(schema: Schema, exact: boolean): Plain {
  const w = new Writer(exact)
  const result = copy(schema, 'value', w)
  const body = `return (value) => {\n${w.lines.join('\n')}\nreturn ${result}\n}`
  return new Function('constants', 'UNSURE', body)(w.constants, UNSURE) as Plain
}

/**
 * A function that answers as `schema.parse` does, by code made once from the schema: the plain kinds are checked and copied by it.
 * UNSURE where that code cannot judge or finds something wrong; then zod decides, and says what is wrong. `exact` keeps
 * apart a field that is not there and one that is undefined.
 */
export function quickParser({ exact }: { exact: boolean }): (schema: z.ZodType, value: unknown) => unknown {
  const made = new WeakMap<z.ZodType, Plain>()
  return (schema, value) => {
    let plain = made.get(schema)
    if (!plain) {
      plain = compile(schema, exact)
      made.set(schema, plain)
    }
    return plain(value)
  }
}
