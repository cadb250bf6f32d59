import type { SearchDocument } from '../features/cards/indexing/document.ts'
import { filtersFrom } from '../text/term-hash.ts'
import { BitReader, BitWriter } from './bits.ts'

/** A card as the index has it. `hashes` is sorted; `levels[i]` belongs to `hashes[i]`. */
export type Candidate = {
  docNo: number
  cardId: string
  length: number
  hashes: readonly number[]
  levels: readonly number[]
  filters: readonly number[]
}

export type PackedDocument = { doc_no: number; card_id: string; weights: Uint8Array }

const lengthBits = 24
const countBits = 20
const levelBits = 5
const longest = 2 ** lengthBits - 1

/** Words and filters fill two halves of the same size. */
const space = filtersFrom

const writer = new BitWriter()

/** Length, how many words and filters, the words, the filters, the level of every word: one column on both engines. */
export function pack({ length, hashes, levels, filters }: SearchDocument): Buffer {
  writer.write(Math.min(length, longest), lengthBits)
  writer.write(hashes.length, countBits)
  writer.write(filters.length, countBits)
  writer.writeSorted(hashes, space)
  writer.writeSorted(
    filters.map((filter) => filter - filtersFrom),
    space,
  )
  // Most words occur once, which is level 0.
  for (const level of levels) {
    writer.write(level === 0 ? 1 : 0, 1)
    if (level !== 0) writer.write(level, levelBits)
  }
  return writer.finish()
}

export function unpack({ doc_no, card_id, weights }: PackedDocument): Candidate {
  const bits = new BitReader(weights)
  const length = bits.read(lengthBits)
  const words = bits.read(countBits)
  const filterCount = bits.read(countBits)
  const hashes = bits.readSorted(words, space)
  const filters = bits.readSorted(filterCount, space).map((filter) => filter + filtersFrom)
  const levels = hashes.map(() => (bits.read(1) === 1 ? 0 : bits.read(levelBits)))
  return { docNo: doc_no, cardId: card_id, length, hashes, levels, filters }
}
