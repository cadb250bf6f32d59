/**
 * What a terminal obeys and does not show, and signs that turn the direction of writing: with them a line looks like
 * another one. Tabs and line ends stay.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

export const withoutControls = (text: string): string => text.replaceAll(CONTROLS, '')

/** JSON of the same value: its own escapes leave out some of these characters. */
export const withEscapedControls = (json: string): string =>
  json.replaceAll(CONTROLS, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
