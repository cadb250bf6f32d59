import { expect, test } from 'vitest'
import { sampler } from '../../test/redaction/samples.ts'
import { FOREIGN_NAMES } from './names.ts'
import { redact } from './redact.ts'

const { randomFrom } = sampler(21)
const password = `Hv7${randomFrom('bcdfghkmnp', 5)}!92`
const random = `q7Z4${randomFrom('abcdefghijkmnpqrstuvwxyzABCDEFGHIJKLMNPQRSTUVWXYZ23456789', 20)}k2W9`

test('names of secrets in other scripts, in every notation', () => {
  for (const { kind, names } of FOREIGN_NAMES) {
    const value = kind === 'password' ? password : random
    const shown = `<${kind.toUpperCase()}>`
    for (const name of names.flatMap((name) => [name, name.toUpperCase()])) {
      for (const write of [
        (value: string) => `${name}: ${value}`,
        (value: string) => `${name}：${value}`,
        (value: string) => `${name}=${value};`,
        (value: string) => `{"${name}": "${value}"}`,
        (value: string) => `| ${name} | ${value} |`,
      ])
        expect(redact(write(value)).text).toBe(write(shown))
    }
  }
})

test('with endings, more words and dashes between name and value', () => {
  for (const write of [
    (value: string) => `Пароль от тестовой базы: ${value}`,
    (value: string) => `Паролем root: ${value}`,
    (value: string) => `Пароль — ${value}`,
    (value: string) => `hasło do bazy: ${value}`,
    (value: string) => `Kennwort lautet ${value}`,
    (value: string) => `the password is ${value}, as before`,
    (value: string) => `password - ${value}`,
    (value: string) => `salasana: ${value}`,
  ])
    expect(redact(write(password)).text).toBe(write('<PASSWORD>'))
})

test('what is said about a password is none', () => {
  for (const text of [
    'пароль не подходит: ошибка 401',
    'Неверный пароль (error: EAUTH)',
    'Пароль: не менее 8 символов',
    'Пароль: ********, токен: $TOKEN',
    'токен истёк: 2024-05-01',
    `ключ кэша: node-modules-linux-a${randomFrom('0123456789abcdef', 38)}b`,
    '密码错误，密码：必填',
    'パスワードは8文字以上',
    'Contraseña incorrecta: intente de nuevo',
    'contraseña=$DB_PASS',
    'the password is base64-encoded, was argon2id - see docs/auth2.md',
    'password was me2@example.com',
  ])
    expect(redact(text)).toEqual({ text, findings: [] })
})
