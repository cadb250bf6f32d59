import type { Db } from '../../db/db.ts'
import type { KeptSearchesTable } from '../../db/tables/kept-searches.ts'

type Kind = KeptSearchesTable['kind']
type Question = Pick<KeptSearchesTable, 'user_id' | 'kind' | 'query' | 'filters'>

/** Most recently used first. */
export const keptBy = (db: Db, userId: string): Promise<KeptSearchesTable[]> =>
  db
    .selectFrom('kept_searches')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('used_at', 'desc')
    .orderBy('search_id', 'desc')
    .execute()

export const insertKept = (db: Db, row: KeptSearchesTable) =>
  db.insertInto('kept_searches').values(row).execute()

/** The same question, kept before. */
export const deleteSame = (db: Db, { user_id, kind, query, filters }: Question) =>
  db
    .deleteFrom('kept_searches')
    .where('user_id', '=', user_id)
    .where('kind', '=', kind)
    .where('query', '=', query)
    .where('filters', '=', filters)
    .execute()

export async function countKept(db: Db, userId: string, kind: Kind): Promise<number> {
  const { total } = await db
    .selectFrom('kept_searches')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow()
  return total
}

/** Keeps the newest `most` entries of the history. */
export const trimRecent = (db: Db, userId: string, most: number) =>
  db
    .deleteFrom('kept_searches')
    .where('user_id', '=', userId)
    .where('kind', '=', 'recent')
    .where('search_id', 'not in', (eb) =>
      eb
        .selectFrom('kept_searches as newest')
        .select('newest.search_id')
        .where('newest.user_id', '=', userId)
        .where('newest.kind', '=', 'recent')
        .orderBy('newest.used_at', 'desc')
        .orderBy('newest.search_id', 'desc')
        .limit(most),
    )
    .execute()

export const deleteRecent = (db: Db, userId: string) =>
  db.deleteFrom('kept_searches').where('user_id', '=', userId).where('kind', '=', 'recent').execute()

export const deleteKept = (db: Db, userId: string, searchId: string) =>
  db
    .deleteFrom('kept_searches')
    .where('user_id', '=', userId)
    .where('search_id', '=', searchId)
    .returning('search_id')
    .executeTakeFirst()
