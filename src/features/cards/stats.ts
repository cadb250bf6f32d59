import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { UserCtx } from '../../core/context.ts'
import { Time } from '../../core/schemas.ts'
import { byBytes } from '../../db/byte-order.ts'
import { requireVisible } from '../permissions/permission.ts'
import { trackOf } from './card-type.ts'
import { type ListFilter, listedCards } from './list.store.ts'
import { CardListQuery } from './list-schemas.ts'
import { CARD_TYPES, FeedbackCounts } from './schemas.ts'

const TOP_TAGS = 10

const CaseStatsResponse = z
  .object({
    scope: z.enum(['personal', 'workspace']),
    total: z.int(),
    published: z.int(),
    unpublished: z.int(),
    by_type: z.object({
      debug_fix: z.int(),
      how_to: z.int(),
      lesson_learned: z.int(),
      decision: z.int(),
      reference: z.int(),
    }),
    by_track: z.object({ debug: z.int(), build: z.int() }),
    top_tags: z.array(z.object({ tag: z.string(), count: z.int() })),
    feedback: FeedbackCounts,
    last_activity_at: Time.nullable(),
  })
  .meta({ id: 'CaseStatsResponse' })

const groupsOf = (ctx: UserCtx, filter: ListFilter) =>
  listedCards(ctx.db, ctx.viewer.userId, filter)
    .select((eb) => [
      'cards.card_type',
      'cards.status',
      eb.fn.countAll<number>().as('cards'),
      eb.fn.sum<number>('cards.feedback_useful').as('useful'),
      eb.fn.sum<number>('cards.feedback_not_applicable').as('not_applicable'),
      eb.fn.sum<number>('cards.feedback_outdated').as('outdated'),
      eb.fn.max('cards.updated_at').as('last_activity_at'),
    ])
    .groupBy(['cards.card_type', 'cards.status'])
    .execute()

const topTagsOf = (ctx: UserCtx, filter: ListFilter) =>
  listedCards(ctx.db, ctx.viewer.userId, filter)
    .innerJoin('card_tags', 'card_tags.card_id', 'cards.card_id')
    .select((eb) => [
      eb.fn.min(byBytes(ctx.db, 'card_tags.tag')).as('tag'),
      eb.fn.countAll<number>().as('count'),
    ])
    .groupBy('card_tags.tag_normal')
    .orderBy('count', 'desc')
    .orderBy(byBytes(ctx.db, 'card_tags.tag_normal'))
    .limit(TOP_TAGS)
    .execute()

type Group = Awaited<ReturnType<typeof groupsOf>>[number]

function summarise(groups: Group[]) {
  const sum = (of: (group: Group) => number, where: (group: Group) => boolean = () => true) =>
    groups.filter(where).reduce((total, group) => total + of(group), 0)
  const cards = (where: (group: Group) => boolean) => sum((group) => group.cards, where)
  return {
    total: cards(() => true),
    published: cards((group) => group.status === 'published'),
    unpublished: cards((group) => group.status === 'unpublished'),
    by_type: Object.fromEntries(
      CARD_TYPES.map((type) => [type, cards((group) => group.card_type === type)]),
    ) as Record<(typeof CARD_TYPES)[number], number>,
    by_track: {
      debug: cards((group) => trackOf(group.card_type) === 'debug'),
      build: cards((group) => trackOf(group.card_type) === 'build'),
    },
    feedback: {
      useful: sum((group) => group.useful),
      not_applicable: sum((group) => group.not_applicable),
      outdated: sum((group) => group.outdated),
    },
    last_activity_at: groups.map((group) => group.last_activity_at).reduce<string | null>(later, null),
  }
}

const later = (a: string | null, b: string): string => (a !== null && a > b ? a : b)

export const cardStats = capability({
  name: 'cards.stats',
  summary: 'Numbers about the caller’s cards',
  description: 'Counts exactly the cards that the list shows with the same scope, workspace and status.',
  scopes: ['search'],
  rest: ['GET /api/v1/cards/stats', 'GET /api/v1/cases/stats'],
  input: CardListQuery.pick({ workspace_id: true, status: true, without_personal: true }).extend({
    scope: z.enum(['personal', 'workspace']).default('personal'),
  }),
  output: CaseStatsResponse,
  errors: [404],
  run: async (ctx, { workspace_id, scope, status, without_personal }) => {
    if (scope === 'workspace' && workspace_id !== undefined) await requireVisible(ctx, workspace_id)
    const filter = { scope, workspaceId: workspace_id, status, withoutPersonal: without_personal }
    return { scope, ...summarise(await groupsOf(ctx, filter)), top_tags: await topTagsOf(ctx, filter) }
  },
})
