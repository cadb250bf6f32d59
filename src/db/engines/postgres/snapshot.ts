import pg from 'pg'
import {
  BATCH_ROWS,
  inOrderOfReference,
  type Reference,
  requireValue,
  type Snapshot,
  type TableShape,
  type Value,
} from '../../snapshot.ts'
import { parsers } from './postgres.ts'

/** Without unlogged tables, which hold nothing that would be missed. */
const TABLES = `
  select c.relname as name,
    array(select a.attname::text from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns,
    array(select a.attname::text from pg_index i
      cross join unnest(i.indkey) with ordinality as k (attnum, position)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
      where i.indrelid = c.oid and i.indisprimary order by k.position) as key
  from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
    and c.relpersistence = 'p'`

const REFERENCES = `
  select f.conrelid::regclass::text as owner, t.relname as "table",
    (select json_agg(json_build_array(a.attname, b.attname) order by k.position)
      from unnest(f.conkey, f.confkey) with ordinality as k (own, target, position)
      join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.own
      join pg_attribute b on b.attrelid = f.confrelid and b.attnum = k.target) as columns
  from pg_constraint f
  join pg_class t on t.oid = f.confrelid
  where f.contype = 'f' and f.connamespace = current_schema()::regnamespace`

type TextColumn = { table_name: string; column_name: string }

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/**
 * While a batch is written the connection is idle. If it breaks then, that is an event, which nobody may leave without a
 * listener: it would end the process. The next query fails and says why.
 */
async function connect(url: string) {
  const client = new pg.Client({
    connectionString: url,
    types: parsers,
    application_name: 'knowledge-vault backup',
    connectionTimeoutMillis: 10_000,
  })
  let broken: Error | undefined
  client.on('error', (error) => {
    broken ??= error
  })
  await client.connect()
  const query = async <R extends pg.QueryResultRow>(text: string): Promise<pg.QueryResult<R>> => {
    try {
      return await client.query<R>(text)
    } catch (error) {
      throw broken ?? error
    }
  }
  return { query, end: () => client.end() }
}

/** Repeatable read sees one state of the database; a cursor keeps only a batch in memory. */
export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const client = await connect(url)
  try {
    await client.query('begin isolation level repeatable read, read only')
    const shapes = await client.query<Omit<TableShape, 'references'>>(TABLES)
    const references = await client.query<Reference & { owner: string }>(REFERENCES)
    const texts = await client.query<TextColumn>(
      "select table_name, column_name from information_schema.columns where table_schema = current_schema() and data_type = 'text'",
    )
    const isText = new Set(texts.rows.map((row) => `${row.table_name}.${row.column_name}`))
    const tables = shapes.rows.map((shape) => ({
      ...shape,
      references: references.rows
        .filter(({ owner }) => owner === shape.name)
        .map(({ owner: _, ...reference }) => reference),
    }))

    async function* rows({ name, columns, key }: TableShape): AsyncGenerator<Value[][]> {
      // By bytes, as SQLite orders, whatever collation the database has.
      const order = key.map(
        (column) => `${quoted(column)}${isText.has(`${name}.${column}`) ? ' collate "C"' : ''}`,
      )
      await client.query(
        `declare backup_rows no scroll cursor for select ${columns.map(quoted).join(', ')} from ${quoted(name)}${
          order.length > 0 ? ` order by ${order.join(', ')}` : ''
        }`,
      )
      for (;;) {
        const found = await client.query<Record<string, unknown>>(`fetch ${BATCH_ROWS} from backup_rows`)
        if (found.rows.length > 0)
          yield found.rows.map((row) => columns.map((column) => requireValue(row[column], name, column)))
        if (found.rows.length < BATCH_ROWS) break
      }
      await client.query('close backup_rows')
    }
    return { tables: inOrderOfReference(tables), rows, damage: async () => [], close: client.end }
  } catch (error) {
    await client.end()
    throw error
  }
}
