import { z } from 'zod'
import { Provenance } from '../../core/provenance.ts'
import { AnswerId, Id, pageOf, Time } from '../../core/schemas.ts'
import { CardId, CaseResponse, Review } from '../cards/schemas.ts'

export const REPORT_KINDS = [
  'dangerous',
  'instructions',
  'secret',
  'personal',
  'wrong',
  'spam',
  'other',
] as const
export const DECISIONS = ['keep', 'hide', 'remove'] as const
const STATUSES = ['open', 'decided', 'appealed'] as const

const MAX_NOTE = 2000
const Note = z.string().trim().max(MAX_NOTE)
export const Reason = z.string().trim().min(3).max(MAX_NOTE)

export const ReportKindName = z
  .enum(REPORT_KINDS)
  .describe(
    'dangerous: it harms who follows it; instructions: it speaks to agents; secret, personal: it holds what is not for others; wrong: it is false on purpose; spam; other',
  )

export const CardReport = CardId.extend({ kind: ReportKindName, note: Note.nullish() }).meta({
  id: 'CardReport',
})

export const CardReported = z
  .object({
    card_id: AnswerId,
    kind: ReportKindName,
    replaced: z.boolean().describe('You had reported it before; this report counts now'),
  })
  .meta({ id: 'CardReported' })

const decided = {
  decision: z.enum(DECISIONS).nullable(),
  reason: z.string().nullable().describe('In the words of the moderator'),
  decided_at: Time.nullable(),
  ban_publisher: z.boolean().describe('The decision bans the publisher from publishing'),
}

const matterFields = {
  matter_id: AnswerId,
  card_id: AnswerId,
  workspace_id: AnswerId.describe('Where the card was, or was to be published'),
  cause: z.enum(['reports', 'blocked']).describe('blocked: the review refused it, and its owner asks'),
  status: z.enum(STATUSES).describe('open and appealed wait for a moderator'),
  revision: z.int().describe('Name it when you decide'),
  card_version: z.int().describe('The version that was reported, asked about or appealed for last'),
  is_hidden: z.boolean().describe('Only its owner reads the card now'),
  hidden_by_reports: z.boolean().describe('Reports alone have hidden it, until somebody looks'),
  ...decided,
  appeal_note: z.string().nullable(),
  appealed_at: Time.nullable(),
  created_at: Time,
  updated_at: Time,
}

/** As its owner sees it: not who reported it, nor what they wrote. */
export const OwnMatter = z
  .object({ ...matterFields, can_appeal: z.boolean().describe('Once for each decision') })
  .meta({ id: 'OwnModerationMatter' })

export const OwnMatters = z
  .object({ card_id: AnswerId, is_hidden: z.boolean(), matters: z.array(OwnMatter).describe('Newest first') })
  .meta({ id: 'CardModeration' })

export const MatterHead = z
  .object({
    ...matterFields,
    workspace_name: z.string(),
    title: z.string().nullable().describe('Null: the card is gone'),
    publisher_id: AnswerId,
    publisher_name: z.string(),
    reports: z.int(),
    provenance: Provenance,
  })
  .meta({ id: 'ModerationMatter' })

export const MatterList = pageOf(MatterHead).meta({ id: 'ModerationMatterList' })

const Report = z
  .object({
    kind: z.string(),
    note: z.string().nullable(),
    is_anonymous: z.boolean(),
    card_version: z.int(),
    created_at: Time,
  })
  .meta({ id: 'ModerationReport' })

const Publisher = z
  .object({
    user_id: AnswerId,
    display_name: z.string(),
    since: Time,
    published_cards: z.int().describe('In the library and in public or unlisted workspaces'),
    kept: z.int().describe('Decisions in their favour, this one included'),
    hidden_or_removed: z.int(),
    is_banned: z.boolean(),
  })
  .meta({ id: 'ModeratedPublisher' })

const ModeratedContent = CaseResponse.pick({
  card_type: true,
  title: true,
  symptom: true,
  fix_summary: true,
  environment: true,
  root_cause: true,
  steps: true,
  tags: true,
  card_payload: true,
  body: true,
  scope_notes: true,
})
  .extend({ evidences: CaseResponse.shape.evidences.unwrap() })
  .meta({ id: 'ModeratedContent' })

export const WholeMatter = MatterHead.extend({
  ask_note: z.string().nullable().describe('What the owner of a blocked draft says'),
  decided_by_name: z.string().nullable(),
  weight: z.number().describe('Of the reports, by the trust of who reports'),
  threshold: z.number().describe('From this weight on, and by three groups of people, reports hide the card'),
  all_reports: z.array(Report).describe('The newest first, 100 at most'),
  shown_version: z.int(),
  versions: z.array(z.object({ version: z.int(), changed_at: Time, changed_fields: z.array(z.string()) })),
  content: ModeratedContent.nullable().describe('In the shown version; null where the card is gone'),
  findings: Review.shape.reasons.describe('Of the review for danger, by the rules of the library'),
  publisher: Publisher,
}).meta({ id: 'ModerationMatterWhole' })

export const MatterId = z.object({ matter_id: Id })

export const Decide = MatterId.extend({
  revision: z.int().min(1).describe('Of the matter as you have read it; 409 if it has changed'),
  decision: z
    .enum(DECISIONS)
    .describe('keep: it is shown again, a blocked draft may be published; hide; remove: out of where it is'),
  reason: Reason,
  ban_publisher: z.boolean().default(false),
}).meta({ id: 'ModerationDecide' })

export const Appeal = MatterId.extend({ note: Reason.describe('What moderators should know') }).meta({
  id: 'ModerationAppeal',
})

export const AskForLook = CardId.extend({
  target_workspace_id: Id.optional().describe('Where it is to be published; the public library if left out'),
  note: Note.nullish(),
}).meta({ id: 'ModerationAsk' })

export const BanResponse = z
  .object({
    ban_id: AnswerId,
    user_id: AnswerId,
    display_name: z.string(),
    workspace_id: AnswerId.nullable().describe('Null: in the library and all open workspaces'),
    matter_id: AnswerId,
    reason: z.string(),
    created_at: Time,
    lifted_at: Time.nullable(),
    lift_reason: z.string().nullable(),
  })
  .meta({ id: 'PublishingBan' })

export const BanList = pageOf(BanResponse).meta({ id: 'PublishingBanList' })
