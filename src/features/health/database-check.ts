import { sql } from 'kysely'
import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../db/db.ts'
import { pendingMigrations } from '../../db/migrations/migrate.ts'
import type { CheckResult } from './check.ts'
import { within } from './within.ts'

const LONGEST_MS = 2000

/** A database that hangs gets one question at a time: each further one would keep a connection until it answers again. */
const underWay = new WeakMap<Db, Promise<CheckResult>>()

async function ask(db: Db): Promise<CheckResult> {
  await sql`select 1`.execute(db)
  const pending = await pendingMigrations(db)
  return pending === 0 ? { status: 'ok' } : { status: 'failed', detail: `${pending} migrations are pending` }
}

function askOnce(db: Db): Promise<CheckResult> {
  const known = underWay.get(db)
  if (known) return known
  const result = ask(db).finally(() => underWay.delete(db))
  underWay.set(db, result)
  return result
}

/** Whether the database answers within two seconds and has the present schema. */
export async function checkDatabase({ db }: Ctx): Promise<CheckResult> {
  try {
    return await within(LONGEST_MS, askOnce(db))
  } catch {
    return { status: 'failed', detail: 'The database does not answer' }
  }
}
