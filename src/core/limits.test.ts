import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { DAY_MS } from '../shared/time.ts'
import { type CountedUses, memoryLimits } from './limits.ts'

test('the limit holds for a minute from the first use, then starts again', () => {
  let time = 1_000_000
  const limits = memoryLimits(undefined, () => time)
  expect(limits.hit('a', 2)).toMatchObject({ remaining: 1, resetSeconds: 60, exceeded: false })
  time += 30_000
  expect(limits.hit('a', 2)).toMatchObject({ remaining: 0, resetSeconds: 30, exceeded: false })
  expect(limits.hit('a', 2).exceeded).toBe(true)
  expect(limits.hit('b', 2).exceeded).toBe(false)
  time += 30_000
  expect(limits.hit('a', 2)).toMatchObject({ remaining: 1, exceeded: false })
})

test('processes that share their counts keep one limit together', async () => {
  const shared: CountedUses[] = []
  const first = memoryLimits((uses) => shared.push(uses))
  const second = memoryLimits()
  for (let i = 0; i < 3; i++) first.hit('a', 3)
  while (shared.length === 0) await sleep(1)
  expect(shared).toEqual([[['a', expect.any(Number), 3]]])
  second.absorb(shared.flat())
  expect(second.hit('a', 3).exceeded).toBe(true)
})

test('what a sibling counted in an ended minute no longer counts', () => {
  const limits = memoryLimits(undefined, () => 1_000_000)
  limits.absorb([['a', 1_000_000 - 60_000, 100]])
  expect(limits.hit('a', 2).exceeded).toBe(false)
})

test('a flood of new keys does not clear the count of a busy caller', () => {
  const limits = memoryLimits(undefined, () => 1_000_000)
  for (let i = 0; i < 50; i++) limits.hit('busy', 10)
  for (let i = 0; i < 250_000; i++) limits.hit(`flood ${i}`, 10)
  expect(limits.look('busy', 10)).toMatchObject({ exceeded: true, remaining: 0 })
})

test('a clock that is put back closes no window for longer than a minute', () => {
  let time = 1_000_000_000
  const limits = memoryLimits(undefined, () => time)
  for (let i = 0; i < 3; i++) limits.hit('a', 2)
  expect(limits.look('a', 2).exceeded).toBe(true)
  time -= DAY_MS
  expect(limits.look('a', 2)).toMatchObject({ exceeded: false, resetSeconds: 60 })
})

test('looking does not count, and an amount counts as much as it says', () => {
  let time = 1_000_000
  const limits = memoryLimits(undefined, () => time)
  expect(limits.hit('bytes', 100, 60).remaining).toBe(40)
  expect(limits.look('bytes', 100).remaining).toBe(40)
  expect(limits.hit('bytes', 100, 60).exceeded).toBe(true)
  time += 60_000
  expect(limits.look('bytes', 100)).toMatchObject({ exceeded: false, remaining: 100 })
})

test('what is owed beyond the minute is paid by the next ones, at every process', async () => {
  let time = 1_000_000
  const shared: CountedUses[] = []
  const limits = memoryLimits(
    (uses) => shared.push(uses),
    () => time,
  )
  const sibling = memoryLimits(undefined, () => time)
  limits.owe('work', 100, 60)
  expect(limits.look('work', 100)).toMatchObject({ remaining: 40, resetSeconds: 60 })
  limits.owe('work', 100, 190)
  while (shared.length === 0) await sleep(1)
  sibling.absorb(shared.flat())
  for (const one of [limits, sibling])
    expect(one.look('work', 100)).toMatchObject({ remaining: 0, resetSeconds: 150 })
  time += 149_000
  for (const one of [limits, sibling]) expect(one.look('work', 100).remaining).toBe(0)
  time += 1_000
  for (const one of [limits, sibling]) expect(one.look('work', 100)).toMatchObject({ remaining: 100 })
})
