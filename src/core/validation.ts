import { z } from 'zod'
import type { InputIssue } from './errors.ts'

type Issue = z.core.$ZodIssue

export const MAX_ISSUES = 50
export const MAX_ECHO = 200

const shortKey = (key: PropertyKey): string | number =>
  typeof key === 'number' ? key : String(key).slice(0, MAX_ECHO)

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<PropertyKey, unknown>)[key]
        : undefined,
    raw,
  )
}

const TYPE_NAMES: Record<string, [type: string, what: string]> = {
  string: ['string_type', 'a valid string'],
  // Where a fraction is valid too, `sayFraction` corrects the issue.
  number: ['int_type', 'a valid integer'],
  int: ['int_type', 'a valid integer'],
  boolean: ['bool_type', 'a valid boolean'],
  array: ['list_type', 'a valid list'],
  object: ['dict_type', 'a valid object'],
  record: ['dict_type', 'a valid object'],
}

const FRACTION_EXPECTED = 'Input should be a valid number'

/** Message for `safeParse`: zod says "number" even where only an integer is valid. */
export const sayFraction = (issue: z.core.$ZodRawIssue): string | undefined =>
  issue.code === 'invalid_type' && issue.expected === 'number' && !(issue.inst as z.ZodNumber).isInt
    ? FRACTION_EXPECTED
    : undefined

function sizeIssue(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>) {
  const small = issue.code === 'too_small'
  const bound = Number(small ? issue.minimum : issue.maximum)
  const counted = (noun: string) => `${bound} ${noun}${bound === 1 ? '' : 's'}`
  if (issue.origin === 'string')
    return small
      ? {
          type: 'string_too_short',
          msg: `String should have at least ${counted('character')}`,
          ctx: { min_length: bound },
        }
      : {
          type: 'string_too_long',
          msg: `String should have at most ${counted('character')}`,
          ctx: { max_length: bound },
        }
  if (issue.origin === 'array')
    return small
      ? { type: 'too_short', msg: `List should have at least ${counted('item')}`, ctx: { min_length: bound } }
      : { type: 'too_long', msg: `List should have at most ${counted('item')}`, ctx: { max_length: bound } }
  return small
    ? {
        type: 'greater_than_equal',
        msg: `Input should be greater than or equal to ${bound}`,
        ctx: { ge: bound },
      }
    : { type: 'less_than_equal', msg: `Input should be less than or equal to ${bound}`, ctx: { le: bound } }
}

const URL_EXPECTED = 'Input should be a whole address, such as https://example.com/path'

function describe(
  issue: Issue,
  value: unknown,
): { type: string; msg: string; ctx?: Record<string, unknown> } {
  switch (issue.code) {
    case 'invalid_type': {
      if (value === undefined) return { type: 'missing', msg: 'Field required' }
      if (issue.message === FRACTION_EXPECTED) return { type: 'float_type', msg: FRACTION_EXPECTED }
      const [type, what] = TYPE_NAMES[issue.expected] ?? ['value_error', `a valid ${issue.expected}`]
      return { type, msg: `Input should be ${what}` }
    }
    case 'too_small':
    case 'too_big':
      return sizeIssue(issue)
    case 'invalid_value': {
      if (value === undefined) return { type: 'missing', msg: 'Field required' }
      const expected = issue.values.map((v) => (typeof v === 'string' ? `'${v}'` : String(v))).join(' or ')
      return { type: 'literal_error', msg: `Input should be ${expected}`, ctx: { expected } }
    }
    case 'invalid_format':
      if (issue.format === 'uuid' || issue.format === 'guid')
        return { type: 'uuid_parsing', msg: 'Input should be a valid UUID' }
      if (issue.format === 'url') return { type: 'value_error', msg: URL_EXPECTED }
      return { type: 'value_error', msg: issue.message }
    case 'invalid_key': {
      const [wrong] = issue.issues
      return { type: 'value_error', msg: wrong ? `In the name: ${describe(wrong, '').msg}` : issue.message }
    }
    default:
      return { type: 'value_error', msg: issue.message }
  }
}

