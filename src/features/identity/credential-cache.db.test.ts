import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf } from '../../../test/support/client.ts'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { type App, buildApp } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { viewerOf } from './credentials.ts'

const CARDS = '/api/v1/cards'

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await holds()) return
    await sleep(25)
  }
  throw new Error(`Not so after 5 s: ${what}`)
}

/** Uses the credential until the app knows it by heart, so that what follows is told to the cache. */
async function settle(app: App, credential: string): Promise<void> {
  await until('the credential is kept', async () => {
    expect((await clientOf(app, { 'x-api-key': credential }).get(CARDS)).status).toBe(200)
    return app.services.credentials.find(credential, app.services.now().getTime()) !== undefined
  })
}

const statusWith = async (app: App, credential: string) =>
  (await clientOf(app, { 'x-api-key': credential }).get(CARDS)).status

async function newKey(t: TestVault) {
  const user = await t.user()
  const { body } = await user.post('/api/v1/auth/api-keys', { name: 'agent' })
  return { user, key: body.api_key as string, remove: `/api/v1/auth/api-keys/${body.key_id}` }
}

async function terminateListeners(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'listen %'`,
  )
  await client.end()
  return rowCount ?? 0
}

onBothEngines(
  'callers who are known by heart',
  (t) => {
    let other: App
    beforeAll(async () => {
      other = await buildApp(readConfig(t.vault.env), { log: pino({ level: 'silent' }), jobs: [] })
    })
    afterAll(() => other.close())

    test('a deleted key is dead at once, and soon in every other process', async () => {
      const { user, key, remove } = await newKey(t)
      await settle(t.app, key)
      await settle(other, key)
      expect((await user.delete(remove)).status).toBe(204)
      expect(await statusWith(t.app, key)).toBe(401)
      await until('it is dead over there', async () => (await statusWith(other, key)) === 401)
    })

    test('so is a session that was ended, by logging out or by another password', async () => {
      const user = await t.user()
      const login = async () => {
        const answer = await t
          .anonymous()
          .post('/api/v1/auth/login', { email: user.email, password: 'correct horse battery' })
        return answer.body.access_token as string
      }
      const [first, second] = [await login(), await login()]
      await settle(t.app, first)
      await settle(t.app, second)
      await clientOf(t.app, { authorization: `Bearer ${first}` }).post('/api/v1/auth/logout')
      expect(await statusWith(t.app, first)).toBe(401)
      await settle(t.app, second)
      const changed = await user.post('/api/v1/auth/password', {
        current_password: 'correct horse battery',
        new_password: 'another horse battery',
      })
      expect(changed.status).toBe(204)
      expect(await statusWith(t.app, second)).toBe(401)
    })

    test('so are all credentials of somebody who has left', async () => {
      const { user, key } = await newKey(t)
      await settle(t.app, key)
      await settle(other, key)
      expect((await user.delete('/api/v1/auth/me?confirmed_by_user=true')).status).toBe(200)
      expect(await statusWith(t.app, key)).toBe(401)
      expect(await statusWith(t.app, user.token)).toBe(401)
      await until('they are dead over there', async () => (await statusWith(other, key)) === 401)
    })

    test('an address that is no longer verified takes the rights of a service admin away', async () => {
      const { user, key } = await newKey(t)
      const isAdmin = async () => (await viewerOf(t.app.services, key, CARDS)).isAdmin
      const setVerified = (email_verified: 0 | 1) =>
        t.app.services.database.transaction(async (db) => {
          await db
            .updateTable('users')
            .set({ email_verified, email_normal: 'boss@example.com' })
            .where('user_id', '=', user.userId)
            .execute()
        })
      await setVerified(1)
      await settle(t.app, key)
      expect(await isAdmin()).toBe(true)
      await setVerified(0)
      expect(await isAdmin()).toBe(false)
    })

    test('noting that a key was used takes nothing from anybody', async () => {
      const { user, key } = await newKey(t)
      await settle(t.app, key)
      const { credentials, now } = t.app.services
      await t.app.services.database.transaction(async (db) => {
        await db
          .updateTable('api_keys')
          .set({ last_used_at: now().toISOString() })
          .where('user_id', '=', user.userId)
          .execute()
      })
      expect(credentials.find(key, now().getTime()) ?? (await statusWith(t.app, key))).not.toBe(401)
    })

    test('a credential that a rolled back transaction deleted still works', async () => {
      const { user, key } = await newKey(t)
      await settle(t.app, key)
      const { database } = t.app.services
      const undone = database.transaction(async (db) => {
        await db.deleteFrom('api_keys').where('user_id', '=', user.userId).execute()
        throw new Error('on second thoughts')
      })
      await expect(undone).rejects.toThrow('on second thoughts')
      expect(await statusWith(t.app, key)).toBe(200)
    })

    test('a node that lost its ear for news trusts nobody until it hears again', async () => {
      const { user, key, remove } = await newKey(t)
      await settle(t.app, key)
      await settle(other, key)
      if (t.engine === 'postgres')
        expect(await terminateListeners(t.vault.env.DATABASE_URL as string)).toBeGreaterThan(0)
      expect((await user.delete(remove)).status).toBe(204)
      expect(await statusWith(t.app, key)).toBe(401)
      await until('it is dead over there', async () => (await statusWith(other, key)) === 401)
      const again = await newKey(t)
      await settle(other, again.key)
    })
  },
  { ADMIN_EMAILS: 'boss@example.com', SMTP_URL: 'smtp://127.0.0.1:9' },
)
