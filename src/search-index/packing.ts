import { FILTERS_FROM } from '../text/term-hash.ts'
import { BitReader, BitWriter } from './bits.ts'
import { MINOR_LEVEL } from './term-levels.ts'

/** A card as the index has it. `hashes` is sorted; `levels[i]` belongs to `hashes[i]`. */
export type Candidate = {
  docNo: number
  documentId: string
  length: number
  hashes: readonly number[]
  levels: readonly number[]
  filters: readonly number[]
}

export type PackedDocument = { doc_no: number; card_id: string; weights: Uint8Array }

const LENGTH_BITS = 24
const COUNT_BITS = 20
const LEVEL_BITS = 5
const LONGEST = 2 ** LENGTH_BITS - 1

/** Words and filters fill two halves of the same size. */
const space = FILTERS_FROM

const writer = new BitWriter()

/** Length, how many words and filters, the words, the filters, the level of every word: one column on both engines. */
export function pack({ length, hashes, levels, filters }: Omit<Candidate, 'docNo' | 'documentId'>): Buffer {
  writer.write(Math.min(length, LONGEST), LENGTH_BITS)
  writer.write(hashes.length, COUNT_BITS)
  writer.write(filters.length, COUNT_BITS)
  writer.writeSorted(hashes, space)
  writer.writeSorted(
    filters.map((filter) => filter - FILTERS_FROM),
    space,
  )
  // Most words occur once, which is level 0 and takes one bit. Its long form is free, so it stands for the minor level.
  for (const level of levels) {
    writer.write(level === 0 ? 1 : 0, 1)
    if (level !== 0) writer.write(level === MINOR_LEVEL ? 0 : level, LEVEL_BITS)
  }
  return writer.finish()
}

export function unpack({ doc_no, card_id, weights }: PackedDocument): Candidate {
  const bits = new BitReader(weights)
  const length = bits.read(LENGTH_BITS)
  const words = bits.read(COUNT_BITS)
  const filterCount = bits.read(COUNT_BITS)
  const hashes = bits.readSorted(words, space)
  const filters = bits.readSorted(filterCount, space, FILTERS_FROM)
  const levels = bits.readMostlyZeros(words, LEVEL_BITS, MINOR_LEVEL)
  return { docNo: doc_no, documentId: card_id, length, hashes, levels, filters }
}
