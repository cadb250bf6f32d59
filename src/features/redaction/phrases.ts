import { isPlaceholder, looksLikePassword } from './placeholders.ts'
import { RANK, type Span } from './rules/rule.ts'

/** Passwords with blanks in them. Only in quotes: without them nobody can tell where such a password ends. */
const PHRASE = /[^"'`\r\n\\<>{}]{8,100}(?=["'`])/y

/** A mail provider gives a password for an app in four groups of four letters. */
const APP_PASSWORD = /^[a-z]{4}(?: [a-z]{4}){3}$/

/** A sentence about a password has one of these words. */
const PROSE =
  /\b(?:an?|and|are|as|at|be(?:en)?|by|can|cannot|characters?|contain|digits?|do|does|enter|fail(?:ed|s)?|for|from|has|have|here|if|in|is|it|least|letters?|long|min|must|need|new|no|not|of|on|one|only|or|passwords?|please|see|short|should|than|that|the|they|this|to|use|used|was|we|when|will|with|your?)\b/i

const SIGN = /[!@#$%^&*~]/
const REFERENCE_OR_MAIL = /^\$|@[^@]*\./

/** Beside letters it has a digit and a sign, as words and versions do not. */
export function isPasswordLike(word: string): boolean {
  return /\d/.test(word) && SIGN.test(word) && !REFERENCE_OR_MAIL.test(word) && looksLikePassword(word)
}

/** The password in quotes that starts here, behind the opening quote. */
export function phraseAt(text: string, start: number): Span | undefined {
  PHRASE.lastIndex = start
  const phrase = PHRASE.exec(text)?.[0]
  if (phrase === undefined || text[start + phrase.length] !== text[start - 1] || PROSE.test(phrase))
    return undefined
  const isSecret = APP_PASSWORD.test(phrase) || phrase.split(' ').some(isPasswordLike)
  // Samples are recognised as one word: `abcd efgh ijkl mnop`.
  if (!isSecret || isPlaceholder(phrase) || isPlaceholder(phrase.replaceAll(' ', ''))) return undefined
  return { start, end: start + phrase.length, kind: 'password', rank: RANK.assigned }
}
