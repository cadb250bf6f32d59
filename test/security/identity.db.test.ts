import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { contextFor } from '../../src/core/context.ts'
import { answerResetRequests } from '../../src/features/identity/email-links.ts'
import { hashPassword, passwordMatches } from '../../src/features/identity/passwords.ts'
import { goodCard } from '../support/cards.ts'
import { clientOf } from '../support/client.ts'
import { onBothEngines, QUICK_HASHING, type TestVault } from '../support/engines.ts'

const PASSWORD = 'correct horse battery'
const ELEVEN_MINUTES = 11 * 60_000
const DELETE = '/api/v1/auth/me?confirmed_by_user=true'

onBothEngines('what cannot be undone', (t) => {
  const keyOf = async (user: Awaited<ReturnType<TestVault['user']>>) => {
    const { body } = await user.post('/api/v1/auth/api-keys', { name: 'agent' })
    return clientOf(t.app, { 'x-api-key': body.api_key })
  }
  const removePassword = (userId: string) =>
    t.app.services.database.transaction((db) =>
      db.updateTable('users').set({ password_hash: null }).where('user_id', '=', userId).execute(),
    )

  test('deleting the account needs a fresh session or the password; a key alone is never enough', async () => {
    const user = await t.user()
    const key = await keyOf(user)
    const refused = await key.delete(DELETE)
    expect([refused.status, refused.body.code]).toEqual([403, 'recent_sign_in_required'])
    t.later(ELEVEN_MINUTES)
    expect((await user.delete(DELETE)).body.code).toBe('recent_sign_in_required')
    const byPassword = (password?: string) =>
      key.post('/api/v1/auth/me/delete', { confirmed_by_user: true, password })
    expect((await byPassword()).body.code).toBe('recent_sign_in_required')
    expect((await byPassword('a guess')).body.code).toBe('invalid_credentials')
    expect((await user.get('/api/v1/auth/me')).status).toBe(200)
    expect((await byPassword(PASSWORD)).body.deleted).toBe(true)
    expect((await user.get('/api/v1/auth/me')).status).toBe(401)
  })

  test('a person who has just signed in can delete the account without the password', async () => {
    const user = await t.user()
    t.later(9 * 60_000)
    expect((await user.delete(DELETE)).status).toBe(200)
  })

  test('a first password needs a fresh session: a key or an old session cannot set one', async () => {
    const user = await t.user()
    const key = await keyOf(user)
    await removePassword(user.userId)
    const first = { new_password: 'the first password' }
    expect((await key.post('/api/v1/auth/password', first)).body.code).toBe('recent_sign_in_required')
    t.later(ELEVEN_MINUTES)
    expect((await user.post('/api/v1/auth/password', first)).body.code).toBe('recent_sign_in_required')
    const fresh = await t.user()
    await removePassword(fresh.userId)
    expect((await fresh.post('/api/v1/auth/password', first)).status).toBe(204)
    const login = { email: fresh.email, password: 'the first password' }
    expect((await t.anonymous().post('/api/v1/auth/login', login)).status).toBe(200)
  })

  test('a key ends itself without any scope for the account, and no other', async () => {
    const user = await t.user()
    const { body } = await user.post('/api/v1/auth/api-keys', { name: 'narrow', scopes: ['search'] })
    const narrow = clientOf(t.app, { 'x-api-key': body.api_key })
    expect((await user.delete('/api/v1/auth/api-keys/current')).status).toBe(404)
    expect((await t.anonymous().delete('/api/v1/auth/api-keys/current')).status).toBe(401)
    expect((await narrow.delete('/api/v1/auth/api-keys/current')).status).toBe(204)
    expect((await narrow.tool('list_workspaces')).status).toBe(401)
    const again = await narrow.delete('/api/v1/auth/api-keys/current')
    expect([again.status, again.body.code]).toEqual([401, 'invalid_token'])
    expect((await user.get('/api/v1/auth/me')).status).toBe(200)
  })
})

