import { type ExpressionBuilder, sql } from 'kysely'
import { type Ctx, inTx, SELF_GUARDED, type UserCtx } from '../../core/context.ts'
import type { Subscribers } from '../../core/events.ts'
import { fromJson, toJsonOrNull } from '../../db/columns.ts'
import type { Database, Db } from '../../db/db.ts'
import type { Closeness } from '../../db/knowledge-schema.ts'
import { inBatches, type Queue, take, waiting } from '../../db/queue.ts'
import type { Role, Schema } from '../../db/schema.ts'
import { isAmongTexts, textList } from '../../db/sql-values.ts'
import { type CardFacts, type Judgement, lastConfirmedAt, lastDoubtedAt, trustFrom } from '../cards/index.ts'
import { isEveryAddressProven } from '../mail/index.ts'
import { hasRole, policyOf } from '../permissions/index.ts'

const cardsToWeigh = (db: Db, cardIds: readonly string[]) =>
  db
    .selectFrom('cards')
    .innerJoin('workspaces', 'workspaces.workspace_id', 'cards.workspace_id')
    .leftJoin('workspaces as origins', 'origins.workspace_id', 'cards.origin_workspace_id')
    .select([
      'cards.card_id',
      'cards.card_type',
      'cards.status',
      'cards.version',
      'cards.edited_at',
      'cards.edited_fields',
      'cards.seen_since',
      'cards.origin_seen_from_version',
      'cards.origin_seen_since',
      'cards.published_at',
      'cards.trust',
      'cards.team_trust',
      'cards.confirmed_at',
      'cards.doubted_at',
      'cards.feedback_useful',
      'cards.feedback_not_applicable',
      'cards.feedback_outdated',
      'cards.workspace_id',
      'cards.origin_workspace_id',
      'workspaces.visibility',
      'workspaces.policy_json',
      'workspaces.opened_at',
      'origins.type as origin_type',
      'origins.visibility as origin_visibility',
    ])
    .where('cards.card_id', 'in', cardIds)
    .execute()

/** Finds the cards that were merged into these. Their judgements count for the merge target. */
const mergedInto = (db: Db, cardIds: readonly string[]) =>
  db
    .selectFrom('card_merges')
    .select(['from_card_id', 'into_card_id'])
    .where('into_card_id', 'in', cardIds)
    .execute()

const membersAmong = (db: Db, workspaceIds: readonly string[], userIds: readonly string[]) =>
  workspaceIds.length === 0 || userIds.length === 0
    ? []
    : db
        .selectFrom('memberships')
        .select(['workspace_id', 'user_id', 'role'])
        .where(isAmongTexts(db, 'workspace_id', textList(workspaceIds)))
        .where(isAmongTexts(db, 'user_id', textList(userIds)))
        .execute()

const changesFix = sql<boolean>`(edited_fields like '%"fix_summary"%' or edited_fields like '%"steps"%')`

/** Finds the earlier versions in which the fix changed. A card's first version is no change. */
const changesOfFix = (db: Db, cardIds: readonly string[]) =>
  db
    .selectFrom('card_versions')
    .select(['card_id', 'version', 'edited_at'])
    .where('card_id', 'in', cardIds)
    .where('version', '>', 1)
    .where(changesFix)
    .execute()

/** Returns those of these judges whom the owner has praised too. */
async function praisedBy(db: Db, ownerId: string, judgeIds: readonly string[]): Promise<string[]> {
  if (judgeIds.length === 0) return []
  const rows = await db
    .selectFrom('card_verdicts')
    .select('owner_id')
    .distinct()
    .where('user_id', '=', ownerId)
    .where(isAmongTexts(db, 'owner_id', textList(judgeIds)))
    .where('outcome', '=', 'worked')
    .execute()
  return rows.map((row) => row.owner_id)
}

