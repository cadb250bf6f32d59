import { cutText } from './cut-text.ts'
import { foldCase } from './fold.ts'

// For a search by substring; snippet.ts says why there are two.

const SNIPPET_LENGTH = 240
const BEFORE_MATCH = 80

/** The text around the first occurrence of `foldedNeedle`, or the beginning of `text`. */
export function snippetAround(text: string, foldedNeedle: string): string {
  const at = Math.max(0, indexOfFolded(text, foldedNeedle))
  const from = at <= BEFORE_MATCH ? 0 : wordStart(text, at - BEFORE_MATCH)
  const { text: piece, truncated } = cutText(text.slice(from), SNIPPET_LENGTH)
  return `${from > 0 ? '… ' : ''}${piece.trim()}${truncated ? ' …' : ''}`
}

/** Where the needle stands in the text as it is written, although it was found in the folded text. */
function indexOfFolded(text: string, foldedNeedle: string): number {
  const folded = foldCase(text)
  const at = folded.indexOf(foldedNeedle)
  if (at <= 0 || folded.length === text.length) return at
  // Folding has changed lengths before the match (ß, ligatures): walk until as much is folded.
  let foldedSoFar = 0
  let index = 0
  for (const character of text) {
    if (foldedSoFar >= at) break
    foldedSoFar += foldCase(character).length
    index += character.length
  }
  return index
}

/** The next beginning of a word after `at`, so that a snippet does not begin inside one. */
function wordStart(text: string, at: number): number {
  const gap = text.slice(at, at + 30).search(/\s/)
  const start = gap === -1 ? at : at + gap + 1
  const first = text.charCodeAt(start)
  return first >= 0xdc00 && first <= 0xdfff ? start + 1 : start
}
