import { expect, test } from 'vitest'
import { sampler } from '../../../test/redaction/samples.ts'
import { redact } from './redact.ts'

const { randomFrom } = sampler(10)
const group = () => randomFrom('bcdfghklmnpqrstvwxz', 4)
const NOTATIONS: ((password: string) => string)[] = [
  (password) => `GMAIL_APP_PASSWORD="${password}"`,
  (password) => `{"user": "me", "pass": "${password}", "port": 465}`,
  (password) => `smtp_password: '${password}'`,
  (password) => `auth: { user, passphrase: \`${password}\` },`,
]

test('a password in quotes may have blanks', () => {
  for (const password of [
    [group(), group(), group(), group()].join(' '),
    `purple Sl3ep!${randomFrom('abcdefg', 2)} lamp`,
    `Winter${randomFrom('23456789', 2)}! rain`,
  ]) {
    for (const write of NOTATIONS) expect(redact(write(password)).text).toBe(write('<PASSWORD>'))
  }
})

test('a sentence about passwords is none', () => {
  for (const text of [
    'password: "must have 8 letters, a digit and one of !@#$%1a"',
    "password: 'Passwort vergessen?'",
    '"password": "Minimum 8 characters!"',
    '"password": "at least 12 signs such as a1!b2#"',
    'password: "Argon2id hash, sha256 before"',
    'password = "abcd efgh ijkl mnop"',
    'password = "xxxx xxxx xxxx xxxx"',
    'password: "they must fail soon"',
    'password: "mail me2@example.com soon"',
    'password: "read $DB_PASSWORD2! first"',
    'passwords: ["correct horse", "battery staple"]',
    'echo "password: " && read -s PW; echo "done 1!a"',
  ])
    expect(redact(text)).toEqual({ text, findings: [] })
})
