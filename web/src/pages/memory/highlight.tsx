import { piecesOf } from './pieces.ts'

export const Highlight = ({ text, words }: { text: string; words: readonly string[] }) =>
  piecesOf(text, words).map((piece, index) =>
    piece.isHit ? <mark key={index}>{piece.text}</mark> : piece.text,
  )
