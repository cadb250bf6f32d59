import { INVISIBLE, INVISIBLE_PAIRS, PRIVATE_PAIRS, PRIVATE_USE } from '../../../text/invisible.ts'
import type { Finding } from '../rule.ts'

const ONE = `[${INVISIBLE}${PRIVATE_USE}]|${INVISIBLE_PAIRS}|${PRIVATE_PAIRS}`
const SEQUENCES = new RegExp(`(?:${ONE}){1,4000}`, 'g')

const OVERRIDES = /[\u202a-\u202e]/
const TAGS = /[\u{e0000}-\u{e007f}]/u
/** The flag of a region: a black flag, then its letters as tags, then the end. */
const REGION_FLAG = /^[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}$/u
const BLACK_FLAG = '\u{1f3f4}'

const OTHER_SCRIPT = /[^\0-\u00a0\u2000-\u206f]/u
/** Not ASCII: `#` and digits count as emoji. */
const SYMBOL = /(?![\0-\x7f])[\p{S}\p{P}\p{Extended_Pictographic}]/u

type Neighbours = { before: string; after: string }
const isBeside =
  (script: RegExp) =>
  ({ before, after }: Neighbours): boolean =>
    script.test(before) || script.test(after)

type IsAtHome = (around: Neighbours) => boolean

/** Where a single invisible character belongs to what is written around it. */
const HOMES: [RegExp, IsAtHome][] = [
  [/[\u200e\u200f\u061c]/, () => true],
  [/\u200c|\u200d|\u034f/, isBeside(OTHER_SCRIPT)],
  [/\u200b/, isBeside(/[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u)],
  [/[\ufe0e\ufe0f]/, ({ before, after }) => SYMBOL.test(before) || after === '\u20e3'],
  [/[\ufe00-\ufe0d]/, ({ before }) => OTHER_SCRIPT.test(before)],
  [/[\u{e0100}-\u{e01ef}]/u, ({ before }) => /\p{Script=Han}/u.test(before)],
  [/[\u180b-\u180f]/, isBeside(/\p{Script=Mongolian}/u)],
  [/[\u115f\u1160]/, isBeside(/[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/)],
  [/[\u17b4\u17b5]/, isBeside(/\p{Script=Khmer}/u)],
  [/[\u{13430}-\u{1343f}]/u, isBeside(/[\u{13000}-\u{1342f}]/u)],
  [/[\u{1bca0}-\u{1bca3}]/u, isBeside(/[\u{1bc00}-\u{1bc9f}]/u)],
  [/[\u{1d173}-\u{1d17a}]/u, isBeside(/[\u{1d100}-\u{1d1ff}]/u)],
]

const NOWHERE: IsAtHome = () => false
/** Looked up once for each character: some scripts have one in every other word. */
const homes = new Map<string, IsAtHome>()

function homeOf(sign: string): IsAtHome {
  const known = homes.get(sign)
  if (known) return known
  const home = HOMES.find(([signs]) => signs.test(sign))?.[1] ?? NOWHERE
  homes.set(sign, home)
  return home
}

function neighboursOf(text: string, start: number, end: number): Neighbours {
  const before = text.codePointAt(start - 2) ?? 0
  return {
    before: before > 0xffff ? String.fromCodePoint(before) : text.slice(Math.max(0, start - 1), start),
    after: end < text.length ? String.fromCodePoint(text.codePointAt(end) ?? 0) : '',
  }
}

/** A joiner may follow a variation selector, as in many emoji. */
const LONGEST_HARMLESS = 2
const IS_PRIVATE = new RegExp(`^(?:[${PRIVATE_USE}]|${PRIVATE_PAIRS})+$`)
const LETTER_OR_DIGIT = /[A-Za-z0-9]/

function weigh(text: string, start: number, end: number): Finding['severity'] | undefined {
  const sequence = text.slice(start, end)
  if (OVERRIDES.test(sequence)) return 'block'
  const around = neighboursOf(text, start, end)
  if (TAGS.test(sequence))
    return around.before === BLACK_FLAG && REGION_FLAG.test(sequence) ? undefined : 'block'
  const signs = sequence.length === 1 ? [sequence] : [...sequence]
  if (signs.length > LONGEST_HARMLESS) return 'block'
  // Some editors write a byte order mark at the start.
  if (start === 0 && sequence === '\ufeff') return undefined
  // Terminals show icons by fonts of their own, apart from words.
  if (IS_PRIVATE.test(sequence))
    return LETTER_OR_DIGIT.test(around.before) && LETTER_OR_DIGIT.test(around.after) ? 'warn' : 'note'
  return signs.every((sign) => homeOf(sign)(around)) ? undefined : 'warn'
}

/** Texts from the web are full of these, one by one. */
const OFTEN_STRAY = /^[\u00ad\u200b-\u200d\u2060\ufeff]+$/
/** Any other one may be an accident. More of them are a channel: two between any two letters hold any message. */
const MOST_ACCIDENTS = 8
/** The writer needs no more, but what blocks must not hide behind what warns. */
const MOST_OF_A_SEVERITY = 20

/** Invisible characters that nothing around them needs. */
export function findInvisible(text: string): Finding[] {
  const found = { block: [] as Finding[], warn: [] as Finding[], note: [] as Finding[] }
  let accidents = 0
  for (const { index: start, 0: sequence } of text.matchAll(SEQUENCES)) {
    const end = start + sequence.length
    const weight = weigh(text, start, end)
    if (weight === undefined) continue
    if (weight === 'warn' && !OFTEN_STRAY.test(sequence)) accidents++
    const severity = accidents > MOST_ACCIDENTS ? 'block' : weight
    if (found[severity].length < MOST_OF_A_SEVERITY)
      found[severity].push({ rule: 'hidden_text', severity, start, end })
    if (found.block.length === MOST_OF_A_SEVERITY) break
  }
  return [...found.block, ...found.warn, ...found.note]
}
