import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { record, team } from '../../../test/support/cards.ts'
import { clientOf } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { type App, buildApp } from '../../app.ts'
import { readConfig } from '../../config.ts'

onBothEngines('texts of hits that a process keeps', (t) => {
  let other: App
  beforeAll(async () => {
    other = await buildApp(readConfig(t.vault.env), { log: pino({ level: 'silent' }), jobs: [] })
  })
  afterAll(() => other.close())

  /** What each process answers, asked five times: it reads the texts, keeps them, and cuts them into words the fourth time. */
  async function hitsFor({ token }: { token: string }, query: string, more: Record<string, unknown> = {}) {
    const answers = []
    for (const app of [t.app, other])
      for (let i = 0; i < 5; i++) {
        const client = clientOf(app, { authorization: `Bearer ${token}` })
        const { status, body } = await client.post('/api/v1/search', { query, ...more })
        expect(status).toBe(200)
        const { took_ms, ...answer } = body
        answers.push(answer)
      }
    const [first] = answers
    for (const answer of answers) expect(answer).toEqual(first)
    return first.results
  }

  test('an edit, new evidence and a verdict show at once, in every process', async () => {
    const user = await t.user()
    const card = await record(user, {
      title: 'Wombat burrow',
      symptom: 'The wombat digs',
      tags: ['marsupial'],
    })
    const [before] = await hitsFor(user, 'wombat')
    expect(before).toMatchObject({ title: 'Wombat burrow', symptom: 'The wombat digs', tags: ['marsupial'] })

    await user.patch(`/api/v1/cards/${card.card_id}`, { symptom: 'The wombat sleeps', tags: ['nocturnal'] })
    const [after] = await hitsFor(user, 'wombat')
    expect(after).toMatchObject({ symptom: 'The wombat sleeps', tags: ['nocturnal'] })
    expect(after.snippet).toContain('sleeps')

    await user.patch(`/api/v1/cards/${card.card_id}`, {
      evidences: [{ kind: 'log', content: 'wombat quokka numbat' }],
    })
    const [withEvidence] = await hitsFor(user, 'wombat quokka numbat')
    expect(withEvidence.why).toContainEqual({ where: 'evidence', words: ['wombat', 'quokka', 'numbat'] })

    await user.post(`/api/v1/cards/${card.card_id}/verdicts`, { outcome: 'worked' })
    const [judged] = await hitsFor(user, 'wombat')
    expect(judged.trust.worked).toBe(1)
  })

  test('who may not find a card any more gets none of its texts', async () => {
    const { workspaceId, admin, viewer } = await team(t)
    const card = await record(admin, { title: 'Bandicoot snout', workspace_id: workspaceId })
    const publish = () => admin.post(`/api/v1/cards/${card.card_id}/share`, { workspace_id: workspaceId })
    expect((await publish()).status).toBe(200)
    const where = { scope: 'workspace' }
    expect(await hitsFor(viewer, 'bandicoot', where)).toHaveLength(1)

    await admin.post(`/api/v1/cards/${card.card_id}/unpublish`, {})
    expect(await hitsFor(viewer, 'bandicoot', where)).toEqual([])
    expect(await hitsFor(admin, 'bandicoot', where)).toHaveLength(1)

    await publish()
    expect(await hitsFor(viewer, 'bandicoot', where)).toHaveLength(1)
    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${viewer.userId}`)
    expect(await hitsFor(viewer, 'bandicoot', where)).toEqual([])

    const { body: own } = await admin.post('/api/v1/workspaces', { name: 'Elsewhere' })
    const moved = await admin.post(`/api/v1/cards/${card.card_id}/move`, { workspace_id: own.workspace_id })
    expect(moved.status).toBe(200)
    const [hit] = await hitsFor(admin, 'bandicoot')
    expect(hit.home).toMatchObject({ kind: 'workspace', name: 'Elsewhere' })

    await admin.delete(`/api/v1/cards/${card.card_id}`)
    expect(await hitsFor(admin, 'bandicoot')).toEqual([])
  })
})
