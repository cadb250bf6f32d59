import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { type Ctx, inTx } from '../../core/context.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import type { CardStatus, ReviewStatus } from '../../db/tables/cards.ts'
import { AT_HOME, Home, Readers } from '../cards/home.ts'
import { presentHomes } from '../cards/homes.ts'
import { presentTrust, Trust } from '../cards/present-trust.ts'
import { CardId } from '../cards/schemas.ts'
import { editableUnmerged } from '../cards/unmerged-card.ts'
import { tellAgainAfter } from '../notices/tell.ts'
import { requireRole } from '../permissions/permission.ts'
import {
  contradictions,
  judgedBadly,
  ownersWithIntervals,
  pastInterval,
  type Reviewed,
  setReviewDays,
} from './review-queue.store.ts'

const SHORTEST_DAYS = 7
const LONGEST_DAYS = 3650
/** The limit for each reason: nobody works through more at a time. */
const MOST_SHOWN = 50
/** Some of the other cards may not be readable, or no longer valid. */
const MOST_LOOKED_AT = 1000

export const QueueItem = z
  .object({
    reason: z
      .enum(['due', 'distrusted', 'contradiction'])
      .describe(
        'due: its review interval is over; distrusted: verdicts speak against it; contradiction: another card with the same symptom has another fix',
      ),
    card_id: AnswerId,
    title: z.string(),
    workspace_id: AnswerId,
    ...AT_HOME,
    since: Time.nullable().describe('When it was last confirmed, or since when the reason is known'),
    trust: Trust.nullable(),
    other_card_id: AnswerId.nullable(),
    other_title: z.string().nullable(),
    other_home: Home.nullable(),
    other_readers: Readers.nullable(),
  })
  .meta({ id: 'ReviewQueueItem' })

type Item = z.input<typeof QueueItem>

type Other = {
  card_id: string
  title: string
  owner_id: string
  status: CardStatus
  review_status: ReviewStatus
  hidden_at: string | null
}

/** A card and why it is here, before it is known who reads it. */
type Found = Pick<Item, 'reason' | 'card_id' | 'title' | 'workspace_id' | 'since' | 'trust'> &
  Omit<Other, 'card_id' | 'title'> & { other: Other | null }

async function dueCards(ctx: Ctx, asked: Reviewed): Promise<Found[]> {
  const now = ctx.now()
  const rows = await pastInterval(ctx.db, asked, now.toISOString(), MOST_SHOWN)
  return rows.map((row) => ({
    ...row,
    reason: 'due',
    since: row.last_sure,
    trust: presentTrust(row, now),
    other: null,
  }))
}

async function distrustedCards(ctx: Ctx, asked: Reviewed): Promise<Found[]> {
  const rows = await judgedBadly(ctx.db, asked, MOST_SHOWN)
  return rows.map((row) => ({
    ...row,
    reason: 'distrusted',
    since: null,
    trust: presentTrust(row, ctx.now()),
    other: null,
  }))
}

async function contradictingCards(ctx: Ctx, asked: Reviewed): Promise<Found[]> {
  const rows = await contradictions(ctx.db, asked, MOST_LOOKED_AT)
  return rows.map((row) => ({
    ...row,
    reason: 'contradiction',
    trust: presentTrust(row, ctx.now()),
  }))
}

/** All reasons together, of each at most `MOST_SHOWN`. */
export async function cardsToReview(ctx: Ctx, asked: Reviewed): Promise<Item[]> {
  const reasons = [dueCards, distrustedCards, contradictingCards]
  const found = await Promise.all(reasons.map((reason) => reason(ctx, asked)))
  return withHomes(
    ctx,
    asked.viewerId,
    found.flatMap((items) => items.slice(0, MOST_SHOWN)),
  )
}

/** Where each card lives and who reads it. The card it is held against is in the same workspace. */
async function withHomes(ctx: Ctx, viewerId: string, found: readonly Found[]): Promise<Item[]> {
  const cards = found.flatMap(({ other, ...card }) =>
    other ? [card, { ...other, workspace_id: card.workspace_id }] : [card],
  )
  const homes = await presentHomes(ctx.db, viewerId, cards)
  return found.flatMap(({ other, ...card }) => {
    const at = homes.get(card.card_id)
    const otherAt = other && homes.get(other.card_id)
    if (!at || (other && !otherAt)) return []
    return [
      {
        ...card,
        ...at,
        other_card_id: other?.card_id ?? null,
        other_title: other?.title ?? null,
        other_home: otherAt?.home ?? null,
        other_readers: otherAt?.readers ?? null,
      },
    ]
  })
}

export const reviewQueue = capability({
  name: 'cards.review_queue',
  summary: 'Cards that somebody should look at again',
  description: `Mine, or with workspace_id those of a workspace for its editors and admins: due for a review, distrusted, or contradicting another. At most ${MOST_SHOWN} of each. "Still true" is a verdict worked.`,
  scopes: ['search'],
  rest: ['GET /api/v1/cards/review-queue'],
  input: z.object({ workspace_id: Id.optional() }),
  output: z.object({ items: z.array(QueueItem) }).meta({ id: 'ReviewQueue' }),
  errors: [404],
  run: async (ctx, { workspace_id }) => {
    if (workspace_id !== undefined) await requireRole(ctx, workspace_id, 'editor')
    return { items: await cardsToReview(ctx, { viewerId: ctx.viewer.userId, workspaceId: workspace_id }) }
  },
})

export const setReviewInterval = capability({
  name: 'cards.set_review_interval',
  summary: 'Set after how many days a card is due for a review',
  description: 'null: as the policy of its workspace says (review_after_days), which is never by default.',
  scopes: ['record', 'case:write'],
  rest: ['PUT /api/v1/cards/{card_id}/review-interval'],
  status: 204,
  input: CardId.extend({
    review_after_days: z.int().min(SHORTEST_DAYS).max(LONGEST_DAYS).nullable(),
  }).meta({ id: 'ReviewInterval' }),
  output: z.void(),
  errors: [404, 409, 412],
  run: (ctx, { card_id, review_after_days }) =>
    inTx(ctx, async (ctx) => {
      await editableUnmerged(ctx, card_id)
      await setReviewDays(ctx.db, card_id, review_after_days)
    }),
})

const OWNERS_AT_ONCE = 100
const TOLD_EVERY_DAYS = 7

/** The job: notifies owners of due cards, once a week. */
export async function tellOwners(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  for (let after = ''; !stopping.aborted; ) {
    const owners = await ownersWithIntervals(ctx.db, after, OWNERS_AT_ONCE)
    for (const userId of owners) {
      if (stopping.aborted) return
      const due = await dueCards(ctx, { viewerId: userId, workspaceId: undefined })
      if (due.length > 0)
        await inTx(ctx, (ctx) => tellAgainAfter(ctx, TOLD_EVERY_DAYS, { userId, kind: 'cards.review_due' }))
    }
    if (owners.length < OWNERS_AT_ONCE) return
    after = owners.at(-1) ?? after
  }
}
