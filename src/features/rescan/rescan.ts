import { sql } from 'kysely'
import { fromJson, fromJsonOrNull, toJson, toJsonOrNull } from '../../db/columns.ts'
import type { Database, Db, EngineName } from '../../db/db.ts'
import { STORED_TEXTS, type StoredTexts } from '../../db/stored-texts.ts'
import { cleanJson, cleanOptional, type Finding, Findings } from '../../redaction/redact.ts'
import { countText, holdsText, rowsOf } from '../storage/index.ts'

type Rescanned = {
  id: string
  findings: Finding[]
  /** Stores the clean form, unless the record was deleted or changed since it was read. */
  save: (db: Db, engine: EngineName) => Promise<void>
}

export type RescanSource = {
  name: string
  count: (db: Db) => Promise<number>
  batch: (db: Db, after: string, limit: number) => Promise<Rescanned[]>
}

type Texts = typeof STORED_TEXTS

type RescannedTable = {
  [Table in keyof Texts]: Texts[Table] extends { rescan: object } ? Table : never
}[keyof Texts]

type Row = Record<string, string | null>

/** Runs after the change of a row; `key` names it. */
type AfterSave = (db: Db, engine: EngineName, key: Record<string, string>) => Promise<void>

/** Some tables have texts elsewhere that are made of theirs. */
type AfterSaves = Partial<Record<RescannedTable, AfterSave>>

const isRescanned = (table: string): table is RescannedTable => {
  const texts: StoredTexts | null = STORED_TEXTS[table as keyof Texts]
  return texts?.rescan !== undefined
}

/** Returns the source for each table that a rescan reads. */
export const rescanSources = (afterSaves: AfterSaves): RescanSource[] =>
  Object.keys(STORED_TEXTS)
    .filter(isRescanned)
    .map((table) => rescanSource(table, afterSaves[table]))

type Definition = StoredTexts & Required<Pick<StoredTexts, 'rescan'>>

export function rescanSource(table: RescannedTable, afterSave?: AfterSave): RescanSource {
  const texts: Definition = STORED_TEXTS[table]
  const { name, id, shard, findings } = texts.rescan
  const columns = [id, shard, ...texts.text, ...(texts.json ?? []), findings].filter(
    (one) => one !== undefined,
  )
  const read = sql.join(columns.map((column) => sql.ref(column)))
  return {
    name,
    count: async (db) => {
      const { rows } = await sql<{
        total: number
      }>`select count(*) as total from ${sql.table(table)}`.execute(db)
      return rows[0]?.total ?? 0
    },
    batch: async (db, after, limit) => {
      const { rows } = await sql<Row>`select ${read}
        from ${sql.table(table)} where ${sql.ref(id)} > ${after} order by ${sql.ref(id)} limit ${limit}`.execute(
        db,
      )
      return rows.map((row) => rescanned(table, texts, row, afterSave))
    },
  }
}

/** Cleans the texts of a row. A text that was written since is left alone: the present rules have seen it. */
function rescanned(table: RescannedTable, texts: Definition, row: Row, afterSave?: AfterSave): Rescanned {
  const { text, json = [], rescan } = texts
  const found = new Findings()
  const cleaned = [
    ...text.map((column) => [column, cleanOptional(row[column], found)] as const),
    ...json.map((column) => {
      const value = fromJsonOrNull(row[column] ?? null)
      return [column, toJsonOrNull(cleanJson(value, found))] as const
    }),
  ]
  const findings = found.list()
  const keys = rescan.shard === undefined ? [rescan.id] : [rescan.id, rescan.shard]
  const key = Object.fromEntries(keys.map((column) => [column, row[column] ?? '']))
  const changes = [...cleaned, ...allFindings(rescan.findings, row, findings)]
  const isSame = [
    ...Object.entries(key).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
    ...cleaned.map(([column]) => sql`${sql.ref(column)} is not distinct from ${row[column] ?? null}`),
  ]
  const update = sql`update ${sql.table(table)}
    set ${sql.join(changes.map(([column, value]) => sql`${sql.ref(column)} = ${value}`))}
    where ${sql.join(isSame, sql` and `)} returning ${sql.ref(rescan.id)}`
  return {
    id: row[rescan.id] ?? '',
    findings,
    save: async (db, engine) => {
      const counted = holdsText(table) ? [rowsOf(table, key)] : []
      const saved = await countText(db, counted, () => update.execute(db))
      if (saved.rows.length > 0) await afterSave?.(db, engine, key)
    },
  }
}

/** Returns the value of the column that counts findings: those of earlier writes and of now. */
function allFindings(column: string | undefined, row: Row, now: readonly Finding[]): [string, string][] {
  if (column === undefined) return []
  const all = new Findings()
  all.add(fromJson(row[column] ?? '[]'))
  all.add(now)
  return [[column, toJson(all.list())]]
}

export type Progress = { source: string; done: number; total: number; changed: number }
type RescanResult = { source: string; read: number; changed: number; findings: Finding[] }

const BATCH = 100

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
