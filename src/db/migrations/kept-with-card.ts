import type { EngineName } from '../db.ts'

/**
 * The database refuses to change rows of `table`, and to remove them while their card is not deleted: the
 * purge of a deleted card is the one way out.
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
    `create or replace function refuse_unless_card_deleted() returns trigger language plpgsql as
      $$ begin
        if tg_op = 'DELETE' and exists (select 1 from cards where card_id = old.card_id and deleted_at is not null)
          then return old; end if;
        raise exception '% is append-only', tg_table_name;
      end $$`,
    `create trigger ${table}_no_change before update or delete on ${table}
      for each row execute function refuse_unless_card_deleted()`,
  ]
}
