import {
  CONTROLS,
  INVISIBLE,
  INVISIBLE_PAIRS,
  PAIRS_OR_PRIVATE,
  PRIVATE_PAIRS,
  PRIVATE_USE,
  TERMINAL_SEQUENCE,
} from '../../text/invisible.ts'
import { CYRILLIC_TWINS } from './fold.ts'
import { type Finding, farTrigger, type Severity, type Trigger, trigger } from './rule.ts'

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
function findInvisible(text: string): Finding[] {
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

const ANY = new RegExp(`[${CONTROLS}]`, 'g')
/** A carriage return that ends no line. */
const RETURN = /\r(?!\r{0,3}(?:\n|$))/g

const SEQUENCE = new RegExp(TERMINAL_SEQUENCE, 'y')
/** Titles, links, the clipboard: up to the bell or the string terminator. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const COMMAND = /\x1b\](\d{0,5})[^\x07\x1b]{0,4000}(?:\x07|\x1b\\)?/y
/** A terminal shows nothing of these up to the string terminator. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const UNSHOWN = /\x1b[PX^_][^\x1b]{0,4000}(?:\x1b\\)?/y
/** The usual letters, which `tput sgr0` asks for. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const USUAL_LETTERS = /\x1b\(B/y
const OTHERS = new RegExp(`[${CONTROLS}](?:(?!\\x1b)[${CONTROLS}]){0,4000}`, 'y')

const CONCEALED = '8'
const CLIPBOARD = '52'

/** How many parts of a colour follow `38`, `48` or `58`: `5;n` or `2;r;g;b`. */
const colourParts = (kind: string | undefined): number => (kind === '5' ? 2 : kind === '2' ? 4 : 0)

/** `31`, `1;38;5;208`, `38:2::10:20:30`: whether nobody sees what is written in this colour. */
function conceals(parameters: string): boolean {
  const parts = parameters.split(';')
  let [text, ground] = ['', '']
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? ''
    if (part === CONCEALED) return true
    if (part === '38' || part === '48' || part === '58') {
      const colour = parts.slice(i + 1, i + 1 + colourParts(parts[i + 1]))
      if (part === '38') text = colour.join(';')
      if (part === '48') ground = colour.join(';')
      i += colour.length
    } else if (/^[39][0-7]$/.test(part)) text = part
    else if (/^(?:4|10)[0-7]$/.test(part)) ground = String(Number(part) - 10)
  }
  return text !== '' && text === ground
}

/** Colours, erasing to the right as compilers do after each colour, the cursor, and how pasted text is marked. */
function weighSequence(sequence: string): Severity | undefined {
  const said = sequence.slice(sequence.startsWith('\x1b') ? 2 : 1)
  if (said.endsWith('m')) return conceals(said.slice(0, -1)) ? 'block' : undefined
  return /^0?K$|^\?(?:25|2004)[hl]$/.test(said) ? undefined : 'warn'
}

const LONGEST_ACCIDENT = 2
/** A character in a wrong encoding makes up to three of them. */
const WRONGLY_DECODED = /^[\x80-\x9f]{1,3}$/

const weighOthers = (controls: string): Severity =>
  controls.length <= LONGEST_ACCIDENT || WRONGLY_DECODED.test(controls) ? 'warn' : 'block'

const KINDS: [RegExp, (match: RegExpExecArray) => Severity | undefined][] = [
  [SEQUENCE, ([sequence]) => weighSequence(sequence)],
  [COMMAND, ([, command]) => (command === CLIPBOARD ? 'block' : 'warn')],
  [UNSHOWN, () => 'block'],
  [USUAL_LETTERS, () => undefined],
  [OTHERS, ([controls]) => weighOthers(controls)],
]

function pieceAt(text: string, at: number): { end: number; severity: Severity | undefined } {
  for (const [pattern, weigh] of KINDS) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) return { end: pattern.lastIndex, severity: weigh(match) }
  }
  return { end: at + 1, severity: 'warn' }
}

/** Where a terminal writes over what it has written. */
function findOverwritten(text: string): Finding[] {
  const found: Finding[] = []
  for (const { index: start } of text.matchAll(RETURN)) {
    if (found.length === MOST_OF_A_SEVERITY) break
    found.push({ rule: 'hidden_text', severity: 'warn', start, end: start + 1 })
  }
  return found
}

