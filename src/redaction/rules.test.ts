import { describe, expect, test } from 'vitest'
import { type Draw, drawsOf, secretNameDraws } from '../../test/redaction/draws.ts'
import { sampler } from '../../test/redaction/samples.ts'
import { SECRET_NAMES } from './names.ts'
import { redact } from './redact.ts'
import { ALL_RULES } from './rules.ts'

/** Every kind in every notation, the same draws every time; test:faults draws from many more seeds. */
const SEEDS = [1]
/** What was let through, with the kind or the name that it was drawn for. */
const missed = (of: string, draws: readonly Draw[]) =>
  draws.filter(({ secret, text }) => redact(text).text.includes(secret)).map((draw) => ({ of, ...draw }))

test('more than 500 kinds of credential are known, each by a plain name', () => {
  const kinds = new Set(ALL_RULES.map((rule) => rule.kind))
  expect(kinds.size).toBeGreaterThan(500)
  for (const kind of kinds) expect(kind).toMatch(/^[a-z0-9]+(_[a-z0-9]+)*$/)
})

// One test for all samples of a seed: two thousand tests would cost more than the samples themselves.
describe.each(SEEDS)('samples of seed %i are caught in every notation', (seed) => {
  test('of every kind of credential', () => {
    const found = ALL_RULES.flatMap((rule) => missed(rule.kind, drawsOf(rule, sampler(seed))))
    expect(found).toEqual([])
  })

  test('of every name of a secret', () => {
    const names = SECRET_NAMES.flatMap(({ names }) => names)
    expect(names.length).toBeGreaterThan(50)
    expect(names.flatMap((name) => missed(name, secretNameDraws(name, sampler(seed))))).toEqual([])
  })
})

test('bounded rules: no pattern repeats without a limit', () => {
  for (const rule of ALL_RULES) {
    const source = rule.form === 'token' ? rule.tail.source : rule.value.source
    expect(source.replace(/\[[^\]]*\]/g, 'C').replace(/\\./g, 'E'), rule.kind).not.toMatch(/[*+]|\{\d+,\}/)
  }
})
