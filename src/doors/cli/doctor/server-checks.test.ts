import { expect, test } from 'vitest'
import { certificateValidFor } from './server-checks.ts'

test('a certificate that ends soon is a warning, and its days are counted in words that fit', () => {
  const said = (days: number) => {
    const { state, detail } = certificateValidFor(days)
    return `${state}: ${detail}`
  }
  expect([0, 1, 14, 15].map(said)).toEqual([
    'warn: certificate valid for less than a day',
    'warn: certificate valid for 1 day',
    'warn: certificate valid for 14 days',
    'ok: certificate valid for 15 days',
  ])
})
