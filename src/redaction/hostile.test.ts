import { expect, test, vi } from 'vitest'
import { growsTooFast, quickest } from '../../test/support/linear-time.ts'
import { SECRET_NAMES } from './names.ts'
import {
  certaintyOf,
  isPlaceholder,
  isPlainlyRandom,
  looksLikePassword,
  looksRandom,
} from './placeholders.ts'
import { redact } from './redact.ts'
import { ALL_RULES } from './rules.ts'

const LONG = 150_000
/** Only a loaded machine needs this long: growth is compared between two lengths. */
const SLOW_MACHINE_MS = 240_000

function repeated(unit: string): string {
  return unit.repeat(Math.ceil(LONG / unit.length))
}

const prefixes = ALL_RULES.flatMap((rule) => (rule.form === 'token' ? rule.prefixes : rule.names))
const names = SECRET_NAMES.flatMap(({ names }) => names)
const characters = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
const FRAGMENTS = [
  '\n',
  '\t',
  '\\n',
  'é',
  '字',
  '😀',
  '://a:',
  '://a:b@',
  'postgres://a:b/',
  'https://a1b2c3d4e5f6g7h8',
  '-----BEGIN PRIVATE KEY-----',
  '-----END PRIVATE KEY-----',
  '-----END PRIVATE KEY-----\n',
  'QUFB\\n-----END PRIVATE KEY-----',
  'LS0tLS1CRUdJTi',
  '\u001b[31m',
  '\\\\"',
  '\\\\\\',
  '%3a%22',
  'password%22%3A%22',
  '\\u003d',
  'cookie:a=',
  'kind: Secret\ndata:\n',
  'kind: Secret\n\n',
  'kind: Secret\ndata:\n  a: # # # # # # # #\n',
  '{"kind":"Secret"}',
  '"kind":"Secret","data":{"a":"',
  'bearer ',
  'eyJa.',
  '_eyJ',
  'key=',
  '"kty"',
  '{"kty":"d":"',
  '"d":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}"kty"',
  'variable "password" { default',
  '"password" { a default ',
  '"value":"abcdef","name":"key",',
  '"name":"password","a":1,"b":2,',
  'password: >-\n  ',
  'a\\\n',
  'password="a b ',
  'password="abcd ab1! ',
  'sessiontoken=',
  '1:AA',
  '0-us',
  ' -u a:',
  '7z "',
  'redis-cli -a ',
  'htpasswd -b -n ',
  'create secret --from-literal=a=bbbb ',
  'echo a|chpasswd',
  'sudo -S <<<',
  'key=a1b2c3d4e5f6g7h8i9j0,',
  'a1b2c3d4e5f6g7h8,key=',
  'key=a1B2:',
  'password=aB1?c2D(',
  `token=${'a1B2c3D4'.repeat(490)} `,
]

test.each(FRAGMENTS)(
  'a long repetition of %j is read in linear time',
  (unit) => {
    expect(redact(repeated(unit)).findings.length).toBeLessThan(3)
    expect(growsTooFast((length) => redact(unit.repeat(length / unit.length)), 8_000)).toBe(false)
  },
  SLOW_MACHINE_MS,
)

test(
  'any repeated character is read in linear time',
  () => {
    for (const unit of characters) expect(redact(repeated(unit).slice(0, LONG / 4)).findings).toEqual([])
  },
  SLOW_MACHINE_MS,
)

test(
  'repetitions of any credential prefix or secret name are read in linear time',
  () => {
    for (const unit of new Set([...prefixes, ...names])) redact(repeated(unit).slice(0, LONG / 25))
  },
  SLOW_MACHINE_MS,
)

test(
  'assignments without values are read in linear time',
  () => {
    for (const name of ['password', 'token', 'key']) {
      for (const glue of [' ', '=', ': ', '="', ' = "a', '.'.repeat(20)])
        redact(repeated(`${name}${glue}`).slice(0, LONG / 2))
    }
  },
  SLOW_MACHINE_MS,
)

