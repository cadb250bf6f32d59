import { expect, test } from 'vitest'
import { ConfigError, readConfig } from './config.ts'

const mistakes = (env: Record<string, string>): string[] => {
  try {
    readConfig(env)
    return []
  } catch (error) {
    return error instanceof ConfigError ? error.message.split('\n') : [`not a ConfigError: ${error}`]
  }
}

test('with nothing set, everything has a default', () => {
  expect(readConfig({})).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    baseUrl: 'http://127.0.0.1:8080',
    dataDir: './data',
    databaseUrl: undefined,
    credits: undefined,
    registration: 'open',
    sessionTtlDays: 30,
  })
})

test('an empty variable counts as unset', () => {
  expect(readConfig({ PORT: '', SMTP_URL: '' })).toMatchObject({ port: 8080, mail: { smtpUrl: undefined } })
})

test('blanks and line ends around a value are none of it', () => {
  const config = readConfig({
    PORT: ' 9000\r',
    DATA_DIR: ' /srv/vault ',
    METRICS_TOKEN: `${'a'.repeat(16)}\n`,
    SMTP_URL: ' ',
  })
  expect(config).toMatchObject({
    port: 9000,
    dataDir: '/srv/vault',
    metricsToken: 'a'.repeat(16),
    mail: { smtpUrl: undefined },
  })
})

test('BASE_URL is as clients write it, without a trailing slash; an IPv6 host gets its brackets', () => {
  for (const written of [
    'https://vault.example.com/',
    'HTTPS://Vault.Example.com',
    'https://vault.example.com:443',
  ])
    expect(readConfig({ BASE_URL: written }).baseUrl, written).toBe('https://vault.example.com')
  expect(readConfig({ HOST: '::1', PORT: '9000' }).baseUrl).toBe('http://[::1]:9000')
  expect(readConfig({ HOST: 'Vault.Internal', PORT: '80' }).baseUrl).toBe('http://vault.internal')
})

test('each mistake is one line that names its variable', () => {
  const lines = mistakes({
    PORT: '99999',
    CREDITS: 'maybe',
    DATABASE_URL: 'mysql://x',
    REGISTRATION: 'sometimes',
    SECRET_KEY: 'short',
  })
  expect(lines).toHaveLength(5)
  for (const [index, name] of ['PORT', 'DATABASE_URL', 'CREDITS', 'REGISTRATION', 'SECRET_KEY'].entries())
    expect(lines[index]).toMatch(new RegExp(`^${name}: `))
})

test('a pooler and a cluster are named together with the database they belong to', () => {
  const url = 'postgres://vault@database/vault'
  expect(mistakes({ DATABASE_DIRECT_URL: url })).toEqual([
    expect.stringMatching(/^DATABASE_DIRECT_URL: needs/),
  ])
  expect(mistakes({ DATABASE_DISTRIBUTED: 'citus' })).toEqual([
    expect.stringMatching(/^DATABASE_DISTRIBUTED: needs/),
  ])
  expect(mistakes({ DATABASE_URL: url, DATABASE_READ_URL: url, DATABASE_DISTRIBUTED: 'citus' })).toEqual([
    expect.stringMatching(/^DATABASE_READ_URL: a replica of the coordinator/),
  ])
  expect(mistakes({ DATABASE_URL: url, DATABASE_DISTRIBUTED: 'yes' })).toHaveLength(1)
  expect(readConfig({ DATABASE_URL: url, DATABASE_DISTRIBUTED: 'citus' }).databaseIsDistributed).toBe(true)
})

