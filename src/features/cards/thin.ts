import { z } from 'zod'
import { thinAnswer } from '../../core/capability.ts'
import { partOf } from '../../core/parts.ts'
import { Provenance } from '../../core/provenance.ts'
import { AnswerId, Time } from '../../core/schemas.ts'
import { cutText } from '../../text/cut-text.ts'
import { CARD_TYPES, type CaseResponse, Review, Warning } from './schemas.ts'

type Card = z.output<typeof CaseResponse>

const urlOf = (baseUrl: string, cardId: string) => `${baseUrl}/cards/${cardId}`

/** Fields that can be asked for one by one; the others are short. */
const CHOICES = [
  'symptom',
  'fix_summary',
  'root_cause',
  'steps',
  'card_payload',
  'body',
  'evidences',
] as const

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

/** What a card says, most useful first; evidence may be very long and comes last. */
const contentOf = (card: Card): Record<string, unknown> => ({
  symptom: card.symptom,
  fix_summary: card.fix_summary,
  root_cause: card.root_cause,
  steps: card.steps,
  environment: card.environment,
  tags: card.tags,
  scope_notes: card.scope_notes,
  card_payload: card.card_payload,
  body: card.body,
  evidences: card.evidences?.map(({ kind, content, meta }) => ({ kind, content, ...(meta ? { meta } : {}) })),
})

/** The author to credit and the licence, if the card has one. */
function creditOf({ publication, origin }: Card): { licence?: string; author?: string } {
  const given = publication?.licence ? publication : origin
  return given?.licence ? { licence: given.licence, author: given.author } : {}
}

const Cut = z.record(z.string(), z.unknown())

/** A card in parts: its head each time, and of its content as much as a part holds. */
export const thinCard = thinAnswer({
  input: z.object({
    part: z.int().min(1).max(1000).default(1).describe('Of a long card'),
    include: z.array(z.enum(CHOICES)).max(CHOICES.length).optional().describe('Only these fields'),
  }),
  output: z
    .object({
      card_id: AnswerId,
      title: z.string().optional(),
      card_type: z.enum(CARD_TYPES),
      status: z.enum(['unpublished', 'published']),
      version: z.int(),
      provenance: Provenance,
      can_edit: z.boolean(),
      licence: z.string().optional(),
      author: z.string().optional(),
      trust: z.string().optional(),
      likely_outdated: z.literal(true).optional(),
      superseded_by: AnswerId.optional(),
      merged_from: AnswerId.optional(),
      review: Review.pick({ status: true, reasons: true }),
      evidence_count: z.int(),
      updated_at: Time,
      url: z.string(),
      part: z.int(),
      parts: z.int(),
      symptom: z.string().optional(),
      fix_summary: z.string().optional(),
      root_cause: z.string().optional(),
      steps: z.array(Cut).optional(),
      environment: Cut.optional(),
      tags: z.array(z.string()).optional(),
      scope_notes: z.string().optional(),
      card_payload: Cut.optional(),
      body: z.string().optional(),
      evidences: z.array(Cut).optional(),
    })
    .describe('The card, with part, parts and url'),
  of: (card: Card, { part, include }, baseUrl) => {
    const said = Object.entries(contentOf(card)).filter(
      ([name, value]) => !isEmpty(value) && (include?.some((chosen) => chosen === name) ?? true),
    )
    const { content, ...which } = partOf({ title: card.title, ...Object.fromEntries(said) }, part)
    return {
      card_id: card.card_id,
      card_type: card.card_type,
      status: card.status,
      version: card.version,
      provenance: card.provenance,
      can_edit: card.can_edit,
      ...creditOf(card),
      ...(card.trust ? { trust: card.trust.summary } : {}),
      ...(card.likely_outdated ? { likely_outdated: true as const } : {}),
      ...(card.superseded_by ? { superseded_by: card.superseded_by.card_id } : {}),
      ...(card.merged_from ? { merged_from: card.merged_from } : {}),
      review: { status: card.review.status, reasons: card.review.reasons },
      evidence_count: card.evidence_count,
      updated_at: card.updated_at,
      url: urlOf(baseUrl, card.card_id),
      ...which,
      ...content,
    }
  },
})

/** Enough to know which cards to look at. */
const MOST_SIMILAR = 3
const SIMILAR_TITLE = 60

const ThinState = z.object({
  card_id: AnswerId,
  status: z.enum(['unpublished', 'published']),
  version: z.int(),
  review: Review.pick({ status: true }).extend({ reasons: z.array(z.string()).optional() }),
  similar: z.array(z.object({ card_id: AnswerId, title: z.string(), similarity: z.number() })).optional(),
  credits_earned: z.int(),
  url: z.string(),
})
const ThinWritten = z.object({
  ...ThinState.shape,
  changed: z.array(z.string()).optional(),
  warnings: z.array(Warning.pick({ field: true, kind: true })).optional(),
  hint: z.string().optional(),
})

/** After recording, the answer also says who can read the card, and why it went to another workspace than asked. */
const ThinRecorded = ThinWritten.extend({ readers: z.string() })

const stateOf = (card: Card, _input: object, baseUrl: string): z.input<typeof ThinWritten> => ({
  card_id: card.card_id,
  status: card.status,
  version: card.version,
  ...(card.changed ? { changed: card.changed } : {}),
  review: {
    status: card.review.status,
    // One rule may find twenty places; get_card names each of them.
    ...(card.review.reasons.length > 0
      ? { reasons: [...new Set(card.review.reasons.map(({ rule }) => rule))] }
      : {}),
  },
  ...(card.warnings?.length ? { warnings: card.warnings } : {}),
  ...(card.search_note ? { hint: card.search_note } : {}),
  ...(card.similar_cards?.length
    ? {
        similar: card.similar_cards.slice(0, MOST_SIMILAR).map((near) => ({
          ...near,
          title: cutText(near.title, SIMILAR_TITLE).text,
        })),
      }
    : {}),
  credits_earned: card.credits_earned ?? 0,
  url: urlOf(baseUrl, card.card_id),
})

/** A model lists both tools, so the fields are described once. */
const AS_WRITTEN = 'As record_card'
export const thinUpdate = thinAnswer({
  input: z.object({}),
  output: ThinWritten.describe(AS_WRITTEN),
  of: stateOf,
})

/** A new card, and who can read it. */
export const thinRecord = thinAnswer({
  input: z.object({}),
  output: ThinRecorded,
  of: (card: Card, input: object, baseUrl) => ({
    ...stateOf(card, input, baseUrl),
    readers: card.home_note ? `${card.readers.text}. ${card.home_note}` : card.readers.text,
  }),
})

/** Sharing in a personal workspace succeeds and reaches nobody, so an agent that reports it needs to know. */
const REACHES_NOBODY =
  'Nobody else is in this personal workspace. For a team: kvault share --workspace, or the web app'

/** A card that was shared, and with whom. */
export const thinShare = thinAnswer({
  input: z.object({}),
  output: ThinState.extend({ readers: z.string() }).describe(AS_WRITTEN),
  of: (card: Card, input: object, baseUrl) => ({
    ...stateOf(card, input, baseUrl),
    readers: card.home.kind === 'personal' ? `${card.readers.text}. ${REACHES_NOBODY}` : card.readers.text,
  }),
})

/** A card that was published or taken back. */
export const thinState = thinAnswer({
  input: z.object({}),
  output: ThinState.describe(AS_WRITTEN),
  of: stateOf,
})
