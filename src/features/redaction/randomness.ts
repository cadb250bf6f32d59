/**
 * Tells random letters and digits from words and names of programs. Each pair of neighbours is compared: how often words have
 * it, and how often it comes about by chance.
 */

/** What a letter (row) is followed by in words and identifiers: -log2 of the share, less one, as a digit. */
const FOLLOWED_BY = Float64Array.from(
  [
    '84346648496242849231557657',
    '25552677267156259335378859',
    '27472782394377179342489949',
    '36651656167566369336367759',
    '46325557688342646223656469',
    '26662378198366269354388849',
    '27661543298353369245388958',
    '16661788298556279353587939',
    '45244449897341248433749795',
    '28561786487766257715263878',
    '35541666186464458525575858',
    '27651678297267269744468939',
    '14661878287547229746379959',
    '37332527375665369622558968',
    '55446647586331539233345578',
    '27662773397367249243488859',
    '56768776588366568544087877',
    '26441657295645259433557949',
    '47362684296556337631366859',
    '27571783198567369234497948',
    '43353559497232639222879788',
    '17750778198757379777789989',
    '16652863296473379335776768',
    '37372695278556327552588538',
    '45343658487233329422686776',
    '17750686287556379856496844',
  ].flatMap((row) => Array.from(row, (digit) => Number(digit) + 1)),
)

const BITS_OF_LETTER = Math.log2(26)
const NEW_WORD = 3.5
const SAME_WORD = -0.9
const LETTER_THEN_DIGIT = 2.5
const DIGIT_THEN_LETTER = 3.5
const LONGER_NUMBER = -1.5

/** How many bits speak for chance: far below zero for words, above ten for most random values of twelve or more characters. */
export function randomBits(value: string): number {
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value)
  let bits = 0
  let before = 0
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at)
    bits += pairBits(before, code, isMixed)
    before = code
  }
  return bits
}

/** The bits of that part of a text that has most of them: no part of it is more random. */
export function mostRandomBits(text: string, start: number, end: number): number {
  let bits = 0
  let most = 0
  let before = 0
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at)
    bits = Math.max(0, bits + pairBits(before, code, false))
    if (bits > most) most = bits
    before = code
  }
  return most
}

function pairBits(before: number, code: number, isMixed: boolean): number {
  if (isDigit(code)) return isLetter(before) ? LETTER_THEN_DIGIT : isDigit(before) ? LONGER_NUMBER : 0
  if (!isLetter(code)) return 0
  if (isDigit(before)) return DIGIT_THEN_LETTER
  if (!isLetter(before)) return 0
  if (before >= 97 && code < 97) return NEW_WORD
  const pair = (FOLLOWED_BY[((before | 32) - 97) * 26 + (code | 32) - 97] as number) - BITS_OF_LETTER
  return isMixed && code >= 97 && before >= 97 ? pair + SAME_WORD : pair
}

export const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
export const isDigit = (code: number): boolean => code >= 48 && code <= 57
