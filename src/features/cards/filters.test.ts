import { expect, test, vi } from 'vitest'
import { askedEnvironmentFilter, environmentFilters, matchesEnvironment } from './card-index.ts'

test('a version is found by its parts and by itself', () => {
  for (const asked of ['20', '20.11', '20.11.1'])
    expect(environmentFilters('Node', '20.11.1')).toContain(askedEnvironmentFilter('node', asked))
  expect(environmentFilters('node', '20.11.1')).toHaveLength(3)
})

test('a value of a thousand parts is found by the first ones and by itself, and its name is normalised once', () => {
  const value = Array(1000).fill('1').join('.')
  const normalise = vi.spyOn(String.prototype, 'normalize')
  try {
    const filters = environmentFilters('node', value)
    expect(normalise.mock.calls.length).toBeLessThanOrEqual(2)
    expect(filters.length).toBeLessThan(30)
    for (const asked of ['1', '1.1.1', value]) {
      expect(filters).toContain(askedEnvironmentFilter('node', asked))
      expect(matchesEnvironment({ node: value }, { node: asked })).toBe(true)
    }
  } finally {
    normalise.mockRestore()
  }
})
