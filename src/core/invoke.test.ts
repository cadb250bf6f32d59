import { expect, test } from 'vitest'
import { z } from 'zod'
import { capability } from './capability.ts'
import type { Ctx } from './context.ts'
import { InvalidInput } from './errors.ts'
import { invoke, parseInput } from './invoke.ts'

const Inner = z.object({ id: z.string(), note: z.string().optional() })

const answering = (answer: unknown) =>
  capability({
    name: 'test.answer',
    summary: 'Answers what it was made with',
    scopes: 'public',
    input: z.object({ count: z.int().max(3).default(1) }),
    output: z.object({ text: z.string(), items: z.array(Inner) }),
    run: async () => answer as { text: string; items: { id: string }[] },
  })

const NOBODY = { viewer: null } as Ctx
const ANSWER = { text: 't', items: [{ id: '1' }] }

test('undeclared fields are never sent, at any depth', async () => {
  const leaky = { ...ANSWER, hash: 'secret', items: [{ id: '1', token: 'secret' }] }
  expect(await invoke(answering(leaky), NOBODY, {})).toEqual(ANSWER)
})

test('an answer that is not as declared is refused', async () => {
  for (const wrong of [null, { ...ANSWER, text: 1 }, { ...ANSWER, items: [{ id: 1 }] }, { text: 't' }])
    await expect(invoke(answering(wrong), NOBODY, {})).rejects.toThrow(z.ZodError)
})

test('an input that is not as declared is told so', async () => {
  await expect(invoke(answering(ANSWER), NOBODY, { count: 4 })).rejects.toThrow(InvalidInput)
})

test('a long list of items that are not texts is refused with errors for the first items only', () => {
  const Texts = z.object({ items: z.array(z.string().max(10)).max(1000), name: z.string() })
  const issuesOf = (items: unknown[]) => {
    try {
      parseInput(Texts, { items })
    } catch (error) {
      if (error instanceof InvalidInput) return error.issues
    }
    return []
  }
  const many = issuesOf(Array.from({ length: 900 }, () => ({ k: 1 })))
  expect(many.length).toBe(50)
  expect(many[49]).toMatchObject({ type: 'string_type', path: ['items', 49] })
  expect(issuesOf(['fine', 5]).map(({ type, path }) => [type, path])).toEqual([
    ['string_type', ['items', 1]],
    ['missing', ['name']],
  ])
})

test('very many keys that are not declared are refused by their first ones, before anything else is judged', () => {
  const Strict = z.strictObject({ name: z.string() })
  const keys = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`k${i}`, 1]))
  expect(() => parseInput(Strict, keys)).toThrow(InvalidInput)
  try {
    parseInput(Strict, keys)
  } catch (error) {
    const { issues } = error as InvalidInput
    expect(issues.length).toBe(50)
    expect(issues[0]).toMatchObject({ type: 'extra_forbidden', path: ['k0'], input: 1 })
  }
})
