import { FIRST_TEXTS } from '../../shared/card-fields.ts'
import { isCommonStem } from '../../text/terms.ts'
import { byTrust, type FoundCard, type FoundCards, type Information } from '../search/index.ts'
import {
  hasAnotherCause,
  namesAnother,
  namesAnotherBetween,
  namesIn,
  READ_CHARACTERS,
  saysName,
  type Word,
  wordsOf,
} from './mismatch.ts'
import type { Moment } from './schemas.ts'

type AskingMoment = Extract<Moment, 'failure' | 'prompt'>

/** Fitted by `npm run eval:recall -- --fit`; bench/README.md has the figures. */
const COEFFICIENTS: Readonly<Record<AskingMoment, Readonly<Evidence & { constant: number }>>> = {
  failure: {
    constant: -6.25,
    confidence: 0.65,
    quoted: 1.01,
    codes: 0.38,
    title: 3.21,
    symptom: 2.43,
    missed: -1.76,
  },
  prompt: {
    constant: -6.33,
    confidence: 0.26,
    quoted: 4.36,
    codes: 1.57,
    title: 1.79,
    symptom: 3.26,
    missed: 0,
  },
}

type Floors = {
  card: number
  /** For an event of memory by itself. */
  memory: number
  /** For a conversation by its turns together: of a failure, names of its trace would match too much. */
  conversation: number | undefined
  /** For a commit, pull request or record of the repository. */
  history: number
}

export const FLOORS: Readonly<Record<AskingMoment, Floors>> = {
  failure: { card: 0.35, memory: 0.8, conversation: undefined, history: 0.85 },
  prompt: { card: 0.6, memory: 0.85, conversation: 0.45, history: 0.5 },
}

/** The default budget of each moment, in characters. */
export const BUDGETS: Readonly<Record<Moment, number>> = {
  failure: 1200,
  prompt: 2000,
  start: 6000,
  compact: 6000,
  before: 900,
}

export type RecallContext = {
  moment: 'failure' | 'prompt'
  lines: readonly string[]
  around: string
  whole: string
}

type Evidence = {
  confidence: number
  quoted: number
  codes: number
  /** The share of the card's title and symptom that the question has. */
  title: number
  symptom: number
  /** The share of the card's names (title and symptom) that the question does not have. */
  missed: number
}

/** Matches codes such as `ENOENT`, `TS2345`, `useState`, which do not occur by chance. */
const CODE = /^[A-Z][A-Z_]{3,}$|^(?=\w*\d)(?=\w*[A-Za-z])\w{3,}$|[a-z][A-Z]|\w_\w|(?:Error|Exception)$/
/** Codes too common to identify an error. */
const COMMON_CODES = new Set(
  `Error ERROR FATAL FAILED WARNING INFO DEBUG FAIL Exception Warning TypeError KeyError ValueError AttributeError RuntimeError
  ReferenceError AssertionError`.split(/\s+/),
)
const isCode = (typed: string): boolean => CODE.test(typed) && !COMMON_CODES.has(typed)

const MAX_CODES = 3
const UNWEIGHED = 0.5
const UNWEIGHED_COMMON = 0.25
const UNWEIGHED_CODE = 0.8
const MAX_LOGIT = 9

const pairOf = (before: Word, after: Word) => `${before.term} ${after.term}`

const eachOnce = (words: readonly Word[]): Word[] => [
  ...new Map(words.map((word) => [word.term, word])).values(),
]

function readCard({ row }: FoundCard) {
  const { title, symptom, tags } = row
  const fields = [title, ...FIRST_TEXTS.map((field) => row[field] ?? ''), tags].map(wordsOf)
  return {
    title: eachOnce(fields[0] ?? []),
    symptom: eachOnce(fields[1] ?? []),
    names: namesIn(`${title}\n${symptom}`.slice(0, READ_CHARACTERS)),
    words: new Set(fields.flat().map(({ term }) => term)),
    pairs: new Set(
      fields.flatMap((field) => field.slice(1).map((word, i) => pairOf(field[i] as Word, word))),
    ),
  }
}

type Card = ReturnType<typeof readCard>

