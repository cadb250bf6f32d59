import type { z } from 'zod'
import type { InputIssue } from './errors.ts'

type Issue = z.core.$ZodIssue

/** An answer names at most this many mistakes. The caller corrects these first. */
export const MAX_ISSUES = 50
/** So many characters of a name or a value that was sent stand in an answer. */
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
  // Where a fraction is valid too, the issue says so (`sayFraction`).
  number: ['int_type', 'a valid integer'],
  int: ['int_type', 'a valid integer'],
  boolean: ['bool_type', 'a valid boolean'],
  array: ['list_type', 'a valid list'],
  object: ['dict_type', 'a valid object'],
  record: ['dict_type', 'a valid object'],
}

const FRACTION_EXPECTED = 'Input should be a valid number'

/** For `safeParse`: zod expects a "number" also where only a whole one is valid, and nobody else is shown the schema. */
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

/**
 * A caller that wrapped its fields in one of them (symptom inside body) is told to unwrap: "missing" alone
 * would not help somebody who did send the field.
 */
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

/** zod's issues in the words and types that FastAPI users know; the first of them, where there are very many. */
export function toInputIssues(issues: readonly Issue[], raw: unknown): InputIssue[] {
  return issues
    .slice(0, MAX_ISSUES)
    .flatMap((issue) => toIssue(issue, raw))
    .slice(0, MAX_ISSUES)
}
