import { inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import { conflict, notFound } from '../../core/errors.ts'
import { flag } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { CardFeedbackTable, CardVerdictsTable, FeedbackKind } from '../../db/knowledge-schema.ts'
import { DAY_MS, dayBegan } from '../../shared/time.ts'
import {
  answering,
  type CardRow,
  cardIfReadable,
  lockKeyOf,
  mergeGroup,
  readableCard,
} from '../cards/index.ts'
import { book, lockBalances, mayEarn, timesBooked } from '../credits/index.ts'
import { tell, tellOf, unreadSince, untell } from '../notices/index.ts'
import { requireMaySpeakOf } from '../permissions/index.ts'
import { countText, rowsOfCard, writeText } from '../storage/index.ts'
import { noteContradictions } from './links.ts'
import { praiseReturned, refreshIsDue, refreshSoon, standingOf, stands } from './refresh.ts'

/**
 * Verdict and feedback are one act with one writer. The log keeps every verdict; the feedback row holds the
 * newest one of a person, with its reward and its mail.
 */
export const OUTCOMES = ['worked', 'failed', 'stale'] as const
export type Outcome = (typeof OUTCOMES)[number]

const KIND_OF = { worked: 'useful', failed: 'not_applicable', stale: 'outdated' } as const satisfies Record<
  Outcome,
  FeedbackKind
>

type Place = Pick<CardVerdictsTable, 'environment' | 'environment_key' | 'evidence' | 'applied_in'>

export type Spoken = {
  card_id: string
  outcome: Outcome
  note: string | null
  /** Left out: in the environment of the person's newest verdict. */
  place?: Place
  /** A verdict of the same person that this one replaces, whatever its environment. */
  replaces?: string | null | undefined
}

/** Leaves the person's key free: verdicts reference it while they hold balances another one waits for. */
async function lockJudge({ db, database, viewer }: UserCtx): Promise<void> {
  if (database.engine === 'postgres')
    await db
      .selectFrom('users')
      .select('user_id')
      .where('user_id', '=', viewer.userId)
      .forNoKeyUpdate()
      .execute()
}

/** The last verdict of a person in each environment, including withdrawn ones. */
type Standing = Map<string, CardVerdictsTable>

async function standingVerdicts(db: Db, cardId: string, userId: string): Promise<Standing> {
  const rows = await db
    .selectFrom('card_verdicts')
    .selectAll()
    .where('card_id', '=', cardId)
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('verdict_id')
    .execute()
  return new Map(rows.map((row) => [row.environment_key, row]))
}

const isNewer = (one: CardVerdictsTable, other: CardVerdictsTable): boolean =>
  one.created_at > other.created_at ||
  (one.created_at === other.created_at && one.verdict_id > other.verdict_id)

/** Returns what the person says of the card now. */
function newestOf(standing: Standing): CardVerdictsTable | undefined {
  const said = [...standing.values()].filter((row) => row.outcome !== 'withdrawn')
  return said.reduce<CardVerdictsTable | undefined>(
    (newest, row) => (newest && isNewer(newest, row) ? newest : row),
    undefined,
  )
}

/** Counts this person's verdicts on the card since a time, including withdrawn ones. */
async function countVerdicts(db: Db, cardId: string, userId: string, since: string): Promise<number> {
  const { verdicts } = await db
    .selectFrom('card_verdicts')
    .select((eb) => eb.fn.countAll<number>().as('verdicts'))
    .where('card_id', '=', cardId)
    .where('user_id', '=', userId)
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow()
  return verdicts
}

async function insertVerdict(db: Db, row: CardVerdictsTable): Promise<void> {
  await db.insertInto('card_verdicts').values(row).execute()
}

const withdrawalOf = (row: CardVerdictsTable, created_at: string): CardVerdictsTable => ({
  ...row,
  evidence: null,
  note: null,
  applied_in: null,
  verdict_id: newId(),
  outcome: 'withdrawn',
  is_rewarded: 0,
  created_at,
})

function findFeedback(db: Db, cardId: string, userId: string): Promise<CardFeedbackTable | undefined> {
  return db
    .selectFrom('card_feedback')
    .selectAll()
    .where('card_id', '=', cardId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
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

/** The rows stay, because they record the reward. Returns the cards concerned. */
async function withdrawFeedback(db: Db, cardIds: readonly string[], userId: string, now: string) {
  const given = cardIds.map((cardId) => rowsOfCard('card_feedback', cardId, 'user_id', userId))
  const update = db
    .updateTable('card_feedback')
    // Marks withdrawn feedback as told, so that the owner is not told of it.
    .set((eb) => ({ withdrawn_at: now, comment: null, told_at: eb.fn.coalesce('told_at', eb.val(now)) }))
    .where('card_id', 'in', cardIds)
    .where('user_id', '=', userId)
    .where('withdrawn_at', 'is', null)
  await countText(db, given, () => update.execute())
}

/** Returns those of these cards on which the person's feedback stands. */
async function cardsWithFeedback(db: Db, cardIds: readonly string[], userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('card_feedback')
    .select('card_id')
    .where('card_id', 'in', cardIds)
    .where('user_id', '=', userId)
    .where('withdrawn_at', 'is', null)
    .execute()
  return rows.map((row) => row.card_id)
}

export const USEFUL_REWARD = 1
/** Limits how many credits a second account could create. */
export const MAX_REWARDS_PER_DAY = 20
/** Limits how many credits a hundred accounts could create for one person. */
export const MAX_REWARDS_RECEIVED_PER_DAY = 50

async function rewardsSince(db: Db, giverId: string, since: string): Promise<number> {
  const { rewards } = await db
    .selectFrom('card_feedback')
    .select((eb) => eb.fn.countAll<number>().as('rewards'))
    .where('user_id', '=', giverId)
    .where('rewarded_at', '>=', since)
    .executeTakeFirstOrThrow()
  return rewards
}

async function rewardHelp(ctx: UserCtx, card: CardRow): Promise<boolean> {
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

const about = ({ card_id, owner_id }: Pick<CardRow, 'card_id' | 'owner_id'>) =>
  ({ userId: owner_id, kind: 'card.feedback', subjectId: card_id }) as const

/** Tells the owner with at most one unread notice for each card. */
async function tellOwner(ctx: UserCtx, card: CardRow, said: Outcome): Promise<void> {
  if (card.owner_id === ctx.viewer.userId || card.owner_deleted_at !== null) return
  await tell(ctx, { ...about(card), details: { said } })
}

/** Returns the last verdict of others on a card after this time that was not taken back. */
const newestOfOthers = (
  db: Db,
  { card_id, owner_id }: Pick<CardRow, 'card_id' | 'owner_id'>,
  since: string,
) =>
  db
    .selectFrom('card_verdicts')
    .select(['user_id', 'outcome', 'created_at'])
    .where('card_id', '=', card_id)
    .where('user_id', '!=', owner_id)
    .where('created_at', '>', since)
    .where(stands)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Removes the owner's unread notice of what was taken back, or lets it tell what is left. */
async function untellOwner(ctx: UserCtx, cardId: string): Promise<void> {
  const card = await ctx.db
    .selectFrom('cards')
    .select(['card_id', 'owner_id'])
    .where('card_id', '=', cardId)
    .executeTakeFirstOrThrow()
  if (!(await untell(ctx, about(card)))) return
  const left = await newestOfOthers(ctx.db, card, await unreadSince(ctx, about(card)))
  if (!left || left.outcome === 'withdrawn') return
  const { outcome: said, user_id: actorId, created_at: at } = left
  await tellOf(ctx, { ...about(card), details: { said } }, { actorId, at })
}

/** Limits one person's verdicts on a card: all verdicts are read when trust is computed. */
const MAX_ENVIRONMENTS = 100
const MAX_PER_DAY = 30

async function refuseTooMany(ctx: UserCtx, cardId: string, environments: number): Promise<void> {
  if (environments > MAX_ENVIRONMENTS)
    throw conflict('too_many_verdicts', `You have judged this card in ${MAX_ENVIRONMENTS} environments.`)
  if ((await countVerdicts(ctx.db, cardId, ctx.viewer.userId, dayBegan(ctx.now()))) >= MAX_PER_DAY)
    throw conflict('too_many_verdicts', `You have judged this card ${MAX_PER_DAY} times today.`)
}

const NOWHERE: Place = { environment: '{}', environment_key: '', evidence: null, applied_in: null }

function placeOf(newest: CardVerdictsTable | undefined, { place, outcome }: Spoken): Place {
  if (place) return place
  if (!newest) return NOWHERE
  const { environment, environment_key, evidence, applied_in } = newest
  const seen = newest.outcome === outcome ? { evidence, applied_in } : { evidence: null, applied_in: null }
  return { environment, environment_key, ...seen }
}

type Said = Place & Pick<CardVerdictsTable, 'note' | 'card_version'> & { outcome: Outcome }

const SAME_FOR_MS = DAY_MS

const isSaidAlready = (before: CardVerdictsTable, said: Said, now: Date): boolean =>
  now.getTime() - Date.parse(before.created_at) < SAME_FOR_MS &&
  before.outcome === said.outcome &&
  before.card_version === said.card_version &&
  before.evidence === said.evidence &&
  before.note === said.note &&
  before.applied_in === said.applied_in

/** Returns the verdict to withdraw for one in another environment. */
function movedFrom(standing: Standing, replaces: Spoken['replaces'], key: string) {
  if (replaces == null) return undefined
  const replaced = [...standing.values()].find((row) => row.verdict_id === replaces)
  if (!replaced || replaced.outcome === 'withdrawn')
    throw notFound('Verdict', 'You have taken it back, or have replaced it.')
  return replaced.environment_key === key ? undefined : replaced
}

type Recorded = { verdict: CardVerdictsTable; feedback: CardFeedbackTable; credits_awarded: number }

type FeedbackChange = { card: CardRow; given: CardFeedbackTable | undefined; said: Said; isRewarded: boolean }

const isSameKind = (given: CardFeedbackTable | undefined, outcome: Outcome): given is CardFeedbackTable =>
  given !== undefined && given.withdrawn_at === null && given.kind === KIND_OF[outcome]

/** Returns both rows of one verdict. */
async function rowsOf(ctx: UserCtx, { card, given, said, isRewarded }: FeedbackChange) {
  const { card_id, owner_id } = card
  const user_id = ctx.viewer.userId
  const created_at = ctx.now().toISOString()
  // Told at once: the owner's own, and all on a server without mail.
  const told_at = owner_id === user_id || !ctx.adapters.mail ? created_at : null
  const feedback: CardFeedbackTable = {
    feedback_id: given?.feedback_id ?? newId(),
    card_id,
    user_id,
    kind: KIND_OF[said.outcome],
    comment: said.note,
    rewarded_at: isRewarded ? created_at : (given?.rewarded_at ?? null),
    told_at: isSameKind(given, said.outcome) ? given.told_at : told_at,
    created_at,
    withdrawn_at: null,
  }
  const verdict: CardVerdictsTable = {
    verdict_id: newId(),
    card_id,
    user_id,
    owner_id,
    ...(await standingOf(ctx, card_id)),
    is_rewarded: flag(isRewarded),
    created_at,
    ...said,
  }
  return { verdict, feedback }
}

/** A repeated verdict returns the existing one; its reward is not booked twice. */
async function write(ctx: UserCtx, card: CardRow, spoken: Spoken): Promise<Recorded> {
  const { card_id } = card
  const { outcome, note } = spoken
  const { userId } = ctx.viewer
  const standing = await standingVerdicts(ctx.db, card_id, userId)
  const given = await findFeedback(ctx.db, card_id, userId)
  const newest = newestOf(standing)
  const said: Said = { ...placeOf(newest, spoken), outcome, note, card_version: card.version }
  const before = standing.get(said.environment_key)
  const moved = movedFrom(standing, spoken.replaces, said.environment_key)
  const isNewest = before !== undefined && newest !== undefined && before.created_at >= newest.created_at
  // Also when it is said again: the addresses of both may be proven by now.
  const isRewarded = outcome === 'worked' && given?.rewarded_at == null && (await rewardHelp(ctx, card))
  const isRepeated = isSameKind(given, outcome) && isNewest && !moved
  if (isRepeated && !isRewarded && isSaidAlready(before, said, ctx.now()))
    return { verdict: before, feedback: given, credits_awarded: 0 }
  await refuseTooMany(ctx, card_id, standing.size + (before ? 0 : 1))
  const { verdict, feedback } = await rowsOf(ctx, { card, given, said, isRewarded })
  const texts = [
    rowsOfCard('card_verdicts', card_id, 'verdict_id', verdict.verdict_id),
    rowsOfCard('card_feedback', card_id, 'user_id', userId),
  ]
  await writeText(ctx, texts, async () => {
    if (moved) await insertVerdict(ctx.db, withdrawalOf(moved, verdict.created_at))
    await insertVerdict(ctx.db, verdict)
    await putFeedback(ctx.db, feedback)
  })
  if (!isSameKind(given, outcome) || given.comment !== note) await tellOwner(ctx, card, outcome)
  return { verdict, feedback, credits_awarded: isRewarded ? USEFUL_REWARD : 0 }
}

/** Writes verdict and feedback, and returns them with the card as the person reads it now. */
export async function recordVerdict(ctx: UserCtx, spoken: Spoken) {
  const recorded = await inTx(
    ctx,
    async (ctx) => {
      await lockJudge(ctx)
      const { row: card } = await answering(ctx, await readableCard(ctx, spoken.card_id))
      if (spoken.note !== null || (spoken.place && spoken.place.environment_key !== ''))
        await requireMaySpeakOf(ctx, [card])
      const returned = spoken.outcome === 'worked' ? await praiseReturned(ctx, card.owner_id) : []
      await refreshIsDue(ctx, card.card_id, ...returned)
      return write(ctx, card, spoken)
    },
    SELF_GUARDED,
  )
  await refreshSoon(ctx, recorded.verdict.card_id)
  const card = await cardIfReadable(ctx, recorded.verdict.card_id)
  if (card?.status === 'published') await noteContradictions(ctx, card)
  return { ...recorded, card }
}

/** Takes back all that the person said of the card and of those merged with it, also if they cannot read it any more. */
export async function takeBackVerdicts(ctx: UserCtx, cardId: string): Promise<void> {
  const { userId } = ctx.viewer
  const judged = await inTx(
    ctx,
    async (ctx) => {
      await lockJudge(ctx)
      const { on, cardIds } = await mergeGroup(ctx.db, cardId)
      const standing: CardVerdictsTable[] = []
      for (const id of cardIds.toSorted())
        for (const row of (await standingVerdicts(ctx.db, id, userId)).values())
          if (row.outcome !== 'withdrawn') standing.push(row)
      const given = await cardsWithFeedback(ctx.db, cardIds, userId)
      const said = new Set([...standing.map((row) => row.card_id), ...given])
      if (said.size === 0)
        throw notFound('Verdict', 'You have said nothing about this card, or have taken it back.')
      // Includes merged cards: their merge may be undone at this moment.
      const judged = [...new Set([on, ...said])].sort()
      await refreshIsDue(ctx, ...judged)
      const now = ctx.now().toISOString()
      for (const row of standing) await insertVerdict(ctx.db, withdrawalOf(row, now))
      await withdrawFeedback(ctx.db, [...said], userId, now)
      for (const id of [...said].sort()) await untellOwner(ctx, id)
      return judged
    },
    SELF_GUARDED,
  )
  for (const id of judged) await refreshSoon(ctx, id)
}
