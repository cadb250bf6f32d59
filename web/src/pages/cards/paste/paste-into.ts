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
  const recognised = asCode ? recognise(pasted) : null
  if (!recognised) {
    if (pasted.length <= room) return null
    const end = cutAt(pasted, room)
    return { text: pasted.slice(0, end), cut: pasted.slice(end), recognised }
  }
  const whole = fenced(pasted, recognised.language, before, after)
  if (whole.length <= room) return { text: whole, cut: '', recognised }
  const fenceLength = whole.length - pasted.trim().length
  const end = cutAt(pasted, Math.max(0, room - fenceLength))
  return {
    text: fenced(pasted.slice(0, end), recognised.language, before, after),
    cut: pasted.slice(end),
    recognised,
  }
}
