/** Later code that walks through a value goes no deeper than this. */
export const MAX_DEPTH = 100
/**
 * Distinct keys are the most expensive part of a JSON text: 2 µs each. Routes that take long bodies need more of them: a card
 * with 500 steps and 100 evidences has 1,900.
 */
export const MAX_KEYS = 1_000
export const MAX_KEYS_OF_LONG = 2_500
export const MAX_VALUES = 20_000

/** Each value needs two characters and each key five, so a shorter text cannot have too many of either. */
const SHORT = Math.min(2 * MAX_VALUES, 5 * MAX_KEYS)

const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN_LIST = 91
const BACKSLASH = 92
const CLOSE_LIST = 93
const OPEN_OBJECT = 123
const CLOSE_OBJECT = 125

/** Most bodies have fewer brackets than the limit, which is quickly checked. */
function hasFewBrackets(text: string): boolean {
  let left = MAX_DEPTH
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1))
      if (--left < 0) return false
  return true
}

/** The index of the quote that ends a string, or -1. A quote after an odd number of backslashes belongs to the string. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at
    while (before > from && text.charCodeAt(before - 1) === BACKSLASH) before--
    if ((at - before) % 2 === 0) return at
  }
  return -1
}

/**
 * Says what is too much in a JSON text, before it is parsed: parsing half a million small values takes long, and so does
 * everything that looks at them later. Text that is not JSON is left to the parser.
 */
export function shapeProblem(text: string, maxKeys: number): string | undefined {
  if (text.length < SHORT && hasFewBrackets(text)) return undefined
  let depth = 0
  let keys = 0
  let values = 1
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfString(text, i + 1)
        if (i === -1) return undefined
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > MAX_DEPTH) return `Nested deeper than ${MAX_DEPTH} levels`
        if (++values > MAX_VALUES) return `More than ${MAX_VALUES} values`
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--
        break
      case COLON:
        if (++keys > maxKeys) return `More than ${maxKeys} keys`
        break
      case COMMA:
        if (++values > MAX_VALUES) return `More than ${MAX_VALUES} values`
        break
    }
  }
  return undefined
}