/** Returns verdicts oldest first: the last one of a person in an environment is valid. */
const verdictsOn = (db: Db, cardIds: readonly string[]) =>
  db
    .selectFrom('card_verdicts')
    .innerJoin('cards', 'cards.card_id', 'card_verdicts.card_id')
    .innerJoin('users', 'users.user_id', 'card_verdicts.user_id')
    .select([
      'card_verdicts.verdict_id',
      'card_verdicts.card_id',
      'card_verdicts.user_id',
      'card_verdicts.card_version',
      'card_verdicts.outcome',
      'card_verdicts.environment',
      'card_verdicts.environment_key',
      'card_verdicts.closeness',
      'card_verdicts.nth_of_owner',
      'card_verdicts.created_at',
      'users.email_verified',
      'users.created_at as judge_since',
      'cards.owner_id',
    ])
    .where('card_verdicts.card_id', 'in', cardIds)
    .orderBy('card_verdicts.created_at')
    .orderBy('card_verdicts.verdict_id')
    .execute()

/** Returns the feedback that stands, oldest first. */
const feedbackOn = (db: Db, cardIds: readonly string[]) =>
  db
    .selectFrom('card_feedback')
    .select(['card_id', 'user_id', 'kind'])
    .where('card_id', 'in', cardIds)
    .where('withdrawn_at', 'is', null)
    .orderBy('created_at')
    .orderBy('feedback_id')
    .execute()

const closenessOf = (judge: string) => sql<Closeness>`case
    when ${sql.ref(judge)} = ${sql.ref('cards.owner_id')} then 'owner'
    when exists (
      select 1 from memberships as theirs join memberships as owners on owners.workspace_id = theirs.workspace_id
      where theirs.user_id = ${sql.ref(judge)} and owners.user_id = ${sql.ref('cards.owner_id')}
    ) then 'team'
    else 'stranger' end`

async function findStanding(
  db: Db,
  cardId: string,
  userId: string,
): Promise<{ closeness: Closeness; nth_of_owner: number }> {
  const { closeness } = await db
    .selectFrom('cards')
    .innerJoin('users as judge', (join) => join.on('judge.user_id', '=', userId))
    .select(closenessOf('judge.user_id').as('closeness'))
    .where('cards.card_id', '=', cardId)
    .executeTakeFirstOrThrow()
  const { others } = await db
    .selectFrom('card_verdicts')
    .select((eb) => eb.fn.count<number>('card_verdicts.card_id').distinct().as('others'))
    .where('user_id', '=', userId)
    .where('card_id', '<>', cardId)
    .where('owner_id', '=', (eb) =>
      eb.selectFrom('cards').select('cards.owner_id').where('cards.card_id', '=', cardId),
    )
    .executeTakeFirstOrThrow()
  return { closeness, nth_of_owner: others + 1 }
}

/** The columns of a card that follow from what people said of it. */
const DERIVED = [
  'trust',
  'team_trust',
  'confirmed_at',
  'doubted_at',
  'feedback_useful',
  'feedback_not_applicable',
  'feedback_outdated',
] as const

type Derived = Pick<CardRow, (typeof DERIVED)[number]>

async function saveTrust(db: Db, cardId: string, change: Derived): Promise<void> {
  await db.updateTable('cards').set(change).where('card_id', '=', cardId).execute()
}

async function cardsPraisedBy(db: Db, ownerId: string, judgeId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('card_verdicts')
    .select('card_id')
    .distinct()
    .where('user_id', '=', ownerId)
    .where('owner_id', '=', judgeId)
    .where('outcome', '=', 'worked')
    .execute()
  return rows.map((row) => row.card_id)
}

/** A statement has a limit of values, and one person may have praised thousands of cards. */
const MARKED_AT_ONCE = 1000

/** Writes an existing mark again, so that its refresh waits; marks are sorted to avoid deadlocks. */
export async function markDue(db: Db, ...cardIds: readonly string[]): Promise<void> {
  const marks = [...new Set(cardIds)].sort().map((card_id) => ({ card_id }))
  for (let from = 0; from < marks.length; from += MARKED_AT_ONCE)
    await db
      .insertInto('trust_due')
      .values(marks.slice(from, from + MARKED_AT_ONCE))
      .onConflict((oc) => oc.column('card_id').doUpdateSet((eb) => ({ card_id: eb.ref('excluded.card_id') })))
      .execute()
}

