import { describe, expect, test } from 'vitest'
import { FRESH_LAYOUTS, SECOND_LAYOUTS } from '../../test/redaction/fresh-layouts.ts'
import { type Draw, drawLayouts, LAYOUTS } from '../../test/redaction/layouts.ts'
import { MISSED_LAYOUTS } from '../../test/redaction/missed-layouts.ts'
import { sampler } from '../../test/redaction/samples.ts'
import { redact } from './redact.ts'

const isLeft = ({ text, value }: Draw) => redact(text).text.includes(value)

describe.each([
  ['the layouts of the rules', LAYOUTS, 0.01],
  ['layouts that were written after the rules', FRESH_LAYOUTS, 0.01],
  ['a third lot', SECOND_LAYOUTS, 0.01],
  ['layouts that were always missed', MISSED_LAYOUTS, 0.01],
])('%s', (_, layouts, mostLeft) => {
  const draws = drawLayouts(layouts, sampler(31), 2)

  test('hardly any secret is left, whatever its kind', () => {
    expect(draws.filter(isLeft).length / draws.length).toBeLessThan(mostLeft)
  })

  test('no layout always keeps its secret', () => {
    const byLayout = Map.groupBy(draws, ({ layout }) => layout)
    expect([...byLayout].filter(([, some]) => some.every(isLeft)).map(([layout]) => layout)).toEqual([])
  })
})

test('only the value is replaced', () => {
  const value = drawLayouts({ one: ['§'] }, sampler(5), 1)[0]?.value as string
  for (const [layout, kind] of [
    ['host\tuser\tpassword\ndb1\tapp\t§\n', 'PASSWORD'],
    ['name;password;role\nanna;§;admin\n', 'PASSWORD'],
    ['HOST       USER      PASSWORD\ndb1        app       §\n', 'PASSWORD'],
    ['<tr><td>Password</td><td>§</td></tr>', 'PASSWORD'],
    ['-[ RECORD 1 ]---\npassword | §\nactive   | t\n', 'PASSWORD'],
    ['- value: §\n  name: DB_PASSWORD\n', 'PASSWORD'],
    ['new NetworkCredential("app", "§")', 'PASSWORD'],
    ["INSERT INTO users (name, password) VALUES ('anna', '§');", 'PASSWORD'],
    ['Das neue Passwort für den Server ist §.', 'PASSWORD'],
    ['creds: app / §', 'SECRET'],
    ['WIFI:S:Home;T:WPA;P:§;;', 'WIFI_PASSWORD'],
    ['anna@example.com:§', 'PASSWORD'],
    ["jwt.sign({ id: 1 }, '§', { expiresIn: '1h' })", 'PASSWORD'],
    ['smbclient -L host -U anna%§', 'PASSWORD'],
    ["echo 'anna:§' | smbpasswd -s", 'SECRET'],
    ['def api_key():\n    return "§"\n', 'API_KEY'],
  ] as const)
    expect(redact(layout.replace('§', value)).text).toBe(layout.replace('§', `<${kind}>`))
})

test('a random secret is replaced everywhere in a text, a short value only beside its name', () => {
  const value = `q7${sampler(9).randomFrom('abcdefghijkmnpqrstuvwxyzABCDEFGH23456789', 20)}Z4k9`
  expect(redact(`token: ${value}\nThe request with ${value} failed.`).text).toBe(
    'token: <TOKEN>\nThe request with <TOKEN> failed.',
  )
  expect(redact('password: orders24x\nThe table orders24x is new.').text).toBe(
    'password: <PASSWORD>\nThe table orders24x is new.',
  )
})

test('a private key that is written as a part of an address', () => {
  const body = Array.from(
    { length: 5 },
    () => `${sampler(6).randomFrom('ABCDEFabcdef0123456789', 60)}%2B`,
  ).join('%0A')
  const block = (blank: string) =>
    ['-----BEGIN', 'PRIVATE', `KEY-----%0A${body}%0A-----END`, 'PRIVATE', 'KEY-----'].join(blank)
  for (const blank of ['%20', '+']) expect(redact(`k=${block(blank)}&x=1`).text).toBe('k=<PRIVATE_KEY>&x=1')
})

test('what stands beside a name without being a secret stays', () => {
  for (const text of [
    'host\tuser\tpassword\ndb1\tapp\t<PASSWORD>\ndb2\tapp\t$DB_PASSWORD\ndb3\tapp\t\n',
    'name,password\nanna,required\nbob,********\ncarl,null\n',
    'NAME    TOKEN\nci      <none>\n',
    'password: string\npassword?: string | undefined',
    'password must be at least 8 characters',
    'the password is required, the token expires in 30 days',
    'password: process.env.DB_PASSWORD',
    'password = getPassword(config, "db")',
    "INSERT INTO users (name, password) VALUES ('anna', $2), (?, ?)",
    'login("anna", process.env.PASSWORD)',
    'connect("db1.example.com", "shop_production")',
    'creds: see the vault / ask anna',
    'Log in as admin: click the button',
    'The password of user1 was reset on 2026-05-01 at 10:12:13.',
    'token for commit 3f2a9c1d8b7e6f5a4c3b2a1908f7e6d5c4b3a291',
    'auth fixed (a13f0bc8 by farmdog)',
    '<td>Password</td><td>Benutzername</td>',
    'Element: przyjmujących | pass: Element przyjmuje fokus',
    'WIFI:S:Home;T:nopass;;',
    'git clone git@github.com:acme/app2.git',
    'scp report1.pdf anna@host1:/srv/files/2026',
    'echo "$TOKEN" | base64',
    'echo fd68f8f5e33f4cecea4fdb7abc5ee19c12f138f0 | git cat-file --batch',
    'git log -p fd68f8f5e33f4cecea4fdb7abc5ee19c12f138f0',
    'password, mac: 00:1A:2B:3C:4D:5E',
    'mkdir -p build/out2026 && vault status',
    'import { password } from "./schemas/password.ts"',
    '[inspired by the API of XMLHttpRequest-2], "keyCode": "KeyOfKeyword"',
  ])
    expect(redact(text), text).toEqual({ text, findings: [] })
})
