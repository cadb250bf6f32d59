import { expect, test } from 'vitest'
import { sampler } from '../../../test/redaction/samples.ts'
import { record } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { runKvault, spawnKvault } from '../../../test/support/process.ts'

const { randomFrom } = sampler(4)

onBothEngines('rescan', (t) => {
  test('new rules are applied to stored texts: rows, indexes and counts', async () => {
    const user = await t.user()
    const event = await user.post('/api/v1/project-context/events', {
      project_key: 'p',
      event_type: 'turn',
      content: 'to be replaced',
    })
    const material = await user.post('/api/v1/raw-materials', { content: 'to be replaced' })
    const card = await record(user)
    await user.post(`/api/v1/cards/${card.card_id}/feedback`, { kind: 'useful', comment: 'to be replaced' })
    // As an older version without these rules would have stored it.
    const secret = `ghp_${randomFrom('abcdefghijklmnopqrstuvwxyz0123456789', 36)}`
    const { database } = t.app.services
    const app = { client_name: 'x', client_uri: 'https://app.example', redirect_uris: ['http://127.0.0.1/'] }
    expect((await t.anonymous().post('/oauth/register', app)).status).toBe(201)
    await database.transaction(async (db) => {
      const stored = { content: `push with ${secret}` }
      await db
        .updateTable('context_events')
        .set({ ...stored, search_text: stored.content })
        .where('raw_id', '=', event.body.raw_id)
        .execute()
      await db.updateTable('oauth_clients').set({ name: secret }).execute()
      await db.updateTable('card_feedback').set({ comment: stored.content }).execute()
      await db.updateTable('raw_materials').set(stored).where('raw_id', '=', material.body.raw_id).execute()
    })
    const rescan = (...args: string[]) => runKvault(['rescan', ...args], t.vault.env)
    const eventUrl = `/api/v1/project-context/events/${event.body.raw_id}`

    const dry = await rescan('--dry-run')
    expect(dry.stderr).toBe('')
    expect(dry.stdout).toContain('memory events: 1 read, 1 would be changed (github_token 1)')
    expect((await user.get(eventUrl)).body.content).toContain(secret)

    const real = await spawnKvault(['rescan'], t.vault.env)
    expect(real.stdout).toContain('raw materials: 1 read, 1 changed (github_token 1)')
    expect(real.stdout).toContain('feedback comments: 1 read, 1 changed (github_token 1)')
    expect(real.stdout).toContain('registered apps: 1 read, 1 changed (github_token 1)')
    expect(real.stdout + real.stderr).not.toContain(secret)
    const { body } = await user.get(eventUrl)
    expect(body.content).toBe('push with <GITHUB_TOKEN>')
    expect(body.redactions).toEqual([{ kind: 'github_token', count: 1 }])
    const found = await user.get(
      '/api/v1/project-context/search?project_key=p&query=github_token&mode=substring',
    )
    expect(found.body.total).toBe(1)
    expect((await user.get(`/api/v1/raw-materials/${material.body.raw_id}`)).body.content).not.toContain(
      secret,
    )

    expect((await rescan()).stdout).toContain('memory events: 1 read, 0 changed')
    expect((await rescan('--wrong')).code).toBe(2)
  }, 60_000)

  test('names, reasons, notes and kept searches are read too, and JSON stays JSON', async () => {
    const user = await t.user()
    const secret = `ghp_${randomFrom('abcdefghijklmnopqrstuvwxyz0123456789', 36)}`
    const [newer, older, merged] = [await record(user), await record(user), await record(user)]
    const done = async (url: string, body: unknown) =>
      expect((await user.post(url, body)).status).toBeLessThan(300)
    await done('/api/v1/auth/api-keys', { name: 'agent' })
    await done('/api/v1/workspaces', { name: 'Team', policy_json: { download_hosts: ['a.example'] } })
    await done('/api/v1/searches/saved', { name: 'mine', query: 'pool', filters: { tags: 'a' } })
    await done('/api/v1/billing/invites', { note: 'for you' })
    await done(`/api/v1/cards/${newer.card_id}/links`, {
      kind: 'related',
      to_card_id: older.card_id,
      why: 'x',
    })
    await done(`/api/v1/cards/${merged.card_id}/merge`, { into_card_id: older.card_id, why: 'x' })
    const { database } = t.app.services
    await database.transaction(async (db) => {
      await db.updateTable('api_keys').set({ name: secret }).execute()
      await db
        .updateTable('users')
        .set({ display_name: secret, onboarding: `{"role":"${secret}"}` })
        .execute()
      const policy_json = `{"download_hosts":["${secret}.example"]}`
      await db.updateTable('workspaces').set({ policy_json }).where('type', '=', 'org').execute()
      await db
        .updateTable('kept_searches')
        .set({ query: secret, filters: `{"tags":"${secret}"}` })
        .execute()
      await db.updateTable('billing_invites').set({ note: secret }).execute()
      await db.updateTable('card_links').set({ why: secret }).execute()
      await db.updateTable('card_merges').set({ why: secret }).execute()
    })
    const { stdout } = await runKvault(['rescan'], t.vault.env)
    for (const source of [
      'API keys',
      'workspaces',
      'kept searches',
      'invite codes',
      'links of cards',
      'merged cards',
    ])
      expect(stdout).toMatch(new RegExp(`^${source}: \\d+ read, 1 changed \\(github_token \\d\\)$`, 'm'))
    const { read } = database
    const { onboarding, display_name } = await read.selectFrom('users').selectAll().executeTakeFirstOrThrow()
    expect([onboarding, display_name]).toEqual(['{"role":"<GITHUB_TOKEN>"}', '<GITHUB_TOKEN>'])
    const [kept] = (await user.get('/api/v1/searches')).body.saved
    expect(kept).toMatchObject({ query: '<GITHUB_TOKEN>', filters: { tags: '<GITHUB_TOKEN>' } })
    expect((await runKvault(['rescan', '--dry-run'], t.vault.env)).stdout).not.toContain('github_token')
  })
})