onBothEngines('passwords and transactions', (t) => {
  test('no password is hashed or checked inside a transaction, also with an Idempotency-Key', async () => {
    const once = { 'idempotency-key': 'once' }
    const account = { email: 'once@example.com', password: PASSWORD }
    const registered = await t.anonymous().post('/api/v1/auth/register', account, once)
    expect(registered.status).toBe(201)
    const again = await t.anonymous().post('/api/v1/auth/register', account, once)
    expect([again.status, again.body.access_token]).toEqual([201, registered.body.access_token])

    const user = clientOf(t.app, { authorization: `Bearer ${registered.body.access_token}` })
    const change = { current_password: PASSWORD, new_password: 'another password' }
    expect((await user.post('/api/v1/auth/password', change, once)).status).toBe(204)
    // The answer is the first one, though the current password is another by now.
    const repeated = await user.post('/api/v1/auth/password', change, once)
    expect([repeated.status, repeated.headers['idempotency-replayed']]).toEqual([204, 'true'])
  })

  test('whoever tries is stopped', async () => {
    const inside = (work: () => Promise<unknown>) => t.app.services.database.transaction(() => work())
    await expect(inside(() => hashPassword(t.app.services, 'x'))).rejects.toThrow('inside a transaction')
    await expect(inside(() => passwordMatches(t.app.services, null, 'x'))).rejects.toThrow(
      'inside a transaction',
    )
  })
})

onBothEngines('names that others see', (t) => {
  test('the mailbox does not stand on public cards unless its owner wants it', async () => {
    const email = `jane.roe-${t.engine}@example.com`
    const { body } = await t.anonymous().post('/api/v1/auth/register', { email, password: PASSWORD })
    expect(body.user.display_name).toMatch(/^member-[a-z0-9]{8}$/)
    const author = clientOf(t.app, { authorization: `Bearer ${body.access_token}` })
    const { card_id } = (await author.post('/api/v1/cards', goodCard('names'))).body
    await author.post(`/api/v1/cards/${card_id}/publish`)
    const shown = await (await t.user()).get(`/api/v1/cards/${card_id}`)
    expect(shown.body.owner_name).toBe(body.user.display_name)
    expect(shown.text).not.toContain('jane')
    const renamed = await author.patch('/api/v1/auth/me', { display_name: 'Jane' })
    expect([renamed.status, renamed.body.display_name]).toEqual([200, 'Jane'])
  })

  test('a name reads as it is written: nothing in it turns text around or hides', async () => {
    const user = await t.user()
    const name = 'Admin\u202e gro.live\u2066'
    expect((await user.patch('/api/v1/auth/me', { display_name: name })).body.display_name).toBe(
      'Admin gro.live',
    )
    expect((await user.patch('/api/v1/auth/me', { display_name: '\u202e\u200b' })).status).toBe(422)
    expect((await user.post('/api/v1/workspaces', { name })).body.name).toBe('Admin gro.live')
  })
})

