const START = 0x811c9dc5
const PRIME = 0x01000193

/** FNV-1a over the UTF-16 units of a part of a text, 32 bits. A seed keeps hashes of different purposes apart. */
export function fnv1a(text: string, seed = 0, from = 0, to = text.length): number {
  let value = START ^ seed
  for (let at = from; at < to; at += 1) value = Math.imul(value ^ text.charCodeAt(at), PRIME)
  return value
}
