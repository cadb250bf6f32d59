import type { Severity } from '../review/rule.ts'
import { overlap, shinglesOfWords, wordsOf } from './words.ts'

/**
 * What a card must be like to go public: rules as data, without a model and without anything of the server,
 * so that the web app shows the same list while a card is being written.
 */
export type ReviewedCard = {
  card_type: string
  title: string
  symptom: string
  fix_summary: string
  root_cause: string | null
  steps: readonly unknown[]
  evidence_count: number
  /** What the secret scanner found and where; never the value. */
  secrets: readonly FoundSecret[]
}

export type FoundSecret = { field: string; kind: string }

export type ReviewRule = {
  id: string
  weight: number
  /** A card that breaks a hard rule is refused whatever its score. */
  hard: boolean
  /** What to do about it, for the person or agent that edits the card. */
  message: string | ((card: ReviewedCard) => string)
  passes: (card: ReviewedCard) => boolean
}

export type ReviewReason = {
  rule: string
  message: string
  /** For a finding of danger: how severe it is, where it is, and how to say it safely. */
  severity?: Severity
  field?: string
  start?: number
  end?: number
  safer?: string
}
export type ReviewVerdict = { passed: boolean; score: number; reasons: ReviewReason[] }

export const REVIEW_THRESHOLD = 60
export const LIMITS = {
  titleCharacters: 10,
  titleWords: 3,
  textCharacters: 40,
  textDistinctWords: 8,
  copyOverlap: 0.9,
} as const

/** The rules read so much of a text: a longer one is judged by its beginning. */
const LONGEST_READ = 20_000
const readWords = (text: string): string[] => wordsOf(text.slice(0, LONGEST_READ))

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

/** Filler in place of real text. Placeholders such as `<API_KEY>` are wanted and do not count. */
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

/** Reasons are given for every broken rule, even if the card passes: then they are advice. */
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
