import { withoutTerminalCodes } from '#server/text/unicode.ts'
import { fenced, type Recognised, recognise } from './recognise.ts'

type Caret = {
  before: string
  after: string
  maxLength: number
  /** Whether recognised code becomes a fenced block. */
  asCode: boolean
}

export type Paste = {
  /** What goes into the field. */
  text: string
  /** What was pasted, without the colours of a terminal. */
  plain: string
  /** The end of the pasted text, if it did not fit. */
  cut: string
  recognised: Recognised | null
}

/** Never inside a surrogate pair. */
const cutAt = (text: string, length: number): number => {
  const end = Math.max(0, Math.min(length, text.length))
  return /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) && end < text.length ? end - 1 : end
}

/** What a paste becomes; null if the browser's own paste is right. */
export function pasteInto(pasted: string, { before, after, maxLength, asCode }: Caret): Paste | null {
  const room = maxLength - before.length - after.length
  const plain = withoutTerminalCodes(pasted)
  const recognised = asCode ? recognise(plain) : null
  if (!recognised) {
    if (pasted === plain && plain.length <= room) return null
    const end = cutAt(plain, room)
    return { text: plain.slice(0, end), plain, cut: plain.slice(end), recognised }
  }
  const whole = fenced(plain, recognised.language, before, after)
  if (whole.length <= room) return { text: whole, plain, cut: '', recognised }
  const fenceLength = whole.length - plain.trim().length
  const end = cutAt(plain, Math.max(0, room - fenceLength))
  return {
    text: fenced(plain.slice(0, end), recognised.language, before, after),
    plain,
    cut: plain.slice(end),
    recognised,
  }
}
