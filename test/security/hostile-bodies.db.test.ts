import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_DEPTH, MAX_KEYS, MAX_VALUES } from '../../src/doors/http/body.ts'
import {
  BODY_BYTES_PER_MINUTE,
  FILES_PER_MINUTE,
  MISSES_PER_MINUTE,
  UPLOAD_BYTES_PER_MINUTE,
  WRONG_CREDENTIALS_PER_MINUTE,
} from '../../src/doors/http/rate-limit.ts'
import { goodCard } from '../support/cards.ts'
import { onBothEngines, TestVault } from '../support/engines.ts'

const LOGIN = '/api/v1/auth/login'
const MIB = 1024 * 1024
const NOT_JSON = '{"never": parsed'

/** Sends a body that would be a 422 if anything read it. */
const misses: [what: string, send: (t: TestVault) => Promise<{ status: number }>][] = [
  ['an address that does not exist', (t) => t.anonymous().post('/nope', NOT_JSON)],
  ['an API address that does not exist', (t) => t.anonymous().put('/api/v1/nope', NOT_JSON)],
  ['a tool that does not exist', (t) => t.anonymous().tool('nope', NOT_JSON)],
  ['a method that does not exist', (t) => t.anonymous().patch(LOGIN, NOT_JSON)],
]

const issueOf = async (
  answer: Promise<{ status: number; body: { detail: { type: string; ctx: object }[] } }>,
) => {
  const { status, body } = await answer
  return [status, body.detail[0]?.type, body.detail[0]?.ctx]
}

