import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx, type UserCtx } from '../../core/context.ts'
import { notFound } from '../../core/errors.ts'
import { AnswerId, Page, pageOf, Time } from '../../core/schemas.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { CardFeedbackTable, FeedbackKind, VerdictOutcome } from '../../db/knowledge-schema.ts'
import { cleanOptional, Findings } from '../../redaction/redact.ts'
import { dayBegan } from '../../shared/time.ts'
import {
  CardId,
  type CardRow,
  feedbackOf,
  isOpen,
  lockCards,
  lockKeyOf,
  mayRead,
  mergeGroup,
  publishingTeam,
  readableCard,
  recountFeedback,
  withMerged,
} from '../cards/index.ts'
import { book, lockBalances, mayEarn, timesBooked } from '../credits/index.ts'
import { type Said, tell, tellOf, unreadSince, untell } from '../notices/index.ts'
import { countText, rowsOfCard, writeText } from '../storage/index.ts'
import { refreshTrust, stands } from './refresh.ts'

function findFeedback(db: Db, cardId: string, userId: string): Promise<CardFeedbackTable | undefined> {
  return db
    .selectFrom('card_feedback')
    .selectAll()
    .where('card_id', '=', cardId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

async function ownerOf(db: Db, cardId: string): Promise<string> {
  const { owner_id } = await db
    .selectFrom('cards')
    .select('owner_id')
    .where('card_id', '=', cardId)
    .executeTakeFirstOrThrow()
  return owner_id
}

export type SaidOf = {
  user_id: string
  said: FeedbackKind | Exclude<VerdictOutcome, 'withdrawn'>
  created_at: string
}

async function newestVerdict(db: Db, cardId: string, ownerId: string, since: string): Promise<SaidOf[]> {
  const rows = await db
    .selectFrom('card_verdicts')
    .select(['user_id', 'outcome', 'created_at'])
    .where('card_id', '=', cardId)
    .where('user_id', '!=', ownerId)
    .where('created_at', '>', since)
    .where(stands)
    .orderBy('created_at', 'desc')
    .limit(1)
    .execute()
  return rows.flatMap(({ outcome, ...row }) => (outcome === 'withdrawn' ? [] : [{ ...row, said: outcome }]))
}

/** Returns the last feedback or verdict of others on a card after this time that was not taken back. */
async function newestSaid(
  db: Db,
  { card_id, owner_id }: { card_id: string; owner_id: string },
  since: string,
): Promise<SaidOf | undefined> {
  const feedback = await db
    .selectFrom('card_feedback')
    .select(['user_id', 'kind as said', 'created_at'])
    .where('card_id', '=', card_id)
    .where('user_id', '!=', owner_id)
    .where('withdrawn_at', 'is', null)
    .where('created_at', '>', since)
    .orderBy('created_at', 'desc')
    .limit(1)
    .execute()
  const said: SaidOf[] = [...feedback, ...(await newestVerdict(db, card_id, owner_id, since))]
  return said.sort((a, b) => (a.created_at < b.created_at ? 1 : -1))[0]
}

/** The rows stay, because they record the reward. */
async function withdraw(db: Db, cardIds: readonly string[], userId: string, now: string): Promise<string[]> {
  if (cardIds.length === 0) return []
  const given = cardIds.map((cardId) => rowsOfCard('card_feedback', cardId, 'user_id', userId))
  const update = db
    .updateTable('card_feedback')
    // Marks withdrawn feedback as told, so that the owner is not told of it.
    .set((eb) => ({ withdrawn_at: now, comment: null, told_at: eb.fn.coalesce('told_at', eb.val(now)) }))
    .where('card_id', 'in', cardIds)
    .where('user_id', '=', userId)
    .where('withdrawn_at', 'is', null)
    .returning('card_id')
  const rows = await countText(db, given, () => update.execute())
  return rows.map((row) => row.card_id)
}

/** Stores the one feedback of a person on a card; a new one replaces the old. */
async function putFeedback(db: Db, row: CardFeedbackTable): Promise<void> {
  await db
    .insertInto('card_feedback')
    .values(row)
    .onConflict((oc) =>
      oc.columns(['card_id', 'user_id']).doUpdateSet((eb) => ({
        kind: eb.ref('excluded.kind'),
        comment: eb.ref('excluded.comment'),
        rewarded_at: eb.ref('excluded.rewarded_at'),
        told_at: eb.ref('excluded.told_at'),
        created_at: eb.ref('excluded.created_at'),
        withdrawn_at: eb.ref('excluded.withdrawn_at'),
      })),
    )
    .execute()
}

/** Counts rewards by feedback and by verdicts, which share one limit. */
async function rewardsSince(db: Db, giverId: string, since: string): Promise<number> {
  const { rewards } = await db
    .selectFrom('card_feedback')
    .select((eb) => eb.fn.countAll<number>().as('rewards'))
    .where('user_id', '=', giverId)
    .where('rewarded_at', '>=', since)
    .executeTakeFirstOrThrow()
  const { more } = await db
    .selectFrom('card_verdicts')
    .select((eb) => eb.fn.countAll<number>().as('more'))
    .where('user_id', '=', giverId)
    .where('is_rewarded', '=', 1)
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow()
  return rewards + more
}

type FeedbackSource = {
  card_id: string
  mayEdit: boolean
  /** Whose editor the reader is: the team that published the card. They see what its members said. */
  teamId: string | null
  /** Hides earlier feedback, which was given in another workspace. Null if the reader may see all. */
  since: string | null
}

type FeedbackAsked = { userId: string; cards: readonly FeedbackSource[]; withComment: boolean }

const feedbackShown = (db: Db, { userId, cards, withComment }: FeedbackAsked) =>
  db
    .selectFrom('card_feedback')
    .innerJoin('users', 'users.user_id', 'card_feedback.user_id')
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

export const USEFUL_REWARD = 1
/** Limits how many credits a second account could create. */
export const MAX_REWARDS_PER_DAY = 20
/** Limits how many credits a hundred accounts could create for one person. */
export const MAX_REWARDS_RECEIVED_PER_DAY = 50

export async function rewardHelp(ctx: UserCtx, card: CardRow): Promise<boolean> {
  if (card.owner_id === ctx.viewer.userId || card.owner_deleted_at !== null) return false
  // Both sides must be proven: otherwise mass-made accounts could praise one card for rewards.
  for (const userId of [ctx.viewer.userId, card.owner_id]) if (!(await mayEarn(ctx, userId))) return false
  await lockKeyOf(ctx, card.card_id)
  await lockBalances(ctx, [ctx.viewer.userId, card.owner_id])
  const today = dayBegan(ctx.now())
  if ((await rewardsSince(ctx.db, ctx.viewer.userId, today)) >= MAX_REWARDS_PER_DAY) return false
  const received = { userId: card.owner_id, reason: 'feedback_reward', since: today } as const
  if ((await timesBooked(ctx, received)) >= MAX_REWARDS_RECEIVED_PER_DAY) return false
  const { booked } = await book(ctx, {
    userId: card.owner_id,
    delta: USEFUL_REWARD,
    reason: 'feedback_reward',
    cause: `feedback:${card.card_id}:${ctx.viewer.userId}`,
    ref: { type: 'card', id: card.card_id },
  })
  return booked
}

type RatedCard = Pick<CardRow, 'card_id' | 'owner_id'>

const about = ({ card_id, owner_id }: RatedCard) =>
  ({ userId: owner_id, kind: 'card.feedback', subjectId: card_id }) as const

/** Tells the owner with at most one unread notice for each card. */
export async function tellOwner(ctx: UserCtx, card: CardRow, said: Said): Promise<void> {
  if (card.owner_id === ctx.viewer.userId || card.owner_deleted_at !== null) return
  await tell(ctx, { ...about(card), details: { said } })
}

export async function untellOwner(ctx: UserCtx, card: RatedCard): Promise<void> {
  if (!(await untell(ctx, about(card)))) return
  const left = await newestSaid(ctx.db, card, await unreadSince(ctx, about(card)))
  if (!left) return
  const { said, user_id: actorId, created_at: at } = left
  await tellOf(ctx, { ...about(card), details: { said } }, { actorId, at })
}

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

/** Returns when feedback counts as told: at once for the owner's own, and for all on a server without mail. */
const toldAtOnce = (ctx: UserCtx, card: CardRow, now: string): string | null =>
  card.owner_id === ctx.viewer.userId || !ctx.adapters.mail ? now : null

/** Takes back what the viewer said about these cards; returns the cards concerned. */
async function takeBack(ctx: UserCtx, cardIds: readonly string[]): Promise<string[]> {
  const withdrawn = await withdraw(ctx.db, cardIds, ctx.viewer.userId, ctx.now().toISOString())
  for (const card_id of withdrawn)
    await untellOwner(ctx, { card_id, owner_id: await ownerOf(ctx.db, card_id) })
  return withdrawn
}

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
      const { on, cardIds } = await mergeGroup(ctx.db, card_id)
      await lockCards(ctx, cardIds)
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
      const { on, cardIds } = await mergeGroup(ctx.db, card_id)
      await lockCards(ctx, cardIds)
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
