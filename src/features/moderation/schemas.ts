import { z } from 'zod'
import { AnswerId, Id, pageOf, Time } from '../../core/schemas.ts'
import { Provenance } from '../../core/untrusted-text.ts'
import { requiredText } from '../../redaction/required-text.ts'
import { CardId, CaseContent, CaseResponse, Review } from '../cards/index.ts'

const REPORT_KINDS = ['dangerous', 'instructions', 'secret', 'personal', 'wrong', 'spam', 'other'] as const
const DECISIONS = ['keep', 'hide', 'remove'] as const
const STATUSES = ['open', 'decided', 'appealed'] as const

const MAX_NOTE = 2000
const Note = z.string().trim().max(MAX_NOTE)
export const Reason = requiredText(3, MAX_NOTE)

const ReportKindName = z
  .enum(REPORT_KINDS)
  .describe(
    'dangerous: following it does harm; instructions: it gives orders to agents; secret, personal: it contains private data; wrong: it is false on purpose; spam; other',
  )

export const CardReport = CardId.extend({ kind: ReportKindName, note: Note.nullish() }).meta({
  id: 'CardReport',
})

export const ReportableCard = z
  .object({ card_id: AnswerId, title: z.string() })
  .meta({ id: 'ReportableCard' })

export const CardReported = z
  .object({
    card_id: AnswerId,
    kind: ReportKindName,
    replaced: z.boolean().describe('You had reported it before; this report replaces that one'),
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
  workspace_id: AnswerId.describe('Where the card was, or where it would be published'),
  cause: z
    .enum(['reports', 'blocked'])
    .describe('blocked: the review refused it, and its owner asked moderators to look'),
  status: z.enum(STATUSES).describe('open and appealed wait for a moderator'),
  revision: z.int().describe('Send it with your decision'),
  card_version: z.int().describe('The version of the last report, question or appeal'),
  is_hidden: z.boolean().describe('Only its owner can read the card now'),
  hidden_by_reports: z.boolean().describe('Reports alone have hidden it, until a moderator looks'),
  ...decided,
  appeal_note: z.string().nullable(),
  appealed_at: Time.nullable(),
  created_at: Time,
  updated_at: Time,
}

/** A matter as the card's owner sees it, without the reporters and their words. */
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
    title: z
      .string()
      .nullable()
      .describe('Null if the card is gone, or was changed after its owner took it back'),
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

const ModeratedContent = CaseContent.extend({
  evidences: CaseResponse.shape.evidences.unwrap(),
  cites: z
    .array(z.string())
    .describe('Those that somebody wrote, as they are now; none after the owner took the card back'),
}).meta({ id: 'ModeratedContent' })

export const WholeMatter = MatterHead.extend({
  ask_note: z.string().nullable().describe('What the owner of a blocked draft says'),
  decided_by_name: z
    .string()
    .nullable()
    .describe('Null also for admins of a workspace where moderators of the service have decided'),
  weight: z.number().describe('Weight of the reports, by how much each reporter is trusted'),
  threshold: z
    .number()
    .describe(
      'Reports hide the card from this weight on, if they come from three separate groups of people who are not new here',
    ),
  all_reports: z.array(Report).describe('The newest first, 100 at most'),
  shown_version: z.int(),
  versions: z.array(z.object({ version: z.int(), changed_at: Time, changed_fields: z.array(z.string()) })),
  content: ModeratedContent.nullable().describe('The card in the shown version; null if the card is gone'),
  findings: Review.shape.reasons.describe('What the review for danger finds, by the rules of the library'),
  publisher: Publisher,
}).meta({ id: 'ModerationMatterWhole' })

export const MatterId = z.object({ matter_id: Id })

export const Decide = MatterId.extend({
  revision: z
    .int()
    .min(1)
    .describe('The revision of the matter that you have read; 409 if it has changed since'),
  decision: z
    .enum(DECISIONS)
    .describe(
      'keep: show it again, or let a blocked draft be published; hide: only its owner reads it; remove: hide it and move it back',
    ),
  reason: Reason,
  ban_publisher: z.boolean().default(false),
}).meta({ id: 'ModerationDecide' })

export const Appeal = MatterId.extend({ note: Reason.describe('What moderators should know') }).meta({
  id: 'ModerationAppeal',
})

export const AskForLook = CardId.extend({
  target_workspace_id: Id.optional().describe('Where you want to publish it; the public library if left out'),
  note: Note.nullish(),
}).meta({ id: 'ModerationAsk' })

export const BanResponse = z
  .object({
    ban_id: AnswerId,
    user_id: AnswerId,
    display_name: z.string(),
    workspace_id: AnswerId.nullable().describe(
      'Null: banned in the library and in all public and unlisted workspaces',
    ),
    matter_id: AnswerId,
    reason: z.string(),
    created_at: Time,
    lifted_at: Time.nullable(),
    lift_reason: z.string().nullable(),
  })
  .meta({ id: 'PublishingBan' })

export const BanList = pageOf(BanResponse).meta({ id: 'PublishingBanList' })
