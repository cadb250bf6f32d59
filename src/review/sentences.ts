import { readable } from './fold.ts'
import { MIN_QUIET_POINTS, QUIET_GROUPS } from './quiet-table.ts'
import type { Finding } from './rule.ts'
import { COMBINATIONS, type Combination, LANGUAGES, OPEN_LANGUAGES, WORDS } from './sentence-table.ts'

const OTHER = 0
const BLANK = 27
const SKIP = 28
const STOP = 29
const POINT = 30
const LINE_END = 31
const LEET = 32
const FIRST_FOREIGN = 33
const DENSE = 28

const LEET_LETTERS: Record<string, string> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}
const KINDS = WORDS.length
const LANGUAGE_NAMES = Object.keys(LANGUAGES)
/** Reversed and rot13 English words are languages of their own, which combine only among themselves. */
const REVERSED = LANGUAGE_NAMES.length
const ROTATED = REVERSED + 1
const LANGUAGE_COUNT = ROTATED + 1
const ENGLISH = LANGUAGE_NAMES.indexOf('en')

type Term = { text: string; id: number }

const reversed = (word: string): string => [...word].reverse().join('')
const rotated = (word: string): string =>
  word.replaceAll(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97))

const MIN_MISSPELT_LENGTH = 6

function misspelt(word: string): string[] {
  if (word.length < MIN_MISSPELT_LENGTH) return []
  const forms: string[] = []
  for (let i = 1; i < word.length - 1; i++) {
    const [before, letter, after] = [word.slice(0, i), word[i] ?? '', word.slice(i + 1)]
    forms.push(before + after, before + letter + letter + after)
    if (i < word.length - 2) forms.push(before + (after[0] ?? '') + letter + after.slice(1))
  }
  return forms
}

function formsOf(written: string, language: number, kind: number): Term[] {
  const isExact = written.endsWith('.')
  const isCore = written.startsWith('~')
  const word = written.slice(isCore ? 1 : 0, isExact ? -1 : undefined).replaceAll('_', ' ')
  const isOpen = OPEN_LANGUAGES.has(LANGUAGE_NAMES[language] ?? '')
  const id = language * KINDS + kind
  const term = (text: string): Term => ({ text: `${isOpen ? '' : ' '}${text}${isExact ? ' ' : ''}`, id })
  if (!isCore) return [term(word)]
  return [
    term(word),
    ...misspelt(word).map(term),
    { text: `${reversed(word)} `, id: REVERSED * KINDS + kind },
    { text: ` ${rotated(word)}`, id: ROTATED * KINDS + kind },
  ]
}

const QUIET = Object.values(QUIET_GROUPS)
/** The other groups alone never reach `MIN_QUIET_POINTS`. */
const IS_STRONG = QUIET.map(({ points }) => points >= 5)
const FIRST_QUIET = LANGUAGE_COUNT * KINDS
/** The maximum number of characters of a passage whose groups of words add up. */
const QUIET_WITHIN = 220
/** What the groups of the sentence before count. */
const SENTENCE_BEFORE = 0.7

function alternatives(written: string): string[] {
  const [braces, choices] = /\{([^{}]*)\}/.exec(written) ?? []
  if (braces === undefined || choices === undefined) return [written]
  return choices.split(',').flatMap((choice) => alternatives(written.replace(braces, choice)))
}

const quietTerms = (): Term[] =>
  QUIET.flatMap(({ words }, group) =>
    words
      .split(/\s+/)
      .flatMap(alternatives)
      .map((word) => ({ text: ` ${word.replaceAll(/[_.]/g, ' ')}`, id: FIRST_QUIET + group })),
  )

const allTerms = (): Term[] => [...languageTerms(), ...quietTerms()]

const languageTerms = (): Term[] =>
  LANGUAGE_NAMES.flatMap((name, language) =>
    WORDS.flatMap((word, kind) =>
      (LANGUAGES[name]?.[word] ?? '')
        .split(/\s+/)
        .filter((written) => written !== '')
        .flatMap((written) => formsOf(written, language, kind)),
    ),
  )

