import { z } from 'zod'
import { LicenceId } from '../../core/licence-id.ts'
import { AnswerId, Id } from '../../core/schemas.ts'
import { CaseCreate, CaseUpdate, ReviewReason } from '../cards/schemas.ts'

const MOST_CARDS = 50

const Hash = z
  .string()
  .length(64)
  .regex(/^[0-9a-f]+$/, 'Input should be a SHA-256 in lower-case hexadecimal')

/** The address that a server gives for itself, without a slash at the end and without a query. */
export const ServerUrl = z
  .url({ protocol: /^https?$/, error: 'Input should be an http(s) URL' })
  .max(300)
  .regex(/^[^?#\s]*[^/?#\s]$/, 'Input should end without a slash, a query or a fragment')
  .meta({ format: 'uri' })

const { card_type, title, symptom, fix_summary, environment, root_cause, steps, tags, card_payload, body } =
  CaseCreate.shape

const Content = z.object({
  card_type,
  title,
  symptom,
  fix_summary,
  environment,
  root_cause,
  steps,
  tags,
  card_payload,
  body,
  scope_notes: CaseUpdate.shape.scope_notes.unwrap().default(null),
})

/** A card as it is in a line of a snapshot. */
const SnapshotCard = z
  .object({
    card_id: Id,
    version: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
    content_hash: Hash,
    author: z.string().trim().min(1).max(200),
    licence: LicenceId,
    published_at: z.iso.datetime().max(40),
    origin: z
      .object({ server: ServerUrl })
      .optional()
      .describe('Where the card was written, if that server had pulled it itself'),
    card: Content,
  })
  .meta({ id: 'SnapshotCard' })

export type SnapshotCardInput = z.output<typeof SnapshotCard>

export const LibraryImport = z
  .object({
    workspace_id: Id.describe('A private workspace in which you are editor or admin'),
    server: ServerUrl.describe('The server that the snapshot was read from'),
    dry_run: z.boolean().default(false).describe('Report what would happen to each card, and write nothing'),
    cards: z.array(SnapshotCard).min(1).max(MOST_CARDS),
  })
  .meta({ id: 'LibraryImport' })

const OUTCOMES = [
  'created',
  'updated',
  'unchanged',
  'duplicate',
  'edited_here',
  'deleted_here',
  'own',
  'blocked',
  'damaged',
] as const

const Taken = z
  .object({
    origin_card_id: AnswerId,
    title: z.string(),
    outcome: z.enum(OUTCOMES),
    card_id: AnswerId.optional().describe('The card here'),
    reasons: z.array(ReviewReason).optional().describe('Why the review refuses the card'),
    similar: z
      .array(z.object({ card_id: AnswerId, title: z.string(), similarity: z.number() }))
      .optional()
      .describe('Cards here that say nearly the same'),
  })
  .meta({ id: 'TakenCard' })

export type TakenAnswer = z.input<typeof Taken>

export const LibraryImportResponse = z.object({ items: z.array(Taken) }).meta({ id: 'LibraryImportResponse' })
