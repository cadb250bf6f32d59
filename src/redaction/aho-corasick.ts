import type { Pieces } from '../shared/pieces.ts'

/** Finds keywords over ASCII, ignoring case, in the order of their ends; of one end the longest first. */
export type Automaton = { scanInPieces(text: string, hit: Hit): Pieces<void> }
type Hit = (keyword: number, end: number) => void

const PIECE_CHARACTERS = 16 * 1024
/** Characters in all from which the table is worth its time; a hook reads fewer, and a person waits for it. */
const WORTH_A_TABLE = 100_000

export function buildAutomaton(keywords: readonly string[]): Automaton {
  const lower = keywords.map((keyword) => keyword.toLowerCase())
  if (/[^\0-\x7f]/.test(lower.join(''))) throw new Error('keywords are ASCII')
  let beginnings: Map<number, number[]> | undefined
  let table: Automaton | undefined
  let read = 0
  function scanInPieces(text: string, hit: Hit): Pieces<void> {
    read += text.length
    if (table === undefined && read <= WORTH_A_TABLE) {
      beginnings ??= byBeginning(lower)
      return scanByBeginning(text, lower, beginnings, hit)
    }
    table ??= buildTable(lower)
    return table.scanInPieces(text, hit)
  }
  return { scanInPieces }
}

/** Returns a number for the first two characters of a keyword; one of a single character has no second. */
const beginningAt = (text: string, at: number): number => text.charCodeAt(at) * 128 + text.charCodeAt(at + 1)

function byBeginning(keywords: readonly string[]): Map<number, number[]> {
  const beginnings = new Map<number, number[]>()
  for (const [index, keyword] of keywords.entries()) {
    const beginning = keyword.length === 1 ? -keyword.charCodeAt(0) : beginningAt(keyword, 0)
    const present = beginnings.get(beginning)
    if (present) present.push(index)
    else beginnings.set(beginning, [index])
  }
  return beginnings
}

function* scanByBeginning(
  text: string,
  keywords: readonly string[],
  beginnings: ReadonlyMap<number, number[]>,
  hit: Hit,
): Pieces<void> {
  const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  const lengthOf = (keyword: number) => keywords[keyword]?.length ?? 0
  const found: { keyword: number; end: number }[] = []
  for (let at = 0; at < lower.length; at += 1)
    for (const beginning of [beginningAt(lower, at), -lower.charCodeAt(at)])
      for (const keyword of beginnings.get(beginning) ?? [])
        if (lower.startsWith(keywords[keyword] ?? '', at))
          found.push({ keyword, end: at + lengthOf(keyword) })
  found.sort((a, b) => a.end - b.end || lengthOf(b.keyword) - lengthOf(a.keyword))
  for (const { keyword, end } of found) hit(keyword, end)
}

/** Aho-Corasick: a column per character class, a row per state. */
function buildTable(lower: readonly string[]): Automaton {
  const { classOf, width } = characterClasses(lower)
  const trie = buildTrie(lower, classOf, width)
  completeTransitions(trie, width)
  const { next, output, states } = trie
  const ends = Uint8Array.from({ length: states }, (_, state) => (output[state] === undefined ? 0 : 1))

  function scanPiece(text: string, from: number, to: number, before: number, hit: Hit): number {
    let state = before
    for (let at = from; at < to; at += 1) {
      const code = text.charCodeAt(at)
      state = code < 128 ? (next[state * width + (classOf[code] ?? 0)] ?? 0) : 0
      if (ends[state] === 1) for (const keyword of output[state] ?? []) hit(keyword, at + 1)
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

  return { scanInPieces }
}

/** Class 0 is every character that no keyword has. */
function characterClasses(keywords: readonly string[]): { classOf: Uint8Array; width: number } {
  const classOf = new Uint8Array(128)
  let width = 1
  for (const keyword of keywords) {
    for (let at = 0; at < keyword.length; at += 1) {
      const code = keyword.charCodeAt(at)
      if (classOf[code] !== 0) continue
      classOf[code] = width
      classOf[keyword.charAt(at).toUpperCase().charCodeAt(0)] = width
      width += 1
    }
  }
  return { classOf, width }
}

type Trie = {
  /** The next state for each class, row by row; 0 means none, because the root is no child of any state. */
  next: Uint16Array
  states: number
  lastChild: Uint16Array
  sibling: Uint16Array
  classInto: Uint8Array
  output: (number[] | undefined)[]
}

function buildTrie(keywords: readonly string[], classOf: Uint8Array, width: number): Trie {
  const mostStates = 1 + keywords.reduce((sum, keyword) => sum + keyword.length, 0)
  if (mostStates > 65_536) throw new Error('the keywords need more states than 16 bits can number')
  const next = new Uint16Array(mostStates * width)
  const [lastChild, sibling] = [new Uint16Array(mostStates), new Uint16Array(mostStates)]
  const classInto = new Uint8Array(mostStates)
  const output: Trie['output'] = new Array(mostStates).fill(undefined)
  let states = 1
  for (const [index, keyword] of keywords.entries()) {
    let state = 0
    for (let at = 0; at < keyword.length; at += 1) {
      const cls = classOf[keyword.charCodeAt(at)] ?? 0
      let child = next[state * width + cls] as number
      if (child === 0) {
        child = states++
        next[state * width + cls] = child
        sibling[child] = lastChild[state] as number
        lastChild[state] = child
        classInto[child] = cls
      }
      state = child
    }
    const ends = output[state]
    if (ends === undefined) output[state] = [index]
    else ends.push(index)
  }
  return { next: next.slice(0, states * width), states, lastChild, sibling, classInto, output }
}

/** Fills the rows breadth first, so that the row of a shorter suffix is complete before it is copied. */
function completeTransitions(trie: Trie, width: number): void {
  const { next, states, lastChild, sibling, classInto, output } = trie
  const fallback = new Uint16Array(states)
  const queue = new Uint16Array(states)
  for (let head = 0, tail = 1; head < tail; head += 1) {
    const state = queue[head] as number
    const back = (fallback[state] as number) * width
    const shorter = state === 0 ? undefined : output[fallback[state] as number]
    if (shorter !== undefined) output[state] = [...(output[state] ?? []), ...shorter]
    if (state !== 0) next.copyWithin(state * width, back, back + width)
    for (let child = lastChild[state] as number; child !== 0; child = sibling[child] as number) {
      const cell = state * width + (classInto[child] as number)
      // The copied row already holds the continuation of the shorter suffix.
      fallback[child] = state === 0 ? 0 : (next[cell] as number)
      next[cell] = child
      queue[tail++] = child
    }
  }
}
