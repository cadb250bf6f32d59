/** In the narrowest list a line of a hit has room for some 18 letters beside who reads the card. */
const MOST_BEFORE = 12

/** A snippet for one line: it begins shortly before its first marked word, so that the mark is in sight. */
export function aroundMark(snippet: string): string {
  const at = snippet.indexOf('<mark>')
  if (at <= MOST_BEFORE) return snippet
  const from = snippet.indexOf(' ', at - MOST_BEFORE)
  // Cut at a blank, so that no HTML entity is cut in two.
  return from < 0 || from >= at ? `…${snippet.slice(at)}` : `…${snippet.slice(from + 1)}`
}
