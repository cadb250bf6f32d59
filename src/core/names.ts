/** Joiners and variation selectors: some scripts and emoji need them, so where they stand decides. */
const CONDITIONAL = '[\\u180b-\\u180d\\u180f\\u200c\\u200d\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]'
/** Characters that reorder the text around them, or that nobody sees. */
const HIDDEN = new RegExp(`(?!${CONDITIONAL})\\p{Default_Ignorable_Code_Point}|[\\ufff9-\\ufffb]`, 'gu')

const OTHER_SCRIPT = '[^\\0-\\u024f\\u2000-\\u206f\\s\\p{Default_Ignorable_Code_Point}]'
/** A letter of India may end with a joiner. */
const INDIC = '[\\u0900-\\u0dff]'
/** Not ASCII: `#` and digits count as emoji. */
const SYMBOL = '(?![\\0-\\x7f])[\\p{S}\\p{P}\\p{Extended_Pictographic}]'
/** Where nothing needs them, they make a name that looks like another one, or a message that only programs read. */
const STRAY = new RegExp(
  [
    `(?<!${INDIC})(?:(?<!${OTHER_SCRIPT}\\ufe0f?)[\\u200c\\u200d]|[\\u200c\\u200d](?!${OTHER_SCRIPT}))`,
    `(?<!${SYMBOL})[\\ufe0e\\ufe0f](?!\\u20e3)`,
    '(?<!\\p{Script=Han})[\\ufe00-\\ufe0d\\u{e0100}-\\u{e01ef}]',
    '(?<!\\p{Script=Mongolian})[\\u180b-\\u180d\\u180f]',
  ].join('|'),
  'gu',
)
/** Braille has a sign without dots, which looks like a blank. */
const LINE_BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\u2800]+/gu

/** A character that a reader sees: neither a blank, also in Braille, nor a joiner or filler. */
export const SEEN = /[^\s\u2800\p{Cc}\p{Default_Ignorable_Code_Point}]/u

/** A name as one line, without characters that reorder or hide the text beside it. */
export const plainName = (text: string): string =>
  text.replaceAll(HIDDEN, '').replaceAll(STRAY, '').replaceAll(LINE_BREAKS, ' ').trim()

/** A dot between two characters, in every spelling that mail programs take for one, and the mark of a scheme. */
const LINKING_DOT = /([^\s.])[.\u3002\uff0e\uff61](?=[\p{L}\p{N}])/gu
const LINKING_SCHEME = /:(?=[/\\])/g

/**
 * Other people's words in our own mail: mail programs turn what looks like an address into a link, so nothing may
 * look like one.
 */
export const withoutLinks = (text: string): string =>
  plainName(text).replaceAll(LINKING_DOT, '$1. ').replaceAll(LINKING_SCHEME, ': ').replaceAll('@', ' at ')
