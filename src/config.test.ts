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
    credits: true,
    registration: 'open',
    sessionTtlDays: 30,
  })
})

test('an empty variable counts as unset', () => {
  expect(readConfig({ PORT: '', SMTP_URL: '' })).toMatchObject({ port: 8080, mail: { smtpUrl: undefined } })
})

test('BASE_URL loses its trailing slash, an IPv6 host gets its brackets', () => {
  expect(readConfig({ BASE_URL: 'https://vault.example.com/' }).baseUrl).toBe('https://vault.example.com')
  expect(readConfig({ HOST: '::1', PORT: '9000' }).baseUrl).toBe('http://[::1]:9000')
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