/** Leaves the card's key free: writers of judgements hold the key while they wait for the mark. */
async function lockCard({ db, database }: Ctx, cardId: string): Promise<void> {
  if (database.engine === 'postgres')
    await db.selectFrom('cards').select('card_id').where('card_id', '=', cardId).forNoKeyUpdate().execute()
}

/** Returns these cards and their merge targets, in the order in which they are locked. */
async function withTakers(db: Db, cardIds: readonly string[]): Promise<string[]> {
  const takers = await db
    .selectFrom('card_merges')
    .select('into_card_id')
    .where('from_card_id', 'in', cardIds)
    .execute()
  return [...new Set([...cardIds, ...takers.map((row) => row.into_card_id)])].sort()
}

const DUE: Queue<'trust_due'> = { table: 'trust_due', order: 'card_id' }

/** Deletes marks one by one, in the order in which they are made. */
async function settleDue(db: Db, cardIds: readonly string[]): Promise<void> {
  for (const card_id of cardIds.toSorted()) await take(db, DUE, { card_id })
}

/** Lists judged cards with ids above `after`, in order of id. */
async function judgedCards(db: Db, after: string, limit: number, workspaceId?: string): Promise<string[]> {
  const rows = await db
    .selectFrom('cards')
    .select('card_id')
    .$if(workspaceId !== undefined, (query) => query.where('workspace_id', '=', workspaceId ?? ''))
    .where('trust', 'is not', null)
    .where('card_id', '>', after)
    .orderBy('card_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.card_id)
}

type CardRow = Awaited<ReturnType<typeof cardsToWeigh>>[number]
type VerdictRow = Awaited<ReturnType<typeof verdictsOn>>[number]
type FeedbackRow = Awaited<ReturnType<typeof feedbackOn>>[number]

type FixChange = { version: number; at: string }

function lastChange(card: CardRow, former: readonly { version: number; edited_at: string }[]): FixChange {
  const fields = fromJson<string[]>(card.edited_fields)
  if (card.version > 1 && (fields.includes('fix_summary') || fields.includes('steps')))
    return { version: card.version, at: card.edited_at }
  return former.reduce<FixChange>(
    (last, { version, edited_at }) => (version > last.version ? { version, at: edited_at } : last),
    { version: 1, at: '' },
  )
}

type Said = Pick<VerdictRow, 'user_id' | 'owner_id' | 'closeness'>

/** Returns a test whether the owner has also praised a card of the judge. */
async function whoseIsReturned(ctx: Ctx, said: readonly Said[]): Promise<(row: Said) => boolean> {
  const pairs = new Set<string>()
  for (const [owner, rows] of Map.groupBy(said, (row) => row.owner_id)) {
    const judges = new Set(rows.map((row) => row.user_id).filter((judge) => judge !== owner))
    for (const judge of await praisedBy(ctx.db, owner, [...judges])) pairs.add(`${owner} ${judge}`)
  }
  return (row) => row.closeness !== 'owner' && pairs.has(`${row.owner_id} ${row.user_id}`)
}

const isOpen = ({ status, visibility }: CardRow): boolean =>
  status === 'published' && visibility !== 'private'

/** Returns the workspace whose members count in full: the card's own, or the private team that published it. */
function workspaceOfMembers(card: CardRow): string | null {
  if (!isOpen(card)) return card.workspace_id
  const isFromTeam = card.origin_type !== 'personal' && card.origin_visibility === 'private'
  return isFromTeam ? card.origin_workspace_id : null
}

/** Returns the role of a judge in a workspace that has to do with one of these cards. */
async function rolesOf(ctx: Ctx, cards: readonly CardRow[], said: readonly Said[]) {
  const workspaceIds = new Set(
    cards.flatMap((card) => [card.workspace_id, workspaceOfMembers(card) ?? []].flat()),
  )
  const userIds = new Set(said.map(({ user_id }) => user_id))
  const found = await membersAmong(ctx.db, [...workspaceIds], [...userIds])
  const roles = new Map(found.map(({ workspace_id, user_id, role }) => [`${workspace_id} ${user_id}`, role]))
  return (workspaceId: string | null, userId: string) => roles.get(`${workspaceId} ${userId}`)
}

/** Times that a verdict must follow for its environment to count: before them, other readers judged the card. */
type Since = readonly (string | null)[]

const sinceReaders = (card: CardRow): Since => [
  card.seen_since,
  card.opened_at,
  card.visibility === 'private' ? null : card.published_at,
]

const sinceTeam = (card: CardRow): Since =>
  card.origin_seen_from_version === null ? sinceReaders(card) : [card.origin_seen_since]

type Weighed = {
  card: CardRow
  since: Since
  change: FixChange
  isReturned: (row: Said) => boolean
  roleOf: (workspaceId: string | null, userId: string) => Role | undefined
  everybodyIsProven: boolean
}

/** A verdict from elsewhere, on a former draft or a merged card counts without its environment. */
const wasSaidHere = (row: VerdictRow, card: CardRow, since: Since): boolean =>
  row.card_id === card.card_id && since.every((time) => time === null || row.created_at >= time)

function judgementsOf(
  verdicts: readonly VerdictRow[],
  { card, since, change, isReturned, roleOf, everybodyIsProven }: Weighed,
): Judgement[] {
  const members = workspaceOfMembers(card)
  const last = new Map(verdicts.map((row) => [`${row.user_id} ${row.environment_key}`, row]))
  return [...last.values()].flatMap((row): Judgement[] =>
    row.outcome === 'withdrawn'
      ? []
      : [
          {
            userId: row.user_id,
            outcome: row.outcome,
            isBeforeChange: row.created_at < change.at,
            environment: wasSaidHere(row, card, since) ? fromJson(row.environment) : {},
            at: row.created_at,
            closeness: row.closeness,
            nthOfOwner: row.nth_of_owner,
            isReturned: isReturned(row),
            isProven: everybodyIsProven || row.email_verified === 1,
            since: row.judge_since,
            isMember: roleOf(members, row.user_id) !== undefined,
            mayEdit:
              row.user_id === row.owner_id ||
              [members, card.workspace_id].some((id) => hasRole(roleOf(id, row.user_id), 'editor')),
          },
        ],
  )
}

/** Counts people, each by the newest feedback on the card or on one that was merged into it. */
function countsOf(feedback: readonly FeedbackRow[]) {
  const newest = new Map(feedback.map((row) => [row.user_id, row.kind]))
  const count = (kind: FeedbackRow['kind']) => [...newest.values()].filter((each) => each === kind).length
  return {
    feedback_useful: count('useful'),
    feedback_not_applicable: count('not_applicable'),
    feedback_outdated: count('outdated'),
  }
}

type JudgedCard = {
  card: CardRow
  judgements: Judgement[]
  /** The same for the team that has published the card; null without one. */
  ofTeam: Judgement[] | null
  facts: CardFacts
  counts: ReturnType<typeof countsOf>
}

async function gatherJudgements(ctx: Ctx, cardIds: readonly string[]): Promise<JudgedCard[]> {
  const cards = await cardsToWeigh(ctx.db, cardIds)
  const changes = Map.groupBy(await changesOfFix(ctx.db, cardIds), (row) => row.card_id)
  const merges = await mergedInto(ctx.db, cardIds)
  const takenBy = new Map(merges.map((row) => [row.from_card_id, row.into_card_id]))
  const all = [...cardIds, ...takenBy.keys()]
  const countedOn = (row: { card_id: string }) => takenBy.get(row.card_id) ?? row.card_id
  const allVerdicts = await verdictsOn(ctx.db, all)
  const isReturned = await whoseIsReturned(ctx, allVerdicts)
  const roleOf = await rolesOf(ctx, cards, allVerdicts)
  const verdicts = Map.groupBy(allVerdicts, countedOn)
  const feedback = Map.groupBy(await feedbackOn(ctx.db, all), countedOn)
  const everybodyIsProven = isEveryAddressProven(ctx)
  const judged = (card: CardRow, since: Since) =>
    judgementsOf(verdicts.get(card.card_id) ?? [], {
      card,
      since,
      change: lastChange(card, changes.get(card.card_id) ?? []),
      isReturned,
      roleOf,
      everybodyIsProven,
    })
  return cards.map((card) => ({
    card,
    judgements: judged(card, sinceReaders(card)),
    ofTeam: isOpen(card) && workspaceOfMembers(card) !== null ? judged(card, sinceTeam(card)) : null,
    facts: {
      cardType: card.card_type,
      isPublic: card.status === 'published' && card.visibility === 'public',
      isForMembers: !isOpen(card),
      halfLifeDays: policyOf(card).trustHalfLifeDays,
      seenSince: card.seen_since,
      now: ctx.now(),
    },
    counts: countsOf(feedback.get(card.card_id) ?? []),
  }))
}

/** Computes what follows from the verdicts on these cards and returns what has changed. */
async function changesOf(ctx: Ctx, cardIds: readonly string[]) {
  if (cardIds.length === 0) return []
  return (await gatherJudgements(ctx, cardIds)).flatMap(({ card, judgements, ofTeam, facts, counts }) => {
    const trust = toJsonOrNull(trustFrom(judgements, facts))
    const forTeam = ofTeam ? toJsonOrNull(trustFrom(ofTeam, { ...facts, isForMembers: true })) : trust
    const change: Derived = {
      trust,
      team_trust: forTeam === trust ? null : forTeam,
      confirmed_at: lastConfirmedAt(judgements),
      doubted_at: lastDoubtedAt(judgements),
      ...counts,
    }
    return DERIVED.every((name) => change[name] === card[name]) ? [] : [{ cardId: card.card_id, change }]
  })
}

export async function refreshTrust(ctx: Ctx, cardIds: readonly string[]): Promise<void> {
  for (const { cardId, change } of await changesOf(ctx, cardIds)) await saveTrust(ctx.db, cardId, change)
}

/** Computes again with the card locked, in a fixed order because several processes run the job. */
async function refreshLocked(ctx: Ctx, cardIds: readonly string[]): Promise<void> {
  const changed = (await changesOf(ctx, cardIds)).map(({ cardId }) => cardId)
  for (const cardId of changed.sort()) {
    await lockCard(ctx, cardId)
    await refreshTrust(ctx, [cardId])
  }
}

const AT_ONCE = 200
export async function refreshDueTrust(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  const next = (limit: number) => waiting(ctx.db, DUE, limit)
  await inBatches({ size: AT_ONCE, stopping }, next, (rows) => {
    const due = rows.map((row) => row.card_id)
    const refresh = async (ctx: Ctx) => {
      // Settle before refreshing, so that a card marked again meanwhile stays marked.
      await settleDue(ctx.db, due)
      await refreshLocked(ctx, await withTakers(ctx.db, due))
    }
    return inTx(ctx, refresh, SELF_GUARDED)
  })
}

/** Refreshes a workspace after it was opened: its new readers must not learn what was said before. */
export async function refreshTrustIn(ctx: Ctx, workspaceId: string): Promise<void> {
  for (let after = ''; ; ) {
    const some = await judgedCards(ctx.db, after, AT_ONCE, workspaceId)
    await refreshTrust(ctx, some)
    if (some.length < AT_ONCE) return
    after = some.at(-1) ?? after
  }
}

/** Refreshes all cards, because verdicts age and people confirm their addresses. */
export async function refreshAllTrust(ctx: Ctx, stopping: AbortSignal): Promise<void> {
  for (let after = ''; !stopping.aborted; ) {
    const some = await judgedCards(ctx.db, after, AT_ONCE)
    await inTx(ctx, (ctx) => refreshLocked(ctx, some), SELF_GUARDED)
    if (some.length < AT_ONCE) return
    after = some.at(-1) ?? after
  }
}

export const standingOf = (ctx: UserCtx, cardId: string) => findStanding(ctx.db, cardId, ctx.viewer.userId)

export const praiseReturned = (ctx: UserCtx, ownerId: string): Promise<string[]> =>
  cardsPraisedBy(ctx.db, ownerId, ctx.viewer.userId)

/** Waiting refreshes, and the last refresh of each card: 200 verdicts at once need only a few refreshes. */
type Refreshes = { waiting: Map<string, Promise<void>>; last: Map<string, Promise<void>> }
const REFRESHES = new WeakMap<Database, Refreshes>()

function refreshesOf(database: Database): Refreshes {
  const known = REFRESHES.get(database)
  if (known) return known
  const made = { waiting: new Map(), last: new Map() }
  REFRESHES.set(database, made)
  return made
}

const compute = (ctx: UserCtx, cardId: string): Promise<void> =>
  inTx(
    ctx,
    async (ctx) => {
      await settleDue(ctx.db, [cardId])
      const counting = await withTakers(ctx.db, [cardId])
      for (const id of counting) await lockCard(ctx, id)
      for (const id of counting) await refreshTrust(ctx, [id])
    },
    SELF_GUARDED,
  )

/**
 * Call it in the judgement's transaction, before that transaction references or locks the card. A refresh
 * locks the mark first, then the card.
 */
export const refreshIsDue = (ctx: Ctx, ...cardIds: readonly string[]): Promise<void> =>
  markDue(ctx.db, ...cardIds)

/** Call it after the writing transaction; resolves when the trust includes everything written before. */
export function refreshSoon(ctx: UserCtx, cardId: string): Promise<void> {
  if (ctx.transacting) return refreshTrust(ctx, [cardId])
  const { waiting, last } = refreshesOf(ctx.database)
  const joined = waiting.get(cardId)
  if (joined) return joined
  const begin = () => {
    waiting.delete(cardId)
    return compute(ctx, cardId)
  }
  const next = (last.get(cardId) ?? Promise.resolve()).then(begin, begin)
  waiting.set(cardId, next)
  last.set(cardId, next)
  const forget = () => {
    if (last.get(cardId) === next) last.delete(cardId)
  }
  next.then(forget, forget)
  return next
}

/** Refreshes a judged card: strangers learn nothing said about a draft. */
const refreshJudged = async (ctx: Ctx, { cardId, isJudged }: { cardId: string; isJudged: boolean }) => {
  if (isJudged) await refreshTrust(ctx, [cardId])
}

/** Keeps the trust of cards in step with what other features do to cards. */
export const trustSubscribers: Subscribers<Ctx> = {
  'card.published': [refreshJudged],
  'card.unpublished': [refreshJudged],
  'card.moved': [refreshJudged],
  // Earlier verdicts were about another fix.
  'card.updated': [
    async (ctx, { fields, ...card }) => {
      if (fields.includes('fix_summary') || fields.includes('steps')) await refreshJudged(ctx, card)
    },
  ],
  'card.judgements_removed': [(ctx, { cardIds }) => refreshIsDue(ctx, ...cardIds)],
}

export const stands = (eb: ExpressionBuilder<Schema, 'card_verdicts'>) =>
  eb.and([
    eb('card_verdicts.outcome', '<>', 'withdrawn'),
    eb.not(
      eb.exists(
        eb
          .selectFrom('card_verdicts as later')
          .select('later.verdict_id')
          .whereRef('later.card_id', '=', 'card_verdicts.card_id')
          .whereRef('later.user_id', '=', 'card_verdicts.user_id')
          .whereRef('later.environment_key', '=', 'card_verdicts.environment_key')
          .whereRef('later.verdict_id', '>', 'card_verdicts.verdict_id'),
      ),
    ),
  ])
