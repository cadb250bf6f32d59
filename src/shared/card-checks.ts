import { fromJson, fromJsonOrNull, toJson, toJsonOrNull } from '../db/columns.ts'
import { findSecretsInPieces, kindOfNumber } from '../redaction/redact.ts'
import { DANGER_WORDS, type DangerPolicy, dangerAcross, dangerIn } from '../review/find-danger.ts'
import type { Finding, Severity } from '../review/rule.ts'
import { normalForm } from '../text/fold.ts'
import { overlap, shinglesOfWords, wordsOf } from '../text/similar.ts'
import {
  CARD_FIELDS,
  type CardContent,
  type CardField,
  type ContentColumns,
  DEFINITION,
  isJson,
  REVIEW_LIMITS as LIMITS,
  TEXT_FIELDS,
} from './card-fields.ts'
import type { Analyst } from './pieces.ts'

/** Must not depend on the server: the web app shows the same list while a card is written. */
export type ReviewedCard = Pick<CardContent, 'title' | 'symptom' | 'fix_summary' | 'root_cause'> & {
  card_type: string
  steps: readonly unknown[]
  evidence_count: number
  /** Kind and place of each secret that the scanner found; never its value. */
  secrets: readonly FoundSecret[]
}

export type FoundSecret = { field: string; kind: string }

export type ReviewRule = {
  id: string
  weight: number
  /** A card that breaks a hard rule is refused whatever its score. */
  hard: boolean
  /** Advice for the person or agent that edits the card. */
  message: string | ((card: ReviewedCard) => string)
  passes: (card: ReviewedCard) => boolean
}

export type ReviewReason = {
  rule: string
  message: string
  severity?: Severity
  field?: string
  start?: number
  end?: number
  safer?: string
}
export type ReviewVerdict = { passed: boolean; score: number; reasons: ReviewReason[] }

export const REVIEW_THRESHOLD = 60

/** Characters of a text that the rules read. A longer text is judged by its beginning. */
const MAX_READ_LENGTH = 20_000
const readWords = (text: string): string[] => wordsOf(text.slice(0, MAX_READ_LENGTH))

const charactersOf = (text: string) => text.trim().length
const distinctWordsOf = (text: string) => new Set(readWords(text)).size

const FILLER = new Set(
  'todo tbd tba fixme wip placeholder lorem ipsum dolor asdf asdfasdf qwerty foo bar baz foobar xxx xxxx test testing blah dummy untitled na none nothing here'.split(
    ' ',
  ),
)
const FILLER_SHARE = 0.5
const FILLER_SENTENCE =
  /lorem ipsum|^\s*(?:todo|tbd|tba|fixme|wip)\s*(?:[:\-–—]|$)|\b(?:insert|add|write|describe|enter|put|type|your)\b(?: (?:a|an|the|your|some))? (?:text|title|symptom|problem|description|solution|fix|summary|content|answer) here\b/i

/** Returns whether a text is filler. Placeholders such as `<API_KEY>` are wanted and do not count. */
export function isPlaceholderText(text: string): boolean {
  if (FILLER_SENTENCE.test(text)) return true
  const words = readWords(text)
  const fillers = words.filter((word) => FILLER.has(word)).length
  return words.length > 0 && fillers / words.length >= FILLER_SHARE
}

function isCopy(symptom: string, fix: string): boolean {
  const [ofSymptom, ofFix] = [readWords(symptom), readWords(fix)]
  if (ofSymptom.join(' ') === ofFix.join(' ')) return true
  return overlap(shinglesOfWords(ofSymptom), shinglesOfWords(ofFix)) >= LIMITS.copyOverlap
}

const listed = (items: readonly string[]) => [...new Set(items)].join(', ')

function secretMessage({ secrets }: ReviewedCard): string {
  const found = listed(secrets.map(({ field, kind }) => `${field} (${kind})`))
  const inEvidence = secrets.some(({ field }) => field.startsWith('evidences'))
  return (
    `This looks like a secret: ${found}. Replace it by a placeholder such as <API_KEY>, and revoke the secret if it is real.` +
    (inEvidence
      ? ' Evidence cannot be altered: record a new card without the secret and delete this one.'
      : '')
  )
}

