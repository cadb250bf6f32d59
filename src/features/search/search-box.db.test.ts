import { expect, test } from 'vitest'
import { goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

onBothEngines('one box', (t) => {
  const ask = async (as: Person, query: string, more: object = {}, headers = {}) =>
    (await as.post('/api/v1/search/box', { query, ...more }, headers)).body
  const titles = (section: { results: { title: string }[] } | null) =>
    section?.results.map(({ title }) => title)

  test('own cards, what others share and memory come at once, each in its section', async () => {
    const { workspaceId, editor, viewer } = await team(t, { name: 'Platform team' })
    const word = `wombat${t.engine}`
    const inTeam = { workspace_id: workspaceId }
    const theirs = await record(editor, { title: `Theirs ${word}`, ...inTeam })
    await editor.post(`/api/v1/cards/${theirs.card_id}/share`)
    await record(editor, { title: `Hidden ${word}`, ...inTeam })
    await record(viewer, { title: `Mine ${word}` })
    await viewer.post('/api/v1/project-context/events', {
      project_key: 'org/app',
      event_type: 'agent_report',
      content: `We looked at the ${word} and found the leak.`,
    })
    const found = await ask(viewer, word)
    expect(titles(found.mine)).toEqual([`Mine ${word}`])
    expect(titles(found.team)).toEqual([`Theirs ${word}`])
    expect(found.team.results[0]).toMatchObject({
      hit_reason: 'free_workspace_scope',
      provenance: { owner: 'team' },
      readers: { text: 'Platform team, 3 people' },
    })
    expect(found.memory).toMatchObject({ total: 1, provenance: { owner: 'you' } })
    expect(found.memory.results[0]).toMatchObject({ project_key: 'org/app', event_type: 'agent_report' })
    expect(found).toMatchObject({ library: null, credits_charged: 0 })

    // What one shares oneself is one's own, not the team's once more.
    const shared = await ask(editor, word)
    expect(titles(shared.team)).toEqual([])
    expect(titles(shared.mine)?.sort()).toEqual([`Hidden ${word}`, `Theirs ${word}`])
    const stranger = await ask(await t.user(), word)
    expect([stranger.mine.total, stranger.team.total, stranger.memory.total]).toEqual([0, 0, 0])
  })

  test('one and two characters find whole words and CJK; POST /search keeps its minimum', async () => {
    const me = await t.user()
    await record(me, { title: 'Go modules need a proxy' })
    await record(me, { title: 'CI runs out of disk' })
    await record(me, { title: '展開に失敗する' })
    expect(titles((await ask(me, 'Go')).mine)).toEqual(['Go modules need a proxy'])
    expect(titles((await ask(me, 'ci')).mine)).toEqual(['CI runs out of disk'])
    expect(titles((await ask(me, '展開')).mine)).toEqual(['展開に失敗する'])
    // One character is found wherever it stands: at the beginning, in the middle, at the end, alone.
    await record(me, { title: '失 alone' })
    for (const character of ['展', '開', 'る']) {
      const { mine } = await ask(me, character)
      expect(titles(mine), character).toEqual(['展開に失敗する'])
      expect(mine.results[0].matched_terms.join(), character).toContain(character)
    }
    expect(titles((await ask(me, '失')).mine)?.sort()).toEqual(['失 alone', '展開に失敗する'].sort())
    expect(titles((await ask(me, '猫')).mine)).toEqual([])
    expect(titles((await ask(await t.user(), '展')).mine)).toEqual([])
    expect((await me.post('/api/v1/search', { query: 'Go' })).status).toBe(422)
    expect((await me.post('/api/v1/search/box', { query: '' })).status).toBe(422)
  })

  test('the library is asked only by name, and one question with one key is charged once', async () => {
    const [author, reader] = [await t.user(), await t.user()]
    const word = `narwhal${t.engine}`
    const { card_id } = await record(author, goodCard(word))
    await author.post(`/api/v1/cards/${card_id}/publish`)
    const question = [`${word}1`, { sections: ['library'], limit: 500 }] as const
    const key = { 'idempotency-key': 'one question' }
    const first = await ask(reader, ...question, key)
    expect(first).toMatchObject({ credits_charged: 5, credits_balance: 95, mine: null, memory: null })
    expect(titles(first.library)).toHaveLength(1)
    expect(await ask(reader, ...question, key)).toEqual(first)
    // Also in a new session, and with a key of the same person; another person has keys of their own.
    const login = { email: reader.email, password: 'correct horse battery' }
    const { access_token } = (await t.anonymous().post('/api/v1/auth/login', login)).body
    const anew = await t
      .anonymous()
      .post(
        '/api/v1/search/box',
        { query: question[0], ...question[1] },
        { ...key, authorization: `Bearer ${access_token}` },
      )
    expect(anew.headers['idempotency-replayed']).toBe('true')
    expect(anew.body).toEqual(first)
    expect((await ask(await t.user(), ...question, key)).credits_charged).toBe(5)
    const other = await reader.post('/api/v1/search/box', { query: 'another question' }, key)
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict'])
    expect((await reader.get('/api/v1/auth/me')).body.credits_balance).toBe(95)
    expect((await ask(reader, `${word}1`)).credits_charged).toBe(0)
  })

  test('every hit can be reached, and a plan is made of the best', async () => {
    const me = await t.user()
    const word = `quokka${t.engine}`
    for (let i = 0; i < 60; i++) await record(me, { title: `${word} number ${i}` })
    const few = await ask(me, word)
    expect([few.mine.results.length, few.mine.total]).toEqual([20, 60])
    expect((await ask(me, word, { sections: ['mine'], limit: 100 })).mine.results).toHaveLength(60)
    const { action_card } = await ask(me, word, { generate_action_card: true })
    expect(action_card.sources.length).toBeGreaterThan(0)
  })

  test('of very long events as many are read as a search reads; all are counted', async () => {
    const me = await t.user()
    const word = `marmot${t.engine}`
    for (let i = 0; i < 26; i++)
      await me.post('/api/v1/project-context/events', {
        project_key: 'org/app',
        event_type: 'agent_report',
        content: `${word} ${i}`,
      })
    // As if they had been appended so: it is about reading, and to index them takes far longer.
    await t.app.services.database.transaction((db) =>
      db
        .updateTable('context_events')
        .set({ content: `${word} `.repeat(20_000).slice(0, 199_000) })
        .where('user_id', '=', me.userId)
        .execute(),
    )
    const { memory } = await ask(me, word, { sections: ['memory'], limit: 1000 })
    expect([memory.results.length, memory.total]).toEqual([25, 26])
  })
})
