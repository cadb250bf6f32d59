import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { goodCard, record } from '../support/cards.ts'
import { onBothEngines } from '../support/engines.ts'

const PASSWORD = 'correct horse battery'

onBothEngines('an attacker', (t) => {
  test('cannot assign what only the service assigns', async () => {
    const sneaky = {
      is_admin: true,
      email_verified: true,
      credits_balance: 1_000_000,
      plan: 'team',
      user_id: crypto.randomUUID(),
      created_at: '2000-01-01T00:00:00.000Z',
    }
    const registered = await t
      .anonymous()
      .post('/api/v1/auth/register', { email: 'sneaky@example.com', password: PASSWORD, ...sneaky })
    expect(registered.body.user).toMatchObject({
      is_admin: false,
      email_verified: false,
      credits_balance: 100,
      plan: 'free',
    })
    expect(registered.body.user.user_id).not.toBe(sneaky.user_id)

    const [user, other] = [await t.user(), await t.user()]
    const forged = {
      card_id: crypto.randomUUID(),
      owner_id: other.userId,
      status: 'published',
      version: 99,
      review: { status: 'passed', score: 100 },
      feedback: { useful: 1000 },
      published_at: '2020-01-01T00:00:00.000Z',
    }
    const made = await user.post('/api/v1/cards', { ...goodCard(), ...forged })
    const unforged = { owner_id: user.userId, status: 'unpublished', published_at: null }
    expect(made.body).toMatchObject({ ...unforged, version: 1, feedback: { useful: 0 } })
    const changed = await user.patch(`/api/v1/cards/${made.body.card_id}`, {
      ...forged,
      title: 'A new title here',
    })
    expect(changed.body).toMatchObject({ ...unforged, card_id: made.body.card_id, version: 2 })
    const workspace = await user.post('/api/v1/workspaces', {
      name: 'W',
      created_by: other.userId,
      role: 'viewer',
    })
    expect(workspace.body).toMatchObject({ created_by: user.userId, role: 'admin' })
    const tool = await user.tool('record_card', { ...goodCard(), owner_id: other.userId })
    expect(tool.status).toBe(422)
  })

  test('cannot reach the prototype of anything', async () => {
    const user = await t.user()
    const bodies = [
      '{"name":"a","__proto__":{"isAdmin":true}}',
      '{"name":"b","constructor":{"prototype":{"isAdmin":true}}}',
      '{"name":"c","policy_json":{"__proto__":{"isAdmin":true},"allow_publish":true}}',
    ]
    for (const body of bodies) expect((await user.post('/api/v1/workspaces', body)).status).toBe(201)
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
    expect((await user.get('/api/v1/admin/audit')).status).toBe(403)
  })

  test('cannot fix a session: signing in always makes a new one', async () => {
    const { email } = await t.user()
    const planted = `kvs_${'a'.repeat(43)}`
    const cookies = []
    for (let i = 0; i < 2; i++) {
      const login = await t
        .anonymous()
        .post(
          '/api/v1/auth/login',
          { email, password: PASSWORD },
          { 'x-session': 'cookie', cookie: `kv_session=${planted}` },
        )
      expect(login.status).toBe(200)
      cookies.push(/kv_session=([^;]+)/.exec(String(login.headers['set-cookie']))?.[1])
    }
    expect(cookies).not.toContain(planted)
    expect(new Set(cookies).size).toBe(2)
    expect((await t.anonymous().get('/api/v1/auth/me', { cookie: `kv_session=${planted}` })).status).toBe(401)
  })

  test('cannot tell by waiting whether an address has an account: the same hash is computed either way', async () => {
    const { email } = await t.user()
    const verify = vi.spyOn(t.app.services.passwordHashing, 'verify')
    const computed = async (address: string) => {
      verify.mockClear()
      const answer = await t.anonymous().post('/api/v1/auth/login', { email: address, password: 'wrong' })
      expect(answer.status).toBe(401)
      // The parameters of the hash, which say how long it takes; salt and hash themselves differ.
      return verify.mock.calls.map(([hashed]) => String(hashed).split('$').slice(0, 4))
    }
    const known = await computed(email)
    expect(known).toHaveLength(1)
    expect(await computed('unknown@example.com')).toEqual(known)
    verify.mockRestore()
  })

  test('cannot tell an almost right key from a wrong one: keys are found by their hash, which is all there is to compare', async () => {
    const user = await t.user()
    const { body } = await user.post('/api/v1/auth/api-keys', { name: 'agent' })
    const key: string = body.api_key
    const guesses = [
      key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a'),
      key.slice(0, 8).padEnd(key.length, 'x'),
      key.toUpperCase().replace('KV_', 'kv_'),
      `${key}a`,
    ]
    const answers = []
    for (const guess of guesses) {
      const answer = await t.anonymous().get('/api/v1/auth/me', { 'x-api-key': guess })
      answers.push([answer.status, answer.text])
    }
    expect(answers[0]?.[0]).toBe(401)
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    const stored = await t.app.services.database.read.selectFrom('api_keys').selectAll().execute()
    expect(stored.map((row) => row.key_hash)).toContain(createHash('sha256').update(key).digest('base64url'))
    expect((await t.anonymous().get('/api/v1/auth/me', { 'x-api-key': key })).status).toBe(200)
  })

  test('cannot make the server unpack a bomb', async () => {
    const user = await t.user()
    const bomb = gzipSync(JSON.stringify({ name: 'x'.repeat(50_000_000) }))
    expect(bomb.length).toBeLessThan(100_000)
    const sent = await t.app.server.inject({
      method: 'POST',
      url: '/api/v1/workspaces',
      headers: {
        authorization: `Bearer ${user.token}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      payload: bomb,
    })
    expect(sent.statusCode).toBe(415)
    const wide = `{"name":"w","policy_json":{${Array.from({ length: 50_000 }, (_, i) => `"k${i}":[]`).join(',')}}}`
    expect((await user.post('/api/v1/workspaces', wide)).status).toBeLessThan(500)
  })

  test('finds the security headers on every kind of answer', async () => {
    const user = await t.user()
    const card = await record(user)
    const answers = [
      await user.get(`/api/v1/cards/${card.card_id}`),
      await user.get('/api/v1/cards/not-an-id'),
      await t.anonymous().get('/api/v1/auth/me'),
      await t.anonymous().get('/nothing/here'),
      await t.anonymous().get('/health'),
      await t.anonymous().get('/docs'),
      await t.anonymous().get('/guide'),
    ]
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': expect.any(String),
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      })
      expect(headers['access-control-allow-origin']).toBeUndefined()
      expect(headers['x-powered-by']).toBeUndefined()
    }
  })
})
