import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { parsers } from './postgres/postgres.ts'
import { explainDamage, explainUnreadable } from './sqlite/sqlite.ts'

export type TableShape = {
  name: string
  columns: string[]
  /** The primary key. Rows come in its order, the same on both engines. */
  key: string[]
  references: Reference[]
}

/** A foreign key: pairs of own and target column. */
type Reference = { table: string; columns: readonly (readonly [own: string, target: string])[] }

export type Value = string | number | null

/** The whole database at one moment, read over a separate connection while others write. */
export type Snapshot = {
  tables: TableShape[]
  /** Yields rows as lists of values in the order of `columns`, in batches. */
  rows: (table: TableShape) => AsyncIterable<Value[][]>
  /** Returns the faults that the database finds in its own storage. PostgreSQL cannot be asked. */
  damage: () => Promise<string[]>
  close: () => Promise<void>
}

const BATCH_ROWS = 200

/** Sorts tables so that each comes after those that it refers to. */
function inOrderOfReference(tables: readonly TableShape[]): TableShape[] {
  const byName = new Map(tables.map((table) => [table.name, table]))
  const ordered = new Set<TableShape>()
  const visit = (table: TableShape, path: readonly TableShape[]) => {
    if (ordered.has(table) || path.includes(table)) return
    for (const { table: target } of table.references) {
      const referred = byName.get(target)
      if (referred) visit(referred, [...path, table])
    }
    ordered.add(table)
  }
  for (const table of [...tables].sort((a, b) => (a.name < b.name ? -1 : 1))) visit(table, [])
  return [...ordered]
}

/** Throws for a value that is no text, whole number or null: a backup would change other types silently. */
function requireValue(value: unknown, table: string, column: string): Value {
  if (value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value)))
    return value
  throw new Error(`${table}.${column} holds a ${typeof value}, which a backup cannot carry`)
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

type ColumnInfo = { name: string; pk: number }
type ForeignKey = { from: string; table: string; to: string }

function shapeOf(db: DatabaseSync, name: string): TableShape {
  const columns = db.prepare(`pragma table_info(${quoted(name)})`).all() as ColumnInfo[]
  const keys = db.prepare(`pragma foreign_key_list(${quoted(name)})`).all() as ForeignKey[]
  return {
    name,
    columns: columns.map((column) => column.name),
    key: columns
      .filter((column) => column.pk > 0)
      .sort((a, b) => a.pk - b.pk)
      .map((column) => column.name),
    references: keys.map(({ from, table, to }): Reference => ({ table, columns: [[from, to]] })),
  }
}

/** Ordinary tables only: full-text tables and their shadow tables are derived. */
const TABLES = `select name from pragma_table_list
  where schema = 'main' and type = 'table' and name not like 'sqlite!_%' escape '!'`

function tablesIn(file: string, db: DatabaseSync): TableShape[] {
  try {
    db.exec('begin')
    const names = db.prepare(TABLES).all() as { name: string }[]
    return inOrderOfReference(names.map(({ name }) => shapeOf(db, name)))
  } catch (error) {
    db.close()
    throw explainUnreadable(file, error)
  }
}

function openToRead(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  } catch (error) {
    throw explainUnreadable(file, error)
  }
}

/** Opens a snapshot: a read transaction in WAL mode sees one state of the database. */
export async function openSqliteSnapshot(file: string): Promise<Snapshot> {
  const db = openToRead(file)
  const tables = tablesIn(file, db)

  async function* rows(shape: TableShape): AsyncGenerator<Value[][]> {
    try {
      yield* readRows(shape)
    } catch (error) {
      throw explainDamage(file, error)
    }
  }

  async function* readRows({ name, columns, key }: TableShape): AsyncGenerator<Value[][]> {
    const order = key.length > 0 ? ` order by ${key.map(quoted).join(', ')}` : ''
    const statement = db.prepare(`select ${columns.map(quoted).join(', ')} from ${quoted(name)}${order}`)
    let batch: Value[][] = []
    for (const row of statement.iterate()) {
      batch.push(columns.map((column) => requireValue(row[column], name, column)))
      if (batch.length < BATCH_ROWS) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
  }
  /** Needs a connection that has not searched before: FTS5 would check against the segments in its cache. */
  async function damage(): Promise<string[]> {
    const found = db.prepare('pragma integrity_check').all() as { integrity_check: string }[]
    return found.map((row) => row.integrity_check).filter((line) => line !== 'ok')
  }
  return { tables, rows, damage, close: async () => db.close() }
}

/** Excludes unlogged tables, whose content is derived. */
const TABLES_IN_ORDER = `
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

const quotedName = (name: string) => `"${name.replaceAll('"', '""')}"`

/** An error listener, because an error on the idle connection would otherwise end the process. */
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

export async function openPostgresSnapshot(url: string): Promise<Snapshot> {
  const client = await connect(url)
  try {
    await client.query('begin isolation level repeatable read, read only')
    const shapes = await client.query<Omit<TableShape, 'references'>>(TABLES_IN_ORDER)
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
      // Ordered by bytes, as on SQLite, whatever the database's collation.
      const order = key.map(
        (column) => `${quotedName(column)}${isText.has(`${name}.${column}`) ? ' collate "C"' : ''}`,
      )
      await client.query(
        `declare backup_rows no scroll cursor for select ${columns.map(quotedName).join(', ')} from ${quotedName(name)}${
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
