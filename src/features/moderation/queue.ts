import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { Id, Page } from '../../core/schemas.ts'
import { withMark } from '../../core/untrusted-text.ts'
import { containsInstructions } from '../../review/find-danger.ts'
import { SPEAKS_TO_AGENTS } from '../../review/rule.ts'
import type { ReviewReason } from '../../shared/card-checks.ts'
import {
  CardId,
  findAnyCard,
  lookedAt,
  type ModeratedCard,
  ownCard,
  versionsForModerators,
} from '../cards/index.ts'
import {
  findMatter,
  isAtMatter,
  listMatters,
  type MatterRow,
  mattersOfCard,
  presentMatter,
  presentOwnMatter,
  publisherOf,
} from './matters.ts'
import { moderatorOf } from './moderators.ts'
import { firstReportedVersion, reportsOf, weightOf } from './reports.ts'
import { MatterId, MatterList, OwnMatters, WholeMatter } from './schemas.ts'

const WHO =
  'Moderators of the service (service admins and MODERATOR_EMAILS) see matters about cards that strangers can read: in the library, and in public and unlisted workspaces. Admins of a workspace see matters about its cards. Nobody sees a matter about their own card here.'

export const listModeration = capability({
  name: 'moderation.list',
  summary: 'Reported cards and blocked drafts that you may decide about, newest first',
  description: `${WHO} Everybody else gets an empty list.`,
  scopes: ['account'],
  rest: ['GET /api/v1/moderation/matters'],
  input: z.object({
    waiting: z.boolean().optional().describe('true: not decided, or appealed; false: decided; left out: all'),
    workspace_id: Id.optional(),
    ...Page,
  }),
  output: MatterList,
  run: async (ctx, { waiting, workspace_id, page, page_size }) => {
    const { rows, total } = await listMatters(
      ctx.db,
      await moderatorOf(ctx),
      { waiting, workspaceId: workspace_id },
      { limit: page_size, offset: (page - 1) * page_size },
    )
    return { items: rows.map(presentMatter), total, page, page_size }
  },
})

export async function requireMatter(ctx: UserCtx, matterId: string): Promise<MatterRow> {
  const row = await findMatter(ctx.db, await moderatorOf(ctx), matterId)
  if (!row) throw notFound('Matter')
  return row
}

/** Changes after the owner withdrew the card stay private until the owner shares the card again or appeals. */
async function readableVersions(ctx: UserCtx, row: MatterRow, card: ModeratedCard) {
  const isThere = isAtMatter(card, row)
  const first = Math.min(
    (await firstReportedVersion(ctx.db, row.matter_id)) ?? row.card_version,
    row.card_version,
  )
  return { first, last: isThere ? card.version : row.card_version }
}

const withSeenCites = (row: MatterRow, card: ModeratedCard): ModeratedCard => {
  const isAsked = row.status === 'appealed' || (row.cause === 'blocked' && row.status === 'open')
  return isAsked || isAtMatter(card, row) ? card : { ...card, cites_are_written: 0 }
}

const MAX_REPORTS = 100

async function cardOf(ctx: UserCtx, row: MatterRow, wanted: number | undefined) {
  const card = await findAnyCard(ctx, row.card_id)
  const gone = {
    shown_version: row.card_version,
    versions: [],
    content: null,
    findings: [] as ReviewReason[],
  }
  if (!card) return { ...gone, weight: 0, threshold: 0 }
  const range = await readableVersions(ctx, row, card)
  const chosen = wanted ?? range.last
  const { versions, content } = await versionsForModerators(ctx, card, { ...range, chosen })
  if (!content || chosen < range.first || chosen > range.last)
    throw notFound('Version', `You may read versions ${range.first} to ${range.last} of this card.`)
  const { findings, ...more } = await lookedAt(ctx, withSeenCites(row, card), chosen, content)
  const { weight, threshold } = await weightOf(ctx, row.matter_id, card)
  return { shown_version: chosen, versions, content: { ...content, ...more }, findings, weight, threshold }
}

const isSaidToAgents = ({ rule, severity }: ReviewReason): boolean =>
  severity !== 'note' && [...SPEAKS_TO_AGENTS].some((one) => one === rule)

export async function wholeMatter(
  ctx: UserCtx,
  row: MatterRow,
  version?: number,
): Promise<z.input<typeof WholeMatter>> {
  const head = presentMatter(row)
  const reports = await reportsOf(ctx.db, row.matter_id, MAX_REPORTS)
  const card = await cardOf(ctx, row, version)
  const speaks =
    reports.some(({ note }) => containsInstructions(note ?? '')) || card.findings.some(isSaidToAgents)
  return {
    ...head,
    provenance: speaks ? withMark(head.provenance) : head.provenance,
    ask_note: row.ask_note,
    decided_by_name: row.decided_by_name,
    all_reports: reports.map((report) => ({
      kind: report.kind,
      note: report.note,
      is_anonymous: report.user_id === null,
      card_version: report.card_version,
      created_at: report.created_at,
    })),
    ...card,
    publisher: await publisherOf(ctx.db, row.owner_id),
  }
}

export const getModeration = capability({
  name: 'moderation.get',
  summary: 'One matter: the card, what was reported, what the review finds, its versions, its publisher',
  description: WHO,
  scopes: ['account'],
  rest: ['GET /api/v1/moderation/matters/{matter_id}'],
  input: MatterId.extend({
    version: z.int().min(1).optional().describe('Which version of the card; the last one if left out'),
  }),
  output: WholeMatter,
  errors: [404],
  run: async (ctx, { matter_id, version }) => wholeMatter(ctx, await requireMatter(ctx, matter_id), version),
})

export const readOwnModeration = capability({
  name: 'moderation.of_card',
  summary: 'What moderators decided about a card of yours, and whether you can appeal',
  scopes: ['search'],
  rest: ['GET /api/v1/cards/{card_id}/moderation'],
  input: CardId,
  output: OwnMatters,
  errors: [404],
  run: async (ctx, { card_id }) => {
    const card = await ownCard({ ...ctx, ifMatch: undefined }, card_id, 'read what moderators say about')
    const isHidden = card.hidden_at !== null
    const matters = await mattersOfCard(ctx.db, card_id)
    return { card_id, is_hidden: isHidden, matters: matters.map((row) => presentOwnMatter(row, isHidden)) }
  },
})