/** Control characters that hide or overwrite text where it is shown. Colours of a log stay. */
function findControls(text: string): Finding[] {
  const found = { block: [] as Finding[], warn: [] as Finding[], note: [] as Finding[] }
  ANY.lastIndex = 0
  for (let match = ANY.exec(text); match !== null; match = ANY.exec(text)) {
    const start = match.index
    const { end, severity } = pieceAt(text, start)
    if (severity && found[severity].length < MOST_OF_A_SEVERITY)
      found[severity].push({ rule: 'hidden_text', severity, start, end })
    if (found.block.length === MOST_OF_A_SEVERITY) break
    ANY.lastIndex = end
  }
  return [...found.block, ...found.warn]
}

const HIDING_STYLE =
  /style\s{0,3}=\s{0,3}["'][^"'>]{0,300}?(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}[01](?:px|pt|em|rem|%)?\s{0,3}[;"']|opacity\s{0,3}:\s{0,3}0(?![.\d])|(?<=[;"' ])color\s{0,3}:\s{0,3}(?:#fff(?:fff)?\b|white|transparent)|(?:left|top|text-indent)\s{0,3}:\s{0,3}-\d{3,6})/iy

/** Text that a page does not show but that an agent reads. */
export const HIDDEN_TRIGGERS: readonly Trigger[] = [
  trigger('hidden_text', 'warn', 'style=¦style =', HIDING_STYLE),
  trigger('hidden_text', 'warn', '<font', /<font[^>]{0,60}color\s{0,2}=\s{0,2}["']?(?:#f{3,6}|white)/iy),
  trigger(
    'hidden_text',
    'warn',
    '<span hidden¦<div hidden¦<p hidden¦<section hidden',
    /<(?:span|div|p|section) hidden\b/iy,
  ),
  farTrigger('hidden_text', 'warn', '<!--', {
    head: '<!--',
    gap: '[^>]{0,600}?',
    part: '\\b(?:assistant|agents?|model|llm|the user|ai|instructions?|approve[ds]?)\\b',
    within: '<!--'.length + 600,
    stop: />/g,
  }),
  trigger('hidden_text', 'note', '<!--', /<!--(?:\s{1,20}[^\s>]{1,60}){5}/iy),
  trigger('hidden_text', 'warn', '[//]:¦[comment]:', /\[(?:\/\/|comment)\]: ?(?:#|<>) ?["'(]/iy),
  trigger(
    'hidden_text',
    'warn',
    'data:text/¦data:application/¦data:image/svg',
    /data:(?:text\/(?:html|javascript|xml)|application\/(?:x-)?(?:javascript|xhtml|xml|octet-stream)|image\/svg\+xml)[;,]/iy,
  ),
]

/** Most texts in other alphabets have none of these, so a simple pattern looks first. */
const MAYBE_INVISIBLE = new RegExp(`[${INVISIBLE}${PAIRS_OR_PRIVATE}]`)
const CONTROL = new RegExp(`[${CONTROLS}]`)

const MIXED_WORD = new RegExp(`[A-Za-z][${CYRILLIC_TWINS}]|[${CYRILLIC_TWINS}][A-Za-z]`)

const SPACED_LETTERS = /(?<![A-Za-z])(?:[A-Za-z] {1,3}){9}[A-Za-z](?![A-Za-z])/g
const SINGLE_LETTERS = /[A-Za-z] [A-Za-z] [A-Za-z] /
/** The writer needs no more. All of them warn, so none hides another severity. */
const MOST_SPACED = 20

/**
 * Finds what no keyword shows: invisible and control characters, letters of two alphabets in one word, words in single
 * letters.
 */
export function findHiddenCharacters(text: string, isPlain: boolean): Finding[] {
  const found: Finding[] = []
  if (!isPlain) {
    if (MAYBE_INVISIBLE.test(text)) found.push(...findInvisible(text))
    if (CONTROL.test(text)) found.push(...findControls(text))
    const mixed = MIXED_WORD.exec(text)
    if (mixed) found.push({ rule: 'hidden_text', severity: 'warn', start: mixed.index, end: mixed.index + 2 })
  }
  if (text.includes('\r')) found.push(...findOverwritten(text))
  if (SINGLE_LETTERS.test(text))
    for (const match of [...text.matchAll(SPACED_LETTERS)].slice(0, MOST_SPACED))
      found.push({
        rule: 'hidden_text',
        severity: 'warn',
        start: match.index,
        end: match.index + match[0].length,
      })
  return found
}
