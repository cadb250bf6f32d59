import { expect, test } from 'vitest'
import { nearestFirst } from './card-queries.ts'

test('the most similar card comes first, and equals keep the order of the server', () => {
  const cards = [
    { id: 'a', similarity: 0.1 },
    { id: 'b', similarity: 0.7 },
    { id: 'c', similarity: 0.1 },
  ]
  expect(nearestFirst(cards).map(({ id }) => id)).toEqual(['b', 'a', 'c'])
})
