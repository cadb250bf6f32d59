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
