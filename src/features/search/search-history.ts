import { z } from 'zod'
import { capability } from '../../core/capability.ts'
import { inTx, type UserCtx } from '../../core/context.ts'
import { conflict, notFound } from '../../core/errors.ts'
import { AnswerId, Id, Time } from '../../core/schemas.ts'
import { fromJson, toJson } from '../../db/columns.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import type { KeptSearchesTable } from '../../db/knowledge-schema.ts'
import { cleanText, Findings } from '../../redaction/redact.ts'
import { requiredText } from '../../redaction/required-text.ts'
import { cutText } from '../../text/unicode.ts'
import { wordFilters } from '../cards/index.ts'
import { requireUser, settingsOf } from '../identity/index.ts'

type Kind = KeptSearchesTable['kind']
type KeptQuery = Pick<KeptSearchesTable, 'user_id' | 'kind' | 'query' | 'filters'>

const keptBy = (db: Db, userId: string): Promise<KeptSearchesTable[]> =>
  db
    .selectFrom('kept_searches')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('used_at', 'desc')
    .orderBy('search_id', 'desc')
    .execute()

const insertKept = (db: Db, row: KeptSearchesTable) => db.insertInto('kept_searches').values(row).execute()

const deleteSame = (db: Db, { user_id, kind, query, filters }: KeptQuery) =>
  db
    .deleteFrom('kept_searches')
    .where('user_id', '=', user_id)
    .where('kind', '=', kind)
    .where('query', '=', query)
    .where('filters', '=', filters)
    .execute()

async function countKept(db: Db, userId: string, kind: Kind): Promise<number> {
  const { total } = await db
    .selectFrom('kept_searches')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow()
  return total
}

const trimRecent = (db: Db, userId: string, most: number) =>
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

const deleteRecent = (db: Db, userId: string) =>
  db.deleteFrom('kept_searches').where('user_id', '=', userId).where('kind', '=', 'recent').execute()

const deleteKept = (db: Db, userId: string, searchId: string) =>
  db
    .deleteFrom('kept_searches')
    .where('user_id', '=', userId)
    .where('search_id', '=', searchId)
    .returning('search_id')
    .executeTakeFirst()

const MAX_RECENT = 50
const MAX_SAVED = 100
/** Longer questions are pasted text that nobody picks from a list. */
const MAX_QUERY_LENGTH = 2000
const MAX_FILTER_LENGTH = 1000
const MAX_NAME_LENGTH = 120

const Filters = z
  .object({
    tags: z.string().max(MAX_FILTER_LENGTH).optional().describe('Separated by commas'),
    env: z.string().max(MAX_FILTER_LENGTH).optional().describe('Such as node: 20, os: linux'),
    ...wordFilters,
    workspace: Id.optional(),
  })
  .meta({ id: 'KeptSearchFilters' })

const SearchToKeep = z.object({
  query: requiredText(1, MAX_QUERY_LENGTH),
  filters: Filters.default({}),
})

const KeptSearch = z
  .object({
    search_id: AnswerId,
    kind: z.enum(['recent', 'saved']),
    name: z.string().nullable(),
    query: z.string(),
    filters: Filters,
    used_at: Time,
  })
  .meta({ id: 'KeptSearch' })

type Kept = z.input<typeof KeptSearch>

const present = ({ search_id, kind, name, query, filters, used_at }: KeptSearchesTable): Kept => ({
  search_id,
  kind,
  name,
  query,
  filters: fromJson(filters),
  used_at,
})

/** Removes secrets, which people paste into search boxes too. */
const clean = (text: string): string => cleanText(text, new Findings())

/** Removes secrets and cuts the text to the limit, because a placeholder may be longer than the secret. */
const cleanWithin = (text: string, most: number): string => cutText(clean(text), most).text

const cleanFilters = (filters: z.output<typeof Filters>): z.output<typeof Filters> => ({
  ...filters,
  ...(filters.tags === undefined ? {} : { tags: cleanWithin(filters.tags, MAX_FILTER_LENGTH) }),
  ...(filters.env === undefined ? {} : { env: cleanWithin(filters.env, MAX_FILTER_LENGTH) }),
})

type SearchInput = z.output<typeof SearchToKeep>

const rowFor = (
  ctx: UserCtx,
  { query, filters }: SearchInput,
  kept: Pick<KeptSearchesTable, 'kind' | 'name'>,
): KeptSearchesTable => {
  const now = ctx.now().toISOString()
  return {
    search_id: newId(),
    user_id: ctx.viewer.userId,
    ...kept,
    query: clean(query),
    filters: toJson(cleanFilters(filters)),
    created_at: now,
    used_at: now,
  }
}

