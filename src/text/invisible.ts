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
