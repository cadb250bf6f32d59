import { z } from 'zod'
import { AnswerId, Id, LicenceId, NOT_BLANK, pageOf, Time } from '../../core/schemas.ts'
import { Provenance, SEEN } from '../../core/untrusted-text.ts'
import { dictionary, freeJson, openObject, sizeLimits } from '../../core/validation.ts'
import { fromJson } from '../../db/columns.ts'
import { SEVERITIES } from '../../review/rule.ts'
import {
  CARD_FIELDS,
  CARD_TYPES,
  type CardField,
  type CardType,
  DEFINITION,
  FILTER_NAMES,
  type FilterName,
  type FilterWord,
  wordsOfFilter,
} from '../../shared/card-fields.ts'
import { Trust } from './card-trust.ts'
import { AT_HOME, Home, Readers } from './visibility.ts'

const Origin = z
  .object({
    server: z.string().describe('The server that its snapshot was pulled from'),
    card_id: AnswerId.describe('Its id on that server'),
    version: z.int(),
    url: z.string().describe('Its page on that server'),
    author: z.string().describe('The name to credit'),
    licence: LicenceId,
    content_hash: z.string(),
    published_at: Time,
    first_server: z.string().optional().describe('Where it was written, if that server had pulled it itself'),
    pulled_at: Time,
    changed_here: z.boolean().describe('Somebody here has edited it since'),
  })
  .meta({ id: 'CardOrigin' })

export type StoredOrigin = Omit<z.input<typeof Origin>, 'changed_here' | 'url'>

type OriginColumns = { origin: string | null; content_hash: string | null }

export const storedOrigin = (row: { origin: string | null }): StoredOrigin | null =>
  row.origin === null ? null : fromJson<StoredOrigin>(row.origin)

/** Returns no path, because agents read it outside the marks of data (prompt injection). */
export const hostOfOrigin = (row: { origin: string | null }): string | undefined => {
  const origin = storedOrigin(row)
  return origin === null ? undefined : new URL(origin.server).origin
}

export function presentOrigin(row: OriginColumns): z.input<typeof Origin> | null {
  const origin = storedOrigin(row)
  if (origin === null) return null
  return {
    ...origin,
    url: `${origin.server}/library/${origin.card_id}`,
    changed_here: row.content_hash !== origin.content_hash,
  }
}

/** Returns the server and its card id as one text, by which the next pull finds the card. */
export const originKey = (server: string, cardId: string): string => `${server} ${cardId}`

const Publication = z
  .object({
    content_hash: z.string().describe('SHA-256 of the canonical form of what the version says'),
    author: z.string(),
    published_at: Time.describe(
      'When this version was published under its licence; without a licence, when it was last published',
    ),
    licence: LicenceId.nullable().describe('SPDX identifier; null if the version has no licence'),
    licence_url: z.string().nullable().describe('The text of the licence'),
  })
  .meta({ id: 'CardPublication' })

export type PublicationAnswer = z.input<typeof Publication>

export const normalName = (name: string): string => name.normalize('NFKC').trim().toLowerCase()

export const sameTag = (a: string, b: string): boolean => normalName(a) === normalName(b)

export function distinctTags(tags: readonly string[]): string[] {
  const seen = new Map<string, string>()
  for (const tag of tags) {
    const compared = normalName(tag)
    if (!seen.has(compared)) seen.set(compared, tag)
  }
  return [...seen.values()]
}

export const MAX_BODY_BYTES = 8 * 1024 * 1024

const BLANK = 'Input should not be blank'
const Text = z.string().max(DEFINITION.body.max)
/** A simpler pattern for the API description: other regex engines lack these character classes. */
const RequiredText = Text.min(1).regex(SEEN, BLANK).meta({ pattern: NOT_BLANK })

const MAX_FREE_BYTES = 64 * 1024
const MAX_STEPS_BYTES = 1024 * 1024

const Step = openObject(
  {
    order: z.int(),
    action: z.string().max(20_000),
    result: z.string().max(20_000).default('').describe('What to see after the action'),
  },
  MAX_FREE_BYTES,
).meta({ id: 'CaseStep' })

const Evidence = z
  .object({
    kind: z.string().trim().min(1).max(100).describe('Such as log, error, diff, command, link, screenshot'),
    content: Text.min(1),
    meta: freeJson(MAX_FREE_BYTES).nullish(),
  })
  .meta({ id: 'CaseEvidence' })

const MAX_ENVIRONMENT = 100
const MAX_EVIDENCES = 100

type Forms = { given: z.ZodType; answered: z.ZodType; cut: z.ZodType }

/** JSON in a thin answer. */
export const CutJson = z.record(z.string(), z.unknown())
const TEXT = { answered: z.string(), cut: z.string() }
const OPTIONAL_TEXT = { ...TEXT, answered: z.string().nullable() }

