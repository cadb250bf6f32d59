import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import { within } from '../../core/within.ts'
import type { Db } from '../../db/db.ts'
import { pendingMigrations } from '../../db/migrations/migrate.ts'
import type { CheckResult } from './check.ts'

const LONGEST_MS = 2000

/** Requests that only read are still answered, so this alone does not make the service unready. */
export const NO_WRITES = 'The database takes no writes: writing fails, reading goes on'

/** A database that hangs gets one question at a time: each further one would keep a connection until it answers again. */
const underWay = new WeakMap<Db, Promise<CheckResult>>()

async function ask({ db, database }: Ctx): Promise<CheckResult> {
  await sql`select 1`.execute(db)
  const pending = await pendingMigrations(db)
  if (pending > 0) return { status: 'failed', detail: `${pending} migrations are pending` }
  return (await database.takesWrites()) ? { status: 'ok' } : { status: 'failed', detail: NO_WRITES }
}

function askOnce(ctx: Ctx): Promise<CheckResult> {
  const known = underWay.get(ctx.db)
  if (known) return known
  const result = ask(ctx).finally(() => underWay.delete(ctx.db))
  underWay.set(ctx.db, result)
  return result
}

/** Whether the database answers within two seconds, has the present schema and can be written. */
export async function checkDatabase(ctx: Ctx): Promise<CheckResult> {
  try {
    return await within(LONGEST_MS, askOnce(ctx))
  } catch {
    return { status: 'failed', detail: 'The database does not answer' }
  }
}
