import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { SqliteWrites } from './shared-commits.ts'

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

test('while another process keeps its lock, all that wait are refused together, and what comes later is written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-lock-'))
  const [db, other] = [0, 1].map(() => new DatabaseSync(join(folder, 'vault.db'))) as [
    DatabaseSync,
    DatabaseSync,
  ]
  onTestFinished(() => {
    for (const one of [db, other]) one.close()
    rmSync(folder, { recursive: true })
  })
  let time = 0
  const isBusy = (error: unknown) => error instanceof Error && error.message === 'database is locked'
  const writes = new SqliteWrites(db, { isBusy, written: () => 0, now: () => (time += 1000) })
  other.exec('begin immediate')
  const ended = ['a', 'b', 'c'].map((name) =>
    writes.transaction(async () => name).catch(({ status }) => status),
  )
  expect(await ended[0]).toBe(503)
  other.exec('rollback')
  expect(await Promise.all(ended)).toEqual([503, 503, 503])
  expect(await writes.transaction(async () => 'd')).toBe('d')
})
