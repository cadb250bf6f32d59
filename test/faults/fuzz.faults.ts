import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { onBothEngines } from '../support/engines.ts'
import { fuzz } from './fuzz.ts'

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 20_000)
const SEED = Number(process.env.FUZZ_SEED ?? Date.now())
const MAX_GROWTH_BYTES = 30 * 1024 * 1024

setFlagsFromString('--expose_gc')
const heapUsed = () => {
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

onBothEngines('generated requests', (t) => {
  test(`${REQUESTS} of them, and memory returns to its level`, async () => {
    await fuzz(t, 500, SEED - 1)
    const before = heapUsed()
    const { findings, statuses } = await fuzz(t, REQUESTS, SEED)
    process.stdout.write(`${t.engine}, seed ${SEED}: ${JSON.stringify(statuses)}\n`)
    expect(findings).toEqual([])
    expect(heapUsed() - before).toBeLessThan(MAX_GROWTH_BYTES)
  })
})
