import { expect, test } from 'vitest'
import { sampler } from '../../test/redaction/samples.ts'
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

const part = () => `${randomFrom('bcdfghk', 1)}${randomFrom('LMNPQR', 1)}${randomFrom('23456789', 1)}`
const BARE: ((password: string) => string)[] = [
  (password) => `DB_PASSWORD=${password}`,
  (password) => `db:\n  password: ${password}\n  user: app\n`,
  (password) => `export PGPASSWORD=${password}\nnext`,
]

test('a bare password may have signs that code has too', () => {
  for (const sign of [':', '?', '|', '(', '[', '{'])
    for (const password of [
      `${part()}${sign}${part()}v${randomFrom('LMN', 2)}`,
      `${part()}${sign}k${randomFrom('23456789', 2)}!m${randomFrom('bcdfg', 1)}`,
    ])
      for (const write of BARE) expect(redact(write(password)).text, sign).toBe(write('<PASSWORD>'))
  const password = `${part()}?${part()}v`
  for (const write of [
    (value: string) => `- "DB_PASSWORD=${value}"\n`,
    (value: string) => `{password: ${value}, user: app}`,
    (value: string) => `docker run -e DB_PASSWORD=${value} app`,
  ])
    expect(redact(write(password)).text).toBe(write('<PASSWORD>'))
})

test('a password in quotes may have a brace that is not closed', () => {
  for (const brace of ['{', '}'])
    for (const write of NOTATIONS)
      expect(redact(write(`${part()}${brace}q!${part()}`)).text).toBe(write('<PASSWORD>'))
})

test('code and names beside a password stay', () => {
  for (const text of [
    'password: string',
    'secret?: boolean',
    'password: string | null',
    'password: String1|null',
    'password?: Foo1|Bar2;',
    'password = input("Your password1: ")',
    'password: z.string().min(8).max(72)',
    'password: Joi.string().pattern(/^[a-zA-Z0-9]{3,30}$/)',
    'password_pattern: ^[A-Za-z0-9_]{8,32}$',
    'password = get_password1(user\n)',
    'password = Sha256(b"x")',
    'password = users[index1].password2',
    'password = isProd1?first2:second3',
    'PASSWORD=$' + '(pass show db1)',
    'PASSWORD=$' + '{A1:-$' + '{B2}}',
    'PASSWORD=$USER1:$PASS2x3',
    'password_changed_at: 2026-03-14T10:22:30Z',
    'password: arn:aws:ssm:us-east-1:123456789012:parameter/Db1-a2B3c4',
    'password: vault:secret/data/Db1#pass2Word3',
    'passwd: fe80::a1b2:c3D4',
    'pass: db1.example.com:5432',
    'pass: src/app1.test2.ts:12:5',
    'password: "prefix1!{name}"',
    'password: "prefix1!$' + '{name}"',
    'password = f"x1!{d[\'k2\']}"',
    "password = 'a1!{{ name }}'",
  ])
    expect(redact(text)).toEqual({ text, findings: [] })
})
