import { invalid } from './errors.ts'

/** The length of a part of a long answer. Clients refuse answers of some 25,000 tokens and more; this is well below. */
const PART_CHARACTERS = 12_000

/** Takes what is between two positions of a value that is read from its beginning, and counts its length. */
type Reader = { position: number; from: number; to: number }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Never half a character: a surrogate pair across a border belongs to the part where it begins. */
function piece(text: string, from: number, to: number): string {
  const isLow = (at: number) => /[\udc00-\udfff]/.test(text.charAt(at))
  return text.slice(from + Number(isLow(from)), to + Number(isLow(to)))
}

/** Strings are cut anywhere, lists and objects between their entries. Undefined: nothing of the value is in this part. */
function read(value: unknown, reader: Reader): unknown {
  if (typeof value === 'string') {
    const start = reader.position
    reader.position += value.length
    const from = Math.max(0, reader.from - start)
    const to = Math.min(value.length, reader.to - start)
    if (value === '') return start >= reader.from && start < reader.to ? value : undefined
    return from < to ? piece(value, from, to) : undefined
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => read(item, reader)).filter((item) => item !== undefined)
    return items.length > 0 ? items : undefined
  }
  if (isObject(value)) {
    const entries = Object.entries(value).flatMap(([name, inner]) => {
      reader.position += name.length
      const some = read(inner, reader)
      return some === undefined ? [] : [[name, some] as const]
    })
    return entries.length > 0 ? Object.fromEntries(entries) : undefined
  }
  const start = reader.position
  reader.position += String(value).length
  return start >= reader.from && start < reader.to ? value : undefined
}

export type Part = { part: number; parts: number; content: Record<string, unknown> }

/**
 * One part of an answer that may be long. Fields come in their order, whole where they fit; one that does not is continued in
 * the next part under the same name.
 */
export function partOf(whole: Record<string, unknown>, part: number, size = PART_CHARACTERS): Part {
  const reader = { position: 0, from: (part - 1) * size, to: part * size }
  const content = read(whole, reader) ?? {}
  const parts = Math.max(1, Math.ceil(reader.position / size))
  if (part > parts) throw invalid('part', `There are ${parts} parts`, 'less_than_equal')
  return { part, parts, content: content as Record<string, unknown> }
}