function characterClasses(terms: readonly Term[]): { classOf: Uint16Array; width: number } {
  const classOf = new Uint16Array(0x10000).fill(BLANK, 0, 0x80)
  for (let letter = 0; letter < 26; letter++) {
    classOf[0x41 + letter] = letter + 1
    classOf[0x61 + letter] = letter + 1
  }
  for (const sign of Object.keys(LEET_LETTERS)) classOf[sign.charCodeAt(0)] = LEET
  for (const [signs, kind] of [
    ['*`\r', SKIP],
    ['?', STOP],
    ['.', POINT],
    ['\n', LINE_END],
  ] as const)
    for (const sign of signs) classOf[sign.charCodeAt(0)] = kind
  const separator = /[\p{P}\p{S}\p{Z}]/u
  for (const [first, last] of [
    [0x80, 0x24ff],
    [0x3000, 0x303f],
    [0xfe10, 0xff65],
  ] as const)
    for (let code = first; code <= last; code++)
      if (separator.test(String.fromCharCode(code))) classOf[code] = BLANK
  for (const sign of '\u3002\u0964\u061f\u06d4') classOf[sign.charCodeAt(0)] = STOP
  let width = FIRST_FOREIGN
  for (const letter of new Set(terms.map(({ text }) => text).join(''))) {
    if (letter < '\x80' || classOf[letter.charCodeAt(0)] !== OTHER) continue
    classOf[letter.charCodeAt(0)] = width
    classOf[letter.toUpperCase().charCodeAt(0)] = width
    width++
  }
  return { classOf, width }
}

/** The kind of a word and its language. */
type Output = readonly number[]

/** Aho-Corasick with a row per state for ASCII letters and single edges for other alphabets. */
type Machine = {
  classOf: Uint16Array
  width: number
  rows: Uint16Array
  edges: ReadonlyMap<number, number>
  fallback: Uint16Array
  outputs: readonly (Output | undefined)[]
  says: Uint8Array
  /** By character: letters that begin no word of the table, so that the first state stays. */
  stays: Uint8Array
  letters: Uint8Array
  sightings: Sightings
}

/** Counts on from text to text, so that positions in an earlier text are always too far away. */
type Sightings = {
  seen: Int32Array
  ends: Int32Array
  fired: Int32Array
  /** By language: the recent kinds as bits, and the position of the last. */
  kinds: Int32Array
  last: Int32Array
  /** By quiet group. */
  quiet: Int32Array
  quietEnds: Int32Array
  quietFired: number
  quietStrong: number
  steps: number
}

const FAR = 10_000
const MAX_STEPS = 1_000_000_000

const newSightings = (): Sightings => ({
  seen: new Int32Array(LANGUAGE_COUNT * KINDS),
  ends: new Int32Array(LANGUAGE_COUNT * KINDS),
  fired: new Int32Array(RULES.length),
  kinds: new Int32Array(LANGUAGE_COUNT),
  last: new Int32Array(LANGUAGE_COUNT),
  quiet: new Int32Array(QUIET.length),
  quietEnds: new Int32Array(QUIET.length),
  quietFired: 0,
  quietStrong: 0,
  steps: FAR,
})

class MachineBuilder {
  private readonly children: Map<number, number>[] = [new Map()]
  private readonly ends: Set<number>[] = [new Set()]

  insert(classes: readonly number[], id: number): void {
    let state = 0
    for (const cls of classes) {
      let next = this.children[state]?.get(cls)
      if (next === undefined) {
        next = this.children.push(new Map()) - 1
        this.ends.push(new Set())
        this.children[state]?.set(cls, next)
      }
      state = next
    }
    this.ends[state]?.add(id)
  }