/** Each field as it is given for a new card, as answers have it, and as a part of a thin answer has it. */
const FORMS = {
  card_type: { ...TEXT, given: z.enum(CARD_TYPES).default('debug_fix'), answered: z.enum(CARD_TYPES) },
  title: {
    ...TEXT,
    given: z
      .string()
      .trim()
      .min(1)
      .max(DEFINITION.title.max)
      .refine((title) => title === '' || SEEN.test(title), BLANK),
  },
  symptom: { ...TEXT, given: RequiredText.describe('Problem or goal; as one would search for it') },
  fix_summary: { ...TEXT, given: RequiredText },
  environment: {
    given: dictionary(z.string().min(1).max(200), z.string().max(2000), MAX_ENVIRONMENT)
      .describe('{"node": "24.1"}; names and versions')
      .default({}),
    answered: z.record(z.string(), z.string()),
    cut: CutJson,
  },
  root_cause: { ...OPTIONAL_TEXT, given: Text.nullable().default(null) },
  steps: {
    given: z.array(Step).max(500).register(sizeLimits, { maxBytes: MAX_STEPS_BYTES }).default([]),
    answered: z.array(z.looseObject({ order: z.int(), action: z.string(), result: z.string() })),
    cut: z.array(CutJson),
  },
  tags: {
    given: z.array(z.string().trim().min(1).max(100)).max(50).overwrite(distinctTags).default([]),
    answered: z.array(z.string()),
    cut: z.array(z.string()),
  },
  card_payload: {
    given: freeJson(MAX_FREE_BYTES).nullable().describe('Up to 64 KiB; free JSON').default(null),
    answered: z.record(z.string(), z.unknown()).nullable(),
    cut: CutJson,
  },
  body: { ...OPTIONAL_TEXT, given: Text.nullable().describe('Markdown; long text').default(null) },
  scope_notes: {
    ...OPTIONAL_TEXT,
    given: Text.nullable().describe('Where it applies; and where it does not').default(null),
  },
} satisfies Record<CardField, Forms>

/** Returns one form of each field. */
const formsOf = <Form extends keyof Forms>(form: Form) =>
  Object.fromEntries(CARD_FIELDS.map((field) => [field, FORMS[field][form]])) as {
    [F in CardField]: (typeof FORMS)[F][Form]
  }

export const given = formsOf('given')
export const answered = formsOf('answered')

/** The parts of a thin answer. Their types are not known, as any of them may be cut. */
export const thinParts = (fields: readonly CardField[]): object =>
  Object.fromEntries(fields.map((field) => [field, FORMS[field].cut.optional()]))

/** The filters by fixed words, as lists and searches take them. */
export const wordFilters = Object.fromEntries(
  FILTER_NAMES.map((name) => [name, z.enum(wordsOfFilter(name)).optional()]),
) as { [F in FilterName]: z.ZodOptional<z.ZodEnum<{ [W in FilterWord<F>]: W }>> }

export const Track = wordFilters.track.unwrap()

export const trackOf = (type: CardType): z.output<typeof Track> => (type === 'debug_fix' ? 'debug' : 'build')

type Shape = Record<string, z.ZodType>
type WithoutDefaults<S extends Shape> = {
  [Name in keyof S]: z.ZodOptional<S[Name] extends z.ZodDefault<infer Inner> ? Inner : S[Name]>
}

/** Makes fields optional, and does without their defaults: a field that is left out stays as it is. */
export const withoutDefaults = <S extends Shape>(shape: S) =>
  Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [
      name,
      (field instanceof z.ZodDefault ? (field.unwrap() as z.ZodType) : field).optional(),
    ]),
  ) as WithoutDefaults<S>

const evidences = z.array(Evidence).max(MAX_EVIDENCES).describe('Are added; never removed')
const { scope_notes: _, ...recorded } = given

export const CaseCreate = z
  .object({
    workspace_id: Id.nullish().describe('Default: personal'),
    ...recorded,
    evidences: evidences.default([]),
  })
  .meta({ id: 'CaseCreate' })

export const CardId = z.object({ card_id: Id })

export const CaseUpdate = z
  .object({ ...CardId.shape, ...withoutDefaults(given), evidences: evidences.optional() })
  .meta({ id: 'CaseUpdate' })

/** Strict, because an unknown key such as `metadata` for `meta` would be lost silently. */
const strictEvidences = z.array(Evidence.strict()).max(MAX_EVIDENCES).describe('Are added; never removed')

export const RecordTool = CaseCreate.extend({ evidences: strictEvidences.default([]) })

export const UpdateTool = CaseUpdate.extend({ evidences: strictEvidences.optional() })

export const FeedbackCounts = z.object({ useful: z.int(), not_applicable: z.int(), outdated: z.int() })

export const ReviewReason = z
  .object({
    rule: z.string(),
    message: z.string(),
    severity: z.enum(SEVERITIES).optional().describe('Of a finding of danger'),
    field: z.string().optional().describe('Where it stands: fix_summary, steps.0.action'),
    start: z.int().optional().describe('First character in the field'),
    end: z.int().optional().describe('The character after its last'),
    safer: z.string().optional().describe('How to say it safely'),
  })
  .meta({ id: 'CaseReviewReason' })

export const Review = z
  .object({
    status: z.enum(['not_reviewed', 'passed', 'rejected']),
    score: z.int().nullable(),
    reasons: z.array(ReviewReason),
    reviewed_at: Time.nullable(),
  })
  .meta({ id: 'CaseReview' })

