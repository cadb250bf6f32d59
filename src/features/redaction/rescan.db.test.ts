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
})
