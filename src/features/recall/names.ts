import { PRODUCT_NAMES } from '../../text/product-names.ts'
import { withoutEnd } from '../../text/without-end.ts'

/**
 * The names of things in a text: `pthread_create`, `LRU.Get`, `0x80370102`, `spark.driver.maxResultSize`. A card that is
 * about a thing names it, and so does the failure; a card whose names stand nowhere in a failure is about another thing.
 */

const TOKEN = /[@\p{L}\p{N}_][\p{L}\p{N}_./:@#\\-]*/gu
/** They belong to a token between its letters only. */
const SIGNS = './:@#\\-'
/** Four capitals, letters with digits, inner capitals or underscores, or parts with a sign between them. */
const NAME = /^[A-Z][A-Z_]{3,}$|^(?=.*\d)(?=.*[A-Za-z])[\w-]{3,}$|[a-z][A-Z]|\w_\w|\w[.:\\/@#]+\w/
const ONLY_A_NUMBER = /^v?[\d.:/-]+$/
/** What holds for one version often holds for the next: `react@19.0.0` is `react`. */
const VERSION = /[@_-]v?\d+(?:\.\d+)+[\w.+-]*$/
/** A card names products in passing. */
const PRODUCTS = new Set(PRODUCT_NAMES.toLowerCase().split(/\s+/))

/** A word in small letters; a name without its version. */
export type NamedWord = { word: string; isName: boolean }

function readWord(typed: string): NamedWord {
  const word = typed.toLowerCase()
  if (!NAME.test(typed) || ONLY_A_NUMBER.test(typed) || PRODUCTS.has(word)) return { word, isName: false }
  return { word: word.replace(VERSION, ''), isName: true }
}

/** The words of a text in order, of two characters or more. */
export const namedWords = (text: string): NamedWord[] =>
  (text.match(TOKEN) ?? [])
    .map((token) => withoutEnd(token, SIGNS))
    .filter((token) => [...token].length > 1)
    .map(readWord)

/** Each name once. */
export const namesIn = (text: string): string[] => [
  ...new Set(namedWords(text).flatMap(({ word, isName }) => (isName ? [word] : []))),
]

const partsOf = (name: string): string[] => name.split(/[^\p{L}\p{N}]+/u).filter((part) => part.length > 1)

/** Whether a text in small letters has a name: whole, or all of its parts, as `(*LRU).Get()` has `LRU.Get`. */
export const saysName = (text: string, name: string): boolean =>
  text.includes(name) || partsOf(name).every((part) => text.includes(part))

/** Many paths and packages begin so. */
const COMMON_BEGINNINGS = new Set('app com dev home io lib net org src srv usr var'.split(' '))

/** One is a part of the other, as `kotlin-stdlib` of `kotlin-stdlib-jdk8`, or both are in one package. */
export function areRelated(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)]
  const isWithin = (some: readonly string[], all: readonly string[]) =>
    some.every((part) => all.includes(part))
  const [beginning = ''] = a
  return isWithin(a, b) || isWithin(b, a) || (beginning === b[0] && !COMMON_BEGINNINGS.has(beginning))
}
