import { expect, test } from 'vitest'
import { z } from 'zod'
import { compactSchema, withoutFieldsOf } from './tool-list.ts'

const compact = (schema: z.ZodType) => compactSchema(z.toJSONSchema(schema, { io: 'input' }))

test('what a caller needs stays: types, required, defaults, values, ranges', () => {
  const schema = z.strictObject({
    query: z.string().min(30).describe('words'),
    scope: z.enum(['personal', 'public']).default('personal'),
    limit: z.int().min(1).max(20).default(5),
    tags: z.array(z.string()).optional(),
    environment: z.record(z.string(), z.string()).optional(),
  })
  expect(compact(schema)).toEqual({
    type: 'object',
    additionalProperties: false,
    required: ['query'],
    properties: {
      query: { type: 'string', minLength: 30, description: 'words; at least 30 characters' },
      scope: {
        type: 'string',
        enum: ['personal', 'public'],
        default: 'personal',
        description: 'default personal',
      },
      limit: { type: 'integer', maximum: 20, default: 5, description: '1 to 20, default 5' },
      tags: { type: 'array', items: { type: 'string' } },
      environment: { type: 'object' },
    },
  })
})

test('parts that cost characters and help nobody are removed: formats, null of optional fields, wide limits, false', () => {
  const schema = z.strictObject({
    email: z.string().min(3).max(320),
    all: z.boolean().default(false),
    id: z.uuid().nullish(),
    body: z.string().min(1).max(200_000).nullish(),
    n: z.int().optional(),
  })
  expect(compact(schema)).toEqual({
    type: 'object',
    additionalProperties: false,
    required: ['email'],
    properties: {
      email: { type: 'string' },
      all: { type: 'boolean' },
      id: { type: 'string' },
      body: { type: 'string' },
      n: { type: 'integer' },
    },
  })
})

test('real alternatives stay alternatives', () => {
  expect(compact(z.object({ facts: z.union([z.string(), z.array(z.string())]).nullish() }))).toMatchObject({
    properties: { facts: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] } },
  })
})

test('of a description the first clause stays; keys of an object among the fields go, those in lists stay', () => {
  const schema = z.object({
    name: z.string().describe('Short; for people who read the manifest'),
    rules: z.object({ strict: z.boolean() }).describe('strict'),
    steps: z.array(z.object({ order: z.int() })),
  })
  expect(compact(schema).properties).toEqual({
    name: { type: 'string', description: 'Short' },
    rules: { type: 'object', description: 'strict', required: ['strict'] },
    steps: {
      type: 'array',
      items: { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] },
    },
  })
})

test('a field that another tool explains has a short description', () => {
  const spelt = compact(
    z.object({
      steps: z.array(z.object({ order: z.int() })),
      tags: z.array(z.string()),
      type: z.enum(['a', 'b']),
      body: z.string().describe('Markdown'),
    }),
  )
  const short = withoutFieldsOf(spelt, spelt)
  expect(short.properties).toEqual({
    steps: { type: 'array', items: { type: 'object' } },
    tags: { type: 'array', items: { type: 'string' } },
    type: { type: 'string' },
    body: { type: 'string' },
  })
})
