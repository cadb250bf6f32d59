import { CARD_FIELDS, type CardField, TEXT_FIELDS, type TextField } from '#server/shared/card-fields.ts'
import type { Card, CardProposal, CardType } from '../../api/types.ts'
import { randomId } from '../../lib/storage.ts'
import { CARD_TYPES, type FirstText, firstTexts } from './card-badges.tsx'
import * as strings from './strings.ts'

export type DraftStep = { id: string; action: string; result: string; kept: Record<string, unknown> }
export type DraftPair = { id: string; name: string; value: string }
export type DraftEvidence = { id: string; kind: string; content: string }

export type Draft = {
  card_type: CardType
  steps: DraftStep[]
  tags: string
  environment: DraftPair[]
  payload: string
  evidences: DraftEvidence[]
  workspace_id: string
} & Record<TextField, string>

/** Returns the texts of a card as the form has them. */
const textsFrom = (card: Partial<Record<TextField, string | null>>) =>
  Object.fromEntries(TEXT_FIELDS.map((field) => [field, card[field] ?? ''])) as Record<TextField, string>

/** Random, because a kept draft brings the ids of its rows along. */
export const rowId = randomId

export const emptyDraft = (): Draft => ({
  card_type: 'debug_fix',
  ...textsFrom({}),
  steps: [],
  tags: '',
  environment: [],
  payload: '',
  evidences: [],
  workspace_id: '',
})

export const draftOf = (card: CardContent & { workspace_id?: string }): Draft => ({
  card_type: card.card_type,
  ...textsFrom(card),
  steps: card.steps
    .toSorted((a, b) => a.order - b.order)
    .map(({ order: _, action, result, ...kept }) => ({ id: rowId(), action, result, kept })),
  tags: card.tags.join(', '),
  environment: Object.entries(card.environment ?? {}).map(([name, value]) => ({ id: rowId(), name, value })),
  payload: card.card_payload ? JSON.stringify(card.card_payload, null, 2) : '',
  evidences: [],
  workspace_id: card.workspace_id ?? '',
})

/**
 * Returns the text for a new card. The field "where it applies" does not exist there, so its text goes into
 * the notes.
 */
export const toNewCardDraft = (draft: Draft): Draft => ({
  ...draft,
  body: [draft.body, draft.scope_notes].filter((text) => text.trim()).join('\n\n'),
  scope_notes: '',
  workspace_id: '',
})

export const draftOfProposal = (proposal: CardProposal): Draft => ({
  ...emptyDraft(),
  ...textsFrom(proposal),
  card_type: proposal.card_type,
  steps: proposal.steps.map(({ action, result }) => ({ id: rowId(), action, result, kept: {} })),
  evidences: proposal.evidences.map(({ kind, content }) => ({ id: rowId(), kind, content })),
})

export const tagsOf = (text: string) => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
]

/** Returns the payload object, or the sentence about its mistake. */
export function payloadOf(text: string): { value: Record<string, unknown> | null } | { problem: string } {
  if (!text.trim()) return { value: null }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> }
    return { problem: strings.notAnObject }
  } catch {
    return { problem: strings.notValidJson }
  }
}

export function repeatedProblem(pairs: readonly DraftPair[]): string | undefined {
  const names = pairs.filter(({ value }) => value.trim()).map(({ name }) => name.trim())
  const repeated = names.find((name, at) => name && names.indexOf(name) !== at)
  return repeated === undefined ? undefined : strings.nameTwice(repeated)
}

export function draftProblem({ environment, payload }: Draft): string | undefined {
  const read = payloadOf(payload)
  const inPayload = 'problem' in read ? strings.payloadProblem(read.problem) : undefined
  const inEnvironment = repeatedProblem(environment)
  return inPayload ?? (inEnvironment && strings.environmentProblem(inEnvironment))
}

export const pairsAsRecord = (pairs: readonly DraftPair[]): Record<string, string> =>
  Object.fromEntries(
    pairs
      .map((pair) => [pair.name.trim(), pair.value.trim()] as const)
      .filter(([name, value]) => name && value),
  )

export type CardContent = Pick<Card, CardField>

/** A text that the card needs stays as it is typed, so that the server refuses it if it is blank. */
const NEEDED: readonly TextField[] = ['title', 'symptom', 'fix_summary']

const writtenTexts = (draft: Draft) =>
  Object.fromEntries(
    TEXT_FIELDS.map((field) => [field, NEEDED.includes(field) || draft[field].trim() ? draft[field] : null]),
  ) as Pick<CardContent, TextField>

