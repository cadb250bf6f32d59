import { expect, test } from 'vitest'
import { onBothEngines } from '../support/engines.ts'
import { fuzz } from './fuzz.ts'

onBothEngines('generated requests', (t) => {
  test('are all answered as the description says, whatever they hold', async () => {
    // Other requests on each engine: together more than either draws.
    const seed = Number(process.env.FUZZ_SEED ?? 20_261_115) + (t.engine === 'sqlite' ? 0 : 1)
    const { findings } = await fuzz(t, 250, seed)
    expect(findings).toEqual([])
  }, 240_000)
})