export const REVIEW_RULES: readonly ReviewRule[] = [
  {
    id: 'title_length',
    weight: 5,
    hard: true,
    message: `Write a title of at least ${LIMITS.titleCharacters} characters.`,
    passes: (card) => charactersOf(card.title) >= LIMITS.titleCharacters,
  },
  {
    id: 'title_words',
    weight: 10,
    hard: false,
    message: `Write a title of at least ${LIMITS.titleWords} words, so that readers can tell it from others in a list.`,
    passes: (card) => readWords(card.title).length >= LIMITS.titleWords,
  },
  {
    id: 'symptom_length',
    weight: 5,
    hard: true,
    message: `Describe the symptom or goal in at least ${LIMITS.textCharacters} characters.`,
    passes: (card) => charactersOf(card.symptom) >= LIMITS.textCharacters,
  },
  {
    id: 'symptom_words',
    weight: 22,
    hard: false,
    message: `Describe the symptom or goal with at least ${LIMITS.textDistinctWords} different words: what was seen, where, since when.`,
    passes: (card) => distinctWordsOf(card.symptom) >= LIMITS.textDistinctWords,
  },
  {
    id: 'fix_length',
    weight: 5,
    hard: true,
    message: `Describe the fix in fix_summary in at least ${LIMITS.textCharacters} characters.`,
    passes: (card) => charactersOf(card.fix_summary) >= LIMITS.textCharacters,
  },
  {
    id: 'fix_words',
    weight: 22,
    hard: false,
    message: `Describe the fix in fix_summary with at least ${LIMITS.textDistinctWords} different words: what to change and why it helps.`,
    passes: (card) => distinctWordsOf(card.fix_summary) >= LIMITS.textDistinctWords,
  },
  {
    id: 'fix_is_not_symptom',
    weight: 4,
    hard: true,
    message: 'fix_summary repeats the symptom. Say there what solves it.',
    passes: (card) => !isCopy(card.symptom, card.fix_summary),
  },
  {
    id: 'no_placeholder',
    weight: 3,
    hard: true,
    message: 'Replace the placeholder text (such as TODO or lorem ipsum) in title, symptom or fix_summary.',
    passes: (card) => ![card.title, card.symptom, card.fix_summary].some(isPlaceholderText),
  },
  {
    id: 'debug_grounds',
    weight: 21,
    hard: false,
    message: 'A debug_fix card needs grounds: give a root_cause, at least one step, or evidence.',
    passes: (card) =>
      card.card_type !== 'debug_fix' ||
      (card.root_cause ?? '').trim() !== '' ||
      card.steps.length > 0 ||
      card.evidence_count > 0,
  },
  {
    id: 'no_secrets',
    weight: 3,
    hard: true,
    message: secretMessage,
    passes: (card) => card.secrets.length === 0,
  },
]

const TOTAL = REVIEW_RULES.reduce((sum, rule) => sum + rule.weight, 0)

/** Reviews a card. Every broken rule gives a reason, as advice if the card passes. */
export function reviewCard(card: ReviewedCard): ReviewVerdict {
  const broken = REVIEW_RULES.filter((rule) => !rule.passes(card))
  const lost = broken.reduce((sum, rule) => sum + rule.weight, 0)
  const score = Math.round(((TOTAL - lost) / TOTAL) * 100)
  return {
    passed: score >= REVIEW_THRESHOLD && !broken.some((rule) => rule.hard),
    score,
    reasons: broken.map(({ id, message }) => ({
      rule: id,
      message: typeof message === 'string' ? message : message(card),
    })),
  }
}

type ContentRow = ContentColumns & { filter_text: string }

const mapFields = <To>(change: (field: CardField) => unknown): To =>
  Object.fromEntries(CARD_FIELDS.map((field) => [field, change(field)])) as To

export const contentOf = (row: ContentColumns): CardContent =>
  mapFields((field) => (isJson(field) ? fromJsonOrNull(row[field]) : row[field]))

/** Returns the content of a kept version. It may be older than a field, which then is empty. */
export function contentOfVersion(json: string): CardContent {
  const kept = fromJson<Partial<CardContent>>(json)
  return mapFields((field) => kept[field] ?? fromJsonOrNull(DEFINITION[field].empty))
}

/** A list filter reads only the beginning of each text; search reads whole texts. */
const FILTERED_CHARACTERS = 1000

export const foldForFilter = (text: string): string => normalForm(text, 'NFKC').toLowerCase()

export const columnsOf = (content: CardContent): ContentRow => ({
  ...mapFields<ContentColumns>((field) => (isJson(field) ? toJsonOrNull(content[field]) : content[field])),
  filter_text: filterTextOf(content),
})

/** `unread` is text whose words are not in the search index. */
export const filterTextOf = (
  {
    title,
    tags,
    symptom,
    fix_summary,
  }: Pick<CardContent, 'title' | 'symptom' | 'fix_summary'> & {
    tags: readonly string[]
  },
  unread = '',
): string =>
  foldForFilter(
    [
      title,
      tags.join(' '),
      symptom.slice(0, FILTERED_CHARACTERS),
      fix_summary.slice(0, FILTERED_CHARACTERS),
      ...(unread === '' ? [] : [unread]),
    ].join('\n'),
  )

