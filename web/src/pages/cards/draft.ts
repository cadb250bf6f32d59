import type { Card, CardProposal, CardType } from '../../api/types.ts'
import { randomId } from '../../lib/storage.ts'
import * as strings from './strings.ts'

export type DraftStep = { id: string; action: string; result: string; kept: Record<string, unknown> }
export type DraftPair = { id: string; name: string; value: string }
export type DraftEvidence = { id: string; kind: string; content: string }

export type Draft = {
  card_type: CardType
  title: string
  symptom: string
  fix_summary: string
  root_cause: string
  steps: DraftStep[]
  tags: string
  environment: DraftPair[]
  body: string
  scope_notes: string
  payload: string
  evidences: DraftEvidence[]
  workspace_id: string
}

/** Random, because a kept draft brings the ids of its rows along. */
export const rowId = randomId

export const emptyDraft = (): Draft => ({
  card_type: 'debug_fix',
  title: '',
  symptom: '',
  fix_summary: '',
  root_cause: '',
  steps: [],
  tags: '',
  environment: [],
  body: '',
  scope_notes: '',
  payload: '',
  evidences: [],
  workspace_id: '',
})

export const draftOf = (card: CardContent & { workspace_id?: string }): Draft => ({
  card_type: card.card_type,
  title: card.title,
  symptom: card.symptom,
  fix_summary: card.fix_summary,
  root_cause: card.root_cause ?? '',
  steps: card.steps
    .toSorted((a, b) => a.order - b.order)
    .map(({ order: _, action, result, ...kept }) => ({ id: rowId(), action, result, kept })),
  tags: card.tags.join(', '),
  environment: Object.entries(card.environment ?? {}).map(([name, value]) => ({ id: rowId(), name, value })),
  body: card.body ?? '',
  scope_notes: card.scope_notes ?? '',
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
  card_type: proposal.card_type,
  title: proposal.title,
  symptom: proposal.symptom,
  fix_summary: proposal.fix_summary,
  root_cause: proposal.root_cause ?? '',
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

export type CardContent = Pick<
  Card,
  | 'card_type'
  | 'title'
  | 'symptom'
  | 'fix_summary'
  | 'root_cause'
  | 'steps'
  | 'tags'
  | 'environment'
  | 'body'
  | 'scope_notes'
  | 'card_payload'
>

/** Returns the draft as API fields; rows without content are left out. */
export function fieldsOf(draft: Draft): CardContent {
  const payload = payloadOf(draft.payload)
  return {
    card_type: draft.card_type,
    title: draft.title,
    symptom: draft.symptom,
    fix_summary: draft.fix_summary,
    root_cause: draft.root_cause.trim() ? draft.root_cause : null,
    steps: draft.steps
      .filter((step) => step.action.trim() || step.result.trim())
      .map(({ action, result, kept }, index) => ({ ...kept, order: index + 1, action, result })),
    tags: tagsOf(draft.tags),
    environment: pairsAsRecord(draft.environment),
    body: draft.body.trim() ? draft.body : null,
    scope_notes: draft.scope_notes.trim() ? draft.scope_notes : null,
    card_payload: 'value' in payload ? payload.value : null,
  }
}

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

/** Returns only the fields that differ from the loaded card. */
export function changesOf(
  draft: Draft,
  card: Card,
): Partial<CardContent> & { evidences?: ReturnType<typeof newEvidences> } {
  const before = fieldsOf(draftOf(card))
  const after = fieldsOf(draft)
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof CardContent]),
  )
  const evidences = newEvidences(draft)
  return { ...Object.fromEntries(changed), ...(evidences.length ? { evidences } : {}) }
}

export function isSavedAs(draft: Draft, card: Card): boolean {
  const stored = new Set(card.evidences?.map((evidence) => evidence.content))
  return (
    Object.keys(changesOf({ ...draft, evidences: [] }, card)).length === 0 &&
    newEvidences(draft).every((evidence) => stored.has(evidence.content))
  )
}
