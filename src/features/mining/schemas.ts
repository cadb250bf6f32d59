import { z } from 'zod'
import { AnswerId, Id, pageOf, Time } from '../../core/schemas.ts'
import { dictionary } from '../../core/sizes.ts'
import { CaseCreate } from '../cards/schemas.ts'
import { MORE_THAN_CONTROLS, requiredText } from '../redaction/required-text.ts'
import { LIMITS } from './rules/candidate.ts'

/** The longest file name or label of a session. */
const LABEL = 1000

export const CandidateInput = z
  .object({
    command: z
      .string()
      .min(1)
      .max(LIMITS.command)
      .refine(...MORE_THAN_CONTROLS),
    exit_code: z.int().nullable().default(null),
    failure: z.string().min(1).max(LIMITS.failure).describe('The telling lines of the failing output'),
    success: z
      .string()
      .max(LIMITS.success)
      .default('')
      .describe('The last lines of the same command succeeding'),
    attempts: z.int().min(1).max(LIMITS.attempts).default(1),
    files: z.array(z.string().max(LIMITS.file)).max(LIMITS.files).default([]),
    commands: z.array(z.string().max(LIMITS.command)).max(LIMITS.commands).default([]),
    report: z.string().max(LIMITS.report).default('').describe('What the agent said about it'),
    environment: dictionary(z.string().min(1).max(200), z.string().max(500), LIMITS.environment).default({}),
  })
  .meta({ id: 'DraftCandidate' })

export const DraftsOffer = z
  .object({
    candidates: z.array(CandidateInput).min(1).max(20),
    project_key: requiredText(1, LABEL).nullish(),
    session_id: z.string().max(LABEL).nullish(),
    client: z.string().max(LABEL).nullish(),
  })
  .meta({ id: 'DraftsOffer' })

const SKIPPED = ['known', 'recorded', 'daily_limit', 'no_error'] as const

export const DraftsMade = z
  .object({
    results: z.array(
      z.object({
        draft_id: AnswerId.nullable(),
        skipped: z
          .enum(SKIPPED)
          .nullable()
          .describe(
            'known: this error has a draft; recorded: you have recorded a card of it; daily_limit: send it again tomorrow; no_error: it contains no error',
          ),
      }),
    ),
    made: z.int(),
  })
  .meta({ id: 'DraftsMade' })

export const DraftId = z.object({ draft_id: Id })

const Evidence = z.object({
  command: z.string(),
  exit_code: z.int().nullable(),
  failure: z.string(),
  success: z.string(),
  attempts: z.int(),
  files: z.array(z.string()),
  commands: z.array(z.string()),
  report: z.string(),
})

export const DraftResponse = z
  .object({
    draft_id: AnswerId,
    status: z.enum(['open', 'accepted', 'dismissed']),
    title: z.string(),
    symptom: z.string(),
    fix_summary: z.string(),
    root_cause: z.string().nullable(),
    environment: z.record(z.string(), z.string()),
    steps: z.array(z.object({ order: z.int(), action: z.string(), result: z.string() })),
    tags: z.array(z.string()),
    evidence: Evidence.describe('What the draft was made from'),
    looks_like: z
      .object({ card_id: AnswerId, title: z.string() })
      .nullable()
      .describe(
        'A card of yours or your teams that may say the same, with the scope search; then a verdict may be better than a new card',
      ),
    project_key: z.string().nullable(),
    client: z.string().nullable(),
    card_id: AnswerId.nullable().describe('The card that it became, or the card that got a verdict'),
    created_at: Time,
    expires_at: Time,
  })
  .meta({ id: 'DraftResponse' })

export const DraftListResponse = pageOf(DraftResponse).meta({ id: 'DraftListResponse' })

const { title, symptom, fix_summary, root_cause, environment, steps, tags, card_type } = CaseCreate.shape
const bare = <T extends z.ZodType>(field: z.ZodDefault<T>) => field.unwrap().optional()

/** Fields that are left out stay as in the draft. */
export const DraftAccept = z
  .object({
    ...DraftId.shape,
    as: z
      .enum(['card', 'verdict'])
      .default('card')
      .describe('card: a new card of yours; verdict: worked, on the card that it looks like'),
    card_id: Id.nullish().describe('With as=verdict: the card, if not the one that it looks like'),
    workspace_id: Id.nullish().describe(
      'With as=card. Default: the one in your settings, else the personal one',
    ),
    title: title.optional(),
    symptom: symptom.optional(),
    fix_summary: fix_summary.optional(),
    card_type: bare(card_type),
    root_cause: bare(root_cause),
    environment: bare(environment),
    steps: bare(steps),
    tags: bare(tags),
  })
  .meta({ id: 'DraftAccept' })

export const DraftAccepted = z
  .object({
    draft_id: AnswerId,
    card_id: AnswerId,
    outcome: z.enum(['recorded', 'confirmed']),
    title: z.string().describe('Of the card'),
    has_warnings: z.boolean().describe('The card seems to contain a secret'),
  })
  .meta({ id: 'DraftAccepted' })
