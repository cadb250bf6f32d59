import { type Selectable, sql } from 'kysely'
import { fromJsonOrNull, toJsonOrNull } from '../../db/columns.ts'
import type { Database, Db, EngineName } from '../../db/db.ts'
import type { Schema } from '../../db/schema.ts'
import { countText, holdsText, rowsOf } from '../storage/text-usage.ts'
import type { Finding } from './redact.ts'
import { cleanJson, cleanOptional, Findings } from './stored.ts'

/** A stored record in the form that the present rules would give it. */
export type Rescanned = {
  id: string
  findings: Finding[]
  /** Stores the clean form, unless the record has gone or was changed since it was read. */
  save: (db: Db, engine: EngineName) => Promise<void>
}

/** Something that keeps free text; each feature describes its own. */
export type RescanSource = {
  name: string
  count: (db: Db) => Promise<number>
  /** The records after `after` in the order of their ids. */
  batch: (db: Db, after: string, limit: number) => Promise<Rescanned[]>
}

type TextColumn<Table extends keyof Schema> = keyof Selectable<Schema[Table]> & string
type Texts = Record<string, string | null>

async function countRows(db: Db, table: string): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from ${sql.table(table)}`.execute(db)
  return rows[0]?.total ?? 0
}

/** A table whose rows are found by `raw_id`. */
export function tableToRescan<Table extends 'raw_materials' | 'context_events'>(
  name: string,
  table: Table,
  rescanned: (row: Selectable<Schema[Table]>) => Rescanned,
): RescanSource {
  return {
    name,
    count: (db) => countRows(db, table),
    batch: async (db, after, limit) => {
      const { rows } = await sql<Selectable<Schema[Table]>>`select * from ${sql.table(table)}
        where raw_id > ${after} order by raw_id limit ${limit}`.execute(db)
      return rows.map(rescanned)
    },
  }
}

/** A table of which only these columns hold free text; in those of `json`, every string of the value. */
export function textsToRescan<Table extends keyof Schema & string>(
  name: string,
  table: Table,
  id: TextColumn<Table>,
  columns: readonly TextColumn<Table>[],
  json: readonly TextColumn<Table>[] = [],
): RescanSource {
  const read = sql.join([id, ...columns, ...json].map((column) => sql.ref(column)))
  return {
    name,
    count: (db) => countRows(db, table),
    batch: async (db, after, limit) => {
      const { rows } = await sql<Texts>`select ${read}
        from ${sql.table(table)} where ${sql.ref(id)} > ${after} order by ${sql.ref(id)} limit ${limit}`.execute(
        db,
      )
      return rows.map(({ [id]: key, ...texts }) =>
        rescannedTexts(table, { column: id, value: key ?? '' }, texts, json),
      )
    },
  }
}

/** A text that was written since it was read is left alone: the present rules have seen it. */
function rescannedTexts(
  table: string,
  id: { column: string; value: string },
  texts: Texts,
  json: readonly string[],
): Rescanned {
  const findings = new Findings()
  const cleaned = (column: string, text: string | null) =>
    json.includes(column)
      ? toJsonOrNull(cleanJson(fromJsonOrNull(text), findings))
      : cleanOptional(text, findings)
  const clean = Object.entries(texts).map(([column, text]) => ({
    column: sql.ref(column),
    before: text,
    after: cleaned(column, text),
  }))
  return {
    id: id.value,
    findings: findings.list(),
    save: async (db) => {
      const update = sql`update ${sql.table(table)}
        set ${sql.join(clean.map(({ column, after }) => sql`${column} = ${after}`))}
        where ${sql.ref(id.column)} = ${id.value}
          and ${sql.join(
            clean.map(({ column, before }) => sql`${column} is not distinct from ${before}`),
            sql` and `,
          )}`
      const counted = holdsText(table) ? [rowsOf(table, { [id.column]: id.value })] : []
      await countText(db, counted, () => update.execute(db))
    },
  }
}

export type Progress = { source: string; done: number; total: number; changed: number }
export type RescanResult = { source: string; read: number; changed: number; findings: Finding[] }

const BATCH = 100

/** Applies the present rules to records that were stored under older ones. A dry run only counts. */
export async function rescan(
  database: Database,
  sources: readonly RescanSource[],
  options: { dryRun: boolean; onProgress?: (progress: Progress) => void },
): Promise<RescanResult[]> {
  const results: RescanResult[] = []
  for (const source of sources) {
    const total = await source.count(database.read)
    const findings = new Findings()
    const result = { source: source.name, read: 0, changed: 0 }
    let after = ''
    for (;;) {
      const records = await source.batch(database.read, after, BATCH)
      for (const record of records.filter(({ findings }) => findings.length > 0)) {
        findings.add(record.findings)
        result.changed += 1
        if (!options.dryRun) await database.transaction((db) => record.save(db, database.engine))
      }
      result.read += records.length
      options.onProgress?.({ source: source.name, done: result.read, total, changed: result.changed })
      const last = records.at(-1)
      if (!last) break
      after = last.id
    }
    results.push({ ...result, findings: findings.list() })
  }
  return results
}

/** What an earlier write found, and what was found now. */
export function addedFindings(before: readonly Finding[], now: readonly Finding[]): Finding[] {
  const all = new Findings()
  all.add(before)
  all.add(now)
  return all.list()
}
