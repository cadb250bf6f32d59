import { INVISIBLE, INVISIBLE_PAIRS, TERMINAL_SEQUENCE } from '../../text/invisible.ts'

/**
 * Ways to disguise a secret that still looks the same: invisible characters between its letters, the colours in which a
 * terminal shows what was searched for, Markdown escapes, line ends that a shell skips, wide letters, curly quotes, and
 * the signs around a value as an address or as JSON inside of JSON has them. The scanner reads a plain form; its offsets
 * are mapped back to the original text.
 */
const BLANKS = '\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000'
const QUOTES = '\\u2018-\\u201f\\u2039\\u203a\\u00ab\\u00bb'
/** Not before quotes and letters: such escapes are handled by the rules. */
const ESCAPED = '\\\\(?=[_*.~+#=!-])'
/** A word of a command that goes on in the next line. The backslash comes first: few texts have one. */
const BROKEN = '\\\\(?<=[\\w=+/.-]\\\\)\\r?\\n(?=[\\w=+/.-])'

/** `"`, `&`, `'`, `,`, `/`, `:`, `=`, `@` and brackets in an address, and those that JSON writes as numbers. */
const ENCODED = '%(?:2[267CFcf]|3[ADad]|40|7[BDbd])|\\\\u00(?:2[267]|3[CDEcde])'
/** All but the last backslash before a quote. */
const NESTED = '\\\\{1,15}(?=\\\\["\'])'

const DISGUISES = `[${INVISIBLE}${BLANKS}${QUOTES}\\uff01-\\uff5e]|${ESCAPED}|${BROKEN}|${INVISIBLE_PAIRS}`
const DISGUISED = new RegExp(DISGUISES, 'g')
/** Few texts have colours or such signs, and a pattern with them takes longer. */
const ALL_DISGUISES = new RegExp(`${TERMINAL_SEQUENCE}|${ENCODED}|${NESTED}|${DISGUISES}`, 'g')
const IS_ENCODED = /^(?:%|\\u00)(..)$/
const ENCODED_HERE = new RegExp(ENCODED, 'y')
const WIDE = /[\uff01-\uff5e]/
const BLANK = new RegExp(`[${BLANKS}]`)
const SINGLE_QUOTES = /[\u2018-\u201b\u2039\u203a]/
const DOUBLE_QUOTES = /[\u201c-\u201f\u00ab\u00bb]/

export type Unfolded = {
  text: string
  /** Maps an offset of the plain text to the original text. */
  originalOffset: (at: number) => number
  /** The same for the end of a stretch. What is left out behind its last character does not belong to it. */
  originalEnd: (end: number) => number
}

const asItIs = (at: number) => at

export function unfold(text: string, hasSequences: boolean): Unfolded {
  const pattern = hasSequences ? ALL_DISGUISES : DISGUISED
  pattern.lastIndex = 0
  if (!pattern.test(text)) return { text, originalOffset: asItIs, originalEnd: asItIs }
  // Left-out characters move everything after them: from the offset `at[i]` on by `by[i]`.
  const at: number[] = []
  const by: number[] = []
  let left = 0
  const plain = text.replace(pattern, (sign, offset: number) => {
    const shown = shownAs(sign)
    if (shown.length === sign.length) return shown
    at.push(offset - left + shown.length)
    left += sign.length - shown.length
    by.push(left)
    return shown
  })
  const originalOffset = left === 0 ? asItIs : (offset: number) => offset + shiftAt(at, by, offset)
  const originalEnd = (end: number) => {
    const last = originalOffset(end - 1)
    ENCODED_HERE.lastIndex = last
    return hasSequences && ENCODED_HERE.test(text) ? ENCODED_HERE.lastIndex : last + 1
  }
  return { text: plain, originalOffset, originalEnd }
}

function shownAs(sign: string): string {
  const code = IS_ENCODED.exec(sign)?.[1]
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
  if (sign.length > 1) return ''
  if (WIDE.test(sign)) return String.fromCharCode(sign.charCodeAt(0) - 0xfee0)
  if (BLANK.test(sign)) return ' '
  if (SINGLE_QUOTES.test(sign)) return "'"
  return DOUBLE_QUOTES.test(sign) ? '"' : ''
}

/** How far the left-out characters before an offset have moved it. */
function shiftAt(at: readonly number[], by: readonly number[], offset: number): number {
  let low = 0
  let high = at.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((at[middle] as number) <= offset) low = middle + 1
    else high = middle
  }
  return low === 0 ? 0 : (by[low - 1] as number)
}
