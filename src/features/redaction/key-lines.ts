/**
 * Lines of a private key that stand behind something else: line numbers, marks of quotes and diffs, the name of a container,
 * the string literals of a program. Each line is read from its end, once.
 */
const LONGEST_LINE = 240
const LONGEST_PREFIX = 80
const LONGEST_SUFFIX = 12

/** So many characters of base64 at the end of a line are no words. */
const SURELY_KEY = 40
/** The last line of a key is shorter. It counts only behind a prefix like that of the lines beside it. */
const LEAST_LAST = 16

const IN_BASE64 = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
  IN_BASE64[character.charCodeAt(0)] = 1
export const isBase64 = (text: string, at: number): boolean => IN_BASE64[text.charCodeAt(at)] === 1

/** Where the line goes on to from `at`, or where it begins; -1 if it is too long. */
function lineEnd(text: string, at: number): number {
  for (let end = at; end <= at + LONGEST_LINE; end += 1)
    if (end >= text.length || text[end] === '\n') return end
  return -1
}

export function lineStart(text: string, at: number): number {
  for (let start = at; start >= at - LONGEST_LINE; start -= 1)
    if (start <= 0 || text[start - 1] === '\n') return Math.max(0, start)
  return -1
}

/** Without what follows the key in a line of a program: blanks, quotes, commas, a plus, an escaped line end. */
function withoutSuffix(text: string, from: number, start: number): number {
  let end = from
  while (end > start && from - end < LONGEST_SUFFIX) {
    const [sign = '', before = ''] = [text[end - 1], text[end - 2]]
    if ((sign === 'n' || sign === 'r') && before === '\\') end -= 2
    else if (' \t\r"\'`,;)\\'.includes(sign)) end -= 1
    else if (sign === '+' && (before === ' ' || before === '"' || before === "'")) end -= 1
    else break
  }
  return Math.max(start, end)
}

export type KeyLine = { start: number; end: number; prefix: number }

/** The key in a line. `expected` is the length of the prefix of a line beside it; numbers of lines grow. */
function keyIn(text: string, start: number, end: number, expected: number | undefined): KeyLine | undefined {
  const keyEnd = withoutSuffix(text, end, start)
  let keyStart = keyEnd
  while (keyStart > start && keyEnd - keyStart < 2 && text[keyStart - 1] === '=') keyStart -= 1
  const isPadded = keyStart < keyEnd
  while (keyStart > start && isBase64(text, keyStart - 1)) keyStart -= 1
  const [length, prefix] = [keyEnd - keyStart, keyStart - start]
  if (prefix > LONGEST_PREFIX) return undefined
  const isLast =
    expected !== undefined &&
    Math.abs(expected - prefix) <= 1 &&
    (length >= LEAST_LAST || (isPadded && length > 2))
  return length >= SURELY_KEY || isLast ? { start: keyStart, end: keyEnd, prefix } : undefined
}

/** Where the line after the one of `at` begins, if nothing but a suffix follows `at`. */
function nextLine(text: string, at: number): number {
  const end = lineEnd(text, at)
  const isOver = end !== -1 && end - at <= LONGEST_SUFFIX && withoutSuffix(text, end, at) === at
  return isOver && end < text.length ? end + 1 : -1
}

export function keyLineBelow(text: string, at: number, expected: number | undefined): KeyLine | undefined {
  const start = nextLine(text, at)
  const end = start === -1 ? -1 : lineEnd(text, start)
  return end === -1 ? undefined : keyIn(text, start, end, expected)
}

/** The key in the line that ends before the line end at `end`. */
export function keyLineAbove(text: string, end: number, expected: number | undefined): KeyLine | undefined {
  const start = end < 0 ? -1 : lineStart(text, end)
  return start === -1 ? undefined : keyIn(text, start, end, expected)
}

const HEADER_OF_ENCRYPTED = /(?:Proc-Type|DEK-Info|Version|Comment): /

/** Behind the headers of an encrypted key and the empty line after them; where there are none, `at` itself. */
export function afterHeaders(text: string, at: number): number {
  let end = at
  for (let lines = 0; lines < 5; lines += 1) {
    const start = nextLine(text, end)
    const next = start === -1 ? -1 : lineEnd(text, start)
    if (next === -1) return end
    const line = text.slice(start, next)
    const isEmpty = lines > 0 && line.length <= LONGEST_PREFIX && !/[A-Za-z0-9+/]{16}/.test(line)
    if (!isEmpty && !HEADER_OF_ENCRYPTED.test(line)) return end
    end = next
  }
  return end
}
