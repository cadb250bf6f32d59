import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import type { Ctx, UserCtx } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { AnswerId, Page, pageOf, Time } from '../../core/schemas.ts'
import type { Db } from '../../db/db.ts'
import type { FeedbackKind } from '../../db/knowledge-schema.ts'
import { cleanOptional, Findings } from '../../redaction/redact.ts'
import {
  CardId,
  type CardRow,
  feedbackOf,
  isOpen,
  mayRead,
  publishingTeam,
  readableCard,
  withMerged,
} from '../cards/index.ts'
import {
  MAX_REWARDS_PER_DAY,
  MAX_REWARDS_RECEIVED_PER_DAY,
  type Outcome,
  recordVerdict,
  takeBackVerdicts,
  USEFUL_REWARD,
} from './record-verdict.ts'

type FeedbackSource = {
  card_id: string
  mayEdit: boolean
  /** Whose editor the reader is: the team that published the card. They see what its members said. */
  teamId: string | null
  /** Hides earlier feedback, which was given in another workspace. Null if the reader may see all. */
  since: string | null
}

type FeedbackAsked = { userId: string; cards: readonly FeedbackSource[]; withComment: boolean }

/** Leaves out what the same person has replaced by newer feedback on a merged card. */
const feedbackShown = (db: Db, { userId, cards, withComment }: FeedbackAsked) =>
  db
    .selectFrom('card_feedback')
    .innerJoin('users', 'users.user_id', 'card_feedback.user_id')
    .innerJoin(
      (eb) =>
        eb
          .selectFrom('card_feedback')
          .select(['user_id', (eb) => eb.fn.max('created_at').as('created_at')])
          .where(
            'card_id',
            'in',
            cards.map(({ card_id }) => card_id),
          )
          .where('withdrawn_at', 'is', null)
          .groupBy('user_id')
          .as('newest'),
      (join) =>
        join
          .onRef('newest.user_id', '=', 'card_feedback.user_id')
          .onRef('newest.created_at', '=', 'card_feedback.created_at'),
    )
    .where('card_feedback.withdrawn_at', 'is', null)
    .where((eb) =>
      eb.or(
        cards.map(({ card_id, mayEdit, teamId, since }) => {
          const isHere = eb('card_feedback.card_id', '=', card_id)
          const isMine = eb('card_feedback.user_id', '=', userId)
          const isInTime = since === null ? eb.lit(true) : eb('card_feedback.created_at', '>=', since)
          const members = eb.selectFrom('memberships').select('memberships.user_id')
          const isOfTeam = eb(
            'card_feedback.user_id',
            'in',
            members.where('memberships.workspace_id', '=', teamId ?? ''),
          )
          const isTold = mayEdit ? isInTime : eb.and([isInTime, isOfTeam])
          return eb.and([isHere, mayEdit || teamId ? eb.or([isMine, isTold]) : isMine])
        }),
      ),
    )
    .$if(withComment, (query) => query.where('card_feedback.comment', '!=', ''))

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

const OUTCOME_OF = {
  useful: 'worked',
  not_applicable: 'failed',
  outdated: 'stale',
} as const satisfies Record<FeedbackKind, Outcome>

export const giveFeedback = capability({
  name: 'feedback.give',
  summary: 'Say whether a card helped',
  description: `One feedback per person and card; a new one replaces the old. It is also a verdict: useful is worked, not_applicable is failed, outdated is stale, in the environment that the person named last, with the comment as its note for all readers of the card. By the id of a merged card it is about the card that answers. The first useful of somebody else earns the contributor ${USEFUL_REWARD} credit, for at most ${MAX_REWARDS_PER_DAY} cards a day (UTC) per giver, and at most ${MAX_REWARDS_RECEIVED_PER_DAY} times a day per contributor. Secrets in the comment are replaced by placeholders.`,
  scopes: ['record'],
  rest: ['POST /api/v1/cases/{case_id}/feedback', 'POST /api/v1/cards/{card_id}/feedback'],
  aliases: { case_id: 'card_id' },
  status: 201,
  input: FeedbackCreate,
  output: FeedbackResponse,
  errors: [404, 409],
  run: async (ctx, { card_id, kind, comment }) => {
    const note = cleanOptional(comment, new Findings())
    const { feedback, credits_awarded } = await recordVerdict(ctx, {
      card_id,
      outcome: OUTCOME_OF[kind],
      note,
    })
    return { ...feedback, case_id: feedback.card_id, credits_awarded }
  },
})

export const withdrawFeedback = capability({
  name: 'feedback.withdraw',
  summary: 'Take back your feedback on a card, and with it your verdicts',
  description:
    'It no longer counts, and nobody reads its comment any more. A credit that it earned the contributor stays, and giving feedback on this card again earns no second one.',
  scopes: ['record'],
  rest: ['DELETE /api/v1/cases/{case_id}/feedback', 'DELETE /api/v1/cards/{card_id}/feedback'],
  aliases: { case_id: 'card_id' },
  status: 204,
  input: CardId,
  output: z.void(),
  errors: [404],
  run: (ctx, { card_id }) => takeBackVerdicts(ctx, card_id),
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
  teamId: publishingTeam(card),
  since: card.owner_id === ctx.viewer.userId ? null : card.known_since,
})

export const listFeedback = capability({
  name: 'feedback.list',
  summary: 'What people said about a card',
  description:
    'Newest first. The owner sees all of it; others who may edit the card see what was said since it came into their workspace; editors of the team that published it see what its members said; everybody else sees their own. Feedback on cards that were merged into it is among it, with their ids.',
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
      cards: mine ? cards.map((one) => ({ ...one, mayEdit: false, teamId: null })) : cards,
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