/** Returns a hint for a caller that wrapped its fields in another one, such as symptom inside body. */
function unwrapHint(raw: unknown, path: readonly PropertyKey[]): string {
  const field = path[0]
  if (path.length !== 1 || typeof field !== 'string' || typeof raw !== 'object' || raw === null) return ''
  const wrapper = Object.keys(raw)
    .slice(0, MAX_ISSUES)
    .find((name) => {
      const value = (raw as Record<string, unknown>)[name]
      return (
        typeof value === 'object' && value !== null && !Array.isArray(value) && Object.hasOwn(value, field)
      )
    })
  return wrapper === undefined
    ? ''
    : `: "${field}" was sent inside "${wrapper.slice(0, MAX_ECHO)}"; move it to the top level of the JSON object`
}

function toIssue(issue: Issue, raw: unknown): InputIssue[] {
  const path = issue.path.map(shortKey)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, MAX_ISSUES).map((key) => ({
      type: 'extra_forbidden',
      path: [...path, shortKey(key)],
      msg: 'Extra inputs are not permitted',
      input: valueAt(raw, [...issue.path, key]),
    }))
  const value = valueAt(raw, issue.path)
  const described = describe(issue, value)
  const isMissing = described.type === 'missing'
  if (isMissing) described.msg += unwrapHint(raw, issue.path)
  return [{ path, ...described, input: isMissing ? valueAt(raw, issue.path.slice(0, -1)) : value }]
}

export function toInputIssues(issues: readonly Issue[], raw: unknown): InputIssue[] {
  return issues
    .slice(0, MAX_ISSUES)
    .flatMap((issue) => toIssue(issue, raw))
    .slice(0, MAX_ISSUES)
}

/** Limits that zod lacks: entries of a dictionary, and bytes of free JSON. */
type SizeLimit = { maxEntries?: number; maxBytes?: number }

export const sizeLimits = z.registry<SizeLimit>()

export const dictionary = <K extends z.core.$ZodRecordKey, V extends z.core.$ZodType>(
  key: K,
  value: V,
  maxEntries: number,
) => z.record(key, value).meta({ maxProperties: maxEntries }).register(sizeLimits, { maxEntries })

/** Returns the schema of an object with free content, up to a limit in bytes of JSON. */
export const freeJson = (maxBytes: number) =>
  z.record(z.string(), z.unknown()).register(sizeLimits, { maxBytes })

/** Returns the schema of an object with extra fields allowed, up to `maxBytes` of JSON. */
export const openObject = <S extends z.core.$ZodLooseShape>(shape: S, maxBytes: number) =>
  z.looseObject(shape).register(sizeLimits, { maxBytes })

type Path = readonly (string | number)[]
type Look = (value: unknown, path: Path, found: InputIssue[]) => void
type Kind = 'string' | 'list' | 'object' | 'other'

const defOf = (schema: z.core.$ZodType) => (schema as z.core.$ZodTypes)._zod.def

export function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  const def = defOf(schema)
  if (def.type === 'pipe') return innermost(def.in)
  return 'innerType' in def ? innermost(def.innerType) : schema
}

/** Returns the largest length that the first checks of a text or a list accept. */
export function maxLengthOf(schema: z.core.$ZodType): number | undefined {
  for (const check of defOf(schema).checks ?? []) {
    const def = check._zod.def as { check: string; maximum?: number; length?: number }
    if (def.check === 'max_length') return def.maximum
    if (def.check === 'length_equals') return def.length
  }
  return undefined
}

const kindOfValue = (value: unknown): Kind => {
  if (typeof value === 'string') return 'string'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'object' && value !== null ? 'object' : 'other'
}

function kindOfSchema(schema: z.core.$ZodType): Kind {
  const { type } = defOf(innermost(schema))
  if (type === 'array') return 'list'
  if (type === 'object' || type === 'record') return 'object'
  return type === 'string' ? 'string' : 'other'
}