export const Warning = z
  .object({
    code: z
      .enum(['possible_secret', 'not_shared'])
      .describe('not_shared: why a card that was to be shared at once stays private'),
    field: z.string(),
    kind: z.string(),
    message: z.string(),
  })
  .meta({ id: 'CaseWarning' })

export const SimilarCard = z
  .object({
    card_id: AnswerId,
    case_id: AnswerId,
    title: z.string(),
    card_type: z.enum(CARD_TYPES),
    status: z.enum(['unpublished', 'published']),
    workspace_id: AnswerId,
    owner_name: z.string(),
    provenance: Provenance,
    ...AT_HOME,
    similarity: z.number(),
    updated_at: Time,
  })
  .meta({ id: 'SimilarCard' })

export const ADDED_BY =
  'Who added it; to others than members of its workspace, and for what is from before it came there, the owner of the card'

const EvidenceResponse = z
  .object({
    truncated: z
      .boolean()
      .optional()
      .describe('Content is cut and meta null: the answer had no room for all of it'),
    evidence_id: AnswerId,
    kind: z.string(),
    content: z.string(),
    meta: z.record(z.string(), z.unknown()).nullable(),
    from_card_id: AnswerId.optional().describe('The merged card that it comes from'),
    added_by: AnswerId.describe(ADDED_BY),
    created_at: Time,
  })
  .meta({ id: 'CaseEvidenceResponse' })

const { card_type, ...others } = answered

export const CaseResponse = z
  .object({
    card_id: AnswerId,
    case_id: AnswerId.describe('The same as card_id'),
    workspace_id: AnswerId,
    origin_workspace_id: AnswerId.describe(
      'Where it was before it was published; workspace_id for everybody but its owner',
    ),
    home: Home.describe('Where it lives'),
    readers: Readers.describe('Who can read it'),
    owner_id: AnswerId,
    owner_name: z.string(),
    provenance: Provenance,
    card_type,
    track: Track,
    status: z.enum(['unpublished', 'published']),
    version: z.int(),
    ...others,
    evidence_count: z.int(),
    evidences: z.array(EvidenceResponse).optional().describe('Only when asked for'),
    review: Review,
    feedback: FeedbackCounts,
    trust: Trust.nullable().describe(
      'What came of it where it was used; null where nobody has said anything',
    ),
    superseded_by: z
      .object({ card_id: AnswerId, title: z.string() })
      .nullish()
      .describe('The card that took its place; search shows that one'),
    merged_from: AnswerId.optional().describe(
      'The id that was asked for: that card was merged into this one',
    ),
    source_event_id: AnswerId.optional().describe(
      'The event in your memory that it was made from; only its owner is told',
    ),
    hidden_since: Time.optional().describe(
      'Moderators, or enough reports, hide it from all others; only its owner is told',
    ),
    is_sample: z.literal(true).optional().describe('One of the sample cards of the first steps'),
    cites: z.array(z.string()).describe('Packages, files and addresses that it is about: npm:fastify@^5'),
    review_after_days: z.int().nullable().describe('Null: as the workspace says'),
    likely_outdated: z.boolean().describe('Enough verdicts and feedback speak against it'),
    can_edit: z.boolean(),
    can_read_history: z.boolean(),
    created_at: Time,
    updated_at: Time,
    published_at: Time.nullable(),
    publication: Publication.nullable().describe(
      'The present version as it was published; null where it was not',
    ),
    origin: Origin.optional().describe('Only of a card that was pulled from another server'),
    home_note: z.string().optional().describe('After recording: why it is not where it was to go'),
    search_note: z
      .string()
      .optional()
      .describe('After a write: which words search does not find, where there are too many'),
    warnings: z.array(Warning).optional().describe('After a write: what would stop sharing and publishing'),
    similar_cards: z
      .array(SimilarCard)
      .optional()
      .describe(
        'After publishing: near, but no duplicates; after bringing back: duplicates in the library, because of which it is unpublished',
      ),
    credits_earned: z.int().optional(),
    changed: z.array(z.string()).optional().describe('After an update: the fields that changed'),
  })
  .meta({ id: 'CaseResponse' })

export const CaseContent = z.object(answered)

/** A page is at most 2 MiB. Beyond that, cards are shown only by the beginning of their texts. */
export const CaseListItem = CaseResponse.extend({
  steps: CaseResponse.shape.steps.nullable(),
  truncated: z
    .boolean()
    .optional()
    .describe(
      'Long texts are cut, and card_payload, body and steps are null: the page had no room for the whole card',
    ),
}).meta({ id: 'CaseListItem' })

export const CaseListResponse = pageOf(CaseListItem).meta({ id: 'CaseListResponse' })

export type CaseCreateInput = z.output<typeof CaseCreate>
export type CaseUpdateInput = z.output<typeof CaseUpdate>
export type EvidenceInput = z.output<typeof Evidence>
export type CardAnswer = z.input<typeof CaseResponse>
export type ListedCard = z.input<typeof CaseListItem>
export type SimilarCardAnswer = z.input<typeof SimilarCard>
export type CardWarning = z.input<typeof Warning>
