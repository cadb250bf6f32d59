import type { Db, EngineName } from '../db.ts'

export type Migration = {
  name: string
  /** The statements, in order. What differs between the engines is decided inside, in a marked block. */
  statements: (engine: EngineName) => string[]
  /** Data that a statement cannot make. */
  data?: (db: Db, engine: EngineName) => Promise<void>
}

/**
 * The primary key of a table whose rows lie in shards on a cluster. PostgreSQL wants the column that decides the shard in the
 * key; it stands second, so that a lookup by id alone uses the key.
 */
export const primaryKey = (engine: EngineName, id: string, shard: string): string =>
  engine === 'sqlite' ? `primary key (${id})` : `primary key (${id}, ${shard})`

/** A number that the database counts up. */
export const counter = (engine: EngineName): string =>
  engine === 'sqlite' ? 'integer primary key' : 'integer generated always as identity primary key'

export const bytes = (engine: EngineName): string => (engine === 'sqlite' ? 'blob' : 'bytea')

export const largeSum = (engine: EngineName): string => (engine === 'sqlite' ? 'integer' : 'bigint')

/** Makes the database refuse to change or remove rows of `table`. */
export function appendOnly(engine: EngineName, table: string): string[] {
  if (engine === 'sqlite')
    return ['update', 'delete'].map(
      (verb) => `create trigger ${table}_no_${verb} before ${verb} on ${table}
        begin select raise(abort, '${table} is append-only'); end`,
    )
  return [
    `create trigger ${table}_no_change before update or delete on ${table}
      for each row execute function refuse_change()`,
  ]
}

/**
 * Makes the database refuse to change rows of `table`, and to remove them while their card is not deleted. The purge of a
 * deleted card is the one way out.
 */
export function keptWithCard(engine: EngineName, table: string): string[] {
  if (engine === 'sqlite')
    return [
      `create trigger ${table}_no_update before update on ${table}
        begin select raise(abort, '${table} is append-only'); end`,
      `create trigger ${table}_no_delete before delete on ${table}
        when (select deleted_at from cards where card_id = old.card_id) is null
        begin select raise(abort, '${table} is append-only'); end`,
    ]
  return [
    `create trigger ${table}_no_change before update or delete on ${table}
      for each row execute function refuse_unless_card_goes()`,
  ]
}
