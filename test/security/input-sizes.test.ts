import { expect, test } from 'vitest'
import { z } from 'zod'
import { capabilities } from '../../src/capabilities.ts'
import { parseInput, toolInput } from '../../src/core/invoke.ts'
import {
  dictionary,
  freeJson,
  innermost,
  maxLengthOf,
  openObject,
  sizeIssues,
  sizeLimits,
} from '../../src/core/validation.ts'
import { Metadata } from '../../src/features/identity/oauth-clients.ts'
import { NewTicket } from '../../src/features/support/tickets.ts'

/** Formats whose pattern says how long they are. */
const SHORT_FORMATS = ['guid', 'uuid']
const PLAIN = ['number', 'boolean', 'enum', 'literal', 'null']

/** Whatever in a schema lets a caller send without end. */
function unbounded(wrapped: z.core.$ZodType, path: string): string[] {
  const schema = innermost(wrapped)
  const { def } = (schema as z.core.$ZodTypes)._zod
  const { maxEntries, maxBytes } = sizeLimits.get(schema) ?? {}
  switch (def.type) {
    case 'string': {
      const isShort = 'format' in def && SHORT_FORMATS.includes(String(def.format))
      return isShort || maxLengthOf(schema) !== undefined ? [] : [`${path}: text`]
    }
    case 'array':
      return [
        ...(maxLengthOf(schema) === undefined ? [`${path}: list`] : []),
        ...unbounded(def.element, `${path}[]`),
      ]
    case 'record':
      if (maxBytes !== undefined) return []
      return [
        ...(maxEntries === undefined ? [`${path}: dictionary`] : []),
        ...unbounded(def.keyType, `${path}.<key>`),
        ...unbounded(def.valueType, `${path}.<value>`),
      ]
    case 'object': {
      const isOpen = def.catchall && (def.catchall as z.core.$ZodTypes)._zod.def.type !== 'never'
      return [
        ...(isOpen && maxBytes === undefined ? [`${path}: open object`] : []),
        ...Object.entries(def.shape).flatMap(([name, field]) => unbounded(field, `${path}.${name}`)),
      ]
    }
    case 'union':
      return def.options.flatMap((option) => unbounded(option, `${path}|`))
    default:
      return PLAIN.includes(def.type) ? [] : [`${path}: ${def.type}`]
  }
}

test('every text, list and dictionary that anybody can send has a limit', () => {
  const found = capabilities.flatMap((capability) => [
    ...unbounded(capability.input, capability.name),
    ...(capability.tool ? unbounded(toolInput(capability), `${capability.name} (tool)`) : []),
  ])
  expect([...found, ...unbounded(NewTicket, 'ticket'), ...unbounded(Metadata, 'client')]).toEqual([])
})

test('the walk itself sees what has no limit', () => {
  const open = z.object({
    text: z.string().optional(),
    list: z.array(z.int()).default([]),
    late: z.array(z.string().max(3)).refine(() => true),
    table: z.record(z.string().max(3), z.int()).nullable(),
    loose: z.looseObject({}),
    any: z.unknown(),
    json: z.json(),
    either: z.union([z.boolean(), z.string()]),
  })
  expect(unbounded(open, 'x')).toEqual([
    'x.text: text',
    'x.list: list',
    'x.late: list',
    'x.table: dictionary',
    'x.loose: open object',
    'x.any: unknown',
    'x.json: lazy',
    'x.either|: text',
  ])
})

let judged = 0
const Judged = z
  .string()
  .max(10)
  .refine(() => {
    judged++
    return true
  })

test('an input that is too large is refused before its contents are checked', () => {
  const schema = z.object({
    list: z.array(Judged).max(3).optional(),
    table: dictionary(z.string().max(5), Judged, 3).optional(),
    free: freeJson(100).nullish(),
    open: openObject({ known: Judged.optional() }, 100).optional(),
    text: Judged.optional(),
    either: z.union([Judged, z.array(Judged).max(3)]).optional(),
  })
  const entries = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']))
  const large: Record<string, unknown> = {
    list: Array(1000).fill('v'),
    table: entries(1000),
    free: entries(1000),
    open: { known: 'v', ...entries(1000) },
    text: 'v'.repeat(1000),
    either: Array(1000).fill('v'),
  }
  for (const [field, value] of Object.entries(large)) {
    judged = 0
    expect(sizeIssues(schema, { [field]: value }), field).toMatchObject([{ path: [field] }])
    expect(() => parseInput(schema, { [field]: value }), field).toThrow()
    expect(judged, field).toBe(0)
  }
  const small = {
    list: ['a', 'b', 'c'],
    table: entries(3),
    free: { deep: { er: [1, null, 'x'] } },
    open: { known: 'v', more: 'x'.repeat(50) },
    text: 'ten chars!',
    either: ['v'],
  }
  expect(parseInput(schema, small)).toEqual(small)
  expect(judged).toBeGreaterThan(5)
})

test('bytes are counted as they are stored, and only what is free counts', () => {
  const schema = z.object({ open: openObject({ known: z.string().max(1000) }, 100) })
  expect(sizeIssues(schema, { open: { known: 'x'.repeat(900), more: 'é'.repeat(40) } })).toEqual([])
  expect(sizeIssues(schema, { open: { known: '', more: 'é'.repeat(60) } })).toMatchObject([
    { path: ['open'], type: 'too_long', ctx: { max_bytes: 100 } },
  ])
})

test('blanks that are trimmed before a length counts make no text too long', () => {
  const schema = z.object({ trimmed: z.string().trim().max(10), kept: z.string().max(10).trim() })
  const rockets = '🚀'.repeat(10)
  expect(sizeIssues(schema, { trimmed: `  ${rockets}  ` })).toEqual([])
  expect(schema.shape.trimmed.parse(`  ${rockets}  `)).toBe(rockets)
  expect(sizeIssues(schema, { trimmed: ` ${'x'.repeat(21)}` })).toMatchObject([{ path: ['trimmed'] }])
  expect(sizeIssues(schema, { kept: `  ${rockets}  ` })).toMatchObject([{ path: ['kept'] }])
})
