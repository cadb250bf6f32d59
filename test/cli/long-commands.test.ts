import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/open.ts'
import { makeVault, type Vault } from '../support/engines.ts'
import { runKvault } from '../support/process.ts'

let vault: Vault
let other: pg.Client

beforeAll(async () => {
  vault = await makeVault('postgres')
  other = new pg.Client({ connectionString: vault.env.DATABASE_URL })
  await other.connect()
})
afterAll(async () => {
  await other.end()
  await vault.remove()
})

const WAITING = `pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

/** Keeps `kvault reindex` waiting until the look has found something. */
async function reindexUntil(url: string, look: string) {
  await other.query('begin; lock table search_docs in share mode')
  const command = runKvault(['reindex'], { ...vault.env, DATABASE_URL: url, ENV_FILE: '' })
  const found = async () => {
    // Within a transaction PostgreSQL shows the activity as it was at the first look.
    await other.query('select pg_stat_clear_snapshot()')
    return (await other.query(look)).rowCount
  }
  try {
    await expect.poll(found, { timeout: 10_000 }).toBe(1)
  } finally {
    await other.query('rollback')
  }
  return command
}

test('a command of the operator has no time limit of a request', async () => {
  const database = openDatabase(readConfig(vault.env), { isPatient: true })
  const limit = sql<{ statement_timeout: string }>`show statement_timeout`
  expect((await limit.execute(database.read)).rows).toEqual([{ statement_timeout: '0' }])
  await database.close()

  const url = new URL(vault.env.DATABASE_URL ?? '')
  url.searchParams.set('statement_timeout', '1000')
  const pastLimit = `select 1 from ${WAITING} and clock_timestamp() - query_start > interval '1.1 s'`
  expect(await reindexUntil(url.href, pastLimit)).toEqual({
    code: 0,
    stdout: 'Indexed 0 cards and 0 memory events.\n',
    stderr: '',
  })
})

test('a statement that somebody ends is told as that: the database is there', async () => {
  const cancel = `select pg_cancel_backend(pid) from ${WAITING}`
  expect(await reindexUntil(vault.env.DATABASE_URL ?? '', cancel)).toEqual({
    code: 1,
    stdout: '',
    stderr: 'The database ended a statement: canceling statement due to user request.\n',
  })
})