  build(classOf: Uint16Array, width: number): Machine {
    const { children, ends } = this
    if (children.length > 0xffff) throw new Error('The tables of sentences have too many states.')
    const rows = new Uint16Array(children.length * DENSE)
    const fallback = new Uint16Array(children.length)
    const edges = new Map<number, number>()
    const queue = [0]
    const follow = (state: number, cls: number): number => {
      for (let at = state; ; at = fallback[at] ?? 0) {
        const next = children[at]?.get(cls)
        if (next !== undefined) return next
        if (at === 0) return 0
      }
    }
    for (let head = 0; head < queue.length; head++) {
      const state = queue[head] ?? 0
      const back = fallback[state] ?? 0
      if (state !== 0) for (const id of ends[back] ?? []) ends[state]?.add(id)
      for (let cls = 0; cls < DENSE; cls++)
        rows[state * DENSE + cls] = state === 0 ? 0 : (rows[back * DENSE + cls] ?? 0)
      for (const [cls, child] of children[state] ?? []) {
        fallback[child] = state === 0 ? 0 : follow(back, cls)
        if (cls < DENSE) rows[state * DENSE + cls] = child
        else edges.set(state * width + cls, child)
        queue.push(child)
      }
    }
    const outputs = ends.map((ids) => (ids.size === 0 ? undefined : [...ids]))
    const says = Uint8Array.from(ends, (ids) => (ids.size === 0 ? 0 : 1))
    const letters = Uint8Array.from(classOf, (cls) => (isLetterClass(cls) ? 1 : 0))
    const stays = Uint8Array.from(classOf, (cls) => (cls > OTHER && cls < BLANK && rows[cls] === 0 ? 1 : 0))
    return { classOf, width, rows, edges, fallback, outputs, says, stays, letters, sightings: newSightings() }
  }
}

function classesOf(text: string, classOf: Uint16Array): number[] {
  const classes: number[] = []
  for (const letter of text) {
    const cls = classOf[letter.charCodeAt(0)] ?? OTHER
    const plain = cls >= SKIP && cls < FIRST_FOREIGN ? BLANK : cls
    if (plain !== BLANK || classes.at(-1) !== BLANK) classes.push(plain)
  }
  return classes
}

let machine: Machine | undefined

function requireMachine(): Machine {
  if (machine) return machine
  const terms = allTerms().map(({ text, id }) => ({ text: readable(text).text.toLowerCase(), id }))
  const { classOf, width } = characterClasses(terms)
  const builder = new MachineBuilder()
  for (const { text, id } of terms) builder.insert(classesOf(text, classOf), id)
  machine = builder.build(classOf, width)
  return machine
}

type Rule = Combination & { index: number; kinds: readonly number[]; bits: number }

const RULES: readonly Rule[] = COMBINATIONS.map((combination, index) => ({
  ...combination,
  index,
  kinds: combination.needs.map((word) => WORDS.indexOf(word)),
  bits: combination.needs.reduce((bits, word) => bits | (1 << WORDS.indexOf(word)), 0),
}))
const RULES_OF_KIND: readonly (readonly Rule[])[] = WORDS.map((_, kind) =>
  RULES.filter(({ kinds }) => kinds.includes(kind)),
)

const RULES_OF_ONE = RULES_OF_KIND.map((rules) => rules.filter(({ kinds }) => kinds.length === 1))
const WIDEST = Math.max(...RULES.map(({ within }) => within))

const isEnglish = (language: number): boolean =>
  language === ENGLISH || language === REVERSED || language === ROTATED
const applies = ({ language }: Combination, to: number): boolean =>
  language === undefined || (language === 'english') === isEnglish(to)

const isLetterClass = (cls: number): boolean => (cls > OTHER && cls < BLANK) || cls >= FIRST_FOREIGN

const EXCLAMATION = '!'.charCodeAt(0)
const PARAGRAPH_SIGNS = new Set([...'\r\n-*+>#|\u2022'].map((sign) => sign.charCodeAt(0)))
const MAX_INDENT = 40

function beginsParagraph(text: string, from: number): boolean {
  let at = from
  while (at < from + MAX_INDENT && (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0x09)) at++
  if (PARAGRAPH_SIGNS.has(text.charCodeAt(at))) return true
  const digits = at
  while (at < digits + 3 && text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39) at++
  return at > digits && (text[at] === '.' || text[at] === ')')
}

