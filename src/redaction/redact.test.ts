import { describe, expect, test, vi } from 'vitest'
import { sampler } from '../../test/redaction/samples.ts'
import { cleanJson, Findings, findSecrets, redact, sanitise } from './redact.ts'
import { requiredText } from './required-text.ts'

const { randomFrom } = sampler(3)

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const ALPHANUMERIC = `${UPPER}${UPPER.toLowerCase()}0123456789`

describe('a secret is replaced by a placeholder of its kind', () => {
  test('an access key in a sentence', () => {
    const key = `AKIA${randomFrom(`${UPPER}234567`, 16)}`
    const { text, findings } = redact(`I deployed it with ${key}, and it worked.`)
    expect(text).toBe('I deployed it with <AWS_ACCESS_KEY>, and it worked.')
    expect(findings).toEqual([{ kind: 'aws_access_key', count: 1 }])
  })

  test('our own API keys and session tokens', () => {
    const text = `X-API-Key: kv_${randomFrom(ALPHANUMERIC, 40)}\nAuthorization: Bearer kvs_${randomFrom(ALPHANUMERIC, 43)}`
    expect(redact(text).text).toBe(
      'X-API-Key: <KNOWLEDGE_VAULT_API_KEY>\nAuthorization: Bearer <KNOWLEDGE_VAULT_SESSION>',
    )
  })

  test('a value that begins with an underscore, and one behind emphasis', () => {
    const value = `_${randomFrom(`${UPPER.toLowerCase()}0123456789`, 63)}`
    expect(redact(`BITBUCKET=${value}`).text).toBe('BITBUCKET=<BITBUCKET_CLIENT_SECRET>')
    expect(redact(`__Bitbucket:__ ${value}`).text).toBe('__Bitbucket:__ <BITBUCKET_CLIENT_SECRET>')
  })

  test('the password in an address, and nothing else of it', () => {
    const password = `${randomFrom(ALPHANUMERIC, 12)}9z`
    expect(redact(`postgres://app:${password}@db.example.com:5432/app`).text).toBe(
      'postgres://app:<URL_PASSWORD>@db.example.com:5432/app',
    )
  })

  test.each([
    ['env', (value: string) => `DB_PASSWORD=${value}`],
    ['shell', (value: string) => `export DB_PASSWORD='${value}'`],
    ['JSON', (value: string) => `{"password": "${value}"}`],
    ['escaped JSON', (value: string) => `{\\"password\\": \\"${value}\\"}`],
    ['YAML', (value: string) => `  password: ${value}`],
    ['code', (value: string) => `const dbPassword: string = "${value}";`],
    ['call', (value: string) => `client.setPassword("${value}")`],
    ['XML', (value: string) => `<password>${value}</password>`],
    ['query string', (value: string) => `https://example.com/?user=a&password=${value}&x=1`],
  ])('a password in %s', (_form, write) => {
    const value = `Zq4${randomFrom(ALPHANUMERIC, 13)}`
    const { text, findings } = redact(write(value))
    expect(text).not.toContain(value)
    expect(findings).toEqual([{ kind: 'password', count: 1 }])
  })

  test('a private key, whole, with escaped line ends, and cut off', () => {
    const body = Array.from({ length: 6 }, () => randomFrom(`${ALPHANUMERIC}+/`, 64))
    const begin = ['-----BEGIN RSA', 'PRIVATE KEY-----'].join(' ')
    const end = ['-----END RSA', 'PRIVATE KEY-----'].join(' ')
    const whole = [begin, ...body, end].join('\n')
    expect(redact(`before\n${whole}\nafter`).text).toBe('before\n<PRIVATE_KEY>\nafter')
    expect(redact(`{"key": "${whole.replaceAll('\n', '\\n')}"}`).text).toBe('{"key": "<PRIVATE_KEY>"}')
    expect(redact(`before\n${[begin, ...body].join('\n')}\nplain words follow`).text).toBe(
      'before\n<PRIVATE_KEY>\nplain words follow',
    )
  })

  test('session cookies, not the others', () => {
    const value = randomFrom(ALPHANUMERIC, 32)
    expect(redact(`Cookie: theme=dark; sessionid=${value}; lang=en`).text).toBe(
      'Cookie: theme=dark; sessionid=<SESSION_COOKIE>; lang=en',
    )
  })

  test('basic credentials', () => {
    const value = Buffer.from(`app:${randomFrom(ALPHANUMERIC, 12)}`).toString('base64')
    expect(redact(`Authorization: Basic ${value}`).text).toBe('Authorization: Basic <BASIC_CREDENTIALS>')
  })

  test('basic credentials in a browser, where the web app looks by the same rules', () => {
    const value = btoa(`app:${randomFrom(ALPHANUMERIC, 12)}`)
    vi.stubGlobal('Buffer', undefined)
    const { text } = redact(`Authorization: Basic ${value}`)
    vi.unstubAllGlobals()
    expect(text).toBe('Authorization: Basic <BASIC_CREDENTIALS>')
  })

  test.each([
    [
      'a header of any scheme',
      (value: string) => `curl -H "Authorization: Token ${value}" https://example.com`,
    ],
    ['curl', (value: string) => `curl -u app:${value} https://example.com`],
    ['curl without a blank', (value: string) => `curl -uapp:${value} https://example.com`],
    ['curl with a long flag', (value: string) => `curl --user=app:${value} https://example.com`],
    [
      'a block of a Kubernetes secret',
      (value: string) => `kind: 'Secret'\r\ndata:\r\n  a: >-\r\n    ${value}\r\n`,
    ],
    ['htpasswd', (value: string) => `app:$apr1$${value.slice(0, 8)}$${value.slice(0, 22)}`],
    ['mysql', (value: string) => `mysql -u root -p${value} app`],
    ['netrc', (value: string) => `machine example.com login app password ${value}`],
    ['a flag', (value: string) => `deploy --api-key ${value}`],
    ['SQL', (value: string) => `ALTER ROLE app WITH PASSWORD '${value}'`],
    ['a sentence', (value: string) => `the token is ${value}, keep it`],
    ['a sentence about a place', (value: string) => `The password for the staging server is ${value}.`],
    [
      'other languages',
      (value: string) => `senha: ${value}, mot de passe : ${value}, Passwort lautet ${value}`,
    ],
    ['a wireless network', (value: string) => `network={\n ssid="x"\n psk="${value}"\n}`],
    [
      'a signed address',
      (value: string) => `?X-Amz-Security-Token=IQoJb3JpZ2luX2Vj${value.repeat(6)}%2F${value}%3D`,
    ],
    ['a bare session', (value: string) => `FwoGZXIvYXdz${value.repeat(6)}/+${value}==`],
    [
      'an encrypted token',
      (value: string) => `eyJ${value}..${value.slice(-16)}.${value.repeat(9)}.${value.slice(-22)}`,
    ],
    ['Dockerfile', (value: string) => `ENV API_TOKEN ${value}`],
    ['an XML attribute', (value: string) => `<add key="Password" value="${value}" />`],
    ['a wrapped value', (value: string) => `encryptionKey: Buffer.from('${value}', 'base64')`],
    ['HTML', (value: string) => `&quot;token&quot;:&quot;${value}&quot;`],
    ['a Kubernetes secret', (value: string) => `kind: Secret\ndata:\n  anything: ${value}\n`],
    ['a connection string', (value: string) => `Server=db;User Id=sa;Password=${value};Encrypt=true`],
    ['a PuTTY key', (value: string) => `Private-Lines: 1\n${value}${value}\nPrivate-MAC: 0`],
  ])('in %s', (_form, write) => {
    const value = `q7Z4${randomFrom(ALPHANUMERIC, 20)}k2W9`
    expect(redact(write(value)).text).not.toContain(value)
  })

  test.each([
    ['bold with its colon', (value: string) => `**Password:** ${value}`],
    ['bold before the colon', (value: string) => `**Password**: ${value}`],
    ['underlined', (value: string) => `__API key:__ ${value}`],
    ['a table cell beside its name', (value: string) => `| Password | ${value} |`],
    ['a column of a table', (value: string) => `| user | password |\n|---|---|\n| bob | ${value} |`],
    ['a table without outer bars', (value: string) => `user | token\n--- | ---\nbob | \`${value}\``],
    ['the line below its name', (value: string) => `Password:\n${value}\n`],
    ['below a heading', (value: string) => `### Password\n\n${value}\n`],
    ['below a name without colon', (value: string) => `the API key\r\n${value}`],
    ['curly quotes', (value: string) => `password = “${value}”`],
    ['a wide colon', (value: string) => `password：${value}`],
    ['blanks that do not break', (value: string) => `password:\u00a0${value}`],
  ])('in Markdown and typeset text: %s', (_form, write) => {
    const value = `q7Z4${randomFrom(ALPHANUMERIC, 14)}k2W9`
    const { text, findings } = redact(write(value))
    expect(text).not.toContain(value)
    expect(text).toBe(write(`<${findings[0]?.kind.toUpperCase()}>`))
  })

  test.each([
    ['a Markdown escape', '\\'],
    ['a zero-width space', '\u200b'],
    ['a zero-width joiner', '\u200d'],
    ['a soft hyphen', '\u00ad'],
    ['a word joiner', '\u2060'],
    ['a byte order mark', '\ufeff'],
    ['a variation selector', '\ufe0f'],
    ['a direction mark', '\u202e'],
    ['a tag', '\u{e0041}'],
    ['a late variation selector', '\u{e0141}'],
    ['a Hangul filler', '\u3164'],
    ['a colour of grep', '\u001b[01;31m\u001b[K'],
  ])('%s inside a token hides nothing, and the rest keeps its position', (name, sign) => {
    const token = `ghp_${randomFrom(ALPHANUMERIC, 36)}`
    const at = name === 'a Markdown escape' ? 3 : 12
    const hidden = `${token.slice(0, at)}${sign}${token.slice(at)}`
    const around = `so\u00adft ${hidden}${sign} and\u200b ${hidden}.`
    expect(redact(around)).toEqual({
      text: `so\u00adft <GITHUB_TOKEN>${sign} and\u200b <GITHUB_TOKEN>.`,
      findings: [{ kind: 'github_token', count: 2 }],
    })
  })

  test('letters of double width are read as what they look like', () => {
    const token = `ghp_${randomFrom(ALPHANUMERIC, 36)}`
    const wide = Array.from(token, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)).join('')
    expect(redact(`see ${wide}!`).text).toBe('see <GITHUB_TOKEN>!')
  })

  test('several at once are counted by kind', () => {
    const key = () => `AKIA${randomFrom(`${UPPER}234567`, 16)}`
    expect(findSecrets(`${key()} ${key()} ghp_${randomFrom(ALPHANUMERIC, 36)}`)).toEqual([
      { kind: 'aws_access_key', count: 2 },
      { kind: 'github_token', count: 1 },
    ])
  })

  test('redacting again changes nothing', () => {
    const once = redact(
      `password = "Zq4${randomFrom(ALPHANUMERIC, 13)}" ghp_${randomFrom(ALPHANUMERIC, 36)}`,
    ).text
    expect(redact(once)).toEqual({ text: once, findings: [] })
  })
})

