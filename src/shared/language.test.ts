import { expect, test } from 'vitest'
import { canonicalLanguage, localDay, localMoney, localNumber, localTime } from './language.ts'

const AT = '2026-03-04T05:06:00.000Z'

test.each([
  ['en', 'en'],
  ['DE-at', 'de-AT'],
  ['zh-hant-tw', 'zh-Hant-TW'],
  ['sr-Latn', 'sr-Latn'],
  ['en-x-own', 'en-x-own'],
])('%s is the language %s', (tag, language) => {
  expect(canonicalLanguage(tag)).toBe(language)
})

test.each(['', 'e', 'en_US', 'en-US@posix', 'de-', 'C.UTF-8', 'german!', 'x-private', 'en-a'])(
  '%j is no language',
  (tag) => {
    expect(canonicalLanguage(tag)).toBeUndefined()
  },
)

test('dates, numbers and prices are written as the language has them', () => {
  expect(localTime('en', AT).text).toBe('March 4, 2026 at 05:06 AM UTC')
  expect(localTime('de', AT).text).toBe('4. März 2026 um 05:06 UTC')
  expect(localDay('de', AT)).toEqual({ text: '04.03.2026', language: 'de' })
  expect(localNumber('de', 12345.5).text).toBe('12.345,5')
  expect(localMoney('de', 123456, 'eur').text).toBe('1.234,56\u00a0€')
})

test('a language with digits of its own gets those of the words beside them', () => {
  for (const { text } of [
    localTime('ar-EG', AT),
    localDay('fa', AT),
    localNumber('mr', 12345.5),
    localMoney('bn', 123456, 'eur'),
  ])
    expect(text).toMatch(/^(?=.*[0-9])(?!.*(?![0-9])\p{Nd})/u)
})

test('a tag that is well formed but belongs to no language reads as English', () => {
  expect(localTime('xx-YY', AT).text).toBe(localTime('en', AT).text)
})
