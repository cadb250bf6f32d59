import { expect, test } from 'vitest'
import { goodCard, type Person, record, team, titleWord } from '../../../test/support/cards.ts'
import { clientOf } from '../../../test/support/client.ts'
import { collateAsWords } from '../../../test/support/collation.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

onBothEngines('where a card lives and who reads it', (t) => {
  const seen = async (as: Person, cardId: string) => {
    const { home, readers } = (await as.get(`/api/v1/cards/${cardId}`)).body
    return { home, readers }
  }
  const share = (as: Person, cardId: string, workspace_id?: string) =>
    as.post(`/api/v1/cards/${cardId}/share`, workspace_id ? { workspace_id } : {})

  test('from private by draft and team to everyone, and lists and search say the same', async () => {
    const { workspaceId, editor, viewer } = await team(t, { name: 'Platform team' })
    const word = `homing${t.engine}`
    const { card_id, readers } = await record(editor, goodCard(word))
    expect(readers).toEqual({ kind: 'owner', count: 1, text: 'Only you' })
    expect((await seen(editor, card_id)).home).toEqual({
      kind: 'personal',
      workspace_id: editor.workspaceId,
      name: 'Personal',
    })
    // The interface shares a personal card where it is; nobody new reads it, and the answer says so.
    expect((await share(editor, card_id)).body.readers.text).toBe('Only you')
    await editor.post(`/api/v1/cards/${card_id}/unpublish`)

    await editor.post(`/api/v1/cards/${card_id}/move`, { workspace_id: workspaceId })
    const draft = { kind: 'editors', count: 2, text: 'Draft, editors of Platform team can read it' }
    expect((await seen(editor, card_id)).readers).toEqual(draft)
    expect((await viewer.get(`/api/v1/cards/${card_id}`)).status).toBe(404)

    await share(editor, card_id)
    const shared = {
      home: { kind: 'workspace', workspace_id: workspaceId, name: 'Platform team' },
      readers: { kind: 'members', count: 3, text: 'Platform team, 3 people' },
    }
    expect(await seen(viewer, card_id)).toEqual(shared)
    const listed = (await viewer.get(`/api/v1/cards?scope=workspace&workspace_id=${workspaceId}`)).body
    expect(listed.items[0]).toMatchObject(shared)
    const asked = { query: titleWord(word), scope: 'workspace' }
    expect((await viewer.post('/api/v1/search', asked)).body.results[0]).toMatchObject(shared)

    await editor.post(`/api/v1/cards/${card_id}/publish`)
    const stranger = await t.user()
    expect(await seen(stranger, card_id)).toMatchObject({
      home: { kind: 'library', name: 'Library' },
      readers: { kind: 'everyone', count: null, text: 'Everyone' },
    })
  })

  test('sharing elsewhere needs what moving and taking back need: a key without their scopes does neither', async () => {
    const { workspaceId, editor } = await team(t)
    const keyFor = async (...scopes: string[]) => {
      const { api_key } = (await editor.post('/api/v1/auth/api-keys', { name: 'agent', scopes })).body
      return clientOf(t.app, { 'x-api-key': api_key })
    }
    const [recorder, writer] = [
      await keyFor('search', 'record'),
      await keyFor('search', 'record', 'case:write'),
    ]
    const sharedBy = (as: Awaited<ReturnType<typeof keyFor>>, cardId: string) =>
      as.post(`/api/v1/cards/${cardId}/share`, { workspace_id: workspaceId })
    const { card_id } = await record(editor, goodCard())
    expect(await sharedBy(recorder, card_id)).toMatchObject({
      status: 403,
      body: { code: 'missing_scope', required_scopes: ['case:write'] },
    })
    expect((await editor.post(`/api/v1/cards/${card_id}/publish`)).status).toBe(200)
    for (const key of [recorder, writer])
      expect(await sharedBy(key, card_id)).toMatchObject({
        status: 403,
        body: { code: 'missing_scope', required_scopes: ['publish'] },
      })
    expect((await seen(editor, card_id)).home.kind).toBe('library')
    const { card_id: another } = await record(editor, goodCard())
    expect((await sharedBy(writer, another)).body.home.workspace_id).toBe(workspaceId)
  })

  test('nobody learns the name or the size of a workspace that they may not see', async () => {
    const { workspaceId, admin, editor } = await team(t, { name: 'Secret project' })
    const { card_id } = await record(editor, { workspace_id: workspaceId })
    await share(editor, card_id)
    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${editor.userId}`)
    const answers = [
      await editor.get(`/api/v1/cards/${card_id}`),
      await editor.get('/api/v1/cards'),
      await editor.post('/api/v1/search', { query: 'connection pool exhausted' }),
    ]
    for (const { text } of answers) expect(text).not.toContain('Secret project')
    const lost = { kind: 'workspace', workspace_id: workspaceId, name: null }
    expect(answers[0]?.body).toMatchObject({ home: lost, readers: { kind: 'members', count: null } })
    expect(answers[0]?.body.readers.text).toBe('A workspace that you left')
    const mine = answers[1]?.body.items.find((card: { card_id: string }) => card.card_id === card_id)
    expect(mine.home).toEqual(lost)
  })

  test('an owner who left still reads the card, and is counted until the account is deleted', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t)
    const { card_id } = await record(editor, { workspace_id: workspaceId })
    await share(editor, card_id)
    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${viewer.userId}`)
    await editor.delete(`/api/v1/workspaces/${workspaceId}/members/${editor.userId}`)
    const readers = async () => {
      const list = await admin.get(`/api/v1/cards?scope=workspace&workspace_id=${workspaceId}`)
      return [(await seen(admin, card_id)).readers, list.body.items[0].readers]
    }
    for (const counted of await readers()) expect(counted).toMatchObject({ kind: 'members', count: 2 })
    const ended = await editor.post('/api/v1/auth/me/delete', {
      confirmed_by_user: true,
      password: 'correct horse battery',
    })
    expect(ended.status, ended.text).toBe(200)
    for (const counted of await readers())
      expect(counted).toEqual({ kind: 'owner', count: 1, text: 'Only you' })
  })

  test('sharing with a team moves the card in the same step, or does nothing at all', async () => {
    const [from, to] = [await team(t), await team(t, { name: 'Support' })]
    const me = from.editor
    await to.admin.post(`/api/v1/workspaces/${to.workspaceId}/members`, {
      user_id: me.userId,
      role: 'editor',
    })
    const word = `carried${t.engine}`
    const { card_id } = await record(me, goodCard(word))
    const find = async (as: Person) =>
      (await as.post('/api/v1/search', { query: titleWord(word), scope: 'workspace' })).body.results.length
    expect((await share(me, card_id, from.workspaceId)).body).toMatchObject({
      status: 'published',
      readers: { text: 'Team, 3 people' },
    })
    expect([await find(from.viewer), await find(to.viewer)]).toEqual([1, 0])
    expect((await share(me, card_id, to.workspaceId)).body.readers.text).toBe('Support, 4 people')
    expect([await find(from.viewer), await find(to.viewer)]).toEqual([0, 1])

    await me.post(`/api/v1/cards/${card_id}/publish`)
    const back = await share(me, card_id, from.workspaceId)
    expect(back.body).toMatchObject({ workspace_id: from.workspaceId, origin_workspace_id: from.workspaceId })

    expect((await share(me, card_id, me.workspaceId)).status).toBe(422)
    expect((await share(from.viewer, card_id, from.workspaceId)).status).toBe(403)
    const stranger = await t.user()
    const theirs = await stranger.post('/api/v1/workspaces', { name: 'Not mine' })
    expect((await share(me, card_id, theirs.body.workspace_id)).status).toBe(404)
    const secret = ['AK', 'IA', 'QYLPMN5HFIQR7BBB'].join('')
    const held = await record(me, { body: `the key is ${secret}` })
    expect((await share(me, held.card_id, to.workspaceId)).status).toBe(400)
    expect((await seen(me, held.card_id)).home.kind).toBe('personal')
  })

  test('a key may name a home for what it records, as long as its person may write there', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t, { name: 'Agents' })
    const wish = { name: 'agent', default_workspace_id: workspaceId }
    expect((await viewer.post('/api/v1/auth/api-keys', wish)).status).toBe(422)
    expect((await (await t.user()).post('/api/v1/auth/api-keys', wish)).status).toBe(422)
    const key = (await editor.post('/api/v1/auth/api-keys', wish)).body
    expect(key.default_workspace_id).toBe(workspaceId)
    const agent = clientOf(t.app, { 'x-api-key': key.api_key })
    expect((await agent.get('/api/v1/auth/me')).body.default_workspace_id).toBe(workspaceId)

    const made = await agent.post('/api/v1/cards', goodCard())
    expect(made.body).toMatchObject({ workspace_id: workspaceId, home: { name: 'Agents' } })
    expect(made.body.home_note).toBeUndefined()
    const named = await agent.post('/api/v1/cards', { ...goodCard(), workspace_id: editor.workspaceId })
    expect(named.body.workspace_id).toBe(editor.workspaceId)
    expect((await editor.post('/api/v1/cards', goodCard())).body.workspace_id).toBe(editor.workspaceId)

    await admin.patch(`/api/v1/workspaces/${workspaceId}/members/${editor.userId}`, { role: 'viewer' })
    const lost = await agent.tool('record_card', goodCard())
    expect(lost.body.data).toMatchObject({ workspace_id: editor.workspaceId })
    expect(lost.body.data.home_note).toContain('personal workspace')
    expect((await agent.get('/api/v1/auth/me')).body.default_workspace_id).toBeNull()
  })

  test('lists are sorted and narrowed, in any scope', async () => {
    const { workspaceId, editor, viewer } = await team(t)
    const titles = async (as: Person, query: string) =>
      (await as.get(`/api/v1/cases?${query}`)).body.items.map((card: { title: string }) => card.title)
    const ids: string[] = []
    for (const [title, tags] of [
      ['Banana peel', ['Fruit', 'yellow']],
      ['apple core', ['fruit']],
      ['Cherry stone', []],
    ] as const)
      ids.push((await record(editor, { title, tags })).card_id)
    await editor.patch(`/api/v1/cards/${ids[0]}`, { body: 'changed last' })
    expect(await titles(editor, 'sort=created')).toEqual(['Cherry stone', 'apple core', 'Banana peel'])
    expect(await titles(editor, 'sort=changed')).toEqual(['Banana peel', 'Cherry stone', 'apple core'])
    expect(await titles(editor, 'sort=title')).toEqual(['apple core', 'Banana peel', 'Cherry stone'])
    // The same on both engines, whatever collation the database has: by bytes.
    await collateAsWords(t, 'cards', 'filter_text')
    const late = await record(editor, { title: '(banana)' })
    expect((await titles(editor, 'sort=title'))[0]).toBe('(banana)')
    await editor.delete(`/api/v1/cards/${late.card_id}`)
    expect(await titles(editor, 'tag=FRUIT&sort=title')).toEqual(['apple core', 'Banana peel'])
    expect(await titles(editor, 'contains=PEEL+yellow')).toEqual(['Banana peel'])
    expect((await editor.get('/api/v1/cases?q=peel')).status).toBe(422)
    expect((await editor.get('/api/v1/cases?sort=size')).status).toBe(422)
    const many = Array.from({ length: 17 }, (_, i) => `word${i}x`).join('+')
    expect((await editor.get(`/api/v1/cases?contains=${many}`)).status).toBe(422)

    await share(editor, String(ids[1]), workspaceId)
    await viewer.post(`/api/v1/cards/${ids[1]}/feedback`, { kind: 'useful' })
    expect((await titles(editor, 'sort=useful'))[0]).toBe('apple core')
    const ofTeam = 'scope=workspace&without_personal=true&status=published'
    expect(await titles(editor, ofTeam)).toEqual(['apple core'])
    expect(await titles(viewer, ofTeam)).toEqual(['apple core'])
    expect((await editor.get(`/api/v1/cards/stats?${ofTeam}`)).body).toMatchObject({
      total: 1,
      published: 1,
      top_tags: [{ tag: 'fruit' }],
    })
  })
})
