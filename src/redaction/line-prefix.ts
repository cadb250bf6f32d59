/**
 * Finds what programs write before each line of a text: quotes, comments, marks of a diff, times, levels, numbers,
 * names of containers. Two lines share a prefix if its parts have the same form; words must be equal.
 */
type Part = { form: RegExp; text: string | undefined; width: number }
export type LinePrefix = readonly Part[]

export const NO_PREFIX: LinePrefix = []

const MAX_PARTS = 24

type Form = { form: RegExp; isLiteral: boolean; endsPrefix: boolean }
const BLANKS = /[ \t]{1,40}/y
const FORMS: readonly Form[] = [
  { form: BLANKS, isLiteral: false, endsPrefix: true },
  { form: /\[[^[\]\n]{0,80}\]|\([^()\n]{0,80}\)/y, isLiteral: false, endsPrefix: true },
  {
    form: /(?=[A-Za-z_.-]{0,60}\d)[\w.-]{1,80}(?:[:,]\d[\w.-]{0,30}){0,6}/y,
    isLiteral: false,
    endsPrefix: false,
  },
  {
    form: /(?:trace|debug|info|notice|warn(?:ing)?|err(?:or)?|fatal|critical|panic|log)(?![\w-])/iy,
    isLiteral: false,
    endsPrefix: false,
  },
  {
    form: /(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)(?![\w-])/iy,
    isLiteral: false,
    endsPrefix: false,
  },
  { form: /[\p{L}\p{M}_]{1,60}/uy, isLiteral: true, endsPrefix: false },
  { form: /[^\s"'`,;]/y, isLiteral: true, endsPrefix: true },
]

function lengthAt(text: string, at: number, { form, text: literal }: Pick<Part, 'form' | 'text'>): number {
  if (literal !== undefined) return text.startsWith(literal, at) ? literal.length : 0
  form.lastIndex = at
  return form.exec(text)?.[0].length ?? 0
}

export function sharedPrefix(line: string, other: string): LinePrefix {
  const parts: Part[] = []
  let length = 0
  let isIndentation = true
  for (let at = 0, there = 0; parts.length < MAX_PARTS; ) {
    const found = FORMS.find((one) => lengthAt(line, at, { form: one.form, text: undefined }) > 0)
    if (!found) break
    const written = line.slice(at, found.form.lastIndex)
    const part = { form: found.form, text: found.isLiteral ? written : undefined, width: written.length }
    const lengthThere = lengthAt(other, there, part)
    // Numbers may be indented by their width.
    const isIndented = parts.length === 0 && found.form === BLANKS
    if (lengthThere === 0 && !isIndented) break
    at += written.length
    there += lengthThere
    parts.push(part)
    if (!isIndented) isIndentation = false
    if (found.endsPrefix) length = parts.length
  }
  return isIndentation || length === 0 ? NO_PREFIX : parts.slice(0, length)
}

/** Returns the length of the prefix in a line, or 0 if the line begins otherwise. */
export function withoutPrefix(line: string, prefix: LinePrefix): number {
  let at = 0
  for (const [i, part] of prefix.entries()) {
    const length = lengthAt(line, at, part)
    if (length === 0 && (i > 0 || part.form !== BLANKS)) return 0
    // Blanks behind the prefix may be those of a column.
    at += i === prefix.length - 1 ? Math.min(length, part.width) : length
  }
  return at
}
