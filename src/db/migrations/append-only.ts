import type { EngineName } from '../db.ts'

/** The database itself refuses to change or remove rows of `table`, whatever the program asks. */
export function appendOnly(engine: EngineName, table: string): string[] {
  if (engine === 'sqlite')
    return ['update', 'delete'].map(
      (verb) => `create trigger ${table}_no_${verb} before ${verb} on ${table}
        begin select raise(abort, '${table} is append-only'); end`,
    )
  return [
    `create or replace function refuse_change() returns trigger language plpgsql as
      $$ begin raise exception '% is append-only', tg_table_name; end $$`,
    `create trigger ${table}_no_change before update or delete on ${table}
      for each row execute function refuse_change()`,
  ]
}