const MIN_APART = 24
const MAX_PER_SEVERITY = 20

class SentenceReader {
  private readonly text: string
  private readonly sink: (finding: Finding) => void
  private readonly machine = requireMachine()
  private readonly sightings: Sightings
  private steps: number
  private sentence: number
  private previousSentence: number
  private isEnding = false
  private blanksInLine = 0
  private readonly left = { block: MAX_PER_SEVERITY, warn: MAX_PER_SEVERITY, note: 0 }

  constructor(text: string, sink: (finding: Finding) => void) {
    this.text = text
    this.sink = sink
    if (this.machine.sightings.steps > MAX_STEPS) this.machine.sightings = newSightings()
    this.sightings = this.machine.sightings
    this.steps = this.sightings.steps + FAR
    this.sentence = this.steps
    this.previousSentence = this.steps
  }

  read(): void {
    const { text, machine } = this
    const { classOf, rows, says, stays } = machine
    const { length } = text
    let state = rows[BLANK] ?? 0
    let wasBlank = true
    let steps = this.steps
    for (let at = 0; at <= length; at++) {
      let cls = at === length ? BLANK : (classOf[text.charCodeAt(at)] as number)
      if (cls >= SKIP && cls < FIRST_FOREIGN) {
        this.steps = steps
        cls = this.plainClass(at, cls)
        if (cls === SKIP) continue
      }
      if (cls === BLANK) {
        if (wasBlank) {
          if (this.isEnding) this.endSentence(steps)
          continue
        }
        this.blanksInLine++
      }
      wasBlank = cls === BLANK
      steps++
      state = cls < DENSE ? (rows[state * DENSE + cls] as number) : this.foreignState(state, cls)
      if (says[state] === 1) {
        this.steps = steps
        this.hit(machine.outputs[state] ?? [], at)
      } else if (state === 0) {
        const rest = at + 1
        while (at + 1 < length && stays[text.charCodeAt(at + 1)] === 1) at++
        steps += at + 1 - rest
        if (at >= rest) wasBlank = false
      }
      // The sign that ends a sentence also ends its last word, so the hit comes first.
      if (this.isEnding) this.endSentence(steps)
    }
    this.sightings.steps = steps
  }

  private foreignState(from: number, cls: number): number {
    const { edges, fallback, width } = this.machine
    for (let state = from; ; state = fallback[state] ?? 0) {
      const next = edges.get(state * width + cls)
      if (next !== undefined) return next
      if (state === 0) return 0
    }
  }

  private classAt(at: number): number {
    return at < 0 || at >= this.text.length
      ? BLANK
      : (this.machine.classOf[this.text.charCodeAt(at)] ?? OTHER)
  }

  private isLetterAt(at: number): boolean {
    return at >= 0 && at < this.text.length && this.machine.letters[this.text.charCodeAt(at)] === 1
  }

  /** Classifies a sign by its neighbours: part of a word, end of a sentence, or separator. */
  private plainClass(at: number, cls: number): number {
    if (cls === SKIP) return SKIP
    if (cls === LINE_END) return this.lineEnd(at)
    const before = this.isLetterAt(at - 1)
    const after = this.isLetterAt(at + 1)
    if (cls === LEET) {
      const code = this.text.charCodeAt(at)
      const isDigit = code >= 0x30 && code <= 0x39
      if (isDigit ? before || after : before && after)
        return (LEET_LETTERS[String.fromCharCode(code)] ?? 'a').charCodeAt(0) - 0x60
      return code === EXCLAMATION ? this.stop() : BLANK
    }
    if (cls === POINT && before && after)
      return this.isLetterAt(at - 2) && this.isLetterAt(at + 2) ? BLANK : SKIP
    return cls === POINT && (after || this.classAt(at + 1) === LEET) ? BLANK : this.stop()
  }

  private stop(): number {
    this.isEnding = true
    return BLANK
  }