onBothEngines('a hostile body', (t) => {
  test('is not read where there is nothing to read it', async () => {
    for (const [what, send] of misses) expect([404, 405], what).toContain((await send(t)).status)
  })

  test('with too many values, keys or levels is refused before it is parsed', async () => {
    const many = (count: number, item: (i: number) => string) =>
      Array.from({ length: count }, (_, i) => item(i)).join()
    const bodies: [string, string][] = [
      [`{"email":[${many(MAX_VALUES, () => '1')}]}`, `More than ${MAX_VALUES} values`],
      [`[${many(MAX_VALUES, () => '[]')}]`, `More than ${MAX_VALUES} values`],
      [`{${many(MAX_KEYS + 1, (i) => `"k${i}":1`)}}`, `More than ${MAX_KEYS} keys`],
      [`[${many(MAX_KEYS + 1, (i) => `{"k${i}":1}`)}]`, `More than ${MAX_KEYS} keys`],
      [`${'['.repeat(MAX_DEPTH + 1)}${']'.repeat(MAX_DEPTH + 1)}`, `Nested deeper than ${MAX_DEPTH} levels`],
    ]
    for (const [body, error] of bodies)
      expect(await issueOf(t.anonymous().post(LOGIN, body))).toEqual([422, 'json_invalid', { error }])
  })

  test('brackets inside a text do not count', async () => {
    const user = await t.user()
    const body = `${'[{",:\\" '.repeat(10_000)}\\`
    const card = await user.post('/api/v1/cards', { ...goodCard(), body })
    expect([card.status, card.body.body]).toEqual([201, body])
  })

  test('cannot name a prototype in any spelling, at any depth', async () => {
    const user = await t.user()
    const spellings = [
      '__proto__',
      '\\u005f_proto__',
      '__prot\\u006F__',
      '\\u005f\\u005fproto\\u005f\\u005f',
      '__proto\\u0000__',
    ]
    for (const name of spellings) {
      const sent = `{"name":"x","policy_json":{"${name}":{"allow_publish":false},"a":[{"${name}":{"b":1},"c":2}]},"${name}":{"visibility":"public"}}`
      const made = await user.post('/api/v1/workspaces', sent)
      expect([made.status, made.body.policy_json, made.body.visibility], name).toEqual([
        201,
        { a: [{ c: 2 }] },
        'private',
      ])
      const transfer = await user.tool(
        'transfer_preferences',
        `{"source_project_key":"a/b","target_project_key":"c/d","${name}":{"confirmed_by_user":true}}`,
      )
      expect([transfer.status, transfer.body.detail[0]], name).toMatchObject([
        422,
        { loc: ['body', 'confirmed_by_user'] },
      ])
    }
    expect(({} as { visibility?: string }).visibility).toBeUndefined()
  })

  test('gets an answer that is short, however much of it is wrong', async () => {
    const user = await t.user()
    const wrong = Object.fromEntries(
      Array.from({ length: MAX_KEYS - 100 }, (_, i) => [`${'x'.repeat(150)}${i}`, 'y'.repeat(300)]),
    )
    const answer = await user.tool('record_card', wrong)
    expect([answer.status, answer.body.detail.length]).toEqual([422, 50])
    for (const { input, loc } of answer.body.detail) {
      expect(JSON.stringify(input).length).toBeLessThan(300)
      expect(JSON.stringify(loc).length).toBeLessThan(300)
    }
    const steps = Array.from({ length: 500 }, () => ({ order: 'no', action: 1 }))
    const listed = await user.post('/api/v1/cards', { ...goodCard(), steps })
    expect([listed.status, listed.body.detail.length]).toEqual([422, 50])
    const key = await user.tool('record_card', { ['k'.repeat(100_000)]: 'v' })
    expect([key.status, key.text.length < 2000]).toEqual([422, true])
  })

  test('with a list or a dictionary past its limit is told that, and nothing about its contents', async () => {
    const user = await t.user()
    const environment = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, 5]))
    const tags = Array.from({ length: 1000 }, () => 5)
    const answer = await user.post('/api/v1/cards', { ...goodCard(), environment, tags })
    expect(answer.body.detail).toMatchObject([
      { type: 'too_long', loc: ['body', 'environment'], ctx: { max_length: 100 } },
      { type: 'too_long', loc: ['body', 'tags'], ctx: { max_length: 50 } },
    ])
  })

  test('of an OAuth client or form is bounded as well', async () => {
    const client = {
      redirect_uris: ['http://127.0.0.1/cb'],
      grant_types: Array(1000).fill('authorization_code'),
    }
    const registered = await t.anonymous().post('/oauth/register', client)
    expect([registered.status, registered.body.error]).toEqual([400, 'invalid_client_metadata'])
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const url of ['/oauth/token', '/oauth/revoke', '/oauth/authorize']) {
      expect((await t.anonymous().post(url, 'a&'.repeat(30_000), form)).status, url).toBe(400)
      expect((await t.anonymous().post(url, 'a'.repeat(100_000), form)).status, url).toBe(413)
    }
  })
})

