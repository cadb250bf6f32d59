import { type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from '../../db/db.ts'
import type { Schema } from '../../db/schema.ts'
import { type CardAtHome, type HomeAnswer, type HomeFacts, presentHome } from './home.ts'
import type { ViewerId } from './visibility.ts'

type Counted = Pick<HomeFacts, 'members' | 'editors'>
type Joined = Omit<HomeFacts, keyof Counted>

/** Adds the workspace of a card, and the roles of its viewer and its owner there, to a query over `cards`. */
function withWorkspace<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  viewerId: ViewerId,
): SelectQueryBuilder<DB, TB, O & Joined> {
  const cards = query as unknown as SelectQueryBuilder<Schema, 'cards', O>
  const joined = cards
    .innerJoin('workspaces', 'workspaces.workspace_id', 'cards.workspace_id')
    .leftJoin('memberships as mine', (join) =>
      join.onRef('mine.workspace_id', '=', 'cards.workspace_id').on('mine.user_id', '=', viewerId),
    )
    .leftJoin('memberships as theirs', (join) =>
      join
        .onRef('theirs.workspace_id', '=', 'cards.workspace_id')
        .onRef('theirs.user_id', '=', 'cards.owner_id'),
    )
    .select((eb) => [
      'workspaces.name as workspace_name',
      'workspaces.type as workspace_type',
      'workspaces.visibility as workspace_visibility',
      'mine.role as viewer_role',
      'theirs.role as owner_role',
      eb.case().when('cards.owner_id', '=', viewerId).then(1).else(0).end().as('is_own'),
    ])
  return joined as unknown as SelectQueryBuilder<DB, TB, O & Joined>
}

/** For a query that reads one card: the people are counted in it. */
export function withHomeFacts<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  viewerId: ViewerId,
): SelectQueryBuilder<DB, TB, O & HomeFacts> {
  const counted = withWorkspace(query, viewerId).select([
    sql<number>`(select count(*) from memberships as people where people.workspace_id = cards.workspace_id)`.as(
      'members',
    ),
    sql<number>`(select count(*) from memberships as people where people.workspace_id = cards.workspace_id
      and people.role <> 'viewer')`.as('editors'),
  ])
  return counted as unknown as SelectQueryBuilder<DB, TB, O & HomeFacts>
}

/** The homes of the cards of a page, in one query: each workspace is counted once, however many cards it has there. */
export async function homesOf(
  db: Db,
  viewerId: string,
  cardIds: readonly string[],
): Promise<Map<string, HomeFacts>> {
  if (cardIds.length === 0) return new Map()
  const query = db
    .with('people', (cte) =>
      cte
        .selectFrom('memberships')
        .select(['memberships.workspace_id', (eb) => eb.fn.countAll<number>().as('members')])
        .select(sql<number>`sum(case when role = 'viewer' then 0 else 1 end)`.as('editors'))
        .where('memberships.workspace_id', 'in', (eb) =>
          eb.selectFrom('cards').select('cards.workspace_id').where('cards.card_id', 'in', cardIds),
        )
        .groupBy('memberships.workspace_id'),
    )
    .selectFrom('cards')
    .leftJoin('people', 'people.workspace_id', 'cards.workspace_id')
    .select('cards.card_id')
    .select((eb) => [
      eb.fn.coalesce('people.members', sql<number>`0`).as('members'),
      eb.fn.coalesce('people.editors', sql<number>`0`).as('editors'),
    ])
    .where('cards.card_id', 'in', cardIds)
  const rows = await withWorkspace(query, viewerId).execute()
  return new Map(rows.map(({ card_id, ...homeFacts }) => [card_id, homeFacts]))
}

type Shown = Omit<CardAtHome, keyof HomeFacts> & { card_id: string }

/** Where each of these cards lives and who reads it, as answers say it. A card that is gone meanwhile is left out. */
export async function presentHomes(
  db: Db,
  viewerId: string,
  cards: readonly Shown[],
): Promise<Map<string, HomeAnswer>> {
  const ids = cards.map((card) => card.card_id)
  const homes = await homesOf(db, viewerId, ids)
  return new Map(
    cards.flatMap((card) => {
      const facts = homes.get(card.card_id)
      return facts ? [[card.card_id, presentHome({ ...facts, ...card })] as const] : []
    }),
  )
}
