import { expect, test } from 'vitest'
import { z } from 'zod'
import { InvalidInput } from './errors.ts'
import { parseInput } from './invoke.ts'
import { toInputIssues } from './validation.ts'

const Card = z.object({ title: z.string(), symptom: z.string(), body: z.string().nullish() })
const issuesOf = (raw: unknown) => toInputIssues(Card.safeParse(raw).error?.issues ?? [], raw)

test('a missing field is named by its path', () => {
  expect(issuesOf({ title: 't' })).toMatchObject([
    { type: 'missing', path: ['symptom'], msg: 'Field required' },
  ])
})

test('a field that was sent inside another one: the message says to move it to the top level', () => {
  const issues = issuesOf({ title: 't', body: { symptom: 's', fix_summary: 'f' } })
  const symptom = issues.find((issue) => issue.path[0] === 'symptom')
  expect(symptom).toMatchObject({ type: 'missing', path: ['symptom'] })
  expect(symptom?.msg).toBe(
    'Field required: "symptom" was sent inside "body"; move it to the top level of the JSON object',
  )
})

test('each mistake is told in plain words', () => {
  const Thing = z.object({
    one: z.string().min(1),
    few: z.array(z.string()).min(2),
    home: z.url(),
    named: z.record(z.string().min(1), z.string()),
  })
  const raw = { one: '', few: [], home: 'zz', named: { '': 'x' } }
  const words = toInputIssues(Thing.safeParse(raw).error?.issues ?? [], raw).map(({ msg }) => msg)
  expect(words).toEqual([
    'String should have at least 1 character',
    'List should have at least 2 items',
    'Input should be a whole address, such as https://example.com/path',
    'In the name: String should have at least 1 character',
  ])
})

test('a whole number and one with a fraction are told apart', () => {
  const Asked = z.object({
    limit: z.int().min(1).default(5),
    days: z.number().int().nullish(),
    min_score: z.number().min(0).max(1).optional(),
  })
  const refusalOf = (raw: object) => {
    try {
      return parseInput(Asked, raw)
    } catch (error) {
      return error instanceof InvalidInput && error.issues.map(({ path, type, msg }) => [path[0], type, msg])
    }
  }
  const integer = ['int_type', 'Input should be a valid integer']
  expect(refusalOf({ limit: '5', days: 'x', min_score: '0.5' })).toEqual([
    ['limit', ...integer],
    ['days', ...integer],
    ['min_score', 'float_type', 'Input should be a valid number'],
  ])
  expect(refusalOf({ limit: 1.5, days: 0.5, min_score: 0.5 })).toEqual([
    ['limit', ...integer],
    ['days', ...integer],
  ])
  expect(refusalOf({ limit: 1, min_score: 2 })).toEqual([
    ['min_score', 'less_than_equal', 'Input should be less than or equal to 1'],
  ])
})
