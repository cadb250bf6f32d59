import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/db.ts'

/** Whose figures: one person's, or those of the members of a workspace about its cards. */
export type Asked = { userId: string; workspaceId: string | undefined; since: string }

const members = (db: Db, workspaceId: string) =>
  db.selectFrom('memberships').select('memberships.user_id').where('workspace_id', '=', workspaceId)

/** Whose rows count. What somebody did before they came is not the team's to know. */
function isTheirs(
  table: 'recall_calls' | 'recall_items' | 'recoveries',
  { userId, workspaceId }: Asked,
): RawBuilder<SqlBool> {
  const [user, time] = [sql.ref(`${table}.user_id`), sql.ref(`${table}.created_at`)]
  if (workspaceId === undefined) return sql`${user} = ${userId}`
  const ofMembers = sql`select m.user_id from memberships m where m.workspace_id = ${workspaceId}`
  return sql`${user} in (${ofMembers}) and exists (${ofMembers} and m.user_id = ${user} and m.created_at <= ${time})`
}

/** The moments at which recall looks for a fitting card. A start is left out: it always gets an answer. */
const ASKING = ['failure', 'prompt'] as const

const callsOf = (db: Db, asked: Asked) =>
  db
    .selectFrom('recall_calls')
    .where('recall_calls.created_at', '>=', asked.since)
    .where('recall_calls.moment', 'in', ASKING)
    .where(isTheirs('recall_calls', asked))

const itemsOf = (db: Db, asked: Asked) =>
  db
    .selectFrom('recall_items')
    .where('recall_items.kind', '=', 'card')
    .where('recall_items.created_at', '>=', asked.since)
    .where(isTheirs('recall_items', asked))
    .$if(asked.workspaceId !== undefined, (query) =>
      query.where('recall_items.item_id', 'in', (eb) =>
        eb
          .selectFrom('cards')
          .select('cards.card_id')
          .where('cards.workspace_id', '=', asked.workspaceId ?? ''),
      ),
    )

