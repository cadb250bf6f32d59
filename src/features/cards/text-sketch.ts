import { shinglesOf } from './words.ts'

/** How many of the lowest hashes represent the whole text: enough to tell an overlap of a half from a third. */
const KEPT = 128

function numberOf(shingle: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < shingle.length; i++) h = Math.imul(h ^ shingle.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/**
 * A min-hash of a text, small enough to keep for good: the lowest hashes of its shingles (three words in a row), in
 * order.
 */
export type TextSketch = Uint32Array

export const sketchOf = (text: string): TextSketch =>
  Uint32Array.from(new Set(Array.from(shinglesOf(text), numberOf)))
    .sort()
    .subarray(0, KEPT)

/** An estimate of the Jaccard measure that `overlap` computes. */
export function sketchOverlap(a: TextSketch, b: TextSketch): number {
  const has = new Set(b)
  const lowest = Uint32Array.from(new Set([...a, ...b]))
    .sort()
    .subarray(0, KEPT)
  const ofA = new Set(a)
  const common = lowest.filter((number) => ofA.has(number) && has.has(number)).length
  return lowest.length === 0 ? 0 : common / lowest.length
}

export const encodeSketch = (sketch: TextSketch): string =>
  Buffer.from(sketch.slice().buffer).toString('base64')

export const decodeSketch = (text: string): TextSketch =>
  new Uint32Array(Uint8Array.from(Buffer.from(text, 'base64')).buffer)
