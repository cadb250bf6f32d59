import { expect, test } from 'vitest'
import { answerSizes, pageWith, readPage } from '../../scripts/answer-sizes.ts'

test('answers cost a model no more than their bounds, and what docs/guide/tools.md says (npm run docs)', async () => {
  const sizes = await answerSizes()
  for (const { what, tokens, most } of sizes)
    if (most !== undefined) expect(tokens, what).toBeLessThanOrEqual(most)
  expect(pageWith(readPage(), sizes)).toBe(readPage())
})
