import { expect, test } from 'vitest'
import { goodCard, type Person, record, team, titleWord } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import {
  makeSnapshot,
  OPEN_LIBRARY,
  publish,
  published,
  snapshotLines,
} from '../../../test/support/publishing.ts'

type Listed = { card_id: string }

onBothEngines('a card that a team has published to the library', (t) => {
  const urlOf = (cardId: string) => `/api/v1/cards/${cardId}`
  const addTo = async (admin: Person, workspaceId: string, person: Person, role = 'viewer') => {
    const added = { user_id: person.userId, role }
    expect((await admin.post(`/api/v1/workspaces/${workspaceId}/members`, added)).status).toBe(200)
  }
  const read = async (as: Person, url: string) => {
    const answer = await as.get(url)
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const listed = async (as: Person, query: string): Promise<string[]> =>
    (await read(as, `/api/v1/cases?page_size=100&${query}`)).items.map((one: Listed) => one.card_id)

  test('is listed and counted among its team’s cards, for whoever is a member now', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t)
    const stranger = await t.user('stranger')
    const { card_id } = await record(editor, {
      workspace_id: workspaceId,
      tags: ['shared-tag'],
      environment: { node: '24' },
    })
    const kept = await record(editor, { workspace_id: workspaceId })
    await editor.post(`${urlOf(kept.card_id)}/share`)
    await publish(editor, card_id)
    const own = (await published(editor)).card_id
    const cards = [kept.card_id, card_id].sort()
    const scopes = [
      'scope=workspace&without_personal=true',
      `scope=workspace&workspace_id=${workspaceId}`,
      `scope=workspace&workspace_id=${workspaceId}&status=published`,
    ]
    for (const scope of scopes) {
      for (const member of [admin, editor, viewer])
        expect((await listed(member, scope)).sort()).toEqual(cards)
      expect((await read(viewer, `/api/v1/cards/stats?${scope}`)).total).toBe(2)
    }
    expect(await listed(viewer, `${scopes[1]}&tag=shared-tag`)).toEqual([card_id])
    expect(await listed(editor, 'scope=workspace')).toContain(own)
    const [first] = (await read(viewer, `/api/v1/cards?scope=workspace&sort=changed`)).items
    expect(first).toMatchObject({
      card_id,
      provenance: { owner: 'team', workspace: workspaceId },
      home: { kind: 'library', published_from: { workspace_id: workspaceId, name: 'Team' } },
      readers: { kind: 'everyone' },
      can_edit: false,
    })
    expect((await read(viewer, urlOf(card_id))).home).toEqual(first.home)
    expect((await read(editor, urlOf(own))).home).not.toHaveProperty('published_from')
    const [news] = (await read(viewer, `/api/v1/workspaces/${workspaceId}/week`)).cards.items
    expect(news).toMatchObject({ card_id, by_name: 'editor', home: first.home })
    const citing = (await read(viewer, '/api/v1/cards/cites')).items
    expect(citing.map((one: Listed) => one.card_id)).toEqual([card_id])

    expect(await listed(stranger, 'scope=workspace')).toEqual([])
    expect((await stranger.get(`/api/v1/cases?${scopes[1]}`)).status).toBe(404)
    await addTo(admin, workspaceId, stranger)
    expect(await listed(stranger, 'scope=workspace&without_personal=true')).toContain(card_id)
    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${stranger.userId}`)
    expect(await listed(stranger, 'scope=workspace')).toEqual([])
    expect((await read(stranger, urlOf(card_id))).home).not.toHaveProperty('published_from')
  })

  test('keeps its history for the editors of the team, and takes it home again', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t)
    const [joined, stranger] = [await t.user('joined'), await t.user('stranger')]
    const { card_id } = await record(editor, { ...goodCard(), body: 'private words' })
    const url = urlOf(card_id)
    await editor.patch(url, { body: 'second words' })
    await editor.post(`${url}/share`, { workspace_id: workspaceId })
    await admin.patch(url, { body: 'third words, by the admin' })
    await publish(editor, card_id)
    await editor.patch(url, { body: 'fourth words, in the library' })
    await addTo(admin, workspaceId, joined, 'editor')

    const versions = async (as: Person) =>
      (await read(as, `${url}/history`)).items.map((one: { version: number }) => one.version)
    for (const person of [admin, joined]) {
      expect(await versions(person)).toEqual([4, 3, 2])
      expect((await read(person, `${url}/history/3`)).changed_by).toBe(admin.userId)
      expect((await person.get(`${url}/history/1`)).status).toBe(404)
      expect((await read(person, url)).can_read_history).toBe(true)
      expect((await person.patch(url, { body: 'no' })).status).toBe(403)
      expect((await person.post(`${url}/restore`, { version: 3 })).status).toBe(403)
    }
    for (const person of [viewer, stranger]) {
      expect((await person.get(`${url}/history`)).status).toBe(403)
      expect((await read(person, url)).can_read_history).toBe(false)
    }
    await editor.post(`${url}/unpublish`)
    expect(await versions(admin)).toEqual([4, 3, 2])
    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${joined.userId}`)
    expect((await joined.get(`${url}/history`)).status).toBe(404)
  })

  test('keeps what its members said of it: verdicts, feedback, comments and links', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t)
    const [stranger, late] = [await t.user('stranger'), await t.user('late')]
    const { card_id } = await record(editor, { workspace_id: workspaceId })
    const other = await record(editor, { workspace_id: workspaceId })
    const url = urlOf(card_id)
    for (const id of [card_id, other.card_id]) await editor.post(`${urlOf(id)}/share`)
    const node = { environment: { node: '24.1' } }
    await viewer.post(`${url}/verdicts`, { outcome: 'worked', evidence: 'it ran', ...node })
    await viewer.post(`${url}/feedback`, { kind: 'useful', comment: 'Thank you' })
    await viewer.post(`${url}/comments`, { body: 'For podman too?' })
    const link = { to_card_id: other.card_id, kind: 'related', why: 'the same pool' }
    expect((await editor.post(`${url}/links`, link)).status).toBe(201)
    t.later(1000)
    for (const id of [card_id, other.card_id]) expect((await publish(editor, id)).status).toBe(200)
    t.later(1000)
    await admin.post(`${url}/verdicts`, { outcome: 'failed', evidence: 'it broke' })
    await stranger.post(`${url}/verdicts`, { outcome: 'worked', evidence: 'a secret place' })
    await stranger.post(`${url}/feedback`, { kind: 'outdated', comment: 'For its owner' })
    await addTo(admin, workspaceId, late, 'editor')

    const said = async (as: Person) =>
      (await read(as, `${url}/verdicts`)).items.map(
        ({ outcome, user_name, evidence }: Record<string, string | null>) => [outcome, user_name, evidence],
      )
    const ofAll = [
      ['stale', null, null],
      ['failed', null, null],
      ['worked', null, null],
    ]
    for (const person of [admin, late])
      expect(await said(person)).toEqual([
        ['stale', null, null],
        ['failed', 'admin', 'it broke'],
        ['worked', 'viewer', 'it ran'],
      ])
    expect(await said(viewer)).toEqual([...ofAll.slice(0, 2), ['worked', 'viewer', 'it ran']])
    expect(await said(stranger)).toHaveLength(2)
    const trust = async (as: Person) => (await read(as, url)).trust.summary
    expect(await trust(viewer)).toContain('node 24')
    expect(await trust(stranger)).not.toContain('node 24')

    const comments = async (as: Person, path: string) =>
      (await read(as, `${url}/${path}`)).items.map(
        (one: { comment?: string; body?: string }) => one.comment ?? one.body,
      )
    // The failed verdict of the admin is feedback too, without words.
    expect(await comments(late, 'feedback')).toEqual([undefined, 'Thank you'])
    expect(await comments(stranger, 'feedback')).toEqual(['For its owner'])
    expect(await comments(late, 'comments')).toEqual(['For podman too?'])
    expect(await comments(stranger, 'comments')).toEqual([])
    const why = async (as: Person) => (await read(as, `${url}/links`)).items[0]
    expect(await why(late)).toMatchObject({ why: 'the same pool', created_by_name: 'editor' })
    expect(await why(stranger)).toMatchObject({ why: null, created_by_name: null })
    const { helped } = await read(admin, `/api/v1/workspaces/${workspaceId}/week`)
    expect(helped.items).toMatchObject([{ card_id, user_name: 'viewer' }])
  })

  test('tells no stranger which team it came from, at any door', async () => {
    const name = `Team ${crypto.randomUUID()}`
    const { workspaceId, admin, editor, viewer } = await team(t, { name })
    const stranger = await t.user('stranger')
    const word = crypto.randomUUID().replaceAll('-', '')
    const { card_id } = await record(editor, {
      ...goodCard(word),
      workspace_id: workspaceId,
      tags: [word],
      evidences: [{ kind: 'log', content: `pool ${word} is empty` }],
    })
    const other = await record(admin, { ...goodCard(`${word}b`), workspace_id: workspaceId })
    const url = urlOf(card_id)
    await viewer.post(`${url}/verdicts`, { outcome: 'worked' })
    await admin.patch(url, { body: 'Changed by the admin' })
    await publish(editor, card_id)
    await publish(admin, other.card_id)
    await editor.post(`${url}/links`, { to_card_id: other.card_id, kind: 'related' })
    await stranger.post(`${url}/verdicts`, { outcome: 'worked' })

    const query = titleWord(word)
    const mcp = (method: string, params: Record<string, unknown>) => {
      const client = { 'io.modelcontextprotocol/clientCapabilities': {} }
      const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', ...client }
      return stranger.post(
        '/mcp',
        { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
        {
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          'mcp-name': String(params.name ?? params.uri),
        },
      )
    }
    const calls: [string, Record<string, unknown>][] = [
      ['search_records', { query, scope: 'public' }],
      ['search_records', { query, scope: 'public', workspace_ids: [workspaceId] }],
      ['get_card', { card_id }],
    ]
    const paths = ['', '?include_evidences=true', '/verdicts', '/feedback', '/comments', '/links', '/similar']
    const answers = [
      ...(await Promise.all(paths.map((path) => stranger.get(`${url}${path}`)))),
      await stranger.get(`/api/v1/cases?scope=public&q=${query}`),
      await stranger.get(`/api/v1/cases/stats`),
      await stranger.get(`${url}/feedback/stats`),
      await stranger.get('/api/v1/notices'),
      await stranger.post('/api/v1/search', { query, scope: 'public', generate_action_card: true }),
      await stranger.post('/api/v1/search/box', { query, sections: ['mine', 'team', 'library'] }),
      ...(await Promise.all(calls.map(([tool, input]) => stranger.tool(tool, input)))),
      ...(await Promise.all(calls.map(([name, input]) => mcp('tools/call', { name, arguments: input })))),
      await mcp('resources/read', { uri: `card://${card_id}` }),
    ]
    for (const [i, answer] of answers.entries()) {
      expect(answer.status, `${i} ${answer.text}`).toBe(200)
      for (const text of [workspaceId, name, viewer.userId]) expect(answer.text, `${i}`).not.toContain(text)
    }
    expect(answers.filter((answer) => answer.text.includes(card_id)).length).toBeGreaterThan(10)
  })
})

onBothEngines(
  'the open library of a team’s cards',
  (t) => {
    test('names no team on its pages and in its snapshot', async () => {
      const name = `Team ${crypto.randomUUID()}`
      const { workspaceId, editor } = await team(t, { name })
      const { card_id } = await record(editor, { workspace_id: workspaceId })
      expect((await publish(editor, card_id)).status).toBe(200)
      await makeSnapshot(t)
      const page = await t.anonymous().get(`/library/${card_id}`)
      expect(page.status).toBe(200)
      for (const text of [page.text, ...(await snapshotLines(t))])
        for (const secret of [workspaceId, name]) expect(text).not.toContain(secret)
    })
  },
  OPEN_LIBRARY,
)