const isObject = (value: unknown): value is Record<string, unknown> => kindOfValue(value) === 'object'

const hasMoreKeys = (value: object, most: number): boolean => {
  let keys = 0
  for (const _ in value) if (++keys > most) return true
  return false
}

/** Counts characters until the limit is passed: a character has at least one byte. */
function charactersLeft(value: unknown, left: number): number {
  if (typeof value === 'string') return left - value.length
  if (typeof value !== 'object' || value === null) return left - 1
  let rest = left - 2
  for (const key in value) {
    rest = charactersLeft((value as Record<string, unknown>)[key], rest - key.length)
    if (rest < 0) return rest
  }
  return rest
}

const hasMoreBytes = (value: unknown, most: number): boolean =>
  charactersLeft(value, most) < 0 || Buffer.byteLength(JSON.stringify(value)) > most

const tooLong = (path: Path, value: unknown, most: number, what: string): InputIssue => ({
  type: what === 'String' ? 'string_too_long' : 'too_long',
  path: [...path],
  msg: `${what} should have at most ${most} ${what === 'String' ? 'characters' : what === 'List' ? 'items' : 'entries'}`,
  input: value,
  ctx: { max_length: most },
})

const tooManyBytes = (path: Path, most: number): InputIssue => ({
  type: 'too_long',
  path: [...path],
  msg: `Input should have at most ${most} bytes as JSON`,
  input: {},
  ctx: { max_bytes: most },
})

function isTrimmedFirst(schema: z.core.$ZodType): boolean {
  for (const check of defOf(schema).checks ?? []) {
    const def = check._zod.def as { check: string; tx?: (text: string) => string }
    if (def.check === 'max_length') return false
    if (def.check === 'overwrite' && def.tx?.(' ') === '') return true
  }
  return false
}

/** Checks the length before zod, which matches patterns of too long texts and counts code points. */
function lookAtText(schema: z.core.$ZodType): Look | undefined {
  const most = maxLengthOf(schema)
  if (most === undefined) return undefined
  const counted = isTrimmedFirst(schema) ? (text: string) => text.trim() : (text: string) => text
  return (value, path, found) => {
    if (typeof value === 'string' && value.length > 2 * most && counted(value).length > 2 * most)
      found.push(tooLong(path, value, most, 'String'))
  }
}

function otherThanTexts(items: readonly unknown[], path: Path): InputIssue[] {
  const found: InputIssue[] = []
  for (let i = 0; i < items.length && found.length <= MAX_ISSUES; i++)
    if (typeof items[i] !== 'string')
      found.push({
        type: 'string_type',
        path: [...path, i],
        msg: 'Input should be a valid string',
        input: items[i],
      })
  return found.length > MAX_ISSUES ? found.slice(0, MAX_ISSUES) : []
}

function lookAtList(def: z.core.$ZodArrayDef, schema: z.core.$ZodType): Look {
  const most = maxLengthOf(schema) ?? Number.POSITIVE_INFINITY
  const { maxBytes } = sizeLimits.get(schema) ?? {}
  const lookAtItem = lookFor(def.element)
  const isOfTexts = defOf(def.element).type === 'string'
  return (value, path, found) => {
    if (!Array.isArray(value)) return
    const others = isOfTexts && value.length > MAX_ISSUES ? otherThanTexts(value, path) : []
    if (value.length > most) found.push(tooLong(path, value, most, 'List'))
    else if (others.length > 0) found.push(...others)
    else if (maxBytes !== undefined && hasMoreBytes(value, maxBytes)) found.push(tooManyBytes(path, maxBytes))
    else if (lookAtItem)
      for (let i = 0; i < value.length && found.length < MAX_ISSUES; i++)
        lookAtItem(value[i], [...path, i], found)
  }
}

