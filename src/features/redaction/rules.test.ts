import { describe, expect, test } from 'vitest'
import { type Draw, drawsOf, secretNameDraws } from '../../../test/redaction/draws.ts'
import { sampler } from '../../../test/redaction/samples.ts'
import { redact } from './redact.ts'
import { allRules } from './rules/all.ts'
import { secretNames } from './rules/names.ts'

/** Every kind in every notation, the same draws in every run; test:faults draws from many more seeds. */
const SEEDS = [1, 2]
const missed = (draws: readonly Draw[]) =>
  draws.filter(({ secret, text }) => redact(text).text.includes(secret))

test('more than 200 kinds of credential are known', () => {
  expect(new Set(allRules.map((rule) => rule.kind)).size).toBeGreaterThan(500)
})

test.each(allRules.map((rule) => [rule.kind, rule] as const))('%s: kinds are plain names', (kind) => {
  expect(kind).toMatch(/^[a-z0-9]+(_[a-z0-9]+)*$/)
})

describe.each(SEEDS)('samples of seed %i are caught in every notation', (seed) => {
  test.each(allRules.map((rule) => [rule.kind, rule] as const))('%s', (_kind, rule) => {
    expect(missed(drawsOf(rule, sampler(seed)))).toEqual([])
  })

  test.each(secretNames.flatMap(({ names }) => names))('%s', (name) => {
    expect(missed(secretNameDraws(name, sampler(seed)))).toEqual([])
  })
})

test('bounded rules: no pattern repeats without a limit', () => {
  for (const rule of allRules) {
    const source = rule.form === 'token' ? rule.tail.source : rule.value.source
    expect(source.replace(/\[[^\]]*\]/g, 'C').replace(/\\./g, 'E'), rule.kind).not.toMatch(/[*+]|\{\d+,\}/)
  }
})
