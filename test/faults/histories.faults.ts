import { test } from 'vitest'
import { onBothEngines } from '../support/engines.ts'
import { histories } from './histories.ts'

const RUNS = Number(process.env.HISTORIES ?? 100)

onBothEngines('eight clients at once', (t) => {
  test(`keep every rule in ${RUNS} random histories`, () => histories(t, RUNS))
})