function lookAtDictionary(def: z.core.$ZodRecordDef, schema: z.core.$ZodType): Look {
  const { maxEntries = Number.POSITIVE_INFINITY, maxBytes } = sizeLimits.get(schema) ?? {}
  const lookAtKey = lookFor(def.keyType)
  const lookAtItem = lookFor(def.valueType)
  return (value, path, found) => {
    if (!isObject(value)) return
    if (hasMoreKeys(value, maxEntries)) found.push(tooLong(path, value, maxEntries, 'Object'))
    else if (maxBytes !== undefined && hasMoreBytes(value, maxBytes)) found.push(tooManyBytes(path, maxBytes))
    else if (lookAtKey || lookAtItem)
      for (const key in value) {
        if (found.length >= MAX_ISSUES) break
        lookAtKey?.(key, [...path, key], found)
        lookAtItem?.(value[key], [...path, key], found)
      }
  }
}

/** Returns an issue for the first undeclared key of very many: zod would list all in its message. */
function undeclaredKeys(value: Record<string, unknown>, shape: object, path: Path): InputIssue[] {
  const found: InputIssue[] = []
  for (const key in value) {
    if (Object.hasOwn(shape, key)) continue
    if (found.length === MAX_ISSUES) return found
    const shown = key.slice(0, MAX_ECHO)
    found.push({
      type: 'extra_forbidden',
      path: [...path, shown],
      msg: 'Extra inputs are not permitted',
      input: value[key],
    })
  }
  return []
}

function lookAtObject(def: z.core.$ZodObjectDef, schema: z.core.$ZodType): Look {
  const { maxBytes } = sizeLimits.get(schema) ?? {}
  const fields = Object.entries(def.shape).flatMap(([name, field]) => {
    const look = lookFor(field)
    return look ? [{ name, look }] : []
  })
  const extrasOf = (value: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(value).filter(([name]) => !Object.hasOwn(def.shape, name)))
  const isStrict = def.catchall !== undefined && defOf(def.catchall).type === 'never'
  const manyKeys = Object.keys(def.shape).length + MAX_ISSUES
  return (value, path, found) => {
    if (!isObject(value)) return
    if (isStrict && hasMoreKeys(value, manyKeys)) {
      found.push(...undeclaredKeys(value, def.shape, path))
      return
    }
    if (maxBytes !== undefined && hasMoreBytes(extrasOf(value), maxBytes))
      found.push(tooManyBytes(path, maxBytes))
    for (const { name, look } of fields)
      if (Object.hasOwn(value, name) && found.length < MAX_ISSUES) look(value[name], [...path, name], found)
  }
}

/** Checks a union: too large only if too large for every matching option. */
function lookAtUnion(def: z.core.$ZodUnionDef): Look {
  const options = def.options.map((option) => ({ kind: kindOfSchema(option), look: lookFor(option) }))
  return (value, path, found) => {
    const kind = kindOfValue(value)
    const tries = options
      .filter((option) => option.kind === kind)
      .map(({ look }) => {
        const issues: InputIssue[] = []
        look?.(value, path, issues)
        return issues
      })
    const [first] = tries
    if (first && tries.every((issues) => issues.length > 0)) found.push(...first)
  }
}

const looks = new WeakMap<z.core.$ZodType, { look: Look | undefined }>()

function lookFor(wrapped: z.core.$ZodType): Look | undefined {
  const known = looks.get(wrapped)
  if (known) return known.look
  const look = makeLook(innermost(wrapped))
  looks.set(wrapped, { look })
  return look
}

function makeLook(schema: z.core.$ZodType): Look | undefined {
  const def = defOf(schema)
  switch (def.type) {
    case 'string':
      return lookAtText(schema)
    case 'array':
      return lookAtList(def, schema)
    case 'record':
      return lookAtDictionary(def, schema)
    case 'object':
      return lookAtObject(def, schema)
    case 'union':
      return lookAtUnion(def)
    default:
      return undefined
  }
}

/** Returns everything in the input that exceeds its schema's size, before the contents are checked. */
export function sizeIssues(schema: z.core.$ZodType, input: unknown): InputIssue[] {
  const found: InputIssue[] = []
  lookFor(schema)?.(input, [], found)
  return found
}