export async function countMembers(db: Db, workspaceId: string): Promise<number> {
  const { people } = await db
    .selectFrom('memberships')
    .select(({ fn }) => fn.countAll<number>().as('people'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return people
}

const countAsked = async (db: Db, asked: Asked): Promise<number> => {
  const { all } = await callsOf(db, asked)
    .select(({ fn }) => fn.countAll<number>().as('all'))
    .executeTakeFirstOrThrow()
  return all
}

/**
 * How often recall was asked, how often it answered, and with how many characters. For a team, only its cards count, and
 * only the times that they answered: how often a member's agent asks is not the team's to know, and in a team of two it
 * would be one person's.
 */
export async function countCalls(db: Db, asked: Asked) {
  const { answered, chars } = await callsOf(db, asked)
    .where('recall_calls.is_silent', '=', 0)
    .$if(asked.workspaceId !== undefined, (query) =>
      query.where('recall_calls.call_id', 'in', itemsOf(db, asked).select('recall_items.call_id')),
    )
    .select(({ fn, lit }) => [
      fn.countAll<number>().as('answered'),
      fn.coalesce(fn.sum<number>('recall_calls.chars'), lit(0)).as('chars'),
    ])
    .executeTakeFirstOrThrow()
  const all = asked.workspaceId === undefined ? await countAsked(db, asked) : answered
  return { all, answered, chars: Number(chars) }
}

export async function countItems(db: Db, asked: Asked) {
  const { delivered, opened } = await itemsOf(db, asked)
    .select(({ fn }) => [
      fn.countAll<number>().as('delivered'),
      fn.count<number>('recall_items.opened_at').as('opened'),
    ])
    .executeTakeFirstOrThrow()
  return { delivered, opened }
}

/** The verdicts of these people in that time; a delivery lies with the person and a verdict with the card, so nothing joins them. */
const verdictsOf = (db: Db, { userId, workspaceId, since }: Asked) =>
  db
    .selectFrom('card_verdicts')
    .select(['card_id', 'user_id', 'environment_key', 'outcome', 'created_at'])
    .where('user_id', workspaceId ? 'in' : '=', workspaceId ? members(db, workspaceId) : userId)
    .where('created_at', '>=', since)
    .orderBy('created_at')
    .orderBy('verdict_id')
    .execute()

const CARDS_AT_ONCE = 500

/** Delivered cards that the same person judged afterwards, and those of them that worked. */
export async function countVerdicts(db: Db, asked: Asked) {
  const all = await verdictsOf(db, asked)
  // The last one in an environment replaces the former: what was taken back says nothing.
  const last = new Map(all.map((row) => [`${row.user_id} ${row.card_id} ${row.environment_key}`, row]))
  const given = [...last.values()].filter(({ outcome }) => outcome !== 'withdrawn')
  const verdicts = Map.groupBy(given, (row) => `${row.user_id} ${row.card_id}`)
  const cardIds = [...new Set(given.map((row) => row.card_id))]
  const counts = { judged: 0, worked: 0 }
  for (let from = 0; from < cardIds.length; from += CARDS_AT_ONCE) {
    const items = await itemsOf(db, asked)
      .select(['recall_items.user_id', 'recall_items.item_id', 'recall_items.created_at'])
      .where('recall_items.item_id', 'in', cardIds.slice(from, from + CARDS_AT_ONCE))
      .execute()
    for (const item of items) {
      const said = verdicts.get(`${item.user_id} ${item.item_id}`) ?? []
      const after = said.filter((verdict) => verdict.created_at >= item.created_at)
      if (after.length > 0) counts.judged++
      if (after.some(({ outcome }) => outcome === 'worked')) counts.worked++
    }
  }
  return counts
}

/** A failure that was overcome, and whether a card was delivered for it in that session. */
export type Overcome = { user_id: string; signature: string; attempts: number; delivered: number | null }

const MOST_RECOVERIES = 10_000

/** In the order of time. */
export const recoveriesOf = (db: Db, asked: Asked): Promise<Overcome[]> =>
  db
    .selectFrom('recoveries')
    .leftJoin(
      itemsOf(db, { ...asked, since: '' })
        .innerJoin('recall_calls', (join) =>
          join
            .onRef('recall_calls.user_id', '=', 'recall_items.user_id')
            .onRef('recall_calls.call_id', '=', 'recall_items.call_id'),
        )
        .select(({ fn }) => [
          'recall_calls.user_id',
          'recall_calls.session_id',
          'recall_calls.signature',
          fn.countAll<number>().as('delivered'),
        ])
        .groupBy(['recall_calls.user_id', 'recall_calls.session_id', 'recall_calls.signature'])
        .as('helped'),
      (join) =>
        join
          .onRef('helped.user_id', '=', 'recoveries.user_id')
          .onRef('helped.session_id', '=', 'recoveries.session_id')
          .onRef('helped.signature', '=', 'recoveries.signature'),
    )
    .select(['recoveries.user_id', 'recoveries.signature', 'recoveries.attempts', 'helped.delivered'])
    .where(isTheirs('recoveries', asked))
    .where('recoveries.created_at', '>=', asked.since)
    .orderBy('recoveries.created_at')
    .orderBy('recoveries.recovery_id')
    .limit(MOST_RECOVERIES)
    .execute()

const ROWS_AT_ONCE = 500

export type DeliveryRow = Record<
  | 'delivery_id'
  | 'created_at'
  | 'moment'
  | 'client'
  | 'project_key'
  | 'session_id'
  | 'signature'
  | 'kind'
  | 'item_id'
  | 'opened_at',
  string | null
> & { chars: number; confidence: number | null }

/** One's own deliveries, oldest first, a page at a time. */
export async function* deliveriesOf(db: Db, userId: string, since: string): AsyncGenerator<DeliveryRow> {
  for (let last = { created_at: since, delivery_id: '' }, full = true; full; ) {
    const rows = await db
      .selectFrom('recall_items')
      .innerJoin('recall_calls', (join) =>
        join
          .onRef('recall_calls.user_id', '=', 'recall_items.user_id')
          .onRef('recall_calls.call_id', '=', 'recall_items.call_id'),
      )
      .select([
        'recall_items.delivery_id',
        'recall_items.created_at',
        'recall_calls.moment',
        'recall_calls.client',
        'recall_calls.project_key',
        'recall_calls.session_id',
        'recall_calls.signature',
        'recall_calls.chars',
        'recall_items.kind',
        'recall_items.item_id',
        'recall_items.confidence',
        'recall_items.opened_at',
      ])
      .where('recall_items.user_id', '=', userId)
      .where((eb) =>
        eb.or([
          eb('recall_items.created_at', '>', last.created_at),
          eb.and([
            eb('recall_items.created_at', '=', last.created_at),
            eb('recall_items.delivery_id', '>', last.delivery_id),
          ]),
        ]),
      )
      .orderBy('recall_items.created_at')
      .orderBy('recall_items.delivery_id')
      .limit(ROWS_AT_ONCE)
      .execute()
    yield* rows
    last = rows.at(-1) ?? last
    full = rows.length === ROWS_AT_ONCE
  }
}
