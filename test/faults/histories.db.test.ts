import { test } from 'vitest'
import { onBothEngines } from '../support/engines.ts'
import { histories } from './histories.ts'

onBothEngines('eight clients at once', (t) => {
  test('overdraw nothing, earn nothing twice, lose no update and write nothing without a role', async () => {
    await histories(t, 4)
  }, 240_000)
})
