import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../db/db.ts'
import type { Closeness } from '../../db/tables/verdicts.ts'
import { isAmongTexts, textList } from '../../db/text-list.ts'

/** What a card's trust depends on besides judgements. */
export const cardsToWeigh = (db: Db, cardIds: readonly string[]) =>
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
      'cards.published_at',
      'cards.trust',
      'cards.team_trust',
      'cards.confirmed_at',
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

/** Cards that were merged into these: their judgements count here. */
export const mergedInto = (db: Db, cardIds: readonly string[]) =>
  db
    .selectFrom('card_merges')
    .select(['from_card_id', 'into_card_id'])
    .where('into_card_id', 'in', cardIds)
    .execute()

/** The memberships of these people in these workspaces. */
export const membersAmong = (db: Db, workspaceIds: readonly string[], userIds: readonly string[]) =>
  workspaceIds.length === 0 || userIds.length === 0
    ? []
    : db
        .selectFrom('memberships')
        .select(['workspace_id', 'user_id'])
        .where(isAmongTexts(db, 'workspace_id', textList(workspaceIds)))
        .where(isAmongTexts(db, 'user_id', textList(userIds)))
        .execute()

const changesFix = sql<boolean>`(edited_fields like '%"fix_summary"%' or edited_fields like '%"steps"%')`

/** The former versions in which the fix was changed. The first version of a card changes nothing. */
export const changesOfFix = (db: Db, cardIds: readonly string[]) =>
  db
    .selectFrom('card_versions')
    .select(['card_id', 'version', 'edited_at'])
    .where('card_id', 'in', cardIds)
    .where('version', '>', 1)
    .where(changesFix)
    .execute()

/** Those of the judges of an owner's cards whom that owner has praised too. Such verdicts lie with the judges' cards, so they are read apart. */
export async function praisedBy(db: Db, ownerId: string, judgeIds: readonly string[]): Promise<string[]> {
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

/** Oldest first, so that the last one of a person in an environment is the valid one. */
export const verdictsOn = (db: Db, cardIds: readonly string[]) =>
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

export const votesOn = (db: Db, cardIds: readonly string[]) =>
  db
    .selectFrom('card_feedback')
    .innerJoin('cards', 'cards.card_id', 'card_feedback.card_id')
    .innerJoin('users', 'users.user_id', 'card_feedback.user_id')
    .select([
      'card_feedback.card_id',
      'card_feedback.user_id',
      'card_feedback.kind',
      'card_feedback.created_at',
      'users.email_verified',
      'users.created_at as judge_since',
      closenessOf('card_feedback.user_id').as('closeness'),
      'cards.owner_id',
    ])
    .where('card_feedback.card_id', 'in', cardIds)
    .where('card_feedback.kind', 'in', ['useful', 'outdated'])
    .where('card_feedback.withdrawn_at', 'is', null)
    .execute()

/** A person who shares a workspace with the owner is in their team. The library has no members. */
const closenessOf = (judge: string) => sql<Closeness>`case
    when ${sql.ref(judge)} = ${sql.ref('cards.owner_id')} then 'owner'
    when exists (
      select 1 from memberships as theirs join memberships as owners on owners.workspace_id = theirs.workspace_id
      where theirs.user_id = ${sql.ref(judge)} and owners.user_id = ${sql.ref('cards.owner_id')}
    ) then 'team'
    else 'stranger' end`

/** The relation of the judge to the owner of a card, and how many other cards of that owner they have judged. */
export async function findStanding(
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

export async function saveTrust(
  db: Db,
  cardId: string,
  change: { trust: string | null; team_trust: string | null; confirmed_at: string | null },
): Promise<void> {
  await db.updateTable('cards').set(change).where('card_id', '=', cardId).execute()
}

/** The cards of a judge that an owner has praised. */
export async function cardsPraisedBy(db: Db, ownerId: string, judgeId: string): Promise<string[]> {
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

/** A statement has a limit of values, and one person may have praised thousands of cards of another. */
const MARKED_AT_ONCE = 1000

/**
 * A mark that is there already is written again: a refresh that settles it waits, and counts what this transaction says.
 * All of a transaction at once, by id, so that two never wait for each other's marks.
 */
export async function markDue(db: Db, ...cardIds: readonly string[]): Promise<void> {
  const marks = [...new Set(cardIds)].sort().map((card_id) => ({ card_id }))
  for (let from = 0; from < marks.length; from += MARKED_AT_ONCE)
    await db
      .insertInto('trust_due')
      .values(marks.slice(from, from + MARKED_AT_ONCE))
      .onConflict((oc) => oc.column('card_id').doUpdateSet((eb) => ({ card_id: eb.ref('excluded.card_id') })))
      .execute()
}

/**
 * Serialises the refreshes of a card, so that the last one sees everything. Judgements that are being written refer to the
 * card's key, which stays free: they hold it while they wait for the mark that a refresh has settled. SQLite has one writer
 * at a time.
 */
export async function lockCard({ db, database }: Ctx, cardId: string): Promise<void> {
  if (database.engine === 'postgres')
    await db.selectFrom('cards').select('card_id').where('card_id', '=', cardId).forNoKeyUpdate().execute()
}

/** These cards and those that have taken one of them in, where its judgements count; in the order in which they are locked. */
export async function withTakers(db: Db, cardIds: readonly string[]): Promise<string[]> {
  const takers = await db
    .selectFrom('card_merges')
    .select('into_card_id')
    .where('from_card_id', 'in', cardIds)
    .execute()
  return [...new Set([...cardIds, ...takers.map((row) => row.into_card_id)])].sort()
}

export async function dueCards(db: Db, limit: number): Promise<string[]> {
  const rows = await db.selectFrom('trust_due').select('card_id').orderBy('card_id').limit(limit).execute()
  return rows.map((row) => row.card_id)
}

/** One by one, in the order in which they are made. */
export async function settleDue(db: Db, cardIds: readonly string[]): Promise<void> {
  for (const cardId of cardIds.toSorted())
    await db.deleteFrom('trust_due').where('card_id', '=', cardId).execute()
}

/** Cards with judgements, of one workspace if it is named, in the order of their ids, after `after`. */
export async function judgedCards(
  db: Db,
  after: string,
  limit: number,
  workspaceId?: string,
): Promise<string[]> {
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
