import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, type UserCtx } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { AnswerId, Page, pageOf, Time } from '../../core/schemas.ts'
import { newId } from '../../db/ids.ts'
import type { CardFeedbackTable } from '../../db/tables/cards.ts'
import { type CardRow, readableCard } from '../cards/access.ts'
import { countedTogether } from '../cards/counted-together.ts'
import { recountFeedback } from '../cards/feedback-counts.ts'
import { holdCards } from '../cards/hold-card.ts'
import { feedbackOf } from '../cards/present.ts'
import { CardId } from '../cards/schemas.ts'
import { withMerged } from '../cards/successor.ts'
import { isOpen, mayRead } from '../cards/visibility.ts'
import { cleanOptional, Findings } from '../redaction/stored.ts'
import { rowsOfCard, writeText } from '../storage/text-usage.ts'
import { refreshTrust } from '../trust/refresh.ts'
import {
  type FeedbackSource,
  feedbackShown,
  findFeedback,
  ownerOf,
  putFeedback,
  withdraw,
} from './feedback.store.ts'
import {
  MAX_REWARDS_PER_DAY,
  MAX_REWARDS_RECEIVED_PER_DAY,
  rewardHelp,
  USEFUL_REWARD,
} from './reward-help.ts'
import { tellOwner, untellOwner } from './tell-owner.ts'

const KINDS = ['useful', 'not_applicable', 'outdated'] as const

export const FeedbackCreate = z
  .object({
    ...CardId.shape,
    kind: z
      .enum(KINDS)
      .describe('useful: it helped; not_applicable: it did not apply; outdated: no longer true'),
    comment: z.string().max(2000).nullish(),
  })
  .meta({ id: 'FeedbackCreate' })

const given = {
  feedback_id: AnswerId,
  card_id: AnswerId,
  case_id: AnswerId,
  kind: z.enum(KINDS),
  comment: z.string().nullable(),
}

export const FeedbackResponse = z
  .object({
    ...given,
    credits_awarded: z.int().describe('To the contributor of the card'),
    created_at: Time,
  })
  .meta({ id: 'FeedbackResponse' })

export const FeedbackStats = z
  .object({
    card_id: AnswerId,
    useful: z.int(),
    not_applicable: z.int(),
    outdated: z.int(),
    total: z.int(),
  })
  .meta({ id: 'FeedbackStats' })

const FeedbackList = pageOf(
  z
    .object({ ...given, user_id: AnswerId, user_name: z.string(), created_at: Time })
    .meta({ id: 'FeedbackItem' }),
).meta({ id: 'FeedbackListResponse' })

/** Own feedback counts as told, and so does everything on a server without mail. */
const toldAtOnce = (ctx: UserCtx, card: CardRow, now: string): string | null =>
  card.owner_id === ctx.viewer.userId || !ctx.adapters.mail ? now : null

/** Takes back what the viewer said about these cards, and names those about which they had said something. */
async function takeBack(ctx: UserCtx, cardIds: readonly string[]): Promise<string[]> {
  const withdrawn = await withdraw(ctx.db, cardIds, ctx.viewer.userId, ctx.now().toISOString())
  for (const card_id of withdrawn)
    await untellOwner(ctx, { card_id, owner_id: await ownerOf(ctx.db, card_id) })
  return withdrawn
}

/** Feedback counts on its card and on the one that has taken the card in. */
async function countAnew(ctx: UserCtx, cardIds: ReadonlySet<string>): Promise<void> {
  for (const cardId of cardIds) await recountFeedback(ctx.db, cardId)
  await refreshTrust(ctx, [...cardIds])
}

export const giveFeedback = capability({
  name: 'feedback.give',
  summary: 'Say whether a card helped',
  description: `One feedback per person and card; a new one replaces the old, also one on a card that was merged with it. The first useful of somebody else earns the contributor ${USEFUL_REWARD} credit, for at most ${MAX_REWARDS_PER_DAY} cards a day (UTC) per giver, and at most ${MAX_REWARDS_RECEIVED_PER_DAY} times a day per contributor. Secrets in the comment are replaced by placeholders.`,
  scopes: ['record'],
  rest: ['POST /api/v1/cases/{case_id}/feedback', 'POST /api/v1/cards/{card_id}/feedback'],
  aliases: { case_id: 'card_id' },
  status: 201,
  input: FeedbackCreate,
  output: FeedbackResponse,
  errors: [404],
  run: (ctx, { card_id, kind, comment: given }) => {
    const comment = cleanOptional(given, new Findings())
    return inTx(ctx, async (ctx) => {
      const card = await readableCard(ctx, card_id)
      const { on, cardIds } = await countedTogether(ctx.db, card_id)
      await holdCards(ctx, cardIds)
      const others = cardIds.filter((id) => id !== card_id)
      const replaced = await takeBack(ctx, others)
      const before = await findFeedback(ctx.db, card_id, ctx.viewer.userId)
      const now = ctx.now().toISOString()
      const earns = kind === 'useful' && before?.rewarded_at == null
      const rewarded = earns && (await rewardHelp(ctx, card))
      const feedback_id = before?.feedback_id ?? newId()
      const isSame = before?.kind === kind && before.comment === comment && before.withdrawn_at === null
      const row: CardFeedbackTable = {
        feedback_id,
        card_id,
        user_id: ctx.viewer.userId,
        kind,
        comment,
        rewarded_at: rewarded ? now : (before?.rewarded_at ?? null),
        told_at: isSame ? before.told_at : toldAtOnce(ctx, card, now),
        created_at: now,
        withdrawn_at: null,
      }
      await writeText(ctx, [rowsOfCard('card_feedback', card_id, 'user_id', row.user_id)], () =>
        putFeedback(ctx.db, row),
      )
      if (!isSame) await tellOwner(ctx, card, kind)
      await countAnew(ctx, new Set([card_id, on, ...replaced]))
      return {
        feedback_id,
        card_id,
        case_id: card_id,
        kind,
        comment,
        credits_awarded: rewarded ? USEFUL_REWARD : 0,
        created_at: now,
      }
    })
  },
})

