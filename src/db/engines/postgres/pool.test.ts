import { afterEach, expect, inject, test } from 'vitest'
import { openPool, serveSince, WaitedTooLong, WaitingLine } from './pool.ts'

const opened: WaitingLine[] = []
afterEach(async () => {
  for (const line of opened.splice(0)) await line.end()
})

function lineWith(connectionTimeoutMillis: number): WaitingLine {
  const config = { connectionString: inject('postgresUrl'), max: 1, connectionTimeoutMillis }
  const line = new WaitingLine(openPool(config, () => {}))
  opened.push(line)
  return line
}

test('a connection that comes free goes to the request that came first, not to who asked for it first', async () => {
  const line = lineWith(10_000)
  const held = await line.connect()
  const served: string[] = []
  const ask = (name: string, since: number) =>
    new Promise<void>((resolve) => {
      serveSince(since, async () => {
        const client = await line.connect()
        served.push(name)
        client.release()
        resolve()
      })
    })
  const all = [ask('newcomer', 300), ask('first', 100), ask('second', 200), ask('also second', 200)]
  held.release()
  await Promise.all(all)
  expect(served).toEqual(['first', 'second', 'also second', 'newcomer'])
  expect(line.waitMs()).toBe(0)
})

test('who waits too long gives up and leaves the line, and others are served afterwards', async () => {
  const line = lineWith(50)
  const held = await line.connect()
  const waiting = expect(line.connect()).rejects.toBeInstanceOf(WaitedTooLong)
  expect(line.waitMs()).toBeGreaterThanOrEqual(0)
  await waiting
  expect(line.waitMs()).toBe(0)
  held.release()
  const client = await line.connect()
  expect((await client.query('select 1 as one', [])).rows).toEqual([{ one: 1 }])
  client.release()
})

test('a server that cannot be reached uses up no place', async () => {
  const pool = openPool({ host: '127.0.0.1', port: 1, max: 1, connectionTimeoutMillis: 1000 }, () => {})
  const line = new WaitingLine(pool)
  for (let i = 0; i < 3; i++) await expect(line.connect()).rejects.toThrow(/ECONNREFUSED/)
  await line.end()
})
