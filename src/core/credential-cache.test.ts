import { expect, test } from 'vitest'
import { CredentialCache, type Recognised } from './context.ts'

const somebody = (userId: string, endsAt: number | null = null): Recognised => ({
  viewer: {
    userId,
    scopes: new Set(['search']),
    isAdmin: false,
    credential: { kind: 'api_key', id: `key of ${userId}` },
  },
  endsAt,
})

const NOW = 1_000_000

function cacheAt(version: { now: number | undefined }): CredentialCache {
  return new CredentialCache(() => version.now)
}

test('a caller is recognised again for a moment, and for less than a second', () => {
  const cache = cacheAt({ now: 1 })
  cache.keep('kv_a', somebody('a'), NOW, 1)
  expect(cache.find('kv_a', NOW + 500)?.viewer.userId).toBe('a')
  expect(cache.find('kv_b', NOW + 500)).toBeUndefined()
  expect(cache.find('kv_a', NOW + 999)).toBeUndefined()
  expect(cache.find('kv_a', NOW - 1), 'a clock that was set back').toBeUndefined()
})

test('an expired credential does not live on', () => {
  const cache = cacheAt({ now: 1 })
  cache.keep('kv_a', somebody('a', NOW + 100), NOW, 1)
  expect(cache.find('kv_a', NOW + 99)).toBeDefined()
  expect(cache.find('kv_a', NOW + 100)).toBeUndefined()
})

test('nobody is known any more once a credential may have been taken away', () => {
  const version = { now: 1 }
  const cache = cacheAt(version)
  cache.keep('kv_a', somebody('a'), NOW, 1)
  version.now = 2
  expect(cache.find('kv_a', NOW)).toBeUndefined()
  expect(cache.size).toBe(0)
})

test('a look-up that was begun before a credential was taken away is not kept', () => {
  const version = { now: 1 }
  const cache = cacheAt(version)
  const before = cache.version()
  version.now = 2
  cache.keep('kv_a', somebody('a'), NOW, before)
  expect(cache.find('kv_a', NOW)).toBeUndefined()
})

test('nothing is remembered while revocations cannot be heard', () => {
  const version: { now: number | undefined } = { now: 1 }
  const cache = cacheAt(version)
  cache.keep('kv_a', somebody('a'), NOW, 1)
  version.now = undefined
  expect(cache.find('kv_a', NOW)).toBeUndefined()
  cache.keep('kv_a', somebody('a'), NOW, cache.version())
  version.now = 1
  expect(cache.find('kv_a', NOW)).toBeUndefined()
})

test('it keeps ten thousand at most, and the latest', () => {
  const cache = cacheAt({ now: 1 })
  for (let n = 0; n < 10_050; n++) cache.keep(`kv_${n}`, somebody(String(n)), NOW, 1)
  expect(cache.size).toBe(10_000)
  expect(cache.find('kv_49', NOW)).toBeUndefined()
  expect(cache.find('kv_50', NOW)).toBeDefined()
  expect(cache.find('kv_10049', NOW)).toBeDefined()
})
