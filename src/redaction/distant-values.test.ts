import { expect, test } from 'vitest'
import { sampler } from '../../test/redaction/samples.ts'
import { redact } from './redact.ts'

const { randomFrom } = sampler(11)
const ALPHANUMERIC = 'abcdefghijkmnpqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789'
const secret = () => `q7Z4${randomFrom(ALPHANUMERIC, 14)}k2W9`

type Write = (value: string) => string

const DISTANT: Write[] = [
  (value) => `{"name": "DB_PASSWORD", "value": "${value}"}`,
  (value) => `[{"name":"API_KEY","type":"plain","secret":true,"value":"${value}"}]`,
  (value) => `{\n  "value": "${value}",\n  "name": "API_KEY"\n}`,
  (value) => `{"value":"${value}","type":"string","key":"STRIPE_TOKEN"}`,
  (value) => `db:\n  password: >-\n    ${value}\n  user: app`,
  (value) => `db:\n  token: |\n    ${value}\n`,
  (value) => `variable "db_password" {\n  type    = string\n  default = "${value}"\n}`,
  (value) => `"db_password": {\n  "sensitive": true,\n  "type": "string",\n  "value": "${value}"\n}`,
  (value) => `{"api_token": {"value": "${value}", "sensitive": true}}`,
  (value) => `variable "api_token" { default="${value}" }`,
  (value) => ` id | password\n----+----------\n  1 | ${value}\n(1 row)`,
  (value) => `+----+--------+\n| id | token  |\n+----+--------+\n|  1 | ${value} |\n+----+--------+\n`,
  (value) => `deploy --token \\\n  ${value} --now`,
  (value) => `export API_TOKEN=\\\n${value}\n`,
]

test('a value apart from its name', () => {
  for (const write of DISTANT) {
    const { text, findings } = redact(write(secret()))
    expect(text).toBe(write(`<${findings[0]?.kind.toUpperCase()}>`))
  }
})

test('a token that a backslash and a line end break in two', () => {
  const token = `ghp_${randomFrom(ALPHANUMERIC, 36)}`
  for (const end of ['\\\n', '\\\r\n'])
    expect(redact(`curl x/${token.slice(0, 20)}${end}${token.slice(20)} \\\n  -o out`).text).toBe(
      'curl x/<GITHUB_TOKEN> \\\n  -o out',
    )
})

test('the secret parts of a JSON Web Key, and not the public ones', () => {
  const part = (length: number) => randomFrom(`${ALPHANUMERIC}_-`, length)
  const [x, y, d] = [part(43), part(43), part(43)]
  const key = JSON.stringify({ kty: 'EC', crv: 'P-256', x, y, d })
  expect(redact(key).text).toBe(JSON.stringify({ kty: 'EC', crv: 'P-256', x, y, d: '<PRIVATE_KEY>' }))
  expect(redact(JSON.stringify({ d, x, kty: 'OKP' }, null, 2)).text).toBe(
    JSON.stringify({ d: '<PRIVATE_KEY>', x, kty: 'OKP' }, null, 2),
  )
  const shared = {
    keys: [
      { kty: 'oct', k: d },
      { kty: 'EC', x, y },
    ],
  }
  expect(redact(JSON.stringify(shared)).text).toBe(
    JSON.stringify({
      keys: [
        { kty: 'oct', k: '<PRIVATE_KEY>' },
        { kty: 'EC', x, y },
      ],
    }),
  )
  expect(redact(JSON.stringify({ body: key })).text).not.toContain(d)
  const open = JSON.stringify({ keys: [{ kty: 'EC', x, y, use: 'sig' }], d })
  expect(redact(open)).toEqual({ text: open, findings: [] })
})

test('names and values that are no secrets stay', () => {
  for (const text of [
    '{"name": "PASSWORD_FILE", "type": "path", "value": "/run/secrets/db1"}',
    '{"value": "us-east-1", "name": "region"}',
    '{"value": "production1", "name": "mode"}, {"name": "password", "value": ""}',
    'password: |\n  The password must have 12 letters.\n',
    'variable "db_password" {\n  type = string\n}\nvariable "size" {\n  default = "t3.large12"\n}',
    'variable "db_password" {\n  default = ""\n}',
    ' id | password\n----+----------\n  1 | \n(1 row)\n production1 | x',
    'a | token\n---\nproduction1 | q7',
    'make all\\\ntoken2 build',
  ])
    expect(redact(text)).toEqual({ text, findings: [] })
})
