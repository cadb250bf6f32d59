import { wordsOf } from './words.ts'

/**
 * Whether a card is about another cause than a failure. Some programs write one sentence for many causes, and the cause
 * beside it: git fails to push for ten reasons, and psql to connect. Such a sentence speaks for each card that quotes it.
 */

const QUOTED = `['"\`‘“][^'"\`’”\\n]{0,200}['"\`’”]`

/** The cause follows on the same line. */
const BEFORE_CAUSE: readonly RegExp[] = [
  new RegExp(`unable to access (?:${QUOTED}|\\S{1,200}):`, 'gi'),
  /connection to server (?:at|on socket)[^\n]{0,200}? failed:(?:\s{1,3}FATAL:)?/gi,
  /error response from daemon:/gi,
]
const SENTENCES: readonly RegExp[] = [
  ...BEFORE_CAUSE,
  new RegExp(`failed to push some refs(?: to (?:${QUOTED}|\\S{1,200}))?`, 'gi'),
  /could not read from remote repository/gi,
]

/** What stands beside such a sentence and says nothing about the cause either. */
const BESIDE: readonly RegExp[] = [
  /please make sure you have the correct access rights/gi,
  /and the repository exists/gi,
  /\S{1,100} -> \S{1,100}/g,
  /\bfor user\b/gi,
  new RegExp(QUOTED, 'g'),
]

const has = (text: string, sentence: RegExp): boolean => text.search(sentence) >= 0

const without = (text: string, patterns: readonly RegExp[]): string =>
  patterns.reduce((left, pattern) => left.replaceAll(pattern, ' '), text)

function afterSentence(line: string): string {
  for (const sentence of BEFORE_CAUSE)
    for (const match of line.matchAll(sentence)) return line.slice(match.index + match[0].length)
  return line
}

/** These say that something failed, not what. */
const SAYS_FAILED = new Set(['error', 'fatal', 'fail', 'hint', 'remot', 'reject'])

const termsIn = (text: string): string[] => wordsOf(text).map(({ term }) => term)

/** The words of each sentence of a text that says a cause. */
const causesIn = (text: string): Set<string>[] =>
  text
    .split('\n')
    .flatMap((line) => without(afterSentence(line), [...SENTENCES, ...BESIDE]).split(/[.;] /))
    .map((cause) => new Set(termsIn(cause).filter((term) => !SAYS_FAILED.has(term))))
    .filter(({ size }) => size > 0)

/** More than half of the words; half is enough if that is no single word. */
function isTold(cause: ReadonlySet<string>, told: ReadonlySet<string>): boolean {
  const shared = [...cause].filter((word) => told.has(word)).length
  return 2 * shared > cause.size || (2 * shared === cause.size && shared > 1)
}

/** Outside of every repository, or in one whose folder is gone. */
const NO_REPOSITORY = /not a git repository \(or any/i
const REPOSITORY_GONE = /not a git repository: ['"]?[\w.~-]{0,60}[/\\]/i

function isGoneInCardOnly(failure: string, card: string): boolean {
  const isOnly = (text: string, one: RegExp, other: RegExp) => one.test(text) && !other.test(text)
  return isOnly(failure, NO_REPOSITORY, REPOSITORY_GONE) && isOnly(card, REPOSITORY_GONE, NO_REPOSITORY)
}

/** `quoting` are the texts of a card that may quote an error; `others` may name its cause too. */
export function hasAnotherCause(
  lines: readonly string[],
  quoting: readonly string[],
  others: readonly string[],
): boolean {
  if (isGoneInCardOnly(lines.join('\n'), quoting.join('\n'))) return true
  const said = SENTENCES.filter((sentence) => lines.some((line) => has(line, sentence)))
  const quotes = quoting.filter((text) => said.some((sentence) => has(text, sentence)))
  if (!quotes.some((text) => causesIn(text).length > 0)) return false
  const causes = lines.flatMap(causesIn)
  const told = new Set([...quoting, ...others].flatMap((text) => termsIn(without(text, SENTENCES))))
  return causes.length > 0 && !causes.some((cause) => isTold(cause, told))
}
