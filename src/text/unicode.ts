/**
 * Characters that take no room or show nothing: joiners, marks of direction, fillers, variation selectors, tags. Sources of
 * patterns without the flag `u`, in which a character outside the first plane is a pair.
 */
export const INVISIBLE =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb'

/** Of hieroglyphs, shorthand and musical notation, then tags and the further variation selectors. */
export const INVISIBLE_PAIRS =
  '\\ud80d[\\udc30-\\udc3f]|\\ud82f[\\udca0-\\udca3]|\\ud834[\\udd73-\\udd7a]|\\udb40[\\udc00-\\udfff]'

/** What it shows depends on the font of the reader. */
export const PRIVATE_USE = '\\ue000-\\uf8ff'
export const PRIVATE_PAIRS = '[\\udb80-\\udbff][\\udc00-\\udfff]'

/** Halves of all pairs, and what is private: a few wide ranges are looked for faster than exact alternatives. */
export const PAIRS_OR_PRIVATE = '\\ud800-\\uf8ff'

/** All but tab and the line ends. */
export const CONTROLS = '\\0-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f'

/** A sequence that changes the colour of a terminal, moves its cursor or erases. */
export const TERMINAL_SEQUENCE = '(?:\\x1b\\[|\\x9b)[0-?]{0,60}[ -/]{0,4}[@-~]'

/**
 * What a terminal obeys and does not show, and signs that turn the direction of writing: with them a line looks like
 * another one. Tabs and line ends stay.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

export const withoutControls = (text: string): string => text.replaceAll(CONTROL_CHARACTERS, '')

/** JSON of the same value: its own escapes leave out some of these characters. */
export const withEscapedControls = (json: string): string =>
  json.replaceAll(CONTROL_CHARACTERS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

const TERMINAL_CODES = new RegExp(
  [
    // Colours and cursor moves.
    '\\x1b\\[[0-9;:?<=>]*[ -/]*[@-~]',
    // Titles and links.
    '\\x1b\\][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)?',
    // The choice of letters, which ends each colour of `tput`.
    '\\x1b[(-/][0-~]',
    // Other escapes of two characters.
    '\\x1b[@-_]',
  ].join('|'),
  'g',
)

/** A text without the colours, titles and cursor moves that a program writes for a terminal. */
export const withoutTerminalCodes = (text: string): string => text.replace(TERMINAL_CODES, '')

/** Without such characters at its end. A pattern of them, anchored there, would look at each of a long row in the middle anew. */
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

/** For text between tags and inside quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)

/** At most `length` characters, counted as limits on input count them: a sign beyond the basic plane is one, not two. */
export function cutText(text: string, length: number): { text: string; truncated: boolean } {
  if (text.length <= length) return { text, truncated: false }
  let end = 0
  for (let count = 0; count < length && end < text.length; count++)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  return { text: text.slice(0, end), truncated: end < text.length }
}

/** The first `length` characters, with an ellipsis where more follow. */
export function beginningOf(text: string, length: number): string {
  const { text: beginning, truncated } = cutText(text, length)
  return truncated ? `${beginning.trimEnd()}…` : beginning
}

/** Unit by unit: replacing half a million characters in one text costs a hundred milliseconds of garbage collection. */
function withoutNul(text: string): string {
  const bytes = Buffer.alloc(2 * text.length)
  bytes.write(text, 'utf16le')
  const units = new Uint16Array(bytes.buffer, bytes.byteOffset, text.length)
  let length = 0
  for (const unit of units) if (unit !== 0) units[length++] = unit
  return bytes.toString('utf16le', 0, 2 * length)
}

/** PostgreSQL cannot store NUL and UTF-8 has no lone surrogates, so neither enters on any engine. */
export const storable = (text: string): string => {
  const whole = text.includes('\0') ? withoutNul(text) : text
  return whole.isWellFormed() ? whole : whole.toWellFormed()
}

/** Header values are ASCII; the Model Context Protocol wraps what is not. */
export const headerText = (text: string): string =>
  /^[\x21-\x7e]+$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
