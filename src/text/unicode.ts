/** For patterns without the flag `u`, where characters outside the first plane are pairs. */
export const INVISIBLE =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb'

export const INVISIBLE_PAIRS =
  '\\ud80d[\\udc30-\\udc3f]|\\ud82f[\\udca0-\\udca3]|\\ud834[\\udd73-\\udd7a]|\\udb40[\\udc00-\\udfff]'

/** Characters whose look depends on the reader's font. */
export const PRIVATE_USE = '\\ue000-\\uf8ff'
export const PRIVATE_PAIRS = '[\\udb80-\\udbff][\\udc00-\\udfff]'

/** Surrogates and private characters: a few wide ranges match faster than exact alternatives. */
export const PAIRS_OR_PRIVATE = '\\ud800-\\uf8ff'

/** Control characters except tab and line ends. */
export const CONTROLS = '\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f'

/** A terminal sequence that changes colour, moves the cursor or erases. */
export const TERMINAL_SEQUENCE = '(?:\\x1b\\[|\\x9b)[0-?]{0,60}[ -/]{0,4}[@-~]'

/** Terminal control characters and direction marks, which can disguise a line. Tabs and line ends stay. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

export const withoutControls = (text: string): string => text.replaceAll(CONTROL_CHARACTERS, '')

/** Returns JSON of the same value with all control characters escaped. */
export const withEscapedControls = (json: string): string =>
  json.replaceAll(CONTROL_CHARACTERS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

const TERMINAL_CODES = new RegExp(
  [
    '\\x1b\\[[0-9;:?<=>]*[ -/]*[@-~]',
    '\\x1b\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)?',
    // Character set selection, which ends each colour of `tput`.
    '\\x1b[(-/][0-~]',
    '\\x1b[@-_]',
  ].join('|'),
  'g',
)

export const withoutTerminalCodes = (text: string): string => text.replace(TERMINAL_CODES, '')

/** An anchored pattern would take quadratic time for long rows in the middle. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)

/** Cuts to `length` code points, as input limits count them. */
export function cutText(text: string, length: number): { text: string; truncated: boolean } {
  if (text.length <= length) return { text, truncated: false }
  let end = 0
  for (let count = 0; count < length && end < text.length; count++)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return { text: text.slice(0, end), truncated: end < text.length }
}

export function beginningOf(text: string, length: number): string {
  const { text: beginning, truncated } = cutText(text, length)
  return truncated ? `${beginning.trimEnd()}…` : beginning
}

/** Removes NUL unit by unit: replacing half a million characters takes about 100 ms of garbage collection. */
function withoutNul(text: string): string {
  const bytes = Buffer.alloc(2 * text.length)
  bytes.write(text, 'utf16le')
  const units = new Uint16Array(bytes.buffer, bytes.byteOffset, text.length)
  let length = 0
  for (const unit of units) if (unit !== 0) units[length++] = unit
  return bytes.toString('utf16le', 0, 2 * length)
}

/** Removes NUL, which PostgreSQL cannot store, and lone surrogates, which UTF-8 lacks. */
export const storable = (text: string): string => {
  const whole = text.includes('\0') ? withoutNul(text) : text
  return whole.isWellFormed() ? whole : whole.toWellFormed()
}

/** Header values are ASCII, and the Model Context Protocol wraps other characters. */
export const headerText = (text: string): string =>
  /^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
