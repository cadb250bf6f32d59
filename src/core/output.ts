import type { z } from 'zod'

type Plain = (value: unknown) => unknown

/** What the made code answers for a value that it cannot judge; zod judges it then. */
const UNSURE = Symbol('unsure')

type Schema = z.core.$ZodType
type Def = z.core.$ZodTypes['_zod']['def']

const defOf = (schema: Schema) => schema._zod.def as Def

/** Writes the body of a function that copies what a schema declares, statement by statement. */
class Writer {
  readonly lines: string[] = []
  readonly constants: unknown[] = []
  #names = 0

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

/** Only zod can judge these: refinements, transforms, unions, defaults, anything not listed in `copy`. */
function copyByZod(schema: Schema, value: string, w: Writer): string {
  const result = w.name()
  w.line(`const ${result} = ${w.constant(schema)}.safeParse(${value})`)
  w.require(`${result}.success`)
  return `${result}.data`
}

function copyObject(def: z.core.$ZodObjectDef, value: string, w: Writer): string {
  w.require(`typeof ${value} === 'object' && ${value} !== null && !Array.isArray(${value})`)
  const fields = Object.entries(def.shape).map(([key, field]) => {
    const name = w.name()
    w.line(`const ${name} = ${value}[${JSON.stringify(key)}]`)
    return `${JSON.stringify(key)}: ${copy(field, name, w)}`
  })
  const result = w.name()
  w.line(`const ${result} = {${fields.join()}}`)
  if (def.catchall)
    w.line(
      `for (const key in ${value}) if (!${w.constant(new Set(Object.keys(def.shape)))}.has(key)) ${result}[key] = ${value}[key]`,
    )
  return result
}

function copyEach(element: Schema, value: string, w: Writer): string {
  w.require(`Array.isArray(${value})`)
  const [result, item] = [w.name(), w.name()]
  w.line(`const ${result} = []`)
  w.block(`for (const ${item} of ${value})`, () => w.line(`${result}.push(${copy(element, item, w)})`))
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

const isBare = (schema: Schema) => (defOf(schema).checks ?? []).length === 0
const isText = (schema: Schema) => defOf(schema).type === 'string' && isBare(schema) && !isFormat(schema)
const isFormat = (schema: Schema) => 'format' in defOf(schema)

/** Writes statements that check `value` and copy it; answers the expression that then holds the copy. */
function copy(schema: Schema, value: string, w: Writer): string {
  const def = defOf(schema)
  if (!isBare(schema)) return copyByZod(schema, value, w)
  switch (def.type) {
    case 'string':
      if (!isText(schema)) return copyByZod(schema, value, w)
      w.require(`typeof ${value} === 'string'`)
      return value
    case 'number':
      if ('format' in def && def.format !== 'safeint') return copyByZod(schema, value, w)
      w.require(`Number.${'format' in def ? 'isSafeInteger' : 'isFinite'}(${value})`)
      return value
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
      return copyUnless('undefined', def.innerType, value, w)
    case 'array':
      return copyEach(def.element, value, w)
    case 'record':
      return isText(def.keyType) ? copyRecord(def.valueType, value, w) : copyByZod(schema, value, w)
    case 'object':
      return def.catchall && defOf(def.catchall).type !== 'unknown'
        ? copyByZod(schema, value, w)
        : copyObject(def, value, w)
    default:
      return copyByZod(schema, value, w)
  }
}

function compile(schema: Schema): Plain {
  const w = new Writer()
  const result = copy(schema, 'value', w)
  const body = `return (value) => {\n${w.lines.join('\n')}\nreturn ${result}\n}`
  return new Function('constants', 'UNSURE', body)(w.constants, UNSURE) as Plain
}

const made = new WeakMap<z.ZodType, Plain>()

/**
 * An answer by its output schema, as `schema.parse` gives it: declared fields alone, each of its declared type. The
 * plain kinds of schema are checked and copied by code made once from the schema; whatever that code is not sure of, zod
 * decides, and throws where the answer is not as declared.
 */
export function parseOutput(schema: z.ZodType, answer: unknown): unknown {
  let plain = made.get(schema)
  if (!plain) {
    plain = compile(schema)
    made.set(schema, plain)
  }
  const copied = plain(answer)
  return copied === UNSURE ? schema.parse(answer) : copied
}