const keepsHistory = async (ctx: UserCtx): Promise<boolean> =>
  settingsOf(await requireUser(ctx, ctx.viewer.userId)).keep_search_history

export const listKeptSearches = capability({
  name: 'searches.list',
  summary: 'The caller’s recent and saved searches',
  scopes: ['account'],
  rest: ['GET /api/v1/searches'],
  input: z.object({}),
  output: z
    .object({
      recent: z.array(KeptSearch).describe(`Most recently used first, at most ${MAX_RECENT}`),
      saved: z.array(KeptSearch).describe(`At most ${MAX_SAVED}`),
      keeps_history: z.boolean().describe('The setting keep_search_history'),
    })
    .meta({ id: 'KeptSearches' }),
  run: async (ctx) => {
    const kept = (await keptBy(ctx.db, ctx.viewer.userId)).map(present)
    return {
      recent: kept.filter(({ kind }) => kind === 'recent'),
      saved: kept.filter(({ kind }) => kind === 'saved'),
      keeps_history: await keepsHistory(ctx),
    }
  },
})

export const rememberSearch = capability({
  name: 'searches.remember',
  summary: 'Add a search to the history of the caller',
  description: `The same question moves to the top. The oldest is dropped when there are more than ${MAX_RECENT}. Secrets are replaced before it is stored. Does nothing while keep_search_history is off in the settings.`,
  scopes: ['account'],
  rest: ['POST /api/v1/searches/recent'],
  status: 204,
  input: SearchToKeep.meta({ id: 'SearchToRemember' }),
  output: z.void(),
  run: (ctx, asked) =>
    inTx(ctx, async (ctx) => {
      if (!(await keepsHistory(ctx))) return
      const row = rowFor(ctx, asked, { kind: 'recent', name: null })
      await deleteSame(ctx.db, row)
      await insertKept(ctx.db, row)
      await trimRecent(ctx.db, row.user_id, MAX_RECENT)
    }),
})

export const saveSearch = capability({
  name: 'searches.save',
  summary: 'Save a search under a name',
  description: `The same question saved again gets the new name. At most ${MAX_SAVED}; then 409 too_many_searches.`,
  scopes: ['account'],
  rest: ['POST /api/v1/searches/saved'],
  status: 201,
  errors: [409],
  input: SearchToKeep.extend({
    name: requiredText(1, MAX_NAME_LENGTH).optional().describe('The query itself, if left out'),
  }).meta({ id: 'SearchToSave' }),
  output: KeptSearch,
  run: (ctx, { name, ...asked }) =>
    inTx(ctx, async (ctx) => {
      const kept = {
        kind: 'saved' as const,
        name: cleanWithin(name ?? asked.query, MAX_NAME_LENGTH),
      }
      const row = rowFor(ctx, asked, kept)
      await deleteSame(ctx.db, row)
      if ((await countKept(ctx.db, row.user_id, 'saved')) >= MAX_SAVED)
        throw conflict('too_many_searches', `You have ${MAX_SAVED} saved searches. Delete one first.`)
      await insertKept(ctx.db, row)
      return present(row)
    }),
})

export const forgetSearch = capability({
  name: 'searches.delete',
  summary: 'Delete one search from the history or from the saved ones',
  scopes: ['account'],
  rest: ['DELETE /api/v1/searches/{search_id}'],
  status: 204,
  errors: [404],
  input: z.object({ search_id: Id }),
  output: z.void(),
  run: (ctx, { search_id }) =>
    inTx(ctx, async (ctx) => {
      if (!(await deleteKept(ctx.db, ctx.viewer.userId, search_id))) throw notFound('Search')
    }),
})

export const clearSearchHistory = capability({
  name: 'searches.clear_recent',
  summary: 'Clear the search history of the caller; saved searches stay',
  scopes: ['account'],
  rest: ['DELETE /api/v1/searches/recent'],
  status: 204,
  input: z.object({}),
  output: z.void(),
  run: (ctx) =>
    inTx(ctx, async (ctx) => {
      await deleteRecent(ctx.db, ctx.viewer.userId)
    }),
})

export async function forgetHistory(ctx: UserCtx): Promise<void> {
  await deleteRecent(ctx.db, ctx.viewer.userId)
}
