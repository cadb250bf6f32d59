import { expect, test } from 'vitest'
import { plainName, withoutLinks } from './names.ts'

test('a name has no characters that turn text around, hide, or break the line', () => {
  expect(plainName('Invoice\u202Efdp.exe\u2069')).toBe('Invoicefdp.exe')
  expect(plainName(' a\u200bb\ufeff\n\u2028c\u{e0041} ')).toBe('ab c')
})

test('joiners and letters of every script stay', () => {
  const names = ['می\u200cخواهم', '👩\u200d💻 team', 'Zoë', '开发']
  expect(names.map(plainName)).toEqual(names)
})

test.each([
  ['Free at https://evil.example/x', 'Free at https: //evil. example/x'],
  ['www.evil.example', 'www. evil. example'],
  ['evil。example', 'evil. example'],
  ['ask boss@evil.example', 'ask boss at evil. example'],
  ['Platform team', 'Platform team'],
  ['Ada L. and Dr. Who', 'Ada L. and Dr. Who'],
])('%s stands in a mail as %s, which no mail program makes a link of', (given, shown) => {
  expect(withoutLinks(given)).toBe(shown)
})