test('signs around a value that an address or JSON inside of JSON writes otherwise hide nothing', () => {
  const word = `Zq4${randomFrom(ALPHANUMERIC, 13)}7`
  const json = JSON.stringify({ user: 'me', password: word, next: 1 })
  for (const [text, rest] of [
    [encodeURIComponent(json), '%22%3A%22<PASSWORD>%22%2C%22next'],
    [`?dsn=${encodeURIComponent(`postgres://me:${word}@db/x`)}&b=2`, 'me%3A<URL_PASSWORD>%40db%2Fx&b=2'],
    [JSON.stringify(JSON.stringify(JSON.stringify(json))), `<PASSWORD>${'\\'.repeat(7)}",`],
    [`{\\u0022password\\u0022:\\u0022${word}\\u0022}`, '\\u0022<PASSWORD>\\u0022'],
    [`{"url":"x?a\\u003d1\\u0026password\\u003d${word}\\u0026b\\u003d2"}`, '\\u003d<PASSWORD>\\u0026b'],
    [`%22password%22%3A%22${word}%3D%22`, '%22%3A%22<PASSWORD>%22'],
  ] as const) {
    const { text: left } = redact(`so\u00adft ${text} and so on`)
    expect(left).not.toContain(word)
    expect(left).toContain(rest)
    expect(left.endsWith(' and so on')).toBe(true)
  }
})

test.each(['dummy', 'FooBar', '...', '***'])('%s inside a long random value does not excuse it', (word) => {
  const value = `q7Z4${randomFrom(ALPHANUMERIC, 14)}8${word}3${randomFrom(ALPHANUMERIC, 14)}`
  expect(redact(`api_key = "${value}"`).text).toBe('api_key = "<API_KEY>"')
})

test.each([
  'AKIAIOSFODNN7EXAMPLE',
  'X-API-Key: <API_KEY>',
  `api_key = "${'x'.repeat(32)}"`,
  'password: ********',
  'password=$' + '{DB_PASSWORD}',
  'token = process.env.GITHUB_TOKEN',
  'api_key = "YOUR_API_KEY_HERE_1"',
  'postgres://user:password@localhost/db',
  'const token = await getToken(request)',
  'the token is refreshed every 15 minutes',
  '"password": "string"',
  'key: 0123456789',
  'token: "my-dummy-token-42"',
  'apiKey = "testDummyKey9"',
  'token: kv_ab3...9xyz',
  'secretKey: config.auth.secretKey2',
  'echo $PASSWORD | base64',
  'password=\nDB_HOST2=localhost5',
  '| token | type |\n|---|---|\n| id2 | string |',
  '| key | value |\n|--|--|\n| size12 | 1024px9 |',
  'The password\nmust be long enough2',
  '- password\n- python3.11\n',
  'token:\nuser2: abc12345',
  'https://a.example/in?redirect_uri=https%3A%2F%2Fb.example%2Fcb%3Fkey%3Dvalue&hint=%22me%40b.example%22',
  'git log --grep "C:\\\\\\"token\\\\\\": of a path" \\u003dvalue2\\u0026key\\u003dname',
  'naïve “quotes” – and soft\u00adhyphens\u200b stay as they are',
])('documentation and code are not secrets: %s', (text) => {
  expect(redact(text)).toEqual({ text, findings: [] })
})

test('sanitising sees a secret through the colours of a terminal', () => {
  const key = `ghp_${randomFrom(ALPHANUMERIC, 36)}`
  const shown = `x: \u001b[01;31m\u001b[Kghp_\u001b[m\u001b[K${key.slice(4)}\r\n`
  expect(sanitise(shown)).toEqual({
    text: 'x: [01;31m[K<GITHUB_TOKEN>\n',
    findings: [{ kind: 'github_token', count: 1 }],
  })
})

test('sanitising drops control characters except tab and newline, also inside a secret', () => {
  const key = `ghp_${randomFrom(ALPHANUMERIC, 36)}`
  expect(sanitise(`a\u0000b\tc\r\nd\u001b[31m\u0085 ${key.slice(0, 9)}\u0007${key.slice(9)}`)).toEqual({
    text: 'ab\tc\nd[31m <GITHUB_TOKEN>',
    findings: [{ kind: 'github_token', count: 1 }],
  })
})

test('control characters do not count towards the length of a required text', () => {
  const Reason = requiredText(3, 10)
  for (const text of [
    '',
    '  ',
    'ab',
    '😀😀',
    'ab\u0007',
    '\u0007\u0001\u001b',
    'a\u001b\u001b\rb',
    '\u0007 a \u0007',
  ])
    expect(Reason.safeParse(text).error?.issues, JSON.stringify(text)).toHaveLength(1)
  for (const text of ['abc', '😀😀😀', '\u0007abc', 'a\tb', '\u001b[0m'])
    expect(Reason.safeParse(text).data, JSON.stringify(text)).toBe(text)
  expect(Reason.safeParse('x'.repeat(11)).success).toBe(false)
})

test('numbers under the name of a secret in structured data', () => {
  const pin = 8341229977123
  const findings = new Findings()
  expect(
    cleanJson({ password: pin, deep: [{ api_key: 55512349 }], 'db.passwort': '4471120987' }, findings),
  ).toEqual({ password: '<PASSWORD>', deep: [{ api_key: '<API_KEY>' }], 'db.passwort': '<PASSWORD>' })
  expect(findings.list()).toEqual([
    { kind: 'password', count: 2 },
    { kind: 'api_key', count: 1 },
  ])
  const harmless = {
    max_tokens: 1_000_000,
    key: 12345678,
    token_expires_at: 1763553600,
    password_changed_at: 1763553600,
    password: 1234,
    has_password: true,
    passwords: 20260101,
    secret_version: 20260101,
  }
  expect(cleanJson(harmless, new Findings())).toEqual(harmless)
})
