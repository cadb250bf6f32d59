import { expect, test } from 'vitest'
import { sampler } from '../../test/redaction/samples.ts'
import { redact } from './redact.ts'

const { randomFrom } = sampler(22)
const secret = `q7Z4${randomFrom('abcdefghijkmnpqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789', 20)}k2W9`

test('session cookies wherever programs write them', () => {
  for (const write of [
    (value: string) => `Set-Cookie: session=${value}; Path=/; HttpOnly`,
    (value: string) => `{"Cookie": "theme=dark; session=${value}"}`,
    (value: string) => `{\\"set-cookie\\":[\\"session=${value}; Path=/\\"]}`,
    (value: string) => `["Cookie", "session=${value}"]`,
    (value: string) => `document.cookie = "session=${value}"`,
    (value: string) => `requests.get(url, cookies={"session": "${value}"})`,
    (value: string) => `curl --cookie "sid=${value}" https://example.com`,
  ])
    expect(redact(write(secret)).text).toBe(write('<SESSION_COOKIE>'))
  for (const text of [
    'cookies: enabled, session=true',
    'cookie: { secure: true, sameSite: "lax", name: "session" }',
    'cookies={"theme": "darkmode12"}',
    'Cookie: sessionid=xxxxxxxxxxxxxxxx',
  ])
    expect(redact(text).text).toBe(text)
})

test('basic credentials with letters beyond ASCII, and with a key in place of the user', () => {
  for (const credentials of ['app:Пароль7!xx', 'app:Grün7!xx', `${secret}:`]) {
    const header = (value: string) => `Authorization: Basic ${value}`
    const encoded = Buffer.from(credentials).toString('base64')
    expect(redact(header(encoded)).text).toBe(header('<BASIC_CREDENTIALS>'))
  }
  for (const text of ['Basic authentication is used', `Basic ${Buffer.from('username:').toString('base64')}`])
    expect(redact(text).text).toBe(text)
})

test('quotes and escapes inside a password in quotes belong to it', () => {
  const word = `Hv7${randomFrom('bcdfghkmnp', 5)}`
  for (const password of [`${word}'fa!92`, `ab\\"${word}!92`, `ab\\\\${word}!92`])
    expect(redact(`{"password": "${password}", "port": 1}`).text).toBe(
      '{"password": "<PASSWORD>", "port": 1}',
    )
  const space = '"password": "App\\\\Models\\\\Password2"'
  expect(redact(space).text).toBe(space)
})
