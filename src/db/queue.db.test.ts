import { expect, test } from 'vitest'
import { onBothEngines } from '../../test/support/engines.ts'
import { inBatches, putBack, type Queue, take, waiting } from './queue.ts'

const RESETS: Queue<'reset_requests'> = { table: 'reset_requests', order: 'request_id' }
const created_at = '2026-01-01T00:00:00.000Z'
const request = (request_id: string) => ({
  request_id,
  email_normal: `${request_id}@example.com`,
  created_at,
})

onBothEngines('a queue whose rows are taken', (t) => {
  test('each row is taken by one of two processes, the first rows first', async () => {
    const { database } = t.app.services
    const ids = Array.from({ length: 12 }, (_, i) => `r${String(i).padStart(2, '0')}`)
    await database.transaction(async (db) => {
      for (const id of ids.toReversed()) await putBack(db, RESETS, request(id))
    })
    const done: string[] = []
    const run = () =>
      inBatches(
        { size: 5, stopping: new AbortController().signal },
        (limit) => waiting(database.read, RESETS, limit),
        async (rows) => {
          for (const row of rows)
            if (await database.transaction((db) => take(db, RESETS, row))) done.push(row.request_id)
        },
      )
    expect((await waiting(database.read, RESETS, 2)).map((row) => row.request_id)).toEqual(['r00', 'r01'])
    await Promise.all([run(), run()])
    expect(done.sort()).toEqual(ids)
    expect(await waiting(database.read, RESETS, 5)).toEqual([])
  })

  test('a row that has changed since it was read is not taken, and putting back replaces nothing newer', async () => {
    const { database } = t.app.services
    const read = request('changed')
    const newer = { ...read, created_at: '2026-01-02T00:00:00.000Z' }
    await database.transaction((db) => putBack(db, RESETS, newer))
    expect(await database.transaction((db) => take(db, RESETS, read))).toBe(false)
    await database.transaction((db) => putBack(db, RESETS, read))
    expect(await waiting(database.read, RESETS, 5)).toEqual([newer])
    expect(await database.transaction((db) => take(db, RESETS, newer))).toBe(true)
  })

  test('a stop, or work that says so, ends the batches', async () => {
    const stopping = new AbortController()
    const seen: number[] = []
    const next = async () => [seen.length]
    await inBatches({ size: 1, stopping: stopping.signal }, next, async ([n]) => {
      seen.push(n ?? 0)
      if (seen.length === 2) stopping.abort()
    })
    await inBatches({ size: 1, stopping: new AbortController().signal }, next, async ([n]) => {
      seen.push(n ?? 0)
      return false
    })
    expect(seen).toEqual([0, 1, 2])
  })
})
