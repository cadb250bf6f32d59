import { INVISIBLE, INVISIBLE_PAIRS, TERMINAL_SEQUENCE } from '../../text/invisible.ts'

/**
 * Ways to disguise a secret that still looks the same: invisible characters between its letters, the colours in which a
 * terminal shows what was searched for, Markdown escapes, line ends that a shell skips, wide letters, curly quotes. The
 * scanner reads a plain form; its offsets are mapped back to the original text.
 */
const BLANKS = '\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000'
const QUOTES = '\\u2018-\\u201f\\u2039\\u203a\\u00ab\\u00bb'
/** Not before quotes and letters: such escapes are handled by the rules. */
const ESCAPED = '\\\\(?=[_*.~+#=!-])'
/** A word of a command that goes on in the next line. The backslash comes first: few texts have one. */
const BROKEN = '\\\\(?<=[\\w=+/.-]\\\\)\\r?\\n(?=[\\w=+/.-])'

const DISGUISES = `[${INVISIBLE}${BLANKS}${QUOTES}\\uff01-\\uff5e]|${ESCAPED}|${BROKEN}|${INVISIBLE_PAIRS}`
const DISGUISED = new RegExp(DISGUISES, 'g')
/** Few texts have colours, and a pattern with them takes longer. */
const DISGUISED_OR_COLOURED = new RegExp(`${TERMINAL_SEQUENCE}|${DISGUISES}`, 'g')
const WIDE = /[\uff01-\uff5e]/
const BLANK = new RegExp(`[${BLANKS}]`)
const SINGLE_QUOTES = /[\u2018-\u201b\u2039\u203a]/
const DOUBLE_QUOTES = /[\u201c-\u201f\u00ab\u00bb]/

export type Unfolded = {
  text: string
  /** Maps an offset of the plain text to the original text. */
  originalOffset: (at: number) => number
}

const asItIs = (at: number) => at

export function unfold(text: string, isColoured: boolean): Unfolded {
  const pattern = isColoured ? DISGUISED_OR_COLOURED : DISGUISED
  pattern.lastIndex = 0
  if (!pattern.test(text)) return { text, originalOffset: asItIs }
  // Left-out characters move everything after them: from the offset `at[i]` on by `by[i]`.
  const at: number[] = []
  const by: number[] = []
  let left = 0
  const plain = text.replace(pattern, (sign, offset: number) => {
    const shown = shownAs(sign)
    if (shown !== '') return shown
    at.push(offset - left)
    left += sign.length
    by.push(left)
    return ''
  })
  return { text: plain, originalOffset: left === 0 ? asItIs : (offset) => offset + shiftAt(at, by, offset) }
}

function shownAs(sign: string): string {
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
