import { describe, expect, test } from 'vitest'
import { sampler } from '../../test/redaction/samples.ts'
import { quickest } from '../../test/support/linear-time.ts'
import { redact } from './redact.ts'

const { randomFrom } = sampler(52)
const secret = () => `k7${randomFrom('abcdefghijkmnpqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789', 14)}W4`
const OTHERS = ['anna', 'db1', 'eu', 'ci']

/** Tables of rows of a user and a secret. */
const TABLES: Record<string, (rows: readonly (readonly [string, string])[]) => string[]> = {
  commas: (rows) => ['user,password,host', ...rows.map(([user, value]) => `${user},${value},db1`)],
  'the password first': (rows) => ['password,user', ...rows.map(([user, value]) => `${value},${user}`)],
  semicolons: (rows) => ['user;password', ...rows.map(([user, value]) => `${user};${value}`)],
  tabs: (rows) => ['user\tsecret_key\thost', ...rows.map(([user, value]) => `${user}\t${value}\tdb1`)],
  aligned: (rows) => [
    'NAME        PASSWORD              HOST',
    ...rows.map(([user, value]) => `${user.padEnd(11)} ${value.padEnd(21)} db1`),
  ],
  Markdown: (rows) => [
    '| user | password |',
    '|---|---|',
    ...rows.map(([user, value]) => `| ${user} | ${value} |`),
  ],
  psql: (rows) => [
    ' user | password ',
    '------+----------',
    ...rows.map(([user, value]) => ` ${user} | ${value}`),
  ],
}

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => [OTHERS[at % OTHERS.length] as string, secret()] as const)
const left = (text: string, rows: readonly (readonly [string, string])[]) => {
  const shown = redact(text).text
  return rows.filter(([, value]) => shown.includes(value)).length
}

describe('a table ends where its layout ends', () => {
  const rows = rowsOf(4_500)

  test.each(Object.entries(TABLES))('%s', (_, write) => {
    expect(left(write(rows).join('\n'), rows)).toBe(0)
  })

  test('HTML', () => {
    const cells = rows.map(([user, value]) => `<tr><td>${user}</td><td>${value}</td></tr>`)
    const text = `<table>\n<tr><th>user</th><th>password</th></tr>\n${cells.join('\n')}\n</table>`
    expect(left(text, rows)).toBe(0)
  })

  test('INSERT, COPY and rows of JSON', () => {
    const inserted = rows.map(([user, value]) => `('${user}', '${value}')`).join(',\n')
    expect(left(`INSERT INTO users (name, password) VALUES\n${inserted};`, rows)).toBe(0)
    const copied = rows.map((row) => row.join('\t')).join('\n')
    expect(left(`COPY users (name, password) FROM stdin;\n${copied}\n\\.\n`, rows)).toBe(0)
    const listed = JSON.stringify({ columns: ['name', 'password'], rows })
    expect(left(listed, rows)).toBe(0)
  })

  test('a value with another cell between it and its name', () => {
    const [value] = [secret()]
    const table = (value: string) =>
      `| Variable | Scope | Value |\n|---|---|---|\n| DB_PASSWORD | all | ${value} |\n| token | a word | see the docs |`
    expect(redact(table(value)).text).toBe(table('<PASSWORD>'))
  })

  test('a text below the table is no row', () => {
    const text = 'user,password\nanna,<PASSWORD>\n\nThe build of 2024-05-01, k8s-node-17b2\n'
    expect(redact(text).text).toBe(text)
  })

  test('twice the rows cost about twice the time', () => {
    const time = (count: number) => {
      const text = `user,password\n${'anna,required\n'.repeat(count)}`
      return quickest(() => redact(text), 1)
    }
    time(2_000)
    expect(time(40_000)).toBeLessThan(5 * Math.max(2, time(20_000)))
  })
})

describe('words before a head', () => {
  const rows = rowsOf(3)

  test.each(['It fails: ', 'look: ', 'Here are the users of yesterday: ', 'Error! '])('%s', (words) => {
    for (const [name, write] of Object.entries(TABLES))
      expect(left(words + write(rows).join('\n'), rows), name).toBe(0)
  })
})

const digit = (at: number) => String(at % 10)
const PREFIXES: Record<string, (at: number) => string> = {
  quote: () => '> ',
  'quote in a quote': () => '>> ',
  comment: () => '# ',
  'comment of code': () => '// ',
  'comment of SQL': () => '-- ',
  'added line': () => '+ ',
  'added line without a blank': () => '+',
  'item of a list': () => '- ',
  'comment of a block': () => ' * ',
  time: (at) => `2026-11-19T10:11:1${digit(at)}.3${digit(at)}4Z `,
  'time and level': (at) => `2026-11-19 10:11:1${digit(at)},345 ${at % 2 ? 'WARN ' : 'INFO '} `,
  'time in brackets': (at) => `[2026-11-19 10:1${digit(at)}] `,
  level: () => 'INFO ',
  container: (at) => `[pod/app-${at}/app] `,
  'line number': (at) => `${at + 8}: `,
  'line number, padded': (at) => `${String(at + 8).padStart(6)}\t`,
  'file and line': (at) => `data/users.txt:${at}:`,
  service: () => 'db-1  | ',
  'service without a number': () => 'postgres  | ',
  syslog: (at) => `Nov 19 10:11:1${digit(at)} host1 app[12${at}]: `,
  'log of containers': (at) => `2026-11-19T10:11:12.34${digit(at)}Z stdout F `,
}

describe('what a program writes before each line', () => {
  const rows = rowsOf(4)

  test.each(Object.entries(PREFIXES))('%s', (_, prefix) => {
    for (const [name, write] of Object.entries(TABLES)) {
      const text = write(rows)
        .map((line, at) => prefix(at) + line)
        .join('\n')
      expect(left(text, rows), name).toBe(0)
    }
  })

  test('is kept, and only values are replaced', () => {
    const [value] = [secret()]
    expect(redact(`> user,password,host\n> anna,${value},db1`).text).toBe(
      '> user,password,host\n> anna,<PASSWORD>,db1',
    )
    expect(redact(`12: password,user\n13: ${value},anna`).text).toBe('12: password,user\n13: <PASSWORD>,anna')
  })

  test('is no reason to take words for values', () => {
    for (const text of [
      '// user, password, token\n// anna, required, optional\n',
      '> We check user, password, and host.\n> We reset mail, token2, and key.\n',
      '- name, password\n- anna, required\n',
      'INFO user, token, host\nINFO started, ready, done\n',
    ])
      expect(redact(text), text).toEqual({ text, findings: [] })
  })
})
