import pino from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { makeAdmin } from '../../../test/support/admin.ts'
import { goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { clientOf } from '../../../test/support/client.ts'
import { onBothEngines, QUICK_HASHING, type TestVault } from '../../../test/support/engines.ts'
import { published } from '../../../test/support/publishing.ts'
import { type App, buildApp } from '../../app.ts'
import { readConfig } from '../../config.ts'

const AT = '/api/v1/admin/settings'
const FOLLOWS = { timeout: 20_000 }
/** After this time nothing remembers that the library had no cards of others. */
const FORGOTTEN_MS = 60_000

async function adminOf(t: TestVault): Promise<Person> {
  const admin = await t.user('boss')
  await makeAdmin(t.app, admin.email)
  const { body } = await t
    .anonymous()
    .post('/api/v1/auth/login', { email: admin.email, password: 'correct horse battery' })
  return { ...admin, ...clientOf(t.app, { authorization: `Bearer ${body.access_token}` }) }
}

const searchLibrary = (as: Person, query: string) => as.post('/api/v1/search', { query, scope: 'public' })
const showsCredits = async (as: Person): Promise<unknown> =>
  (await as.get('/api/v1/auth/me')).body.shows_credits

onBothEngines(
  'credits at run time',
  (t) => {
    let second: App
    beforeAll(async () => {
      second = await buildApp(readConfig(t.vault.env), {
        log: pino({ level: 'silent' }),
        passwordHashing: QUICK_HASHING,
        shedding: false,
      })
    })
    afterAll(() => second.close())

    test('an admin switches credits off and on, and every process follows', async () => {
      const [admin, author, reader] = [await adminOf(t), await t.user(), await t.user()]
      await published(author, '', { ...goodCard('heron'), title: 'Heron trips the sensor line' })
      const elsewhere = clientOf(second, { authorization: `Bearer ${reader.token}` })
      const searched = async () => (await searchLibrary(reader, 'heron sensor')).body
      expect(await searched()).toMatchObject({ credits_charged: 5, credits_balance: 95 })

      const off = await admin.patch(AT, { credits: false })
      expect(off.status).toBe(200)
      expect(off.body.credits).toMatchObject({ value: false, source: 'admin', changed_by_name: 'boss' })
      expect(await searched()).toMatchObject({ credits_charged: 0, credits_balance: 95 })
      expect((await searched()).results[0].hit_reason).toBe('credits_off')
      const policy = { public_search_cost_credits: 0, credits_off: true }
      expect((await reader.get('/api/v1/credits/policy')).body).toMatchObject(policy)
      expect((await reader.get('/ai-guide')).body.credits).toMatchObject(policy)
      expect((await reader.get('/app-config.json')).body.credits).toBe(false)
      const pack = await reader.post('/api/v1/billing/credits/checkout', { pack_id: 'small' })
      expect([pack.status, pack.body.code]).toEqual([503, 'not_configured'])
      expect((await reader.get('/api/v1/credits/history')).body.total).toBe(2)
      await vi.waitUntil(
        async () => (await elsewhere.get('/app-config.json')).body.credits === false,
        FOLLOWS,
      )
      const there = await elsewhere.post('/api/v1/search', { query: 'heron sensor', scope: 'public' })
      expect(there.body.credits_charged).toBe(0)

      // Saying it again changes nothing, and is not recorded.
      await admin.patch(AT, { credits: false })
      await admin.patch(AT, {})
      await admin.patch(AT, { credits: true })
      expect(await searched()).toMatchObject({ credits_charged: 5, credits_balance: 90 })
      await vi.waitUntil(async () => (await elsewhere.get('/app-config.json')).body.credits === true, FOLLOWS)
      const log = (await admin.get('/api/v1/admin/audit?action=server_setting.changed')).body.items
      expect(log.map((entry: { details: object }) => entry.details)).toEqual([
        { value: true },
        { value: false },
      ])
    })

    test('only service admins see and change them, and only by what they are', async () => {
      const [admin, other] = [await adminOf(t), await t.user()]
      expect((await other.get(AT)).status).toBe(403)
      expect((await other.patch(AT, { credits: false })).status).toBe(403)
      expect((await t.anonymous().get(AT)).status).toBe(401)
      for (const credits of ['off', 0, null, [false]])
        expect((await admin.patch(AT, { credits })).status, String(credits)).toBe(422)
      const key = (await admin.post('/api/v1/auth/api-keys', { name: 'agent', scopes: ['search'] })).body
      const agent = clientOf(t.app, { 'x-api-key': key.api_key })
      expect((await agent.patch(AT, { credits: false })).status).toBe(403)
      expect((await admin.get(AT)).body.credits.value).toBe(true)
    })

    test('two admins at once: one value is kept, the same for all', async () => {
      const [one, two] = [await adminOf(t), await adminOf(t)]
      await Promise.all([one.patch(AT, { credits: false }), two.patch(AT, { credits: true })])
      const kept = (await one.get(AT)).body.credits.value
      expect((await two.get('/app-config.json')).body.credits).toBe(kept)
      await one.patch(AT, { credits: true })
    })

    test('settings of a newer version are left alone', async () => {
      const admin = await adminOf(t)
      const changed = { changed_by: admin.userId, changed_at: new Date().toISOString() }
      await t.app.services.database.transaction((db) =>
        db
          .insertInto('server_settings')
          .values({ key: 'later', value: '{}', ...changed })
          .execute(),
      )
      await t.app.services.serverSettings.refresh()
      expect(Object.keys((await admin.get(AT)).body)).toEqual(['credits'])
    })
  },
  {},
)

onBothEngines(
  'credits decided by the environment',
  (t) => {
    test('the variable wins, and the app says so', async () => {
      const admin = await adminOf(t)
      const { body } = await admin.get(AT)
      expect(body.credits).toMatchObject({ value: true, source: 'environment', variable: 'CREDITS' })
      const refused = await admin.patch(AT, { credits: false })
      expect([refused.status, refused.body.code]).toEqual([409, 'set_by_environment'])
      expect((await admin.get('/app-config.json')).body.credits).toBe(true)
    })
  },
  { CREDITS: 'on' },
)

onBothEngines(
  'whether credits are shown',
  (t) => {
    test('only where the library has cards of others, or to who has opened a checkout', async () => {
      const { admin, editor, workspaceId } = await team(t)
      const [buyer, subscriber] = [await t.user(), await t.user()]
      const drafted = await record(admin, { workspace_id: workspaceId })
      expect(await showsCredits(admin)).toBe(false)
      await admin.post(`/api/v1/cards/${drafted.card_id}/publish`)
      t.later(FORGOTTEN_MS)
      // A card of one's own, and one that the team has published.
      expect(await showsCredits(admin)).toBe(false)
      expect(await showsCredits(editor)).toBe(false)
      expect(await showsCredits(buyer)).toBe(true)

      await admin.post(`/api/v1/cards/${drafted.card_id}/unpublish`)
      t.later(24 * FORGOTTEN_MS)
      expect(await showsCredits(buyer)).toBe(false)
      await buyer.post('/api/v1/billing/credits/checkout', { pack_id: 'small' })
      await subscriber.post('/api/v1/billing/simulate-upgrade', { plan_id: 'pro' })
      expect([await showsCredits(buyer), await showsCredits(subscriber)]).toEqual([true, true])
      const boss = await adminOf(t)
      await boss.patch(AT, { credits: false })
      await published(boss)
      t.later(FORGOTTEN_MS)
      expect([await showsCredits(buyer), await showsCredits(editor)]).toEqual([true, false])
      await boss.patch(AT, { credits: true })
      expect(await showsCredits(editor)).toBe(true)
    })
  },
  {},
)
