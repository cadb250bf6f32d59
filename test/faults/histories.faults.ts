import { test } from 'vitest'
import { onBothEngines } from '../support/engines.ts'
import { histories } from './histories.ts'

const ROUNDS = Number(process.env.HISTORIES ?? 100)

onBothEngines('eight clients at once', (t) => {
  test(`keep every rule in ${ROUNDS} random histories`, () => histories(t, ROUNDS))
})
