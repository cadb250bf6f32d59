import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { redact } from '../../../redaction/redact.ts'
import { endsToRedact, outputToRedact, startToRedact } from './command-result.ts'

const line = (at: number) => `${String(at).padStart(3, '0')} some words of a line`
const LINES = Array.from({ length: 400 }, (_, at) => line(at)).join('\n')

test('a text that fits stays as it is', () => {
  for (const text of ['', 'x', 'y'.repeat(1000)]) {
    expect(startToRedact(text, 1000)).toBe(text)
    expect(endsToRedact(text, 1000)).toBe(text)
  }
})

test('lines stay whole, and the two that begin an end are dropped', () => {
  const kept = startToRedact(LINES, 1000).split('\n')
  expect(kept.pop()).toBe('…')
  expect(kept).toEqual(LINES.split('\n').slice(0, kept.length))
  const [head = '', tail = ''] = endsToRedact(LINES, 4000).split('\n…\n')
  expect(LINES.startsWith(`${head}\n`)).toBe(true)
  expect(LINES.endsWith(`\n${tail}`)).toBe(true)
  expect(tail.length).toBeGreaterThan(2900)
  expect(tail.length).toBeLessThanOrEqual(2997 - 2 * line(0).length)
})

test('one long line ends at a space, well before the cut; its end is dropped', () => {
  const words = 'word '.repeat(1000)
  expect(startToRedact(words, 1000)).toBe(`${'word '.repeat(160)}\n…`)
  expect(endsToRedact(words, 4000)).toBe(`${'word '.repeat(160)}\n…\n`)
  // Data without a space could be one secret.
  expect(startToRedact('x'.repeat(5000), 1000)).toBe('…')
})

test('an end does not begin within a table, a key or a value', () => {
  const last = 'The last line of the text'
  for (const row of ['| a | b |', 'q7Rt2Wz9q7Rt2Wz9q7Rt2Wz9', ''])
    expect(endsToRedact(`${`${row}\n`.repeat(4000)}${last}`, 800).split('\n…\n')[1], row).toBe(
      row ? last : '',
    )
})

/** Tables whose rows show nothing of what their columns are. */
const TABLES: [head: string, row: (at: number, value: string) => string][] = [
  ['user\tpassword\tnote', (at, value) => `u${at}\t${value}\tfor the tests`],
  ['"user";"password";"note"', (at, value) => `"u${at}";"${value}";"by hand, once"`],
  ['USER        PASSWORD        CREATED', (at, value) => `u${at}${' '.repeat(8)}${value}   3 days ago`],
  [
    'INSERT INTO u (name, mail, password) VALUES',
    (at, value) => `('u${at}', 'u${at}@example.com', '${value}'),`,
  ],
]
const word = (at: number) => ['Mq7', `v${at}`, 'rT'].join('!')

test('an end does not begin within rows whose head is cut off', () => {
  for (const [head, row] of TABLES)
    for (let before = 0; before < 40; before++) {
      const rows = Array.from({ length: 300 }, (_, at) => row(at, word(at))).join('\n')
      const text = `${'w'.repeat(before)} Some words\n${head}\n${rows}\nERROR: duplicate key value\nIt ended.`
      const cut = endsToRedact(text, 4000)
      expect(cut.split('\n…\n')[1], head).toBe('ERROR: duplicate key value\nIt ended.')
      expect(redact(cut).text, head).not.toMatch(/Mq7!/)
    }
})

test('lines of a log that look like rows stay, because nothing heads them', () => {
  const log = Array.from({ length: 400 }, (_, at) => `  ${at}:3  error  Missing semicolon  semi`).join('\n')
  expect(endsToRedact(`src/app.ts\n${log}`, 4000).split('\n…\n')[1]?.length).toBeGreaterThan(2800)
})

test('a beginning does not end with a value whose name is behind the cut', () => {
  const text = `${LINES.slice(0, 900)}\n{\n  "value": "${word(1)}",\n  "key": "admin_password"\n}\n${LINES}`
  for (let most = 860; most < 1000; most += 1)
    expect(redact(startToRedact(text, most)).text).not.toMatch(/Mq7!/)
})

const value = (at: number) => createHash('sha512').update(`value ${at}`).digest('base64')
const VALUES = Array.from({ length: 120 }, (_, at) => value(at))

/** As kubectl prints it, as Helm writes it, both as JSON, and a set of web keys in the order of its names. */
function secretTexts(): string[] {
  const data = Object.fromEntries(VALUES.map((one, at) => [`k${at}.ini`, one]))
  const lines = Object.entries(data).map(([name, one]) => `  ${name}: ${one}`)
  const about = ['metadata:', '  name: some', 'type: Opaque']
  const keys = VALUES.map((one) => ({
    alg: 'RS256',
    d: one.replaceAll(/[+/=]/g, '_'),
    e: 'AQAB',
    kty: 'RSA',
  }))
  return [
    ['apiVersion: v1', 'data:', ...lines, 'kind: Secret', ...about].join('\n'),
    ['apiVersion: v1', 'kind: Secret', ...about, 'data:', ...lines].join('\n'),
    JSON.stringify({ apiVersion: 'v1', data, kind: 'Secret' }, null, 4),
    JSON.stringify({ apiVersion: 'v1', data, kind: 'Secret' }),
    JSON.stringify({ keys }, null, 2),
  ]
}

test('no value stays whose kind is written behind the cut, or before it', () => {
  for (const text of secretTexts())
    for (let most = 1000; most < 9000; most += 170)
      for (const cut of [startToRedact, endsToRedact]) {
        const left = redact(cut(`${LINES.slice(0, 300)}\n${text}\n${LINES}`, most)).text
        const found = VALUES.filter(
          (one) => left.includes(one) || left.includes(one.replaceAll(/[+/=]/g, '_')),
        )
        expect(found, `${cut.name} ${most} ${text.slice(0, 40)}`).toEqual([])
      }
})

test('colours around names and values hide neither from a cut', () => {
  const painted = (text: string) => `\u001b[36m${text}\u001b[0m`
  for (const text of secretTexts()) {
    const coloured = text.replaceAll(/[\w+/=.]+/g, painted)
    for (let most = 1000; most < 9000; most += 170) {
      const left = redact(outputToRedact(`${LINES.slice(0, 300)}\n${coloured}\n${LINES}`, most)).text
      expect(
        VALUES.filter((one) => left.includes(one)),
        `${most} ${text.slice(0, 40)}`,
      ).toEqual([])
      expect(left).not.toContain('\u001b')
    }
  }
})
