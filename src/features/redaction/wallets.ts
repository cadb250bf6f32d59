import { RANK, type Span } from './rules/rule.ts'

/** The words that a wallet is restored from: twelve to twenty-four of them behind a name such as `seed phrase`. */
export const WALLET_NAMES = [
  'mnemonic',
  ...['seed', 'recovery', 'backup'].flatMap((word) =>
    ['', ' ', '_', '-'].map((sign) => `${word}${sign}phrase`),
  ),
  'seed words',
]

const LINK =
  /[\w-]{0,20}[ \t]{0,2}["'`*)\]]{0,3}(?:[ \t]{0,2}[:=]|[ \t](?:is|are|was)\b|\r?\n)[\s"'`*([]{0,12}/y
const WORD =
  /(?:\d{1,2}[.):][ \t]{0,2})?["'`]?([a-z]{3,8})(?![A-Za-z0-9_])["'`]?[ \t]{0,4}(,?[ \t]{0,4}\r?\n?[ \t]{0,8})/y
const COUNTS = new Set([12, 15, 18, 21, 24])
const MOST_WORDS = 25
/** Words of nearly every sentence that the list of the wallets' words does not have. */
const PROSE = new Set(
  'the and for are from not was has its our your with into each must should which word words'.split(' '),
)
/** The samples of tutorials repeat one word. */
const LEAST_DIFFERENT = 8
/** The words have more than five letters on average; the mnemonics of a processor have three. */
const LEAST_AVERAGE = 4

/** So many different words, of such a length, restore a wallet. */
const isPhrase = (words: readonly string[]): boolean =>
  COUNTS.has(words.length) &&
  new Set(words).size >= LEAST_DIFFERENT &&
  words.join('').length >= words.length * LEAST_AVERAGE

/** The words behind a name that ends at `nameEnd`. Words of the next line may follow them, so the last good end counts. */
export function walletWords(text: string, nameEnd: number): Span | undefined {
  LINK.lastIndex = nameEnd
  if (!LINK.test(text)) return undefined
  const start = LINK.lastIndex
  const words: string[] = []
  let [at, end] = [start, -1]
  while (words.length < MOST_WORDS) {
    WORD.lastIndex = at
    const found = WORD.exec(text)
    const [whole = '', word = '', between = ''] = found ?? []
    if (!found || PROSE.has(word)) break
    words.push(word)
    at = WORD.lastIndex
    const isOver = between.includes('\n') || !/[A-Za-z0-9]/.test(text[at] ?? '')
    if (isOver && isPhrase(words)) end = found.index + whole.lastIndexOf(word) + word.length
  }
  return end === -1 ? undefined : { start, end, kind: 'seed_phrase', rank: RANK.named }
}
