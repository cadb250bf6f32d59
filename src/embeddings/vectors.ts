/** A vector as it is stored: a byte for each number, the largest 127. Only the direction of a vector counts. */
export type Vector = Int8Array

const LARGEST = 127

export function quantise(numbers: readonly number[]): Vector {
  let largest = 0
  for (const number of numbers) largest = Math.max(largest, Math.abs(number))
  return Int8Array.from(numbers, (number) => Math.round((number / largest) * LARGEST))
}

export const bytesOf = (vector: Vector): Buffer =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)

export const vectorOf = (bytes: Uint8Array): Vector =>
  new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const lengthOf = (vector: Vector): number => {
  let sum = 0
  for (let i = 0; i < vector.length; i++) sum += (vector[i] as number) ** 2
  return Math.sqrt(sum)
}

/** Of an entry besides its vector: the place in the map, and its length. */
const BYTES_OF_ENTRY = 64
const FIRST_SLOTS = 1024

/** Vectors of one model by number, in one block of memory. The oldest make room for new ones. */
export class KeptVectors {
  readonly model: string
  readonly dimensions: number
  readonly capacity: number
  readonly #slots = new Map<number, number>()
  #numbers: Int8Array
  #lengths: Float32Array

  constructor(model: string, dimensions: number, maxBytes: number) {
    this.model = model
    this.dimensions = dimensions
    this.capacity = Math.floor(maxBytes / (dimensions + BYTES_OF_ENTRY))
    const slots = Math.min(FIRST_SLOTS, this.capacity)
    this.#numbers = new Int8Array(slots * dimensions)
    this.#lengths = new Float32Array(slots)
  }

  set(number: number, vector: Vector): void {
    const slot = this.#slots.get(number) ?? this.#freeSlot()
    if ((slot + 1) * this.dimensions > this.#numbers.length) this.#grow()
    this.#numbers.set(vector, slot * this.dimensions)
    this.#lengths[slot] = lengthOf(vector)
    this.#slots.set(number, slot)
  }

  /** Returns a function for the cosine of the angle to `question`; undefined for a vector that is not kept. */
  similarityTo(question: Vector): (number: number) => number | undefined {
    const length = lengthOf(question)
    return (number) => {
      const slot = this.#slots.get(number)
      return slot === undefined
        ? undefined
        : this.#product(slot, question) / ((this.#lengths[slot] as number) * length)
    }
  }

  #product(slot: number, question: Vector): number {
    const start = slot * this.dimensions
    const numbers = this.#numbers
    let product = 0
    for (let i = 0; i < question.length; i++)
      product += (question[i] as number) * (numbers[start + i] as number)
    return product
  }

  #freeSlot(): number {
    if (this.#slots.size < this.capacity) return this.#slots.size
    const [oldest, slot] = this.#slots.entries().next().value as [number, number]
    this.#slots.delete(oldest)
    return slot
  }

  #grow(): void {
    const slots = Math.min(this.capacity, 2 * this.#lengths.length)
    const numbers = new Int8Array(slots * this.dimensions)
    numbers.set(this.#numbers)
    const lengths = new Float32Array(slots)
    lengths.set(this.#lengths)
    this.#numbers = numbers
    this.#lengths = lengths
  }
}
