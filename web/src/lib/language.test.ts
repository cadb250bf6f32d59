import { expect, test } from 'vitest'
import { browserLanguage, correctLanguages, validLanguage } from './language.ts'

test.each(['en', 'en-US', 'de-DE', 'zh-Hant-TW', 'en-US-u-va-posix'])('%s is a language tag', (tag) => {
  expect(validLanguage(tag)).toBe(tag)
})

test.each(['en-US@posix', 'en_US', 'C.UTF-8', 'de_DE.UTF-8', '', '*', 'x', 'en-', undefined, null])(
  '%s is not a language tag, and nothing throws',
  (tag) => {
    expect(validLanguage(tag)).toBeUndefined()
  },
)

test.each([
  ['en-US@posix', 'en-US'],
  ['de_DE.UTF-8', 'de-DE'],
  ['C', 'en'],
  ['POSIX@posix', 'posix'],
  ['', 'en'],
  [undefined, 'en'],
  ['fr-CA', 'fr-CA'],
])('a browser that says %s is taken as %s', (said, taken) => {
  expect(browserLanguage(said)).toBe(taken)
  expect(() => new Intl.NumberFormat(browserLanguage(said))).not.toThrow()
})

test('only what Intl would refuse is corrected', () => {
  const sane = { language: 'de-DE', languages: Object.freeze(['de-DE', 'en']) }
  correctLanguages(sane)
  expect(sane).toEqual({ language: 'de-DE', languages: ['de-DE', 'en'] })
  const posix = { language: 'en-US@posix', languages: ['en-US@posix', 'en_US', 'de'] }
  correctLanguages(posix)
  expect(posix).toEqual({ language: 'en-US', languages: ['en-US', 'de'] })
})
