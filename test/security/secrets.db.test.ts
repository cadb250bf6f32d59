import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { makeLogger } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { unseal } from '../../src/core/crypto.ts'
import { busyVault } from '../support/busy.ts'
import type { Person } from '../support/cards.ts'
import { TestVault } from '../support/engines.ts'

/** Everything that a thief of the database would read. */
async function contentsOf(t: TestVault): Promise<string> {
  const db = t.app.services.database.read
  if (t.engine === 'sqlite')
    return ['vault.db', 'vault.db-wal']
      .map((name) => readFileSync(join(t.vault.dataDir, name)).toString('latin1'))
      .join('')
  const tables = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`.execute(
    db,
  )
  let text = ''
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.id(name)} as t`.execute(db)
    text += rows.map(({ row }) => row).join('\n')
  }
  return text
}

async function mailedTokens(t: TestVault): Promise<string[]> {
  const { database, secret } = t.app.services
  const mails = await database.read
    .selectFrom('outbox')
    .select('text_body')
    .where('status', '=', 'pending')
    .execute()
  return mails.flatMap(({ text_body }) => unseal(text_body, secret)?.match(/[\w-]{43}/g) ?? [])
}

/** A request whose header names another tool than its body. */
const callMcp = (as: Person, inHeader: string, inBody: string) =>
  as.post(
    '/mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: inBody,
        arguments: {},
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    },
    {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': inHeader,
    },
  )

describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  // Nothing listens there: mails wait in the outbox, where they can be looked at.
  const t = new TestVault(engine, { SMTP_URL: 'smtp://127.0.0.1:9' })
  let logged = ''
  let secrets: string[] = []
  beforeAll(async () => {
    const write = (line: string) => {
      logged += line
    }
    await t.up(makeLogger({ ...readConfig({}), logLevel: 'trace' }, { write }))
    const world = await busyVault(t)
    const { email } = world.author
    await t.anonymous().post('/api/v1/auth/password/reset-request', { email })
    const cookie = await t
      .anonymous()
      .post('/api/v1/auth/login', { email, password: 'correct horse battery' }, { 'x-session': 'cookie' })
    const session = /kv_session=([^;]+)/.exec(String(cookie.headers['set-cookie']))?.[1] ?? ''
    const mistyped = 'my-mistyped-password'
    await t.anonymous().post('/api/v1/auth/login', { email, password: mistyped })
    await t.anonymous().get(`/api/v1/workspaces/invites/${world.pending.token}`)
    await t.anonymous().get('/api/v1/auth/me', { authorization: 'Bearer kvs_forged-but-real-looking-token' })
    const disagreeing = ['mcp-name-that-nobody-should-log', 'mcp-body-that-nobody-should-log']
    await callMcp(world.author, disagreeing[0] ?? '', disagreeing[1] ?? '')
    const mailed = await vi.waitFor(async () => {
      const tokens = await mailedTokens(t)
      // The reset mail is written in the background, after the answer.
      expect(tokens.length).toBeGreaterThan(3)
      return tokens
    }, 20_000)
    secrets = [...world.secrets, ...mailed, session, mistyped, ...disagreeing]
    secrets.push('kvs_forged-but-real-looking-token')
    expect(secrets.every((secret) => secret.length > 15)).toBe(true)
  })
  afterAll(() => t.down())

  test('no password, key, session, invitation or reset token that was given out is in the database', async () => {
    const contents = await contentsOf(t)
    expect(contents).toContain('author0-1@example.com')
    expect(secrets.filter((secret) => contents.includes(secret))).toEqual([])
  })

  test('none of them is in the log, however much is logged', () => {
    expect(logged).toContain('answered')
    expect(logged).toContain('name-header-mismatch')
    const lines = logged.split('\n').filter((line) => secrets.some((secret) => line.includes(secret)))
    expect(lines).toEqual([])
  })
})
