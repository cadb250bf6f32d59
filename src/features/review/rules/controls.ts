import { CONTROLS, TERMINAL_SEQUENCE } from '../../../text/invisible.ts'
import type { Finding, Severity } from '../rule.ts'

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
export function findOverwritten(text: string): Finding[] {
  const found: Finding[] = []
  for (const { index: start } of text.matchAll(RETURN)) {
    if (found.length === MOST_OF_A_SEVERITY) break
    found.push({ rule: 'hidden_text', severity: 'warn', start, end: start + 1 })
  }
  return found
}

/** The writer needs no more, but what blocks must not hide behind what warns. */
const MOST_OF_A_SEVERITY = 20

/** Control characters that hide or overwrite text where it is shown. Colours of a log stay. */
export function findControls(text: string): Finding[] {
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
