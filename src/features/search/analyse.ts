import snowball from 'snowball-stemmers'
import { stopWords } from './stopwords.ts'

/**
 * The one analyser: text in, index terms out, for both engines, for cards, memory and the duplicate check.
 * The engines only ever see ready terms, so they agree on what matches.
 */
export type Token = {
  /** Where the token stands in the text as given (UTF-16 offsets), for snippets. */
  start: number
  end: number
  /** The first terms are what the token is; an identifier adds itself as a whole at the end. */
  terms: string[]
  /** How many words the token counts for in the length of a text. */
  words: number
}

/** Bump when the terms of a text change, so that `kvault reindex` knows which cards are stale. */
export const analyserVersion = 1

const longestTerm = 64

// Scripts written without spaces between words; Hangul has spaces, but its words carry endings, so pairs serve it too.
const unspaced =
  '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}\\u30fc\\uff70'
const start = '(?<![\\p{L}\\p{N}_])'
const end = '(?![\\p{L}\\p{N}_])'
const symbol = `${start}[a-zA-Z](?:\\+\\+|#)${end}|\\p{Extended_Pictographic}`
const version = `${start}\\p{Nd}+(?:\\.\\p{Nd}+){1,4}${end}`
const run = `[${unspaced}][${unspaced}\\p{M}]*`
const word = `[[\\p{L}\\p{N}\\p{M}_]--[${unspaced}]]+`
const tokenPattern = new RegExp(`${symbol}|${version}|${run}|${word}`, 'gv')
const asciiTokenPattern = /\b[a-zA-Z](?:\+\+|#)(?!\w)|\b\d+(?:\.\d+){1,4}(?!\w)|\w+/g
const runStart = new RegExp(`^[${unspaced}]`, 'v')
const isVersion = /^\p{Nd}+\./u
const onlyAscii = /^[\0-\x7f]*$/
const onlyLatin = /^[\p{sc=Latin}\p{N}]+$/u
const onlyCyrillic = /^\p{sc=Cyrillic}+$/u
const hasInnerCase = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u
const lettersThenDigits = /^(\p{L}{3,})\p{Nd}+$/u
const wordPart =
  /\p{Lu}+(?!\p{Ll})[\p{Nd}\p{M}]*|\p{Lu}?[\p{L}\p{M}]+?(?=\p{Lu}|\p{Nd}|$)\p{Nd}*|[\p{L}\p{N}\p{M}]+/gu

const english = snowball.newStemmer('english')
const russian = snowball.newStemmer('russian')

// A stem costs as much as reading a hundred bytes; texts repeat their words, so a bounded cache pays for itself.
type Reading = { terms: string[]; words: number }
const readings = new Map<string, Reading>()
const readingsKept = 50_000

/** Lower-case, compatibility forms made one, accents of alphabetic scripts dropped. */
export function fold(text: string): string {
  if (onlyAscii.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g, '')
    .normalize('NFC')
}

function stem(word: string): string {
  if (onlyLatin.test(word)) return english.stem(word)
  return onlyCyrillic.test(word) ? russian.stem(word) : word
}

function cut(term: string): string {
  return term.length <= longestTerm ? term : term.slice(0, longestTerm)
}

/** `getUserById` and `get_user_by_id`: get, user, by, id, and getuserbyid for both. */
function identifierTerms(word: string): Reading {
  const parts = word.split('_').flatMap((piece) => piece.match(wordPart) ?? [])
  const folded = parts.map(fold).filter(Boolean)
  if (folded.length === 0) return { terms: [], words: 0 }
  if (folded.length === 1) return plainTerms(folded[0] as string)
  return {
    terms: [...folded.map((part) => cut(stem(cut(part)))), cut(folded.join(''))],
    words: folded.length,
  }
}

/** `python3` is also about python. */
function plainTerms(folded: string): Reading {
  const numbered = lettersThenDigits.exec(folded)
  if (numbered) return { terms: [cut(folded), cut(stem(cut(numbered[1] as string)))], words: 1 }
  return { terms: [cut(stem(cut(folded)))], words: 1 }
}

/** `3.11.2` is found by 3, by 3.11 and by itself. */
function versionTerms(version: string): string[] {
  const parts = fold(version).split('.')
  return parts.map((_, i) => cut(parts.slice(0, i + 1).join('.')))
}

function read(token: string): Reading {
  const known = readings.get(token)
  if (known) return known
  let reading: Reading
  if (isVersion.test(token)) reading = { terms: versionTerms(token), words: 1 }
  else if (token.includes('_') || hasInnerCase.test(token)) reading = identifierTerms(token)
  else reading = plainTerms(fold(token))
  if (readings.size >= readingsKept) readings.clear()
  if (token.length <= longestTerm) readings.set(token, reading)
  return reading
}

/** Pairs of neighbouring characters, each with its own place where folding has kept the places. */
function readRun(run: string, start: number, into: Token[]): void {
  const characters = [...fold(run)]
  const terms = characters.length < 2 ? characters : characters.slice(1).map((c, i) => `${characters[i]}${c}`)
  if (characters.length !== run.length) {
    into.push({ start, end: start + run.length, terms, words: terms.length })
    return
  }
  terms.forEach((term, i) => {
    into.push({ start: start + i, end: start + i + term.length, terms: [term], words: 1 })
  })
}

/** The tokens of a text in order, each with its place and its terms. */
export function tokens(text: string): Token[] {
  const found: Token[] = []
  const isAscii = onlyAscii.test(text)
  for (const match of text.matchAll(isAscii ? asciiTokenPattern : tokenPattern)) {
    const token = match[0]
    if (!isAscii && runStart.test(token)) {
      readRun(token, match.index, found)
      continue
    }
    const { terms, words } = read(token)
    if (terms.length > 0) found.push({ start: match.index, end: match.index + token.length, terms, words })
  }
  return found
}

/** Every term of a text in order, repeated as often as it occurs: what an index is fed with. */
export function termsOf(text: string): string[] {
  return tokens(text).flatMap((token) => token.terms)
}

// Nobody types more; a pasted log file is asked by its beginning.
const longestQuery = 20_000

/** The distinct terms of a query in order, without stop words unless there is nothing else. */
export function queryTerms(query: string): string[] {
  const meaningful = new Set<string>()
  const every = new Set<string>()
  for (const token of tokens(query.slice(0, longestQuery))) {
    const isStopWord = token.terms.length === 1 && stopWords.has(fold(query.slice(token.start, token.end)))
    for (const term of token.terms) {
      every.add(term)
      if (!isStopWord) meaningful.add(term)
    }
  }
  return meaningful.size > 0 ? [...meaningful] : [...every]
}
