import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseOutput } from './output.ts'

const Inner = z.object({ id: z.string(), note: z.string().optional() })

const Answer = z.object({
  text: z.string(),
  count: z.int(),
  share: z.number(),
  on: z.boolean(),
  kind: z.enum(['a', 'b']),
  done: z.literal(true),
  none: z.string().nullable(),
  maybe: z.array(Inner).optional(),
  items: z.array(Inner),
  names: z.record(z.string(), z.string()),
  free: z.record(z.string(), z.unknown()).nullable(),
  loose: z.looseObject({ order: z.int() }),
  any: z.unknown(),
  either: z.union([z.string(), z.array(z.string())]),
  mail: z.email(),
  short: z.string().max(3),
  byKind: z.record(z.enum(['x', 'y']), z.int()),
  filled: z.string().default('default'),
})

const answer = {
  text: 't',
  count: 1,
  share: 0.5,
  on: false,
  kind: 'a',
  done: true,
  none: null,
  items: [{ id: '1' }, { id: '2', note: 'n' }],
  names: { a: 'b' },
  free: { deep: { er: [1] } },
  loose: { order: 1, more: 'kept' },
  any: { x: [null] },
  either: ['s'],
  mail: 'a@example.com',
  short: 'abc',
  byKind: { x: 1, y: 2 },
}

test('an answer comes out as zod gives it, in the same order', () => {
  expect(JSON.stringify(parseOutput(Answer, answer))).toBe(JSON.stringify(Answer.parse(answer)))
  const full = { ...answer, none: 'some', maybe: [{ id: '3' }], free: null, either: 's', filled: 'f' }
  expect(JSON.stringify(parseOutput(Answer, full))).toBe(JSON.stringify(Answer.parse(full)))
})

test('what is not declared never leaves, at any depth', () => {
  const leaky = {
    ...answer,
    password_hash: 'secret',
    items: [{ id: '1', token: 'secret' }],
    maybe: [{ id: '1', token: 'secret' }],
  }
  expect(JSON.stringify(parseOutput(Answer, leaky))).not.toContain('secret')
})

test('an answer that is not as declared is refused, whichever field it is', () => {
  const wrong: Record<string, unknown> = {
    text: { secret: 1 },
    count: 1.5,
    share: Number.NaN,
    on: 'yes',
    kind: 'c',
    done: false,
    none: undefined,
    maybe: {},
    items: [{ id: 1 }],
    names: { a: 1 },
    free: [],
    loose: { order: '1' },
    either: 1,
    mail: 'nobody',
    short: 'abcd',
    byKind: { x: 1 },
  }
  for (const [field, value] of Object.entries(wrong))
    expect(() => parseOutput(Answer, { ...answer, [field]: value }), field).toThrow(z.ZodError)
  expect(() => parseOutput(Answer, null)).toThrow(z.ZodError)
})

test('lists, texts and nothing are answers too', () => {
  expect(parseOutput(z.array(Inner), [{ id: '1', more: 2 }])).toEqual([{ id: '1' }])
  expect(parseOutput(z.void(), undefined)).toBeUndefined()
  expect(() => parseOutput(z.void(), 'something')).toThrow(z.ZodError)
  expect(parseOutput(z.string(), 'text')).toBe('text')
})