// A process counts in memory, whatever its database.
describe('a limit', () => {
  const t = new TestVault('sqlite', { RATE_LIMIT: 'on' })
  beforeAll(() => t.up())
  afterAll(() => t.down())
  const from =
    (remoteAddress: string) =>
    (url: string, headers: Record<string, string> = {}, payload = '') =>
      t.app.server.inject({
        method: payload === '' ? 'GET' : 'POST',
        url,
        remoteAddress,
        headers: { ...(payload === '' ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(payload === '' ? {} : { payload }),
      })
  const lastOf = async (count: number, send: (i: number) => Promise<{ statusCode: number }>) => {
    let last = 0
    for (let i = 0; i < count; i++) last = (await send(i)).statusCode
    return last
  }

  /** What every refusal says: which limit it is, that nothing is left, and when to try again. */
  const expectRefusal = (
    { statusCode, headers }: Awaited<ReturnType<ReturnType<typeof from>>>,
    limit: number,
  ) => {
    expect(statusCode).toBe(429)
    expect(headers).toMatchObject({ 'ratelimit-limit': String(limit), 'ratelimit-remaining': '0' })
    expect(Number(headers['ratelimit-reset'])).toBeGreaterThan(0)
    expect(headers['retry-after']).toBe(headers['ratelimit-reset'])
  }

  test('holds for addresses, tools and methods that do not exist, of one host together', async () => {
    const post = from('192.0.2.1')
    const targets = ['/nope', '/mcp/tools/nope', '/health', '/api/v1/nope']
    const send = (i: number) => post(targets[i % targets.length] ?? '', {}, '{}')
    expect(await lastOf(MISSES_PER_MINUTE, send)).toBe(404)
    expect(await lastOf(1, send)).toBe(429)
    expectRefusal(await post('/api/v1/nope'), MISSES_PER_MINUTE)
    expect((await from('192.0.2.2')('/nope', {}, '{}')).statusCode).toBe(404)
  })

  test('holds for files and pages that are the same for everybody, and for files that do not exist', async () => {
    const get = from('192.0.2.8')
    const pages = ['/openapi.json', '/docs', '/mcp/manifest', '/docs/assets/swagger-ui.css']
    for (const page of pages) expect((await get(page)).statusCode, page).toBe(200)
    expect(await lastOf(MISSES_PER_MINUTE, (i) => get(`/docs/assets/nope-${i}.js`))).toBe(404)
    expect((await get('/docs/assets/nope.js')).statusCode).toBe(429)
    expect((await get('/docs')).statusCode).toBe(200)
    // As if most of them had come already.
    const few = 50
    t.app.services.limits.hit('files:192.0.2.8', FILES_PER_MINUTE, FILES_PER_MINUTE - MISSES_PER_MINUTE - few)
    expect(await lastOf(few - pages.length - 2, () => get('/docs'))).toBe(200)
    await lastOf(10, () => get('/docs'))
    for (const page of pages) expectRefusal(await get(page), FILES_PER_MINUTE)
    expect((await from('192.0.2.9')('/docs')).statusCode).toBe(200)
  })

  test('holds for MCP without a credential', async () => {
    const call = () => from('192.0.2.10')('/mcp', { host: 'localhost:8080' }, '{}')
    expect(await lastOf(600, call)).toBe(401)
    expect(await lastOf(1, call)).toBe(429)
  })

  test('holds for unknown credentials, and not for known ones', async () => {
    const user = await t.user()
    const get = from('192.0.2.3')
    const guess = (i: number) => get('/api/v1/auth/me', { 'x-api-key': `kv_${String(i).padStart(40, 'x')}` })
    expect(await lastOf(WRONG_CREDENTIALS_PER_MINUTE, guess)).toBe(401)
    expectRefusal(await guess(0), WRONG_CREDENTIALS_PER_MINUTE)
    expect((await get('/api/v1/auth/me', { authorization: `Bearer ${user.token}` })).statusCode).toBe(200)
    expect((await get('/api/v1/credits/policy', { 'x-api-key': 'kv_wrong' })).statusCode).toBe(200)
    // As if very many had come already, so that none is looked up.
    t.app.services.limits.hit('wrong:192.0.2.3', 1, 10 * WRONG_CREDENTIALS_PER_MINUTE)
    expectRefusal(await guess(0), 10 * WRONG_CREDENTIALS_PER_MINUTE)
  })

  test('holds for all keys of one person together', async () => {
    const user = await t.user()
    const keys: string[] = []
    for (let i = 0; i < 7; i++)
      keys.push((await user.post('/api/v1/auth/api-keys', { name: `k${i}` })).body.api_key)
    const post = from('192.0.2.4')
    const send = (query: string) => (i: number) =>
      post('/api/v1/search', { 'x-api-key': keys[i % keys.length] ?? '' }, JSON.stringify({ query }))
    // A search that is refused for its words counts as well, and costs much less to send.
    expect(await lastOf(599, send(''))).toBe(422)
    expect(await lastOf(1, send('nothing like it'))).toBe(200)
    expectRefusal(await send('nothing like it')(0), 600)
  })

  test('holds for the words of a filter, each of which is looked for in every public card', async () => {
    const user = await t.user()
    const list = (q: string) =>
      from('192.0.2.11')(`/api/v1/cases?scope=public&q=${encodeURIComponent(q)}`, {
        authorization: `Bearer ${user.token}`,
      })
    const letters = [...'abcdefghijklmnopqrstuvwxyz']
    const many = await list(letters.join(' '))
    expect([many.statusCode, many.json().detail[0].loc]).toEqual([422, ['query', 'q']])
    // What is said again, or stands inside another word, is not looked for.
    expect((await list('e '.repeat(400))).statusCode).toBe(200)
    expect((await list(`${letters.join('')} ${letters.join(' ')}`)).statusCode).toBe(200)
    expect(await lastOf(119, () => list('word'))).toBe(429)
    expectRefusal(await list('word'), 120)
  })

  test('holds for one e-mail address, and says that it is this limit', async () => {
    const wrong = JSON.stringify({ email: 'somebody@example.com', password: 'not the right one' })
    const login = () => from('192.0.2.12')('/api/v1/auth/login', {}, wrong)
    expect(await lastOf(5, login)).toBe(401)
    expectRefusal(await login(), 5)
  })

  test('holds for the bytes that a host or a person has parsed', async () => {
    const post = from('192.0.2.5')
    const size = 512 * 1024
    const fits = Math.floor(BODY_BYTES_PER_MINUTE.host / size)
    const large = JSON.stringify({ message: 'x'.repeat(size - 20) })
    const send = (i: number) => post(i % 2 ? LOGIN : '/api/v1/chat/support', {}, large)
    const statuses = []
    for (let i = 0; i <= fits; i++) statuses.push((await send(i)).statusCode)
    expect(statuses.at(-1)).toBe(429)
    const user = await t.user()
    const card = JSON.stringify({
      ...goodCard(),
      evidences: Array(7).fill({ kind: 'log', content: 5, meta: { x: 'y'.repeat(1_000_000) } }),
    })
    const write = () => from('192.0.2.6')('/api/v1/cards', { authorization: `Bearer ${user.token}` }, card)
    expect(await lastOf(4, write)).toBe(422)
    expectRefusal(await write(), BODY_BYTES_PER_MINUTE.person)
  })

  test('holds for the bytes of uploads, also of those that are refused', async () => {
    const { token } = await t.user()
    const upload = (url: string, headers: Record<string, string>, bytes: number) => () =>
      t.app.server.inject({
        method: 'POST',
        url,
        remoteAddress: '192.0.2.7',
        headers,
        payload: Buffer.alloc(bytes),
      })
    const asPerson = { authorization: `Bearer ${token}`, 'content-type': 'image/png' }
    const noPicture = upload('/api/v1/images', asPerson, 5 * MIB)
    expect(await lastOf(25, noPicture)).toBe(415)
    expectRefusal(await noPicture(), UPLOAD_BYTES_PER_MINUTE.person)
    const form = { 'content-type': 'multipart/form-data; boundary=x' }
    const noForm = upload('/api/v1/support/tickets', form, 30 * MIB)
    expect(await lastOf(2, noForm)).toBe(400)
    expectRefusal(await noForm(), UPLOAD_BYTES_PER_MINUTE.host)
    // Without a length it may become as large as the route takes.
    const unknown = { ...asPerson, authorization: `Bearer ${(await t.user()).token}` }
    const chunked = () =>
      t.app.server.inject({
        method: 'POST',
        url: '/api/v1/images',
        headers: unknown,
        payload: Readable.from([Buffer.from('no picture')]),
      })
    expect(await lastOf(25, chunked)).toBe(415)
    expectRefusal(await chunked(), UPLOAD_BYTES_PER_MINUTE.person)
  })
})