export const withdrawFeedback = capability({
  name: 'feedback.withdraw',
  summary: 'Take back your feedback on a card',
  description:
    'It no longer counts, and its comment is removed. A credit that it earned the contributor stays, and giving feedback on this card again earns no second one.',
  scopes: ['record'],
  rest: ['DELETE /api/v1/cases/{case_id}/feedback', 'DELETE /api/v1/cards/{card_id}/feedback'],
  aliases: { case_id: 'card_id' },
  status: 204,
  input: CardId,
  output: z.void(),
  errors: [404],
  // Feedback belongs to its giver, who can withdraw it even if the card is no longer shared with them.
  run: (ctx, { card_id }) =>
    inTx(ctx, async (ctx) => {
      const { on, cardIds } = await countedTogether(ctx.db, card_id)
      await holdCards(ctx, cardIds)
      const withdrawn = await takeBack(ctx, cardIds)
      if (withdrawn.length === 0)
        throw notFound('Feedback', 'You gave no feedback on this card, or have taken it back.')
      await countAnew(ctx, new Set([on, ...withdrawn]))
    }),
})

async function countsFor(ctx: Ctx, cardId: string) {
  const row = await ctx.db
    .selectFrom('cards')
    .select(['feedback_useful', 'feedback_not_applicable', 'feedback_outdated'])
    .where('card_id', '=', cardId)
    .where(ctx.viewer ? mayRead(ctx.viewer.userId) : isOpen())
    .executeTakeFirst()
  if (!row) throw notFound('Card')
  return feedbackOf(row)
}

export const feedbackStats = capability({
  name: 'feedback.stats',
  summary: 'How many found a card useful, not applicable or outdated',
  description:
    'Without a credential it answers for cards published in a public or unlisted workspace; with one also for the cards that the caller may read.',
  scopes: 'public',
  rest: ['GET /api/v1/cases/{case_id}/feedback/stats', 'GET /api/v1/cards/{card_id}/feedback/stats'],
  aliases: { case_id: 'card_id' },
  input: CardId,
  output: FeedbackStats,
  errors: [404],
  run: async (ctx, { card_id }) => {
    const counts = await countsFor(ctx, card_id)
    return { card_id, ...counts, total: counts.useful + counts.not_applicable + counts.outdated }
  },
})

const sourceOf = (ctx: UserCtx, card: CardRow): FeedbackSource => ({
  card_id: card.card_id,
  mayEdit: card.may_update === 1,
  since: card.owner_id === ctx.viewer.userId ? null : card.seen_since,
})

export const listFeedback = capability({
  name: 'feedback.list',
  summary: 'What people said about a card',
  description:
    'Newest first. The owner sees all of it; others who may edit the card see what was said since it came into their workspace; everybody else sees their own. Feedback on cards that were merged into it is among it, with their ids.',
  scopes: ['search'],
  rest: ['GET /api/v1/cards/{card_id}/feedback', 'GET /api/v1/cases/{case_id}/feedback'],
  aliases: { case_id: 'card_id' },
  input: CardId.extend({
    mine: z.boolean().default(false).describe('Only your own feedback'),
    with_comment: z.boolean().default(false).describe('Only feedback with a comment'),
    ...Page,
  }),
  output: FeedbackList,
  errors: [404],
  run: async (ctx, { card_id, mine, with_comment, page, page_size }) => {
    const card = await readableCard(ctx, card_id)
    const cards = (await withMerged(ctx, card)).map((one) => sourceOf(ctx, one))
    const shown = feedbackShown(ctx.db, {
      userId: ctx.viewer.userId,
      cards: mine ? cards.map((one) => ({ ...one, mayEdit: false })) : cards,
      withComment: with_comment,
    })
    const { total } = await shown
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow()
    const rows = await shown
      .selectAll('card_feedback')
      .select('users.display_name as user_name')
      .orderBy('card_feedback.created_at', 'desc')
      .orderBy('card_feedback.feedback_id', 'desc')
      .limit(page_size)
      .offset((page - 1) * page_size)
      .execute()
    const items = rows.map((row) => ({ ...row, case_id: row.card_id }))
    return { items, total, page, page_size }
  },
})