  private endSentence(steps: number): void {
    this.isEnding = false
    this.previousSentence = this.sentence
    this.sentence = steps
  }

  /** A sentence continues behind a line end unless a paragraph begins. Lines of one word form one sentence. */
  private lineEnd(at: number): number {
    const hadWords = this.blanksInLine > 1
    this.blanksInLine = 0
    return hadWords && beginsParagraph(this.text, at + 1) ? this.stop() : BLANK
  }

  private hit(output: Output, at: number): void {
    for (const id of output) {
      if (id >= FIRST_QUIET) {
        this.hitQuiet(id - FIRST_QUIET, at)
        continue
      }
      this.sightings.seen[id] = this.steps
      this.sightings.ends[id] = at
      const kind = id % KINDS
      const language = (id - kind) / KINDS
      const bits = this.kindsLately(language, kind)
      const rules = (bits === 1 << kind ? RULES_OF_ONE[kind] : RULES_OF_KIND[kind]) ?? []
      for (let i = 0; i < rules.length; i++) {
        const rule = rules[i] as Rule
        if ((bits & rule.bits) === rule.bits && applies(rule, language)) this.look(rule, language * KINDS)
      }
    }
  }

  private hitQuiet(group: number, at: number): void {
    const { quiet, quietEnds } = this.sightings
    const { steps } = this
    quiet[group] = steps
    quietEnds[group] = at
    const since = Math.max(this.previousSentence, steps - QUIET_WITHIN)
    if (IS_STRONG[group]) this.sightings.quietStrong = steps
    else if (this.sightings.quietStrong <= since) return
    let points = 0
    let start = at
    for (let i = 0; i < QUIET.length; i++) {
      const step = quiet[i] as number
      if (step <= since) continue
      const { [i]: group } = QUIET
      points += (step > this.sentence ? 1 : SENTENCE_BEFORE) * (group?.points ?? 0)
      start = Math.min(start, quietEnds[i] as number)
    }
    if (points < MIN_QUIET_POINTS || this.left.warn === 0) return
    if (steps - this.sightings.quietFired < QUIET_WITHIN) return
    this.sightings.quietFired = steps
    this.left.warn--
    const end = Math.min(at + 1, this.text.length)
    this.sink({ rule: 'agent_instruction', severity: 'warn', start: this.wordStart(start), end })
  }

  private kindsLately(language: number, kind: number): number {
    const { kinds, last } = this.sightings
    const before = last[language] ?? 0
    const bits = before > this.sentence && before >= this.steps - WIDEST ? (kinds[language] ?? 0) : 0
    last[language] = this.steps
    kinds[language] = bits | (1 << kind)
    return bits | (1 << kind)
  }

  private look(rule: Rule, first: number): void {
    if (this.left[rule.severity] === 0) return
    const { steps } = this
    const { seen, ends, fired } = this.sightings
    const since = Math.max(this.sentence, steps - rule.within)
    let start = Number.POSITIVE_INFINITY
    let end = 0
    let last = 0
    for (const kind of rule.kinds) {
      const id = first + kind
      const step = seen[id] ?? 0
      if (step <= since || ((rule.ordered || rule.isFirst) && step < last)) return
      last = rule.isFirst && last > 0 ? last : step
      start = Math.min(start, ends[id] ?? 0)
      end = Math.max(end, ends[id] ?? 0)
    }
    if (steps - (fired[rule.index] ?? 0) < MIN_APART) return
    fired[rule.index] = steps
    this.left[rule.severity]--
    this.sink({
      rule: rule.rule,
      severity: rule.severity,
      start: this.wordStart(start),
      end: Math.min(end + 1, this.text.length),
    })
  }

  private wordStart(end: number): number {
    let start = Math.min(end, this.text.length - 1)
    while (end - start < 40 && this.isLetterAt(start - 1)) start--
    return start
  }
}

/** Finds sentences to agents in all languages of the table. Linear in the length of the text. */
export function findSentences(text: string, sink: (finding: Finding) => void): void {
  new SentenceReader(text, sink).read()
}
