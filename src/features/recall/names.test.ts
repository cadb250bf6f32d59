import { expect, test } from 'vitest'
import { growsTooFast } from '../../../test/support/linear-time.ts'
import { areRelated, namedWords, namesIn, saysName } from './mismatch.ts'

test('a name has inner capitals, underscores, digits or signs within; words, numbers and products are none', () => {
  expect(namesIn('LRU.Get and pthread_create fail with 0x80370102 in spark.driver.maxResultSize')).toEqual([
    'lru.get',
    'pthread_create',
    '0x80370102',
    'spark.driver.maxresultsize',
  ])
  expect(namesIn('GitHub said at 10:15 that 3.16.3 of node is well-known, v1.2 too. JavaScript.')).toEqual([])
  expect(namesIn('npm error Found: react@19.0.0, openssl-sys-0.9.99 and GLIBC_2.34')).toEqual([
    'react',
    'openssl-sys',
    'glibc',
  ])
})

test('a text says a name also in parts', () => {
  const output = 'example.com/cache.(*lru).get()\n/src/cache/lru.go'
  expect(saysName(output, 'lru.get')).toBe(true)
  expect(saysName(output, 'lru.put')).toBe(false)
})

test('names of one package, and a name within another, are related', () => {
  expect(areRelated('kotlin-stdlib', 'kotlin-stdlib-jdk8')).toBe(true)
  expect(areRelated('kotlin.internal.jdk7', 'kotlin.collections')).toBe(true)
  expect(areRelated('com.acme.pay', 'com.other.shop')).toBe(false)
  expect(areRelated('0x80370102', '0x8007019e')).toBe(false)
})

test('signs at the end of a word do not belong to it, and a row of them is read once', () => {
  expect(namedWords('see a.b.. @c: -- @@ d ef/').map(({ word }) => word)).toEqual(['see', 'a.b', '@c', 'ef'])
  expect(growsTooFast((length) => namesIn('@'.repeat(length)), 2000)).toBe(false)
})