test('addresses that nothing can be reached under are refused, each in one line', () => {
  const url = 'postgres://x:notaport/db'
  const samples: [string, string[]][] = [
    [
      'DATABASE_URL',
      [url, 'postgres://vault:pass#word@database/vault', 'postgres://db/vault?sslmode=strict'],
    ],
    ['DATABASE_URL', ['postgres://db/vault?port=abc', 'postgres://db/vault?host=/run/db&port=70000']],
    ['DATA_DIR', ['~/data', '~', 'file:///srv/vault']],
    ['BACKUP_DIR', ['~vault/backups']],
    ['STRIPE_API_BASE', ['https://gateway.example.com/stripe', 'https://gateway.example.com/?a=b']],
    ['SMTP_URL', ['smtp://host:notaport', 'smtp://', 'smtps://:465', 'http://host']],
    [
      'BASE_URL',
      ['https://v.example/?a=1', 'https://v.example/#top', 'https://me:pw@v.example', 'ftp://v.example'],
    ],
    ['LLM_BASE_URL', ['http://me:pw@model.example/v1', 'model.example']],
    ['ALLOWED_HOSTS', ['https://v.example', 'v.example:8080', 'v.example/path', '*.v.example', '::1', 'a b']],
    ['MAIL_FROM', ['Knowledge Vault', 'vault@', 'Vault <vault>', 'Vault <a@b> <c@d>', 'a@b\nBcc: c@d']],
    ['SUPPORT_EMAIL', ['support', 'help desk', '@example.com']],
    ['ADMIN_EMAILS', ['boss', 'boss@example.com,chief', 'a@example.com b@example.com', 'a@b\nc@d']],
    ['MODERATOR_EMAILS', ['boss@example.com;chief@example.com']],
    ['NODE_ENV', ['prod', 'Production', 'staging']],
    // What no header can carry; the error of `fetch` would show it to the log.
    ['LLM_API_KEY', ['two\nlines', 'with a blank', 'clé']],
    ['STRIPE_SECRET_KEY', ['two\nlines']],
    ['METRICS_TOKEN', [`${'a'.repeat(16)}é`]],
  ]
  for (const [name, values] of samples)
    for (const value of values)
      expect(mistakes({ [name]: value }), `${name}=${value}`).toEqual([
        expect.stringMatching(new RegExp(`^${name}: `)),
      ])
  for (const name of ['DATABASE_READ_URL', 'DATABASE_DIRECT_URL'])
    expect(mistakes({ DATABASE_URL: 'postgres://database/vault', [name]: url })).toHaveLength(1)
})

test('sslmode is written as pg acts on it, so that it does not warn', () => {
  const used = (query: string) => readConfig({ DATABASE_URL: `postgres://db/vault?${query}` }).databaseUrl
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full'])
    expect(used(`a=1&sslmode=${mode}&b=2`)).toBe('postgres://db/vault?a=1&sslmode=verify-full&b=2')
  for (const query of ['sslmode=disable', 'sslmode=no-verify', 'uselibpqcompat=true&sslmode=require'])
    expect(used(query)).toBe(`postgres://db/vault?${query}`)
})

test('addresses in all their usual forms are taken', () => {
  const samples: [string, string[]][] = [
    [
      'DATABASE_URL',
      [
        'postgres://database/vault',
        'postgresql://vault:p%40ss@[::1]:5432/vault?sslmode=require',
        'postgres:///vault?host=/run/postgresql',
        'postgres://vault@/vault?host=/run/postgresql',
        'postgres://%2Frun%2Fpostgresql/vault',
      ],
    ],
    [
      'SMTP_URL',
      ['smtp://localhost', 'smtps://user:p%40ss@mail.example.com:465', 'smtp://[::1]:25/?pool=true'],
    ],
    ['STRIPE_API_BASE', ['http://127.0.0.1:12111', 'https://gateway.example.com/']],
    ['BASE_URL', ['https://v.example', 'http://127.0.0.1:8080/', 'https://v.example/vault/']],
    ['ALLOWED_HOSTS', ['v.example, Vault_2.internal,[::1],10.0.0.7']],
    ['MAIL_FROM', ['a@b', 'Vault <vault@example.com>', '"Vault, Inc." <vault@example.com>', '<a@b>']],
    ['SUPPORT_EMAIL', ['help@example.com', 'Support <help@example.com>']],
    ['ADMIN_EMAILS', ['a@example.com', ' a@example.com , B@example.com,']],
    ['NODE_ENV', ['development', 'test', 'production']],
  ]
  for (const [name, values] of samples)
    for (const value of values) expect(mistakes({ [name]: value }), `${name}=${value}`).toEqual([])
})
