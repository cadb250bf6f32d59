import { fold } from '../../text/fold.ts'
import { STOP_WORDS } from '../../text/stopwords.ts'
import { withoutEnd } from '../../text/without-end.ts'
import { sanitise } from '../redaction/redact.ts'

/** A longer query was pasted, and a log or a letter may name people. */
const LONGEST_QUERY = 200
const MOST_WORDS = 12
const SHORTEST_WORD = 2
const LONGEST_WORD = 40

/** A word of letters and digits; not an address, path, number or placeholder. */
const WORD = /^[\p{L}\p{N}][\p{L}\p{N}+#_-]*$/u
const LETTER = /\p{L}/u

const OPENING = /^["'“‘`([{<]+/u
const CLOSING = `"'”’\`)]}>,;:!?.`

const isPlain = (word: string): boolean =>
  word.length >= SHORTEST_WORD &&
  word.length <= LONGEST_WORD &&
  WORD.test(word) &&
  LETTER.test(word) &&
  !STOP_WORDS.has(fold(word))

/**
 * The part of a query that a team may read: its plain words in lower case, each once. Null for a query that was
 * pasted, contains a secret or personal data, or has no such word.
 */
export function plainWords(query: string): string | null {
  if (query.length > LONGEST_QUERY || query.includes('\n')) return null
  if (sanitise(query).findings.length > 0) return null
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .map((word) => withoutEnd(word.replace(OPENING, ''), CLOSING))
    .filter(isPlain)
  const distinct = [...new Set(words)]
  return distinct.length > 0 && distinct.length <= MOST_WORDS ? distinct.join(' ') : null
}