export const changedFields = (before: CardContent, after: CardContent): CardField[] =>
  CARD_FIELDS.filter((field) => toJson(before[field]) !== toJson(after[field]))

/** Puts each text on a line with its key, since `password: …` is recognised by its name. */
function textsIn(value: unknown, key = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, key))
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, item]) => [name, ...textsIn(item, name)])
  if (key === '') return typeof value === 'string' ? [value] : []
  return [`${key}: ${value}`]
}

/** Returns the kinds of secrets that are numbers, recognised by their names only. */
function numbersIn(value: unknown, key = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => numbersIn(item, key))
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, item]) => numbersIn(item, name))
  const kind = kindOfNumber(key, value)
  return kind === undefined ? [] : [kind]
}

async function secretsIn(work: Analyst, field: string, value: unknown): Promise<FoundSecret[]> {
  const found = await findSecretsInPieces(work, textsIn(value).join('\n\n'))
  const kinds = new Set([...found.map(({ kind }) => kind), ...numbersIn(value)])
  return [...kinds].map((kind) => ({ field, kind }))
}

type Citing = { cites: string | null; cites_are_written: number }

/** Returns cites that a person wrote, without those that were read from the card's texts. */
export const writtenCites = (row: Citing): string[] =>
  row.cites_are_written === 1 ? fromJson(row.cites ?? '[]') : []

export const secretsInCites = (work: Analyst, cites: readonly string[]): Promise<FoundSecret[]> =>
  secretsIn(work, 'cites', cites)

export async function secretsInContent(work: Analyst, content: CardContent): Promise<FoundSecret[]> {
  const found: FoundSecret[] = []
  for (const field of CARD_FIELDS) found.push(...(await secretsIn(work, field, content[field])))
  return found
}

export async function secretsInEvidences(
  work: Analyst,
  evidences: readonly { kind: string; content?: unknown; meta?: unknown }[],
  present = 0,
): Promise<FoundSecret[][]> {
  const found: FoundSecret[][] = []
  for (const [i, { kind, content, meta }] of evidences.entries())
    found.push(await secretsIn(work, `evidences.${present + i}`, [kind, content, meta]))
  return found
}

export const warningsFor = (secrets: readonly FoundSecret[]) =>
  secrets.map(({ field, kind }) => ({
    code: 'possible_secret' as const,
    field,
    kind,
    message: `${field} looks like it contains a secret (${kind}). The card cannot be shared or published like this.`,
  }))

export type FoundDanger = Finding & { field: string }

type Piece = { field: string; text: string }

function piecesOf(field: string, value: unknown): Piece[] {
  if (typeof value === 'string') return [{ field, text: value }]
  if (Array.isArray(value)) return value.flatMap((item, i) => piecesOf(`${field}.${i}`, item))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => [
    { field, text: name },
    ...piecesOf(`${field}.${name.slice(0, MAX_NAME_LENGTH)}`, item),
  ])
}

export const allTextOf = (value: unknown): string =>
  piecesOf('', value)
    .map(({ text }) => text)
    .join('\n\n')

const MAX_NAME_LENGTH = 60
const MAX_FINDINGS = 20
const ORDER = { block: 0, warn: 1, note: 2 } as const

/** `meta` is parsed: the escapes of stored JSON would hide text after a line break. */
type Evidence = { kind: string; content: string; meta?: object | null }

export async function dangerInCard(
  work: Analyst,
  content: CardContent & { cites?: readonly string[] },
  evidences: readonly Evidence[],
  policy: DangerPolicy,
): Promise<FoundDanger[]> {
  const pieces = [
    ...Object.entries(content).flatMap(([field, value]) => piecesOf(field, value)),
    ...evidences.flatMap(({ kind, content, meta }, i) => piecesOf(`evidences.${i}`, { kind, content, meta })),
  ]
  const found: FoundDanger[] = []
  for (const { field, text } of pieces)
    for (const finding of await dangerIn(work, text, policy)) found.push({ ...finding, field })
  // An attacker may split a sentence over the texts.
  const prose = TEXT_FIELDS.map((field) => ({ field, text: content[field] ?? '' })).filter(
    ({ text }) => text !== '',
  )
  const texts = prose.map(({ text }) => text)
  for (const finding of await dangerAcross(work, texts, policy))
    found.push({ ...finding, field: prose[finding.field]?.field ?? '' })
  return found.toSorted((a, b) => ORDER[a.severity] - ORDER[b.severity]).slice(0, MAX_FINDINGS)
}

/** Does not quote the text, because an agent that reads the answer would read the prompt injection. */
export const dangerReason = ({ rule, severity, field, start, end }: FoundDanger): ReviewReason => {
  const { why, safer } = DANGER_WORDS[rule]
  return { rule, severity, field, start, end, safer, message: `${field}: ${why} ${safer}` }
}
