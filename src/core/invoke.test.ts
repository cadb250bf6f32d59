import { expect, test } from 'vitest'
import { z } from 'zod'
import { capability } from './capability.ts'
import type { Ctx } from './context.ts'
import { InvalidInput } from './errors.ts'
import { invoke } from './invoke.ts'

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

test('what is not declared never leaves, at any depth', async () => {
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
