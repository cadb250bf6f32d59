export type Piece = { text: string; isHit: boolean }

/** The text in pieces, with every occurrence of one of the words marked, whatever its case. */
export function piecesOf(text: string, words: readonly string[]): Piece[] {
  const wanted = words.map((word) => word.trim()).filter(Boolean)
  if (wanted.length === 0) return [{ text, isHit: false }]
  const longestFirst = wanted.toSorted((a, b) => b.length - a.length).map(escapeRegExp)
  const pattern = new RegExp(`(${longestFirst.join('|')})`, 'giu')
  return text
    .split(pattern)
    .map((piece, index) => ({ text: piece, isHit: index % 2 === 1 }))
    .filter((piece) => piece.text !== '')
}

const escapeRegExp = (text: string) =>
  text.replace(/[\\^$.*+?()[\]{}|/-]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16)}`)
