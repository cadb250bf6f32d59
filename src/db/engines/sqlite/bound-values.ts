import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

/** Node 22.18 takes numbered parameters by name alone; later versions take them by position, which costs nothing. */
function takesByPosition(): boolean {
  const probe = new DatabaseSync(':memory:')
  try {
    probe.prepare('select ?1').get(1)
    return true
  } catch {
    return false
  } finally {
    probe.close()
  }
}

type Bind = (sql: string, values: readonly unknown[]) => SQLInputValue[]

const byPosition: Bind = (_sql, values) => values as SQLInputValue[]

const byName: Bind = (sql, values) =>
  sql.includes('?1')
    ? [Object.fromEntries(values.map((value, at) => [`?${at + 1}`, value])) as never]
    : byPosition(sql, values)

/** The values of a statement, as this version of Node takes them. */
export const boundValues: Bind = takesByPosition() ? byPosition : byName