test('letters that are full of names are read a few times, not once for each name', () => {
  const text = 'apiKey'.repeat(500)
  const reads = vi.spyOn(String.prototype, 'charCodeAt')
  redact(text)
  const perLetter = reads.mock.calls.length / text.length
  reads.mockRestore()
  expect(perLetter).toBeLessThan(12)
})

test('the first and the last names in such letters still have their values', () => {
  const secret = 'a1B2c3D4e5F6g7H8'
  const names = 'apiKey'.repeat(20)
  for (const text of [`${names}=${secret}`, `${names}: "${secret}"`, `--${names} ${secret}`])
    expect(redact(text).text, text).not.toContain(secret)
  const first = `{"value": "${secret}", "name": "${names}"}`
  expect(redact(first).text).not.toContain(secret)
})

test('a header with a value full of slashes costs no more than a few dozen times a plain log', () => {
  const size = 100_000
  const line = `Authorization: Bearer ${'a.b-c_d/'.repeat(248)}\n`
  const header = line.repeat(size / line.length)
  const log = '2026-11-19T10:11:12.345Z INFO [worker-3] request completed status=200 in 12 ms\n'
  const plain = log.repeat(size / log.length)
  for (const text of [header, plain]) redact(text)
  expect(quickest(() => redact(header), 1)).toBeLessThan(
    40 *
      Math.max(
        1,
        quickest(() => redact(plain), 1),
      ),
  )
})

test('a list of thousands of names costs no more than a few dozen times a plain log', () => {
  const size = 100_000
  const listOf = (item: (i: number) => string) => {
    let list = ''
    for (let i = 0; list.length < size; i++) list += item(i)
    return list
  }
  const plain = listOf(
    (i) => `2026-11-19T10:11:${i % 60}Z INFO [worker-3] request ${i} completed status=200\n`,
  )
  const lists = [
    `https://api.example.com/?${listOf((i) => `token${i}=a${i % 7}c&`)}`,
    listOf((i) => `secret${i}=a${i % 7}c,`),
  ]
  for (const text of [plain, ...lists]) redact(text)
  const most =
    40 *
    Math.max(
      1,
      quickest(() => redact(plain), 1),
    )
  for (const text of lists)
    expect(
      quickest(() => redact(text), most),
      text.slice(0, 60),
    ).toBeLessThan(most)
})

test.each(Object.entries({ isPlaceholder, isPlainlyRandom, looksLikePassword, looksRandom, certaintyOf }))(
  '%s reads the beginning of a value only',
  (_, judge) => {
    for (const unit of ['</', 'a.b-c_d/', '/a.', 'a1/', 'A1b2-', '..', '::'])
      expect(growsTooFast((length) => judge(unit.repeat(length / unit.length)), 16_000)).toBe(false)
  },
)

const HEADS = [
  '',
  'password: ',
  'user,password\n',
  'USER   PASSWORD\n',
  '<th>password</th>',
  'login(',
  'creds: ',
]
const UNITS = [
  'password=',
  'key key key a1B2c3D4e5f6 ',
  'password\tx\n',
  'key,x\n',
  '<tr><td>password</td><td>x</td>',
  '("user","password")',
  'login("a","',
  'value: a1B2c3D4e5\nname: password\n',
  'a1B2c3D4e5f6 is password ',
  'пароль a1B2c3D4\n',
  'wifi:P:',
  'creds: a / ',
  '-----BEGIN%20PRIVATE%20KEY-----',
  '-u a -p ',
  'a@b.c:',
  'a:b@',
  'vault a ',
  'jwt("a",',
  ' -p a1B2c3D4e5',
  '# password a b c\n',
  'Passwords:\n- mail: ',
]
test.each(HEADS)(
  'repetitions behind %j are read in linear time',
  (head) => {
    for (const unit of UNITS)
      expect(
        growsTooFast((length) => redact(head + unit.repeat(length / unit.length)), 4_000),
        unit,
      ).toBe(false)
  },
  SLOW_MACHINE_MS,
)
