import { expect, test } from 'vitest'
import type { Person } from '../../../test/support/cards.ts'
import { clientOf } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

onBothEngines('kept searches', (t) => {
  const remember = (as: Person, query: string, filters = {}) =>
    as.post('/api/v1/searches/recent', { query, filters })
  const save = (as: Person, query: string, name?: string) =>
    as.post('/api/v1/searches/saved', { query, ...(name ? { name } : {}) })
  const kept = async (as: Person) => (await as.get('/api/v1/searches')).body
  const recent = async (as: Person) => (await kept(as)).recent.map(({ query }: { query: string }) => query)

  test('the history has each question once, the last first, and at most fifty', async () => {
    const me = await t.user()
    for (const query of ['pool', 'deploy', 'pool']) expect((await remember(me, query)).status).toBe(204)
    expect(await recent(me)).toEqual(['pool', 'deploy'])
    await remember(me, 'pool', { tags: 'postgres' })
    expect((await kept(me)).recent[0]).toMatchObject({ query: 'pool', filters: { tags: 'postgres' } })
    for (let i = 0; i < 55; i++) await remember(me, `question ${i}`)
    const all = await recent(me)
    expect([all.length, all[0]]).toEqual([50, 'question 54'])
    expect((await me.delete('/api/v1/searches/recent')).status).toBe(204)
    expect(await recent(me)).toEqual([])
  })

  test('two clients at once keep one of the same question', async () => {
    const me = await t.user()
    const answers = await Promise.all(Array.from({ length: 4 }, () => remember(me, 'at once')))
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204])
    expect(await recent(me)).toEqual(['at once'])
  })

  test('saved ones have a name and an end, and belong to one person', async () => {
    const [me, other] = [await t.user(), await t.user()]
    await save(me, 'pool timeout', 'Pools')
    const again = await save(me, 'pool timeout', 'Connection pools')
    expect(again).toMatchObject({ status: 201, body: { name: 'Connection pools', kind: 'saved' } })
    expect((await kept(me)).saved).toHaveLength(1)
    expect((await kept(other)).saved).toEqual([])
    const { search_id } = again.body
    expect((await other.delete(`/api/v1/searches/${search_id}`)).status).toBe(404)
    for (let i = 1; i < 100; i++) await save(me, `saved ${i}`)
    expect(await save(me, 'one more')).toMatchObject({ status: 409, body: { code: 'too_many_searches' } })
    expect((await me.delete(`/api/v1/searches/${search_id}`)).status).toBe(204)
    expect((await save(me, 'one more')).status).toBe(201)
    expect((await save(me, 'named by nothing', '\u0007')).status).toBe(422)
  })

  test('a filter that grows by its placeholders can still be read, and one within the limit is kept whole', async () => {
    const me = await t.user()
    const env = 'postgres://u:s3cr3t9@h '.repeat(43).trim()
    expect((await remember(me, 'pool', { env, tags: 'a, b' })).status).toBe(204)
    const answer = await me.get('/api/v1/searches')
    expect(answer.status, answer.text).toBe(200)
    expect(answer.text).not.toContain('s3cr3t9')
    expect(answer.body.recent[0].filters.tags).toBe('a, b')
    const [tags, name] = ['😀'.repeat(1000), '😀'.repeat(120)]
    const whole = await me.post('/api/v1/searches/saved', { query: 'pool', name, filters: { tags } })
    expect(whole.body).toMatchObject({ name, filters: { tags } })
  })

  test('no secret is stored, an agent’s key cannot read it, and it can be switched off', async () => {
    const me = await t.user()
    const secret = ['AK', 'IA', 'QYLPMN5HFIQR7BBB'].join('')
    await remember(me, `denied for ${secret}`)
    // Its name is cut where the secret is.
    expect((await save(me, `${'denied '.repeat(15)}for ${secret}`)).status).toBe(201)
    expect((await me.get('/api/v1/searches')).text).not.toContain(secret.slice(0, 8))
    const wish = { name: 'agent', scopes: ['search', 'record'] }
    const { api_key } = (await me.post('/api/v1/auth/api-keys', wish)).body
    const agent = clientOf(t.app, { 'x-api-key': api_key })
    expect((await agent.get('/api/v1/searches')).status).toBe(403)

    await me.put('/api/v1/user/settings', { keep_search_history: false })
    expect(await recent(me)).toEqual([])
    await remember(me, 'not kept')
    expect(await kept(me)).toMatchObject({ recent: [], keeps_history: false })
    for (const query of ['x'.repeat(2001), '\u0007']) expect((await remember(me, query)).status).toBe(422)
    const exported = async () => (await me.get('/api/v1/auth/me/export')).text
    await save(me, 'kept question')
    expect(await exported()).toContain('kept question')
  })
})
