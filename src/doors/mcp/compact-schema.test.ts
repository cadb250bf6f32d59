import { expect, test } from 'vitest'
import { z } from 'zod'
import { compactSchema } from './compact-schema.ts'

const compact = (schema: z.ZodType) => compactSchema(z.toJSONSchema(schema, { io: 'input' }))

test('what a caller needs stays: types, required, defaults, values, ranges', () => {
  const schema = z.strictObject({
    query: z.string().min(3).describe('words'),
    scope: z.enum(['personal', 'public']).default('personal'),
    limit: z.int().min(1).max(20).default(5),
    tags: z.array(z.string()).optional(),
    environment: z.record(z.string(), z.string()).optional(),
  })
  expect(compact(schema)).toEqual({
    type: 'object',
    required: ['query'],
    properties: {
      query: { type: 'string', minLength: 3, description: 'words' },
      scope: { type: 'string', enum: ['personal', 'public'], default: 'personal' },
      limit: { type: 'integer', minimum: 1, maximum: 20, default: 5 },
      tags: { type: 'array', items: { type: 'string' } },
      environment: { type: 'object', additionalProperties: { type: 'string' } },
    },
  })
})

test('what costs characters and helps nobody goes: expressions behind a format, null of optional fields, wide limits', () => {
  const schema = z.strictObject({
    id: z.uuid().nullish(),
    body: z.string().min(1).max(200_000).nullish(),
    n: z.int().optional(),
  })
  expect(compact(schema)).toEqual({
    type: 'object',
    properties: { id: { type: 'string', format: 'uuid' }, body: { type: 'string' }, n: { type: 'integer' } },
  })
})

test('real alternatives stay alternatives', () => {
  expect(compact(z.object({ facts: z.union([z.string(), z.array(z.string())]).nullish() }))).toMatchObject({
    properties: { facts: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] } },
  })
})
