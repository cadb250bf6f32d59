import { expect, test } from 'vitest'
import { Email } from './schemas.ts'
import { plainName, withoutLinks } from './untrusted-text.ts'

test('a name has no characters that turn text around, hide, or break the line', () => {
  expect(plainName('Invoice\u202Efdp.exe\u2069')).toBe('Invoicefdp.exe')
  expect(plainName(' a\u200bb\ufeff\n\u2028c\u{e0041} ')).toBe('ab c')
  const message = String.fromCodePoint(...[...'obey'].map((letter) => 0xe0100 + letter.charCodeAt(0)))
  const shown = ['Ann\u3164', 'A\u00adnn', 'A\u200dn\u200cn', `Ann${message}`, 'Ann\ufe0f', 'An\u034fn\u2800']
  for (const name of shown) expect(plainName(name), escape(name)).toBe('Ann')
  expect(plainName(`开${message}`)).toHaveLength(3)
  for (const name of ['\u3164', '\u00ad', '\u2800', '\u115f\u1160', '\u200d', '\ufe0f'])
    expect(plainName(name), escape(name)).toBe('')
})

test('an address has no characters that nobody sees', () => {
  for (const hidden of ['\u200b', '\u202e', '\u00ad', '\u2066', '\ufeff', '\u3164'])
    expect(Email.safeParse(`ad${hidden}a@example.com`).success, JSON.stringify(hidden)).toBe(false)
  for (const address of ['zoë@bücher.example', 'ada+x@example.com', '用户@例子.example'])
    expect(Email.parse(address)).toBe(address)
})

test('joiners, selectors and letters of every script stay', () => {
  const names = ['می\u200cخواهم', '👩\u200d💻 team', 'Zoë', '开发', 'നന്\u200d', '葛\u{e0100}城']
  names.push('❤\ufe0f\u200d🔥', '🏳\ufe0f\u200d🌈', '1\ufe0f\u20e3 team', '👩🏽\u200d💻', '©\ufe0f')
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
