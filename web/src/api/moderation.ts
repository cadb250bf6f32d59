import type { OutputOf } from '#server/core/capability.ts'
import type {
  appealDecision as AppealDecision,
  askForLook as AskForLook,
} from '#server/features/moderation/appeals.ts'
import type {
  decideMatter as DecideMatter,
  liftBan as LiftBan,
  listPublishingBans as ListPublishingBans,
} from '#server/features/moderation/decisions.ts'
import type {
  getModeration as GetModeration,
  listModeration as ListModeration,
  readOwnModeration as ReadOwnModeration,
} from '#server/features/moderation/queue.ts'
import type {
  readReportable as ReadReportable,
  reportCard as ReportCard,
} from '#server/features/moderation/reports.ts'
import { call } from './client.ts'

export type ModerationMatter = OutputOf<typeof ListModeration>['items'][number]
export type WholeMatter = OutputOf<typeof GetModeration>
export type OwnMatter = OutputOf<typeof ReadOwnModeration>['matters'][number]
export type PublishingBan = OutputOf<typeof ListPublishingBans>['items'][number]

export const readReportable = call<typeof ReadReportable>('GET /api/v1/cards/{card_id}/report')
export const reportCard = call<typeof ReportCard>('POST /api/v1/cards/{card_id}/report')
export const askForLook = call<typeof AskForLook>('POST /api/v1/cards/{card_id}/ask-moderators')
export const readOwnModeration = call<typeof ReadOwnModeration>('GET /api/v1/cards/{card_id}/moderation')
export const listModeration = call<typeof ListModeration>('GET /api/v1/moderation/matters')
export const getModeration = call<typeof GetModeration>('GET /api/v1/moderation/matters/{matter_id}')
export const decideMatter = call<typeof DecideMatter>('POST /api/v1/moderation/matters/{matter_id}/decision')
export const appealDecision = call<typeof AppealDecision>(
  'POST /api/v1/moderation/matters/{matter_id}/appeal',
)
export const listPublishingBans = call<typeof ListPublishingBans>('GET /api/v1/moderation/bans')
export const liftBan = call<typeof LiftBan>('POST /api/v1/moderation/bans/{ban_id}/lift')
