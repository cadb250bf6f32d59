import { expect, test } from 'vitest'
import { sampler } from '../../test/redaction/samples.ts'
import { redact } from './redact.ts'

const { randomFrom } = sampler(9)
const ALPHANUMERIC = 'abcdefghijkmnpqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789'
const letters = () => `Tr0${randomFrom(ALPHANUMERIC, 8)}x`

test('an at sign in a password does not end it', () => {
  for (const password of [
    `${letters()}@${letters()}`,
    `p@${letters()}`,
    `${letters()}@@`,
    `a@b1@${letters()}`,
  ]) {
    for (const after of ['db.example.com:5432/app', 'localhost', 'db/app?email=me@example.com', '[::1]/app'])
      expect(redact(`see postgres://app:${password}@${after} now`).text, password).toBe(
        `see postgres://app:<URL_PASSWORD>@${after} now`,
      )
  }
})

test('a slash in the password of a database does not end it', () => {
  for (const scheme of ['postgres', 'jdbc:mysql', 'mongodb+srv', 'redis', 'amqps']) {
    for (const password of [`${letters()}/${letters()}`, `${letters()}/@${letters()}/`])
      expect(redact(`URL="${scheme}://app:${password}@db.example.com:5432/app"`).text).toBe(
        `URL="${scheme}://app:<URL_PASSWORD>@db.example.com:5432/app"`,
      )
  }
})

test('a token in place of the user', () => {
  const token = `a7${randomFrom(ALPHANUMERIC, 8)}4k2W9${randomFrom(ALPHANUMERIC, 12)}8z`
  expect(redact(`git clone https://${token}@git.example.com/org/app.git`).text).toBe(
    'git clone https://<URL_PASSWORD>@git.example.com/org/app.git',
  )
})

test('addresses without a secret stay', () => {
  for (const text of [
    'postgres://localhost:5432/app?email=me@example.com',
    'mongodb://db1:27017,db2:27017/app?user=me@example.com',
    'redis://cache:6379/0 and mail me@example.com',
    'https://example.com:8080/@scope/package2@1.2.3',
    'https://registry.npmjs.org/@scope%2fname@1.0.0',
    'https://me.and.my.long.user.name2024@git.example.com/app',
    `https://${randomFrom('0123456789abcdef', 32)}@o12345.ingest.sentry.io/42`,
    `https://${randomFrom('0123456789abcdef', 32)}@sentry.internal.example.com/42`,
    'postgres://user:password@localhost/app, me@example.com',
  ])
    expect(redact(text)).toEqual({ text, findings: [] })
})

test('the password of an address as programs in Go have it', () => {
  const password = letters()
  for (const before of ['dsn := "app', 'DSN=app', 'app'])
    expect(redact(`${before}:${password}@tcp(db:3306)/shop`).text).toBe(
      `${before}:<URL_PASSWORD>@tcp(db:3306)/shop`,
    )
  for (const text of ['root:password@tcp(127.0.0.1:3306)/db', 'net.Dial@tcp(host)', '@tcp(db)'])
    expect(redact(text).text).toBe(text)
})