onBothEngines(
  'mail',
  (t) => {
    /** A process that neither looks up who asked nor sends anything by itself. */
    let quiet: App
    beforeAll(async () => {
      quiet = await buildApp(readConfig(t.vault.env), {
        jobs: [],
        shedding: false,
        passwordHashing: QUICK_HASHING,
      })
    })
    afterAll(() => quiet.close())
    const rows = async () => {
      const { read } = quiet.services.database
      const outbox = await read.selectFrom('outbox').select('subject').execute()
      const links = await read.selectFrom('email_tokens').select('purpose').execute()
      const asked = await read.selectFrom('reset_requests').select('email_normal').execute()
      return { outbox, links, asked }
    }
    const ask = (email: string) => clientOf(quiet, {}).post('/api/v1/auth/password/reset-request', { email })
    const lookUp = () => answerResetRequests(contextFor(quiet.services), new AbortController().signal)

    test('asking for a reset does the same work for every address; who it is turns out later', async () => {
      const { email } = await t.user()
      const before = await rows()
      await ask('nobody@example.com')
      const unknown = await rows()
      await ask(email)
      const known = await rows()
      expect([unknown.outbox, unknown.links]).toEqual([before.outbox, before.links])
      expect([known.outbox, known.links]).toEqual([before.outbox, before.links])
      expect(known.asked.map((row) => row.email_normal).sort()).toEqual(['nobody@example.com', email].sort())
      await lookUp()
      const after = await rows()
      expect(after.asked).toEqual([])
      expect(after.links.length - before.links.length).toBe(1)
    })

    test('strangers who ask again and again kill no link that its owner has just got', async () => {
      const { email } = await t.user()
      const { read } = quiet.services.database
      const links = async () =>
        read
          .selectFrom('email_tokens')
          .innerJoin('users', 'users.user_id', 'email_tokens.user_id')
          .select('token_hash')
          .where('users.email', '=', email)
          .where('purpose', '=', 'reset_password')
          .execute()
      for (let n = 0; n < 3; n++) {
        await ask(email)
        await lookUp()
      }
      const three = await links()
      expect(three).toHaveLength(3)
      for (let n = 0; n < 5; n++) {
        await ask(email)
        await lookUp()
      }
      expect(await links()).toEqual(three)
    })

    test("no subject and no invitation carries a stranger's link", async () => {
      const host = `evil.example`
      const stranger = await t.user()
      await stranger.patch('/api/v1/auth/me', { display_name: `https://${host}/prize` })
      const name = `Win at www.${host}`
      const { workspace_id } = (await stranger.post('/api/v1/workspaces', { name })).body
      const victim = await t.user()
      await stranger.post(`/api/v1/workspaces/${workspace_id}/invites`, { email: 'someone@example.com' })
      await stranger.post(`/api/v1/workspaces/${workspace_id}/members/by-email`, { email: victim.email })
      const form = new FormData()
      form.set('email', 'a@example.com')
      form.set('subject', `See http://${host}/x`)
      form.set('message', 'Hello')
      const body = new Response(form)
      await t.app.server.inject({
        method: 'POST',
        url: '/api/v1/support/tickets',
        headers: { 'content-type': body.headers.get('content-type') ?? '' },
        payload: Buffer.from(await body.arrayBuffer()),
      })
      const subjects = (await rows()).outbox.map(({ subject }) => subject)
      expect(subjects.filter((subject) => /evil/.test(subject))).toHaveLength(3)
      for (const subject of subjects) expect(subject).not.toMatch(/:\/\/|\w\.\w|@/)
    })
  },
  { SMTP_URL: 'smtp://127.0.0.1:9', SUPPORT_EMAIL: 'help@example.com', SECRET_KEY: 'k'.repeat(40) },
)

onBothEngines(
  'guessing',
  (t) => {
    const tryFrom = (remoteAddress: string, email: string, password: string) =>
      t.app.server.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        remoteAddress,
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify({ email, password }),
      })

    describe('strangers who fail on purpose', () => {
      test('do not keep the owner of an account out', async () => {
        const { email } = await t.user()
        for (let host = 1; host <= 4; host++)
          for (let n = 0; n < 5; n++)
            expect((await tryFrom(`198.51.100.${host}`, email, 'wrong')).statusCode).toBe(401)
        expect((await tryFrom('203.0.113.7', email, PASSWORD)).statusCode).toBe(200)
      })

      test('wait themselves, longer and longer, and also at other doors for the password', async () => {
        const user = await t.user()
        const host = '198.51.100.77'
        for (let n = 0; n < 5; n++) await tryFrom(host, user.email, 'wrong')
        const held = await tryFrom(host, user.email, PASSWORD)
        expect([held.statusCode, held.json().code]).toEqual([429, 'rate_limited'])
        const changed = await t.app.server.inject({
          method: 'POST',
          url: '/api/v1/auth/password',
          remoteAddress: host,
          headers: { 'content-type': 'application/json', authorization: `Bearer ${user.token}` },
          payload: JSON.stringify({ current_password: PASSWORD, new_password: 'another password' }),
        })
        expect(changed.statusCode).toBe(429)
      })
    })
  },
  { RATE_LIMIT: 'on' },
)