/** Returns the draft as API fields; rows without content are left out. */
export function fieldsOf(draft: Draft): CardContent {
  const payload = payloadOf(draft.payload)
  return {
    card_type: draft.card_type,
    ...writtenTexts(draft),
    steps: draft.steps
      .filter((step) => step.action.trim() || step.result.trim())
      .map(({ action, result, kept }, index) => ({ ...kept, order: index + 1, action, result })),
    tags: tagsOf(draft.tags),
    environment: pairsAsRecord(draft.environment),
    card_payload: 'value' in payload ? payload.value : null,
  }
}

type LabelledText = { label: string; text: string }

/** Returns what the draft says, field by field, in the order of the form. */
export const labelledTexts = (draft: Draft): Record<CardField, LabelledText> => ({
  card_type: { label: strings.type, text: CARD_TYPES[draft.card_type].label },
  title: { label: strings.title, text: draft.title },
  ...(Object.fromEntries(
    firstTexts(draft.card_type).map(({ field, label }) => [field, { label, text: draft[field] }]),
  ) as Record<FirstText, LabelledText>),
  steps: {
    label: strings.steps,
    text: draft.steps
      .map((step, index) => `${index + 1}. ${step.action}${step.result ? `\n   → ${step.result}` : ''}`)
      .join('\n'),
  },
  tags: { label: strings.tags, text: draft.tags },
  environment: {
    label: strings.environment,
    text: draft.environment.map((pair) => `${pair.name}: ${pair.value}`).join('\n'),
  },
  body: { label: strings.notes, text: draft.body },
  scope_notes: { label: strings.whereItApplies, text: draft.scope_notes },
  card_payload: { label: strings.payload, text: draft.payload },
})

export const newEvidences = (draft: Draft) =>
  draft.evidences
    .filter((one) => one.content.trim())
    .map(({ kind, content }) => ({ kind: kind.trim() || 'note', content }))

/** Returns the draft without the parts that were saved: evidence is sent once. */
export const unsavedPart = (draft: Draft, sent: Draft): Draft => ({
  ...draft,
  evidences: draft.evidences.filter(
    ({ content }) => !sent.evidences.some((other) => other.content === content),
  ),
})

const withoutIds = (draft: Draft): string =>
  JSON.stringify(draft, (name, value) => (name === 'id' ? undefined : value))

/** Compares two drafts without the ids of their rows. */
export const isSameDraft = (one: Draft, other: Draft): boolean => withoutIds(one) === withoutIds(other)

/** The text that a draft builds on, and its version. */
export type Ground = { base: Draft; version: number }

/** Returns only the fields that differ from the text that the person began with. */
export function changesOf(
  draft: Draft,
  before: Draft,
): Partial<CardContent> & { evidences?: ReturnType<typeof newEvidences> } {
  const after = fieldsOf(draft)
  const evidences = newEvidences(draft)
  return {
    ...Object.fromEntries(changedBetween(before, draft).map((field) => [field, after[field]])),
    ...(evidences.length ? { evidences } : {}),
  }
}

function changedBetween(before: Draft, after: Draft): CardField[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)]
  return CARD_FIELDS.filter((field) => valueText(old[field]) !== valueText(now[field]))
}

/** The order of names in an object is no change. */
const valueText = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  ) ?? ''

/** The part of the form that holds a field. */
const partOf = (field: CardField): keyof Draft => (field === 'card_payload' ? 'payload' : field)

export type Choices = Partial<Record<CardField, 'mine' | 'theirs'>>

/**
 * Merges two changes of one card field by field. A field that both changed, each otherwise, stays mine and is
 * in `asked` until a choice is made.
 */
export function mergeDrafts(
  base: Draft,
  mine: Draft,
  theirs: Draft,
  choices: Choices = {},
): { draft: Draft; asked: CardField[] } {
  const [byMe, byThem] = [changedBetween(base, mine), changedBetween(base, theirs)]
  const differ = changedBetween(mine, theirs)
  const isBoth = (field: CardField) => byMe.includes(field) && differ.includes(field)
  const taken = byThem.filter((field) => !isBoth(field) || choices[field] === 'theirs')
  return {
    draft: { ...mine, ...Object.fromEntries(taken.map((field) => [partOf(field), theirs[partOf(field)]])) },
    asked: byThem.filter((field) => isBoth(field) && choices[field] === undefined),
  }
}

export function isSavedAs(draft: Draft, card: Card): boolean {
  const stored = new Set(card.evidences?.map((evidence) => evidence.content))
  return (
    changedBetween(draftOf(card), draft).length === 0 &&
    newEvidences(draft).every((evidence) => stored.has(evidence.content))
  )
}
