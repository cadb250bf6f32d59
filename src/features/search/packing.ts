import type { SearchDocument } from './document.ts'

/** A card as the index has it. `hashes` is sorted; `levels[i]` belongs to `hashes[i]`. */
export type Candidate = {
  docNo: number
  cardId: string
  length: number
  hashes: ArrayLike<number>
  levels: ArrayLike<number>
  filters: ArrayLike<number>
}

export type PackedDocument = { doc_no: number; card_id: string; weights: Uint8Array }

const headerBytes = 8
const numberBytes = 4

/** Length, number of words, every word and filter, then the level of every word: one column on both engines. */
export function pack({ length, hashes, levels, filters }: SearchDocument): Buffer {
  const bytes = Buffer.allocUnsafe(
    headerBytes + (hashes.length + filters.length) * numberBytes + levels.length,
  )
  let at = bytes.writeUInt32LE(length, 0)
  at = bytes.writeUInt32LE(hashes.length, at)
  for (const hash of hashes) at = bytes.writeUInt32LE(hash, at)
  for (const filter of filters) at = bytes.writeUInt32LE(filter, at)
  for (const level of levels) at = bytes.writeUInt8(level, at)
  return bytes
}

/** Every processor that Node 24 runs on is little-endian, so the bytes can be looked at as they are. */
export function unpack({ doc_no, card_id, weights }: PackedDocument): Candidate {
  const bytes = weights.byteOffset % numberBytes === 0 ? weights : Uint8Array.from(weights)
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, 2)[1] as number
  const count = (bytes.length - words - headerBytes) / numberBytes
  const numbers = new Uint32Array(bytes.buffer, bytes.byteOffset, 2 + count)
  return {
    docNo: doc_no,
    cardId: card_id,
    length: numbers[0] as number,
    hashes: numbers.subarray(2, 2 + words),
    levels: bytes.subarray(headerBytes + count * numberBytes),
    filters: numbers.subarray(2 + words),
  }
}
