import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { type Database, withPatience } from '../db.ts'
import { initial } from '../migrations/0001-initial.ts'
import { applyMigrations } from '../migrations/migrate.ts'
import type { Migration } from '../migrations/statements.ts'
import { SqliteWrites } from './group-commit.ts'
import { openSqlite } from './sqlite.ts'

function openWrites() {
  const db = new DatabaseSync(':memory:')
  onTestFinished(() => db.close())
  const writes = new SqliteWrites(db, { isBusy: () => false, written: () => 0, now: () => 0 })
  const happened: string[] = []
  const write = (name: string) =>
    writes
      .transaction(async () => void happened.push(`${name} ran`))
      .then(() => void happened.push(`${name} is committed`))
  return { write, happened }
}

test('where nobody writes, a transaction does not wait for the next iteration of the event loop', async () => {
  const { write, happened } = openWrites()
  const next = nextIteration().then(() => void happened.push('next iteration'))
  await Promise.all([write('a'), next])
  expect(happened).toEqual(['a ran', 'a is committed', 'next iteration'])
})

test('one that comes soon after another waits for more, and shares its commit with them', async () => {
  const { write, happened } = openWrites()
  await write('a')
  const b = write('b')
  await new Promise<void>((resolve) => process.nextTick(resolve))
  await Promise.all([b, write('c')])
  expect(happened.slice(2)).toEqual(['b ran', 'c ran', 'b is committed', 'c is committed'])
})

function sharedFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'vault.db')
}

function writesBesideAnother() {
  const file = sharedFile()
  const [db, other] = [new DatabaseSync(file), new DatabaseSync(file)]
  onTestFinished(() => {
    for (const one of [db, other]) one.close()
  })
  let time = 0
  const isBusy = (error: unknown) => error instanceof Error && error.message === 'database is locked'
  const writes = new SqliteWrites(db, { isBusy, written: () => 0, now: () => (time += 1000) })
  return { writes, other }
}

const nameOrStatus = (work: Promise<string>): Promise<string> => work.catch(({ status }) => status)

test('while another process keeps its lock, all that wait are refused together, and what comes later is written', async () => {
  const { writes, other } = writesBesideAnother()
  other.exec('begin immediate')
  const ended = ['a', 'b', 'c'].map((name) => nameOrStatus(writes.transaction(async () => name)))
  expect(await ended[0]).toBe(503)
  other.exec('rollback')
  expect(await Promise.all(ended)).toEqual([503, 503, 503])
  expect(await writes.transaction(async () => 'd')).toBe('d')
})

test('a transaction that may take long outlasts the lock of another process; those beside it do not', async () => {
  const { writes, other } = writesBesideAnother()
  other.exec('begin immediate')
  const upgrade = nameOrStatus(writes.transaction(async () => 'upgrade', true))
  expect(await nameOrStatus(writes.transaction(async () => 'a'))).toBe(503)
  expect(await nameOrStatus(writes.transaction(async () => 'b'))).toBe(503)
  other.exec('rollback')
  expect(await upgrade).toBe('upgrade')
})

test('a stop ends the wait of a transaction that may take long', async () => {
  const { writes, other } = writesBesideAnother()
  other.exec('begin immediate')
  const upgrade = nameOrStatus(writes.transaction(async () => 'upgrade', true))
  expect(await nameOrStatus(writes.transaction(async () => 'a'))).toBe(503)
  await writes.idle()
  expect(await upgrade).toBe(503)
  other.exec('rollback')
})

test('a process that starts during an upgrade waits for the one that migrates, however long that takes', async () => {
  const file = sharedFile()
  const [first, second] = [0, 1].map(() => openSqlite(file, { lockPatienceMs: 1 })) as [Database, Database]
  onTestFinished(async () => {
    for (const one of [first, second]) await one.close()
  })
  const isRefused = Promise.withResolvers<void>()
  const upgrade: Migration = {
    // What makes a database a vault.
    name: initial.name,
    statements: () => ['create table notes (text text)'],
    // Until a transaction without that patience is refused.
    data: () => isRefused.promise,
  }
  const migrating = applyMigrations(first, [upgrade])
  const waiting = applyMigrations(second, [upgrade])
  const later = withPatience(second).transaction(async () => 'indexed')
  await expect(second.transaction(async () => {})).rejects.toMatchObject({ status: 503 })
  isRefused.resolve()
  expect(await Promise.all([migrating, waiting, later])).toEqual([[initial.name], [], 'indexed'])
})
