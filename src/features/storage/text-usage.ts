import { type RawBuilder, sql } from 'kysely'
import type { Ctx, UserCtx } from '../../core/context.ts'
import { AppError } from '../../core/errors.ts'
import type { Db } from '../../db/db.ts'
import { insertRows, type Named, prepared } from '../../db/prepared.ts'
import type { TextUsageTable } from '../../db/schema.ts'
import { STORED_TEXTS, type StoredTexts } from '../../db/stored-texts.ts'

/** Counters change in the transaction of the write; `recountText` must give the same numbers. */

const MIB = 1024 * 1024

type Stored = typeof STORED_TEXTS

type TextTable = {
  [Table in keyof Stored]: Stored[Table] extends { counted: object } ? Table : never
}[keyof Stored]

type Counted = { writer: string; ofCard: boolean; columns: readonly string[] }

function countedTexts(texts: StoredTexts | null): Counted[] {
  if (!texts?.counted) return []
  const { writer, isOfCard = false, columns = [...texts.text, ...(texts.json ?? [])] } = texts.counted
  return [{ writer, ofCard: isOfCard, columns }]
}

/** The columns that count, and the person for whom they do. */
const TEXTS = Object.fromEntries(
  Object.entries(STORED_TEXTS).flatMap(([table, texts]) =>
    countedTexts(texts).map((counted) => [table, counted]),
  ),
) as Record<TextTable, Counted>

const TEXT_TABLES = Object.keys(TEXTS) as TextTable[]
const TABLES_OF_CARDS = TEXT_TABLES.filter((table) => TEXTS[table].ofCard)

export const holdsText = (table: string): table is TextTable => Object.hasOwn(TEXTS, table)

export const textBytes = (table: TextTable, row: object): number =>
  TEXTS[table].columns.reduce(
    (sum, column) => sum + Buffer.byteLength(String((row as Record<string, unknown>)[column] ?? '')),
    0,
  )

/** Returns the bytes of a stored row, for `returning` of a delete. */
export const storedTextBytes = (table: TextTable): RawBuilder<number> =>
  sql`(${sql.join(
    TEXTS[table].columns.map((column) => sql`coalesce(octet_length(${sql.ref(column)}), 0)`),
    sql` + `,
  )})`

/** Rows of one table. `where` names the row `texts`; `cardId`: their card, if known. */
type TextRows = { table: TextTable; where: RawBuilder<unknown>; cardId?: string }

export const rowsOf = (table: TextTable, key: Record<string, string | number>): TextRows => ({
  table,
  where: sql.join(
    Object.entries(key).map(([column, value]) => sql`${sql.ref(`texts.${column}`)} = ${value}`),
    sql` and `,
  ),
})

export const rowsOfCard = (
  table: TextTable,
  cardId: string,
  column = 'card_id',
  value: string | number = cardId,
): TextRows => ({
  table,
  where: sql`texts.card_id = ${cardId} and ${sql.ref(`texts.${column}`)} = ${value}`,
  cardId,
})

export const allTextOfCard = (cardId: string): TextRows[] =>
  TABLES_OF_CARDS.map((table) => rowsOfCard(table, cardId))

const sumOf = ({ table, where, cardId }: TextRows) => {
  const { writer, ofCard, columns } = TEXTS[table]
  const length = sql.join(
    columns.map((column) => sql`coalesce(octet_length(${sql.ref(`texts.${column}`)}), 0)`),
    sql` + `,
  )
  const whose = sql.ref(`texts.${writer}`)
  if (!ofCard)
    return sql`select ${whose} as user_id, sum(${length}) as bytes, 0 as deleted_bytes
      from ${sql.table(table)} as texts where ${where} group by ${whose}`
  const deleted = table === 'cards' ? sql`texts.deleted_at` : sql`cards.deleted_at`
  const join =
    table === 'cards'
      ? sql``
      : sql`join cards on cards.card_id = texts.card_id ${cardId === undefined ? sql`` : sql`and cards.card_id = ${cardId}`}`
  return sql`select ${whose} as user_id,
      sum(case when ${deleted} is null then ${length} else 0 end) as bytes,
      sum(case when ${deleted} is null then 0 else ${length} end) as deleted_bytes
    from ${sql.table(table)} as texts ${join} where ${where} group by ${whose}`
}

type Uses = Map<string, Omit<TextUsageTable, 'user_id'>>

function add(uses: Uses, { user_id, bytes, deleted_bytes }: TextUsageTable, sign = 1): void {
  const before = uses.get(user_id) ?? { bytes: 0, deleted_bytes: 0 }
  uses.set(user_id, {
    bytes: before.bytes + sign * Number(bytes),
    deleted_bytes: before.deleted_bytes + sign * Number(deleted_bytes),
  })
}

/** Parts of one card are in one shard, so one query reads them all. */
async function measure(db: Db, parts: readonly TextRows[], uses: Uses, sign: 1 | -1): Promise<void> {
  if (parts.length === 0) return
  const isOneCard = parts.every(({ cardId }) => cardId !== undefined && cardId === parts[0]?.cardId)
  const queries = isOneCard ? [sql.join(parts.map(sumOf), sql` union all `)] : parts.map(sumOf)
  for (const query of queries) {
    const { rows } = await sql<TextUsageTable>`${query}`.execute(db)
    for (const row of rows) add(uses, row, sign)
  }
}

