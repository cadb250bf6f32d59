import type { z } from 'zod'
import { innermost } from '../../src/core/sizes.ts'

/** A body made to be expensive, of about as many bytes as the route takes. */
export type Hostile = { kind: string; make: (fields: readonly Field[], bytes: number) => string }

export type Field = { name: string; type: string }

export const fieldsOf = (schema: z.ZodObject): Field[] =>
  Object.entries(schema.shape).map(([name, field]) => ({
    name,
    type: (innermost(field) as z.core.$ZodTypes)._zod.def.type,
  }))

const repeat = (text: string, bytes: number) => text.repeat(Math.max(1, Math.floor(bytes / text.length)))

const many = (bytes: number, most: number, item: (i: number) => string): string => {
  const items: string[] = []
  for (let left = bytes; left > 0 && items.length < most; ) {
    const next = item(items.length)
    left -= next.length + 1
    items.push(next)
  }
  return items.join()
}

const fieldOf = (fields: readonly Field[], type: string) =>
  (fields.find((field) => field.type === type) ?? fields[0])?.name ?? 'field'

const key = (i: number) => `"k${i.toString(36)}":1`

/** Below the limits for the whole body, so that it reaches the schema. */
const FITTING_KEYS = 980
const MOST_KEYS = 2_450
const FITTING_VALUES = 19_000

export const HOSTILE_BODIES: readonly Hostile[] = [
  { kind: 'wide', make: (f, bytes) => `{"${fieldOf(f, 'array')}":[${repeat('1,', bytes - 50)}1]}` },
  { kind: 'deep', make: (_, bytes) => `{"a":${repeat('[', bytes / 2)}${repeat(']', bytes / 2)}}` },
  { kind: 'many keys', make: (_, bytes) => `{${many(bytes - 20, Number.POSITIVE_INFINITY, key)}}` },
  {
    kind: 'prototypes',
    make: (_, bytes) =>
      `{"a":[${many(bytes - 50, Number.POSITIVE_INFINITY, () => '{"__proto__":{"b":1}}')}]}`,
  },
  { kind: 'long text', make: (f, bytes) => `{"${fieldOf(f, 'string')}":"${repeat('x', bytes - 100)}"}` },
  {
    kind: 'escapes',
    make: (f, bytes) => `{"${fieldOf(f, 'string')}":"${repeat('\\u005f\\ud800\\u0000', bytes - 100)}"}`,
  },
  {
    kind: 'text as list',
    make: (f, bytes) => `{"${fieldOf(f, 'array')}":["${repeat('__proto__ ', bytes - 100)}"]}`,
  },
  {
    kind: 'fitting values',
    make: (f, bytes) => `{"${fieldOf(f, 'array')}":[${many(bytes - 50, FITTING_VALUES, () => '{}')}]}`,
  },
  {
    kind: 'fitting lists',
    make: (f, bytes) =>
      `{${f.map(({ name }) => `"${name}":[${many(bytes / f.length - 50, FITTING_VALUES / f.length, () => '5')}]`).join()}}`,
  },
  { kind: 'fitting keys', make: (_, bytes) => `{${many(bytes - 20, FITTING_KEYS, key)}}` },
  {
    kind: 'fitting objects',
    make: (f, bytes) =>
      `{"${fieldOf(f, 'array')}":[${many(bytes - 50, FITTING_KEYS, (i) => `{${key(i)}}`)}],"__proto__":1}`,
  },
  { kind: 'most keys', make: (_, bytes) => `{${many(bytes - 20, MOST_KEYS, key)}}` },
  {
    kind: 'most objects',
    make: (f, bytes) => `{"${fieldOf(f, 'array')}":[${many(bytes - 50, MOST_KEYS, (i) => `{${key(i)}}`)}]}`,
  },
  {
    kind: 'fitting dictionary',
    make: (f, bytes) => `{"${fieldOf(f, 'record')}":{${many(bytes - 50, FITTING_KEYS, key)}}}`,
  },
]