function quotedIn(line: readonly Word[], { words, pairs }: Card, information: Information): number {
  let [longest, row] = [0, 0]
  line.forEach((word, i) => {
    const says = information.get(word.term) ?? UNWEIGHED
    const before = line[i - 1]
    if (!words.has(word.term)) row = 0
    else row = before && pairs.has(pairOf(before, word)) ? row + says : says
    longest = Math.max(longest, row)
  })
  return longest
}

function weightOf({ term, typed }: Word, information: Information): number {
  const unweighed = isCode(typed) ? UNWEIGHED_CODE : isCommonStem(term) ? UNWEIGHED_COMMON : UNWEIGHED
  return information.get(term) ?? unweighed
}

function shareSaid(words: readonly Word[], said: ReadonlySet<string>, information: Information): number {
  let [all, shared] = [0, 0]
  for (const word of words) {
    const weight = weightOf(word, information)
    all += weight
    if (said.has(word.term)) shared += weight
  }
  return all === 0 ? 0 : shared / all
}

const shareMissed = (names: readonly string[], whole: string): number =>
  names.filter((name) => !saysName(whole, name)).length / Math.max(1, names.length)

const logit = (p: number): number => Math.max(-MAX_LOGIT, Math.min(MAX_LOGIT, Math.log(p / (1 - p))))

export function evidenceFor(
  { lines, around, whole }: RecallContext,
  information: Information,
): (card: FoundCard) => Evidence {
  const read = lines.map(wordsOf)
  const codes = new Map(read.flat().flatMap(({ term, typed }) => (isCode(typed) ? [[term, typed]] : [])))
  const said = new Set([...read.flat(), ...wordsOf(around), ...wordsOf(whole)].map(({ term }) => term))
  const wholeInSmall = whole.toLowerCase()
  return (found) => {
    const card = readCard(found)
    const quoted = Math.max(0, ...read.map((line) => quotedIn(line, card, information)))
    return {
      confidence: logit(found.confidence),
      quoted: Math.log(1 + quoted),
      codes: Math.min(MAX_CODES, [...codes.keys()].filter((term) => card.words.has(term)).length),
      title: shareSaid(card.title, said, information),
      symptom: shareSaid(card.symptom, said, information),
      missed: shareMissed(card.names, wholeInSmall),
    }
  }
}

export type ScoredCard = { card: FoundCard; confidence: number }

export const EVIDENCE = [
  'confidence',
  'quoted',
  'codes',
  'title',
  'symptom',
  'missed',
] as const satisfies (keyof Evidence)[]

function sureness(moment: RecallContext['moment'], evidence: Evidence): number {
  const { constant, ...coefficients } = COEFFICIENTS[moment]
  const sum = EVIDENCE.reduce((sum, name) => sum + coefficients[name] * evidence[name], constant)
  return 1 / (1 + Math.exp(-sum))
}

function isAboutAnother({ moment, lines, around, whole }: RecallContext, { row }: FoundCard): boolean {
  if (moment !== 'failure') return false
  const textOf = (...fields: string[]) =>
    fields.map((field) => field.slice(0, READ_CHARACTERS).toLowerCase()).join('\n')
  const { title, symptom, fix_summary } = row
  const others = FIRST_TEXTS.filter((field) => field !== 'symptom').map((field) => row[field] ?? '')
  const about = textOf(title, fix_summary)
  const card = { all: textOf(title, symptom, ...others), about, title: textOf(title) }
  return (
    namesAnother(lines, card, around) ||
    namesAnotherBetween(lines, whole.toLowerCase(), { ...card, quoting: [title, symptom] }) ||
    hasAnotherCause(lines, [title, symptom], others)
  )
}

export function surelyFitting(asked: RecallContext, { cards, information }: FoundCards): ScoredCard[] {
  const evidenceOf = evidenceFor(asked, information)
  const judged = cards
    .filter((card) => !isAboutAnother(asked, card))
    .map((card) => ({ card, confidence: sureness(asked.moment, evidenceOf(card)), trust: card.trust }))
    .filter(({ confidence }) => confidence >= FLOORS[asked.moment].card)
    .sort((a, b) => b.confidence - a.confidence)
  return byTrust(judged)
}
