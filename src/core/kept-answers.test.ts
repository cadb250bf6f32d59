import { expect, test } from 'vitest'
import { z } from 'zod'
import { checkAnswer, keepAnswer, writeAnswer } from './invoke.ts'

const counting = () => {
  let checks = 0
  const schema = z.object({ text: z.string().refine(() => ++checks > 0) })
  return { schema, checks: () => checks }
}

test('an answer that is kept is checked and written once; undeclared fields stay out', () => {
  const { schema, checks } = counting()
  const kept = keepAnswer({ text: 't', secret: 's' })
  const texts = [1, 2].map(() => writeAnswer(checkAnswer(schema, kept)))
  expect(texts).toEqual(['{"text":"t"}', '{"text":"t"}'])
  expect(checks()).toBe(1)
})

test('another schema checks it anew, and its answer is written by itself', () => {
  const { schema } = counting()
  const kept = keepAnswer({ text: 't', more: 'm' })
  expect(writeAnswer(checkAnswer(schema, kept))).toBe('{"text":"t"}')
  expect(writeAnswer(checkAnswer(z.object({ more: z.string() }), kept))).toBe('{"more":"m"}')
  expect(() => checkAnswer(z.object({ text: z.int() }), kept)).toThrow(z.ZodError)
})

test('an answer that is not kept is checked each time, and nobody can change one that is', () => {
  const { schema, checks } = counting()
  const answer = { text: 't' }
  for (const text of ['a', 'b']) {
    answer.text = text
    expect(writeAnswer(checkAnswer(schema, answer))).toBe(`{"text":"${text}"}`)
  }
  expect(checks()).toBe(2)
  const shared = keepAnswer({ text: 't' })
  expect(() => Object.assign(shared, { text: 'x' })).toThrow(TypeError)
  expect(() => Object.assign(checkAnswer(schema, shared) as object, { text: 'x' })).toThrow(TypeError)
})
