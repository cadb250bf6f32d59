/**
 * Ways to write a secret so that it looks the same and reads differently: signs that nobody sees between its letters, Markdown
 * escapes, wide letters, curly quotes. The scanner reads a plain form; an offset in it leads to an offset in the text as it was.
 */
const INVISIBLE =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufe00-\\ufe0f\\ufeff\\uffa0'
const BLANKS = '\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000'
const QUOTES = '\\u2018-\\u201f\\u2039\\u203a\\u00ab\\u00bb'
/** Not before quotes and letters: there a backslash belongs to a notation that the rules know. */
const ESCAPED = '\\\\(?=[_*.~+#=!-])'
/** Tags, which copy ASCII without being seen, lie beyond the first plane. */
const TAGS = '\\udb40[\\udc00-\\udc7f]'

const DISGUISED = new RegExp(`[${INVISIBLE}${BLANKS}${QUOTES}\\uff01-\\uff5e]|${ESCAPED}|${TAGS}`, 'g')
const WIDE = /[\uff01-\uff5e]/
const BLANK = new RegExp(`[${BLANKS}]`)
const SINGLE_QUOTES = /[\u2018-\u201b\u2039\u203a]/
const DOUBLE_QUOTES = /[\u201c-\u201f\u00ab\u00bb]/

export type Unfolded = {
  text: string
  /** Where an offset of the plain text is in the text as it was. */
  originalOffset: (at: number) => number
}

const asItIs = (at: number) => at

export function unfold(text: string): Unfolded {
  DISGUISED.lastIndex = 0
  if (!DISGUISED.test(text)) return { text, originalOffset: asItIs }
  // Left-out characters move all that follows: from the offset `at[i]` on by `by[i]`.
  const at: number[] = []
  const by: number[] = []
  let left = 0
  const plain = text.replace(DISGUISED, (sign, offset: number) => {
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
  if (WIDE.test(sign)) return String.fromCharCode(sign.charCodeAt(0) - 0xfee0)
  if (BLANK.test(sign)) return ' '
  if (SINGLE_QUOTES.test(sign)) return "'"
  return DOUBLE_QUOTES.test(sign) ? '"' : ''
}

/** By how much the left-out characters at or before an offset have moved it. */
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
