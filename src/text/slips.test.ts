import { describe, expect, test } from 'vitest'
import { meantSurely, slipCost } from './slips.ts'

describe('what people mistype', () => {
  test.each([
    ['a letter left out', 'conection', 'connection'],
    ['a letter doubled', 'timmeout', 'timeout'],
    ['two letters swapped', 'octopsu', 'octopus'],
    ['the key beside', 'timeour', 'timeout'],
    ['a letter changed', 'kubermates', 'kubernetes'],
    ['a letter left out before a number', 'errpol41', 'errpool41'],
    ['a digit alone, which is often a version', 'python3', 'python'],
    ['a slip in the ending that hides the stem', 'marsupail', 'marsupi'],
  ])('%s: %s may mean %s', (_, typed, word) => {
    expect(meantSurely(typed, typed, word)).toBeGreaterThan(0)
  })

  test.each([
    ['kubernets', 'internet'],
    ['auditory', 'editor'],
    ['stress', 'address'],
    ['cake', 'make'],
    ['cake', 'cache'],
    ['renal', 'signal'],
    ['lesion', 'version'],
    ['errpool41', 'errpool42'],
    ['sha512', 'sha51'],
  ])('%s never means %s', (typed, word) => {
    expect(meantSurely(typed, typed, word)).toBe(0)
  })

  test('a small slip in a long word is surer than a large one in a short word', () => {
    const sure = meantSurely('confgiuration', 'confgiuration', 'configuration')
    expect(sure).toBeGreaterThan(meantSurely('cofnig', 'cofnig', 'config'))
    expect(meantSurely('renal', 'renal', 'rental')).toBeLessThan(0.6)
  })

  test('costs nothing between equals, and never more than it is asked to say', () => {
    expect(slipCost('pool', 'pool', 2)).toBe(0)
    expect(slipCost('pool', 'exhausted', 2)).toBe(2)
    expect(slipCost('pol', 'pool', 2)).toBe(0.5)
  })
})
