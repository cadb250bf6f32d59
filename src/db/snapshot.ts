export type TableShape = {
  name: string
  columns: string[]
  /** The primary key: rows come in its order, the same on both engines. */
  key: string[]
  references: Reference[]
}

/** A foreign key: each column with the one that it points to. */
export type Reference = { table: string; columns: readonly (readonly [own: string, target: string])[] }

export type Value = string | number | null

/** The whole database as it stood at one moment, read over a connection of its own while others go on writing. */
export type Snapshot = {
  tables: TableShape[]
  /** Rows as lists of values in the order of `columns`, in batches. */
  rows: (table: TableShape) => AsyncIterable<Value[][]>
  /** What the database itself finds wrong with its storage. PostgreSQL keeps checksums of its pages and cannot be asked. */
  damage: () => Promise<string[]>
  close: () => Promise<void>
}

export const BATCH_ROWS = 200

/** Every table after those that it refers to, so that rows can go in one by one. */
export function inOrderOfReference(tables: readonly TableShape[]): TableShape[] {
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

/** A backup carries text, whole numbers and null. Any other type would change on the way without notice. */
export function requireValue(value: unknown, table: string, column: string): Value {
  if (value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value)))
    return value
  throw new Error(`${table}.${column} holds a ${typeof value}, which a backup cannot carry`)
}
