import { expect, test } from 'vitest'
import { decodeSketch, encodeSketch, overlap, shinglesOf, sketchOf, sketchOverlap } from './similar.ts'

const words = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `word${from + i}`).join(' ')

test('a sketch of a short text measures exactly what the duplicate check measures', () => {
  const [a, b] = ['the pool is empty under load at night', 'the pool is empty under load at noon']
  expect(sketchOverlap(sketchOf(a), sketchOf(b))).toBeCloseTo(overlap(shinglesOf(a), shinglesOf(b)))
})

test('of a long text it comes near it', () => {
  const [a, b] = [words(0, 3000), words(1000, 4000)]
  const exact = overlap(shinglesOf(a), shinglesOf(b))
  expect(Math.abs(sketchOverlap(sketchOf(a), sketchOf(b)) - exact)).toBeLessThan(0.15)
})

test('it survives being stored; texts without words have nothing in common', () => {
  const sketch = sketchOf(words(0, 500))
  expect(sketchOverlap(decodeSketch(encodeSketch(sketch)), sketch)).toBe(1)
  expect(sketchOverlap(sketchOf(''), sketchOf('…'))).toBe(0)
})
