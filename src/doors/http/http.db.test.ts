import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'
import { DAY_MS } from '../../shared/time.ts'

const REGISTER = '/api/v1/auth/register'

onBothEngines('the HTTP door', (t) => {
  test('a body that is not JSON is told where it stops being JSON', async () => {
    const answer = await t.anonymous().post(REGISTER, '{"email": ')
    expect(answer.status).toBe(422)
    expect(answer.body.detail[0]).toMatchObject({
      type: 'json_invalid',
      loc: ['body'],
      msg: 'JSON decode error',
    })
  })

  test('a body that is JSON but not an object is refused', async () => {
    for (const body of ['[1]', '"text"', '5', 'null', 'true']) {
      const answer = await t.anonymous().post(REGISTER, body)
      expect(answer.status, body).toBe(422)
      expect(answer.body.detail[0].loc[0]).toBe('body')
    }
  })

  test('types are strict: a number is not a string', async () => {
    const answer = await t.anonymous().post(REGISTER, { email: 5, password: null })
    expect(answer.status).toBe(422)
    expect(
      answer.body.detail.map((issue: { type: string; loc: string[] }) => [issue.type, issue.loc]),
    ).toEqual([
      ['string_type', ['body', 'email']],
      ['string_type', ['body', 'password']],
    ])
  })

  test('a secret field is never echoed', async () => {
    const answer = await t.anonymous().post(REGISTER, { email: 'x@example.com', password: 'tiny-pw' })
    expect(answer.status).toBe(422)
    expect(answer.text).not.toContain('tiny-pw')
  })

  test('a body over the limit, another media type and deep nesting each have their answer', async () => {
    const large = await t.anonymous().post(REGISTER, { email: 'x'.repeat(1024 * 1024 + 1) })
    expect([large.status, large.body.code]).toEqual([413, 'payload_too_large'])
    const form = await t
      .anonymous()
      .post(REGISTER, 'email=x', { 'content-type': 'application/x-www-form-urlencoded' })
    expect([form.status, form.body.code]).toEqual([415, 'unsupported_media_type'])
    const deep = await t.anonymous().post(REGISTER, `{"email":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)
    expect([deep.status, deep.body.detail[0].type]).toEqual([422, 'json_invalid'])
  })

  test('text in another encoding than UTF-8 is refused, not stored with its letters lost', async () => {
    const send = async (payload: Buffer, headers = {}) => {
      const { statusCode, body } = await t.app.server.inject({
        method: 'POST',
        url: REGISTER,
        headers: { 'content-type': 'application/json', ...headers },
        payload,
      })
      const answer = JSON.parse(body)
      return [statusCode, answer.code ?? answer.detail[0].type]
    }
    const latin = Buffer.from('{"email":"café"}', 'latin1')
    expect(await send(latin)).toEqual([422, 'json_invalid'])
    const named = { 'content-type': 'application/json; charset=iso-8859-1' }
    expect(await send(latin, named)).toEqual([415, 'unsupported_media_type'])
    const packed = { 'content-encoding': 'gzip' }
    expect(await send(gzipSync('{}'), packed)).toEqual([415, 'unsupported_media_type'])
    for (const charset of ['utf-8', '"UTF-8"', 'utf8', 'us-ascii']) {
      const headers = { 'content-type': `application/json; charset=${charset}` }
      expect(await send(Buffer.from('{}'), headers), charset).toEqual([422, 'missing'])
    }
  })

  test('an unknown address is a 404, a wrong method a 405 that names the right ones', async () => {
    expect((await t.anonymous().get('/api/v1/nothing')).body.code).toBe('not_found')
    const wrong = await t.anonymous().delete(REGISTER)
    expect([wrong.status, wrong.body.code, wrong.headers.allow]).toEqual([405, 'method_not_allowed', 'POST'])
    const call = async (method: 'GET' | 'HEAD' | 'PATCH' | 'DELETE' | 'OPTIONS', url: string) => {
      const answer = await t.app.server.inject({ method, url, headers: { accept: 'text/html' } })
      return [answer.statusCode, answer.headers.allow]
    }
    expect(await call('GET', `${REGISTER}/?a=/b`)).toEqual([405, 'POST'])
    expect(await call('OPTIONS', '/api/v1/auth/%72egister')).toEqual([405, 'POST'])
    expect(await call('OPTIONS', '/api/v1/auth/%zz')).toEqual([400, undefined])
    expect(await call('GET', '/api/v1/cards/similar')).toEqual([405, 'POST'])
    for (const url of [REGISTER, '/api/v1/cards/similar', '/mcp/tools/record_card', '/mcp'])
      expect(await call('HEAD', url), url).toEqual([405, 'POST'])
    expect(await call('HEAD', '/api/v1/cards/stats')).toEqual([401, undefined])
    expect(await call('DELETE', '/api/v1/cards/stats')).toEqual([405, 'GET, HEAD'])
    expect(await call('PATCH', '/api/v1/cards/stats/more')).toEqual([404, undefined])
  })

  test('a method that no address has is a 405 where the address is known', async () => {
    const call = async (method: string, url: string) => {
      const answer = await t.app.server.inject({ method: method as 'GET', url })
      return [answer.statusCode, answer.headers.allow]
    }
    for (const method of ['PROPFIND', 'TRACE', 'LOCK']) {
      expect(await call(method, REGISTER), method).toEqual([405, 'POST'])
      expect(await call(method, '/api/v1/cards/stats'), method).toEqual([405, 'GET, HEAD'])
      expect(await call(method, '/api/v1/nothing'), method).toEqual([404, undefined])
    }
  })

  test('without a credential, with a forged one and with another scheme: 401 in the stated form', async () => {
    const none = await t.anonymous().get('/api/v1/auth/me')
    expect([none.status, none.body.code, none.headers['www-authenticate']]).toEqual([
      401,
      'not_authenticated',
      'Bearer',
    ])
    for (const token of [`kv_${'x'.repeat(40)}`, `kvs_${'x'.repeat(43)}`, 'something', "' or 1=1 --"]) {
      const forged = await t.anonymous().get('/api/v1/auth/me', { 'x-api-key': token })
      expect([forged.status, forged.body.code], token).toEqual([401, 'invalid_token'])
    }
    expect((await t.anonymous().get('/api/v1/auth/me', { authorization: 'Basic eDp5' })).body.code).toBe(
      'not_authenticated',
    )
  })

  test('every answer has a request id; a sane one of the caller is kept', async () => {
    expect((await t.anonymous().get('/health', { 'x-request-id': 'my-id.1' })).headers['x-request-id']).toBe(
      'my-id.1',
    )
    const odd = await t.anonymous().get('/health', { 'x-request-id': 'a b<script>' })
    expect(odd.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('unknown body fields are ignored by REST', async () => {
    const user = await t.user()
    const answer = await user.post('/api/v1/auth/api-keys', {
      name: 'x',
      is_admin: true,
      __proto__: { a: 1 },
    })
    expect(answer.status).toBe(201)
  })

  test('NUL is dropped and lone surrogates are replaced before anything is stored', async () => {
    const user = await t.user()
    const answer = await user.post('/api/v1/auth/api-keys', '{"name":"a\\u0000b\\ud800c"}')
    expect(answer.body.name).toBe('ab\ufffdc')
  })

  test('a number that cannot be kept is refused, not stored as null', async () => {
    const user = await t.user()
    const send = (number: string) =>
      user.post('/api/v1/workspaces', `{"name":"Large numbers","policy_json":{"list":[ ${number}]}}`)
    for (const number of ['1e309', '-1E+400', '0.5e999', `1${'0'.repeat(400)}`, `-9${'9'.repeat(308)}.5`]) {
      const answer = await send(number)
      expect([answer.status, answer.body.detail?.[0].type], number).toEqual([422, 'json_invalid'])
    }
    for (const number of ['1e308', '1e-400', '-1.5E+300', `0.${'0'.repeat(400)}1`, '"1e400"'])
      expect((await send(number)).body.policy_json, number).toEqual({ list: [JSON.parse(number)] })
  })

  test('a byte order mark before the JSON is no part of it', async () => {
    const answer = await (await t.user()).post('/api/v1/workspaces', '\ufeff{"name":"From a file"}')
    expect([answer.status, answer.body.name]).toEqual([201, 'From a file'])
  })

  test('the browser gets its session as a cookie, and its writes need the header of our page', async () => {
    const { email } = await t.user()
    const login = await t
      .anonymous()
      .post('/api/v1/auth/login', { email, password: 'correct horse battery' }, { 'x-session': 'cookie' })
    expect(login.body.access_token).toBe('')
    const set = String(login.headers['set-cookie'])
    expect(set).toMatch(/^kv_session=kvs_[\w-]+; .*HttpOnly; SameSite=Lax/)
    const cookie = set.split(';')[0] ?? ''
    expect((await t.anonymous().get('/api/v1/auth/me', { cookie })).status).toBe(200)
    const other = { cookie, 'x-session-user': (await t.user()).userId }
    const changed = await t.anonymous().get('/api/v1/auth/me', other)
    expect([changed.status, changed.body.code]).toEqual([401, 'session_changed'])
    expect(changed.headers['www-authenticate']).toBe('Bearer')
    const forged = await t.anonymous().post('/api/v1/auth/api-keys', { name: 'x' }, { cookie })
    expect([forged.status, forged.body.code]).toEqual([403, 'forbidden'])
    const page = { cookie, 'x-requested-with': 'kvault-web' }
    const foreign = { ...page, origin: 'https://attacker.example' }
    const elsewhere = await t.anonymous().post('/api/v1/auth/api-keys', { name: 'x' }, foreign)
    expect([elsewhere.status, elsewhere.body.detail]).toEqual([403, expect.stringContaining('BASE_URL')])
    expect((await t.anonymous().post('/api/v1/auth/api-keys', { name: 'x' }, page)).status).toBe(201)
    const out = await t.anonymous().post('/api/v1/auth/logout', undefined, page)
    expect(String(out.headers['set-cookie'])).toContain('kv_session=;')
  })

  test('a browser keeps its cookie for as long as the session is used, and an unused session ends', async () => {
    const { email } = await t.user()
    const login = await t
      .anonymous()
      .post('/api/v1/auth/login', { email, password: 'correct horse battery' }, { 'x-session': 'cookie' })
    const set = String(login.headers['set-cookie'])
    const keptDays = Number(/Max-Age=(\d+)/.exec(set)?.[1]) / 86_400
    const holds = async () =>
      (await t.anonymous().get('/api/v1/auth/me', { cookie: set.split(';')[0] ?? '' })).status
    for (let day = 20; day <= 100; day += 20) {
      t.later(20 * DAY_MS)
      expect([await holds(), keptDays > day]).toEqual([200, true])
    }
    t.later(31 * DAY_MS)
    expect(await holds()).toBe(401)
  })

  test('signing in over a session in the same browser ends that session, and no other', async () => {
    const password = 'correct horse battery'
    const [former, next] = [await t.user(), await t.user()]
    const page = { 'x-session': 'cookie', 'x-requested-with': 'kvault-web' }
    const signIn = async (email: string, headers: Record<string, string>) => {
      const answer = await t.anonymous().post('/api/v1/auth/login', { email, password }, headers)
      return String(answer.headers['set-cookie']).split(';')[0] ?? ''
    }
    const holds = async (cookie: string) => (await t.anonymous().get('/api/v1/auth/me', { cookie })).status
    const elsewhere = await signIn(former.email, page)
    const cookie = await signIn(former.email, page)
    await signIn('nobody@example.com', { ...page, cookie })
    // A program that signs in for a token of its own takes no cookie's place.
    await signIn(next.email, { 'x-requested-with': 'kvault-web', cookie })
    expect(await holds(cookie)).toBe(200)
    const another = await signIn(next.email, { ...page, cookie })
    expect([await holds(cookie), await holds(elsewhere), await holds(another)]).toEqual([401, 200, 200])
  })

  test('the description names the headers that answers have, and no others', async () => {
    const { paths, components } = (await t.anonymous().get('/openapi.json')).body
    const user = await t.user()
    const draft = { title: 'A title', symptom: 'It stops', fix_summary: 'Start it again' }
    const write = () => user.post('/api/v1/cards', draft, { 'idempotency-key': 'written-once' })
    const { body: card } = await write()
    const answers = [
      ['post', '/api/v1/cards', await write()],
      ['get', '/api/v1/cases/{case_id}', await user.get(`/api/v1/cases/${card.card_id}`)],
      ['get', '/api/v1/cards/{card_id}', await t.anonymous().get(`/api/v1/cards/${card.card_id}`)],
      ['get', '/api/v1/cards', await user.get('/api/v1/cards')],
      ['post', '/mcp/tools/get_card', await user.tool('get_card', { card_id: card.card_id })],
    ] as const
    for (const [method, path, { status, headers }] of answers) {
      const declared = Object.keys(paths[path][method].responses[status].headers ?? {})
      const there = Object.keys(components.headers).filter((name) => name.toLowerCase() in headers)
      // Only a repetition has it.
      const expected = declared.filter((name) => name !== 'Idempotency-Replayed' || there.includes(name))
      expect(there, `${method} ${path} ${status}`).toEqual(expected)
    }
    expect(answers[0][2].headers['idempotency-replayed']).toBe('true')
  })

  test('a stale cookie does not lock anybody out of signing in', async () => {
    const { email } = await t.user()
    const body = { email, password: 'correct horse battery' }
    const answer = await t.anonymous().post('/api/v1/auth/login', body, { cookie: 'kv_session=kvs_gone' })
    expect(answer.status).toBe(200)
  })

  test('readiness names the parts', async () => {
    const answer = await t.anonymous().get('/health/ready')
    expect(answer.status).toBe(200)
    expect(answer.body.checks.database).toEqual({ status: 'ok' })
  })
})

onBothEngines(
  'limits',
  (t) => {
    test('sign-in routes are limited by host, with headers that say how', async () => {
      const tries = []
      for (let i = 0; i < 11; i++)
        tries.push(
          await t.anonymous().post('/api/v1/auth/login', { email: `n${i}@example.com`, password: 'x' }),
        )
      expect(tries[0]?.headers['ratelimit-limit']).toBe('10')
      const last = tries.at(-1)
      expect([last?.status, last?.body.code]).toEqual([429, 'rate_limited'])
      expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0)
    })
  },
  { RATE_LIMIT: 'on' },
)

onBothEngines(
  'guessing passwords',
  (t) => {
    test('after a few wrong passwords each further try waits longer, also for the right one', async () => {
      const { email } = await t.user()
      const attempt = (password: string) => t.anonymous().post('/api/v1/auth/login', { email, password })
      for (let i = 0; i < 5; i++) expect((await attempt('wrong')).status).toBe(401)
      const held = await attempt('correct horse battery')
      expect([held.status, held.body.code]).toEqual([429, 'rate_limited'])
    })

    test('failures that a wrong clock has dated a day ahead keep nobody of the host out', async () => {
      const { email } = await t.user()
      const last_failure_at = new Date(Date.now() + DAY_MS).toISOString()
      await t.app.services.database.transaction((db) =>
        db.updateTable('login_failures').set({ last_failure_at }).execute(),
      )
      const body = { email, password: 'correct horse battery' }
      expect((await t.anonymous().post('/api/v1/auth/login', body)).status).toBe(200)
    })
  },
  { RATE_LIMIT: 'on' },
)
