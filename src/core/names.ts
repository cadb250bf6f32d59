/** Characters that reorder the text around them, or that nobody sees. Joiners stay: some scripts need them. */
const HIDDEN = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu
const LINE_BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu

/** A name as one line, without characters that reorder or hide the text beside it. */
export const plainName = (text: string): string =>
  text.replaceAll(HIDDEN, '').replaceAll(LINE_BREAKS, ' ').trim()

/** A dot between two characters, in every spelling that mail programs take for one, and the mark of a scheme. */
const LINKING_DOT = /([^\s.])[.\u3002\uff0e\uff61](?=[\p{L}\p{N}])/gu
const LINKING_SCHEME = /:(?=[/\\])/g

/**
 * Other people's words in our own mail: mail programs turn what looks like an address into a link, so nothing may
 * look like one.
 */
export const withoutLinks = (text: string): string =>
  plainName(text).replaceAll(LINKING_DOT, '$1. ').replaceAll(LINKING_SCHEME, ': ').replaceAll('@', ' at ')
