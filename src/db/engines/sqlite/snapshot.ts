import { DatabaseSync } from 'node:sqlite'
import {
  BATCH_ROWS,
  inOrderOfReference,
  type Reference,
  requireValue,
  type Snapshot,
  type TableShape,
  type Value,
} from '../../snapshot.ts'
import { explainDamage, explainUnreadable } from './database-file.ts'

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

/** Ordinary tables only: full-text tables and what they are made of are derived. */
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

/** A read transaction in WAL mode sees one state of the database, however much is written meanwhile. */
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
  /** Not on a connection that has searched before: FTS5 would check against the segments that it remembers from then. */
  async function damage(): Promise<string[]> {
    const found = db.prepare('pragma integrity_check').all() as { integrity_check: string }[]
    return found.map((row) => row.integrity_check).filter((line) => line !== 'ok')
  }
  return { tables, rows, damage, close: async () => db.close() }
}