const ADD_TO_COUNTERS = `on conflict (user_id) do update set bytes = text_usage.bytes + excluded.bytes,
  deleted_bytes = text_usage.deleted_bytes + excluded.deleted_bytes`

/** Updates counters in id order, so that two transactions for the same people do not deadlock. */
async function addUses(db: Db, uses: Uses): Promise<void> {
  const rows = [...uses]
    .filter(([, { bytes, deleted_bytes }]) => bytes !== 0 || deleted_bytes !== 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([userId, { bytes, deleted_bytes }]) => [userId, bytes, deleted_bytes])
  await insertRows(db, 'text_usage', ['user_id', 'bytes', 'deleted_bytes'], rows, ADD_TO_COUNTERS)
}

export async function freeText(db: Db, gone: readonly { user_id: string; bytes: number }[]): Promise<void> {
  const uses: Uses = new Map()
  for (const row of gone) add(uses, { ...row, deleted_bytes: 0 }, -1)
  await addUses(db, uses)
}

/** The caller must hold a lock on the rows. */
export async function countText<T>(
  db: Db,
  parts: readonly TextRows[],
  change: (uses: Uses) => Promise<T>,
): Promise<T> {
  const uses: Uses = new Map()
  await measure(db, parts, uses, -1)
  const result = await change(uses)
  await measure(db, parts, uses, 1)
  await addUses(db, uses)
  return result
}

/** Runs `countText` for the viewer's writes and refuses text above the limit. */
export async function writeText<T>(
  ctx: UserCtx,
  parts: readonly TextRows[],
  change: () => Promise<T>,
): Promise<T> {
  const { userId } = ctx.viewer
  let uses: Uses = new Map()
  const result = await countText(ctx.db, parts, (counted) => {
    uses = counted
    return change()
  })
  const added = uses.get(userId)
  if (added === undefined || added.bytes <= 0) return result
  const after = await textUsageOf(ctx.db, userId)
  if (!fits(ctx, after))
    throw storageFull(ctx, {
      bytes: after.bytes - added.bytes,
      deleted_bytes: after.deleted_bytes - added.deleted_bytes,
    })
  return result
}

const usage = prepared('textUsage', (db, parameter: Named<{ userId: string }>) =>
  db.selectFrom('text_usage').select(['bytes', 'deleted_bytes']).where('user_id', '=', parameter('userId')),
)

type TextUsage = Omit<TextUsageTable, 'user_id'>

export async function textUsageOf(db: Db, userId: string): Promise<TextUsage> {
  const [row] = await usage(db, { userId })
  return row ?? { bytes: 0, deleted_bytes: 0 }
}

export const textLimit = ({ config }: Pick<Ctx, 'config'>): number => config.textMbPerPerson * MIB

/** A separate limit for deleted cards prevents filling the disk by writing and deleting. */
const fits = (ctx: Ctx, { bytes, deleted_bytes }: TextUsage): boolean =>
  bytes <= textLimit(ctx) && bytes + deleted_bytes <= 2 * textLimit(ctx)

/** Checks the limit after a step that counted the viewer's texts again, such as restoring a card. */
export async function requireTextFits(ctx: UserCtx): Promise<void> {
  const after = await textUsageOf(ctx.db, ctx.viewer.userId)
  if (after.bytes > textLimit(ctx)) throw storageFull(ctx, after)
}

const inMiB = (bytes: number): string => (bytes / MIB).toLocaleString('en', { maximumFractionDigits: 1 })

function storageFull(ctx: Ctx, { bytes, deleted_bytes }: TextUsage): AppError {
  const { textMbPerPerson } = ctx.config
  const deleted =
    deleted_bytes < textLimit(ctx) / 2
      ? ''
      : ` Deleted cards take ${inMiB(deleted_bytes)} MiB more until they are removed for good.`
  return new AppError(
    413,
    'storage_full',
    `This does not fit: your texts take ${inMiB(bytes)} of ${textMbPerPerson} MiB.${deleted} Delete cards, memory or raw materials first.`,
    { used_bytes: bytes, deleted_bytes, limit_bytes: textLimit(ctx) },
  )
}

const insertWithin = prepared(
  'countTextWithinLimit',
  (_, parameter: Named<{ userId: string; bytes: number; limit: number; both: number }>) =>
    sql<{ bytes: number }>`insert into text_usage (user_id, bytes, deleted_bytes)
      values (${parameter('userId')}, ${parameter('bytes')}, 0)
      on conflict (user_id) do update set bytes = text_usage.bytes + excluded.bytes
        where text_usage.bytes + excluded.bytes <= ${parameter('limit')}
          and text_usage.bytes + excluded.bytes + text_usage.deleted_bytes <= ${parameter('both')}
      returning bytes`,
)

/** Counts new text of the viewer, or refuses it above the limit. Call this before the text is written. */
export async function chargeText(ctx: UserCtx, bytes: number): Promise<void> {
  const limit = textLimit(ctx)
  const [counted] = await insertWithin(ctx.db, {
    userId: ctx.viewer.userId,
    bytes,
    limit,
    both: 2 * limit,
  })
  if (!counted || counted.bytes > limit) throw storageFull(ctx, await textUsageOf(ctx.db, ctx.viewer.userId))
}

export async function recountText(db: Db): Promise<Map<string, TextUsage>> {
  const uses: Uses = new Map()
  await measure(
    db,
    TEXT_TABLES.map((table) => ({ table, where: sql`1 = 1` })),
    uses,
    1,
  )
  return uses
}
