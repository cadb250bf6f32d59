import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'
import { DAY_MS } from '../../shared/time.ts'

onBothEngines('accounts', (t) => {
  test('registration gives a token, a personal workspace and the signup bonus', async () => {
    const answer = await t.anonymous().post('/api/v1/auth/register', {
      email: '  First@Example.com ',
      password: 'correct horse',
      display_name: 'First',
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      token_type: 'bearer',
      expires_in: 30 * 86_400,
      user: {
        email: 'First@Example.com',
        display_name: 'First',
        credits_balance: 100,
        onboarding_completed: false,
      },
    })
    expect(answer.body.access_token).toMatch(/^kvs_[\w-]{43}$/)
  })

  test('a name within the limit is kept whole, in whatever letters', async () => {
    const display_name = '😀'.repeat(120)
    const account = { email: 'faces@example.com', password: 'correct horse', display_name }
    const { body } = await t.anonymous().post('/api/v1/auth/register', account)
    expect(body.user.display_name).toBe(display_name)
  })

  test('an e-mail address has one account, whatever its case', async () => {
    const { email } = await t.user()
    const again = await t
      .anonymous()
      .post('/api/v1/auth/register', { email: email.toUpperCase(), password: 'correct horse' })
    expect(again.status).toBe(409)
    expect(again.body.code).toBe('email_taken')
  })

  test('two registrations of one address at once make one account', async () => {
    const body = { email: 'twin@example.com', password: 'correct horse' }
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => t.anonymous().post('/api/v1/auth/register', body)),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409])
  })

  test('an unknown address and a wrong password get the same answer', async () => {
    const { email } = await t.user()
    const wrong = await t.anonymous().post('/api/v1/auth/login', { email, password: 'wrong' })
    const unknown = await t
      .anonymous()
      .post('/api/v1/auth/login', { email: 'nobody@example.com', password: 'wrong' })
    expect(wrong.status).toBe(401)
    expect(unknown.body).toEqual(wrong.body)
    expect(wrong.headers['www-authenticate']).toBe('Bearer')
  })

  test('login, me, logout: the token is dead afterwards', async () => {
    const { email } = await t.user()
    const login = await t.anonymous().post('/api/v1/auth/login', { email, password: 'correct horse battery' })
    const bearer = { authorization: `Bearer ${login.body.access_token}` }
    expect((await t.anonymous().get('/api/v1/auth/me', bearer)).body.email).toBe(email)
    expect((await t.anonymous().post('/api/v1/auth/logout', undefined, bearer)).status).toBe(204)
    const after = await t.anonymous().get('/api/v1/auth/me', bearer)
    expect(after.status).toBe(401)
    expect(after.body.code).toBe('invalid_token')
  })

  test('onboarding answers are kept and mark onboarding as complete', async () => {
    const user = await t.user()
    const answers = { role: 'lead', tools: ['a', 'b'], team: true, size: 4 }
    const answer = await user.post('/api/v1/auth/onboarding', { answers })
    expect(answer.body).toMatchObject({ onboarding_completed: true, onboarding: answers })
  })

  test('an API key is shown once, works in both headers, and dies when deleted', async () => {
    const user = await t.user()
    const created = await user.post('/api/v1/auth/api-keys', { name: 'laptop' })
    expect(created.status).toBe(201)
    expect(created.body.api_key).toMatch(/^kv_[\w-]{40}$/)
    const listed = await user.get('/api/v1/auth/api-keys')
    expect(listed.body).toHaveLength(1)
    expect(listed.body[0]).not.toHaveProperty('api_key')
    const key = created.body.api_key
    expect((await t.anonymous().get('/api/v1/auth/me', { 'x-api-key': key })).status).toBe(200)
    expect((await t.anonymous().get('/api/v1/auth/me', { authorization: `Bearer ${key}` })).status).toBe(200)
    expect((await user.get('/api/v1/auth/api-keys')).body[0].last_used_at).not.toBeNull()
    expect((await user.delete(`/api/v1/auth/api-keys/${created.body.key_id}`)).status).toBe(204)
    expect((await t.anonymous().get('/api/v1/auth/me', { 'x-api-key': key })).body.code).toBe('invalid_token')
  })

  test('a key of another user cannot be deleted or known', async () => {
    const [owner, other] = [await t.user(), await t.user()]
    const created = await owner.post('/api/v1/auth/api-keys', { name: 'mine' })
    expect((await other.delete(`/api/v1/auth/api-keys/${created.body.key_id}`)).status).toBe(404)
    expect((await owner.delete('/api/v1/auth/api-keys/not-a-uuid')).body.detail[0]).toMatchObject({
      type: 'uuid_parsing',
      loc: ['path', 'key_id'],
    })
  })

  test('a key cannot do more than its scopes, nor make a key that can', async () => {
    const user = await t.user()
    const { body } = await user.post('/api/v1/auth/api-keys', { name: 'keys only', scopes: ['account'] })
    const header = { 'x-api-key': body.api_key }
    const wider = await t
      .anonymous()
      .post('/api/v1/auth/api-keys', { name: 'wider', scopes: ['publish'] }, header)
    expect(wider.body).toMatchObject({ code: 'missing_scope', required_scopes: ['publish'] })
    const same = await t.anonymous().post('/api/v1/auth/api-keys', { name: 'same' }, header)
    expect(same.body.scopes).toEqual(['account'])
    const search = await user.post('/api/v1/auth/api-keys', { name: 'search', scopes: ['search'] })
    const refused = await t.anonymous().get('/api/v1/user/settings', { 'x-api-key': search.body.api_key })
    expect(refused.status).toBe(403)
    expect(refused.body).toMatchObject({ code: 'missing_scope', required_scopes: ['account'] })
  })

  test('settings have defaults, PUT replaces them, a foreign workspace is refused', async () => {
    const user = await t.user()
    const defaults = {
      publishing_enabled: true,
      default_workspace_id: null,
      language: 'en',
      email_notifications: true,
      share_usage: false,
      share_recorded: false,
      sharing_answered: false,
      ask_before_added: false,
      weekly_digest: false,
      agent_library: false,
      agent_library_monthly_credits: 0,
      keep_search_history: true,
    }
    const text_storage = { used_bytes: 0, deleted_bytes: 0, limit_bytes: 500 * 1024 * 1024 }
    expect((await user.get('/api/v1/user/settings')).body).toEqual({ ...defaults, text_storage })
    await user.put('/api/v1/user/settings', { language: 'de', publishing_enabled: false })
    expect((await user.put('/api/v1/user/settings', { share_usage: true })).body).toEqual({
      ...defaults,
      share_usage: true,
    })
    const foreign = await user.put('/api/v1/user/settings', {
      default_workspace_id: (await t.user()).workspaceId,
    })
    expect(foreign.status).toBe(422)
    expect(foreign.body.detail[0].loc).toEqual(['body', 'default_workspace_id'])
  })

  test('a language is a BCP 47 tag, written as everybody writes it', async () => {
    const user = await t.user()
    const put = (language: unknown) => user.put('/api/v1/user/settings', { language })
    expect((await put(' DE-at ')).body.language).toBe('de-AT')
    expect((await user.get('/api/v1/auth/me')).body.language).toBe('de-AT')
    for (const wrong of ['en_US', 'en-US@posix', 'C.UTF-8', 'e', '', 'x'.repeat(36), 'en-a', null, 5]) {
      const answer = await put(wrong)
      expect(answer.status, String(wrong)).toBe(422)
      expect(answer.body.detail[0].loc).toEqual(['body', 'language'])
    }
    expect((await user.get('/api/v1/user/settings')).body.language).toBe('de-AT')
  })

  test('a language from before they were looked at reads as English, and nothing breaks', async () => {
    const user = await t.user()
    await t.app.services.database.transaction((db) =>
      db
        .updateTable('users')
        .set({ settings: JSON.stringify({ language: 'en_US', publishing_enabled: false }) })
        .where('user_id', '=', user.userId)
        .execute(),
    )
    expect((await user.get('/api/v1/user/settings')).body).toMatchObject({
      language: 'en',
      publishing_enabled: false,
    })
    expect((await user.get('/api/v1/auth/me')).body.language).toBe('en')
  })

  test('new cards go by default to a workspace that one may write in, for as long as one may', async () => {
    const [admin, user] = [await t.user(), await t.user()]
    const { workspace_id } = (await admin.post('/api/v1/workspaces', { name: 'Team' })).body
    const members = `/api/v1/workspaces/${workspace_id}/members`
    const choose = () => user.put('/api/v1/user/settings', { default_workspace_id: workspace_id })
    await admin.post(members, { user_id: user.userId, role: 'viewer' })
    expect((await choose()).status).toBe(422)
    await admin.patch(`${members}/${user.userId}`, { role: 'editor' })
    expect((await choose()).status).toBe(200)
    const chosen = async () => [
      (await user.get('/api/v1/user/settings')).body.default_workspace_id,
      (await user.get('/api/v1/auth/me')).body.default_workspace_id,
    ]
    expect(await chosen()).toEqual([workspace_id, workspace_id])
    // REST and tools keep to what the interface says.
    const card = { title: 'A card', symptom: 'It fails', fix_summary: 'Mend it' }
    expect((await user.post('/api/v1/cards', card)).body.workspace_id).toBe(user.workspaceId)
    expect((await user.tool('record_card', card)).body.data.workspace_id).toBe(user.workspaceId)
    await admin.patch(`${members}/${user.userId}`, { role: 'viewer' })
    expect(await chosen()).toEqual([null, null])
    const settings = (await user.get('/api/v1/user/settings')).body
    expect((await user.put('/api/v1/user/settings', settings)).status).toBe(200)
  })

  test('changing the password needs the old one and ends the other sessions', async () => {
    const user = await t.user()
    const other = await t
      .anonymous()
      .post('/api/v1/auth/login', { email: user.email, password: 'correct horse battery' })
    const wrong = await user.post('/api/v1/auth/password', {
      current_password: 'no',
      new_password: 'another horse',
    })
    expect(wrong.status).toBe(401)
    const right = { current_password: 'correct horse battery', new_password: 'another horse' }
    expect((await user.post('/api/v1/auth/password', right)).status).toBe(204)
    expect((await user.get('/api/v1/auth/me')).status).toBe(200)
    const bearer = { authorization: `Bearer ${other.body.access_token}` }
    expect((await t.anonymous().get('/api/v1/auth/me', bearer)).status).toBe(401)
  })

  test('every key may know whose it is, whatever its scopes; nobody else may', async () => {
    const user = await t.user()
    const key = await user.post('/api/v1/auth/api-keys', { name: 'agent', scopes: ['record'] })
    const headers = { 'x-api-key': key.body.api_key }
    const me = await t.anonymous().get('/api/v1/auth/me', headers)
    expect([me.status, me.body.user_id]).toEqual([200, user.userId])
    expect((await t.anonymous().get('/api/v1/user/settings', headers)).status).toBe(403)
    expect((await t.anonymous().get('/api/v1/auth/me')).status).toBe(401)
  })

  test('the same Idempotency-Key gives the first answer again, another body a conflict', async () => {
    const user = await t.user()
    const header = { 'idempotency-key': 'once' }
    const first = await user.post('/api/v1/auth/api-keys', { name: 'one' }, header)
    const again = await user.post('/api/v1/auth/api-keys', { name: 'one' }, header)
    expect(again.body).toEqual(first.body)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect((await user.post('/api/v1/auth/api-keys', { name: 'two' }, header)).body.code).toBe(
      'idempotency_conflict',
    )
    expect((await user.get('/api/v1/auth/api-keys')).body).toHaveLength(1)
  })

  test('a session slides while it is used and ends when it is not', async () => {
    const user = await t.user()
    t.later(20 * DAY_MS)
    expect((await user.get('/api/v1/auth/me')).status).toBe(200)
    t.later(20 * DAY_MS)
    expect((await user.get('/api/v1/auth/me')).status).toBe(200)
    t.later(31 * DAY_MS)
    expect((await user.get('/api/v1/auth/me')).status).toBe(401)
  })
})
