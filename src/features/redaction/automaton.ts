import { doAll, type Pieces } from '../../core/pieces.ts'

/**
 * Aho-Corasick over ASCII keywords, ignoring case, as one dense table: a character is a class, a state is a
 * row. It touches no object per character, which makes it several times as fast as linked nodes.
 */
export type Automaton = {
  scan(text: string, hit: Hit): void
  /** The same in pieces, each of some thousand characters and the rules that they cause. */
  scanInPieces(text: string, hit: Hit): Pieces<void>
}
type Hit = (keyword: number, end: number) => void

const PIECE_CHARACTERS = 16 * 1024

export function buildAutomaton(keywords: readonly string[]): Automaton {
  const lower = keywords.map((keyword) => keyword.toLowerCase())
  const { classOf, width } = characterClasses(lower)
  const trie = buildTrie(lower, classOf)
  const { next, output } = completeTransitions(trie, width)

  /** Returns the state after the piece. */
  function scanPiece(text: string, from: number, to: number, before: number, hit: Hit): number {
    let state = before
    for (let at = from; at < to; at += 1) {
      const code = text.charCodeAt(at)
      state = code < 128 ? (next[state * width + (classOf[code] ?? 0)] ?? 0) : 0
      const found = output[state]
      if (found !== undefined) for (const keyword of found) hit(keyword, at + 1)
    }
    return state
  }

  function* scanInPieces(text: string, hit: Hit): Pieces<void> {
    let state = 0
    for (let from = 0; from < text.length; from += PIECE_CHARACTERS) {
      if (from > 0) yield
      state = scanPiece(text, from, Math.min(from + PIECE_CHARACTERS, text.length), state, hit)
    }
  }

  return { scan: (text, hit) => doAll(scanInPieces(text, hit)), scanInPieces }
}

/** Class 0 is every character that no keyword holds. */
function characterClasses(keywords: readonly string[]): { classOf: Uint8Array; width: number } {
  const classOf = new Uint8Array(128)
  let width = 1
  for (const character of new Set(keywords.join(''))) {
    const code = character.charCodeAt(0)
    if (code >= 128) throw new Error('keywords are ASCII')
    classOf[code] = width
    classOf[character.toUpperCase().charCodeAt(0)] = width
    width += 1
  }
  return { classOf, width }
}

type TrieNode = { children: Map<number, number>; ends: number[] }

function buildTrie(keywords: readonly string[], classOf: Uint8Array): TrieNode[] {
  const nodes: TrieNode[] = [{ children: new Map(), ends: [] }]
  for (const [index, keyword] of keywords.entries()) {
    let node = nodes[0] as TrieNode
    for (let at = 0; at < keyword.length; at += 1) {
      const cls = classOf[keyword.charCodeAt(at)] ?? 0
      let child = node.children.get(cls)
      if (child === undefined) {
        child = nodes.push({ children: new Map(), ends: [] }) - 1
        node.children.set(cls, child)
      }
      node = nodes[child] as TrieNode
    }
    node.ends.push(index)
  }
  return nodes
}

function completeTransitions(nodes: TrieNode[], width: number) {
  const next = new Uint16Array(nodes.length * width)
  const output: (readonly number[] | undefined)[] = new Array(nodes.length).fill(undefined)
  const fallback = new Uint16Array(nodes.length)
  const queue = [0]
  for (let head = 0; head < queue.length; head += 1) {
    const state = queue[head] as number
    const node = nodes[state] as TrieNode
    const back = fallback[state] as number
    const found = [...node.ends, ...(state === 0 ? [] : (output[back] ?? []))]
    if (found.length > 0) output[state] = found
    for (let cls = 0; cls < width; cls += 1) {
      const onFallback = state === 0 ? 0 : (next[back * width + cls] as number)
      const child = node.children.get(cls)
      if (child === undefined) {
        next[state * width + cls] = onFallback
      } else {
        next[state * width + cls] = child
        fallback[child] = onFallback
        queue.push(child)
      }
    }
  }
  return { next, output }
}
