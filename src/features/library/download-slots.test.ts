import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { countedIn, MAX_DOWNLOADS, MAX_PER_HOST, refuseCrowd } from './snapshot.ts'

const held: PassThrough[] = []
const hold = (host: string, bytes = 1) => {
  const stream = countedIn(new PassThrough(), host, bytes)
  held.push(stream)
  return stream
}

afterEach(async () => {
  vi.useRealTimers()
  for (const stream of held.splice(0))
    if (!stream.closed) {
      stream.destroy()
      await once(stream, 'close')
    }
})

test('one host that reads many leaves room for others, and gets a place again when one ends', async () => {
  for (let i = 0; i < MAX_PER_HOST; i++) hold('a')
  expect(() => refuseCrowd('a')).toThrow('Too many snapshots')
  refuseCrowd('b')
  held[0]?.destroy()
  await once(held[0] as PassThrough, 'close')
  refuseCrowd('a')
})

test('all hosts together read so many at once', () => {
  for (let i = 0; i < MAX_DOWNLOADS; i++) hold(`host ${i}`)
  expect(() => refuseCrowd('another')).toThrow('Too many snapshots')
})

test('whoever reads far too slowly is let go: a minute at least, longer for more bytes', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const [short, long] = [hold('a'), hold('a', 16 * 1024 * 120)]
  vi.advanceTimersByTime(61_000)
  expect([short.destroyed, long.destroyed]).toEqual([true, false])
  vi.advanceTimersByTime(60_000)
  expect(long.destroyed).toBe(true)
})
