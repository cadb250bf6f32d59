import { beforeAll, expect, test } from 'vitest'
import { goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { collateAsWords } from '../../../test/support/collation.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/ids.ts'

const UNKNOWN = '01890000-0000-7000-8000-00000000abcd'

onBothEngines('cards', (t) => {
  let somebody: Person
  beforeAll(async () => {
    somebody = await t.user()
  })

  test('a card with only what is required is unpublished, in the personal workspace, with every default', async () => {
    const user = await t.user('writer')
    const answer = await user.post('/api/v1/cases', { title: ' T ', symptom: 's', fix_summary: 'f' })
    expect(answer.status).toBe(201)
    expect(answer.headers.etag).toBe('"1"')
    expect(answer.body).toMatchObject({
      case_id: answer.body.card_id,
      workspace_id: user.workspaceId,
      origin_workspace_id: user.workspaceId,
      owner_id: user.userId,
      owner_name: 'writer',
      card_type: 'debug_fix',
      track: 'debug',
      status: 'unpublished',
      version: 1,
      title: 'T',
      environment: {},
      root_cause: null,
      steps: [],
      tags: [],
      card_payload: null,
      body: null,
      scope_notes: null,
      evidence_count: 0,
      review: { status: 'not_reviewed', score: null, reasons: [], reviewed_at: null },
      feedback: { useful: 0, not_applicable: 0, outdated: 0 },
      published_at: null,
      warnings: [],
    })
    expect(answer.body).not.toHaveProperty('evidences')
  })

  test('every field comes back as it was given, under both prefixes', async () => {
    const user = await t.user()
    const full = {
      card_type: 'how_to',
      title: 'Set up a replica',
      symptom: 'Reads are slow\n\n```\nquery\n```',
      fix_summary: 'Add a replica — 日本語 ✓',
      environment: { postgres: '18.1' },
      root_cause: 'one machine',
      steps: [{ order: 1, action: 'start it', result: 'it streams', took: '5 min' }],
      tags: ['db', ' Replica ', 'DB'],
      card_payload: { nested: { list: [1, 'two', null] } },
      body: '# Long\n'.repeat(1000),
      evidences: [{ kind: 'log', content: 'streaming started', meta: { line: 3 } }],
    }
    const { body: card } = await user.post('/api/v1/cards', full)
    const expected = {
      ...full,
      tags: ['db', 'Replica'],
      track: 'build',
      evidence_count: 1,
      evidences: [{ kind: 'log', content: 'streaming started', meta: { line: 3 } }],
    }
    for (const path of ['cards', 'cases']) {
      const answer = await user.get(`/api/v1/${path}/${card.card_id}?include_evidences=true`)
      expect(answer.body).toMatchObject(expected)
    }
    expect((await user.get(`/api/v1/cards/${card.card_id}`)).body).not.toHaveProperty('evidences')
  })

  test.each([
    [{ symptom: 's', fix_summary: 'f' }, 'missing', ['body', 'title']],
    [{ title: 't', fix_summary: 'f' }, 'missing', ['body', 'symptom']],
    [{ title: 't', symptom: 's' }, 'missing', ['body', 'fix_summary']],
    [{ title: ' ', symptom: 's', fix_summary: 'f' }, 'string_too_short', ['body', 'title']],
    [{ title: 't'.repeat(5001), symptom: 's', fix_summary: 'f' }, 'string_too_long', ['body', 'title']],
    [{ title: 't', symptom: ' \n', fix_summary: 'f' }, 'value_error', ['body', 'symptom']],
    [{ title: 't', symptom: 's'.repeat(200_001), fix_summary: 'f' }, 'string_too_long', ['body', 'symptom']],
    [{ ...goodCard('x'), card_type: 'poem' }, 'literal_error', ['body', 'card_type']],
    [{ ...goodCard('x'), tags: 'a,b' }, 'list_type', ['body', 'tags']],
    [{ ...goodCard('x'), tags: ['ok', ''] }, 'string_too_short', ['body', 'tags', 1]],
    [{ ...goodCard('x'), tags: Array(51).fill('t') }, 'too_long', ['body', 'tags']],
    [{ ...goodCard('x'), tags: null }, 'list_type', ['body', 'tags']],
    [{ ...goodCard('x'), environment: { node: 20 } }, 'string_type', ['body', 'environment', 'node']],
    [{ ...goodCard('x'), steps: [{ order: '1', action: 'a' }] }, 'int_type', ['body', 'steps', 0, 'order']],
    [{ ...goodCard('x'), steps: [{ order: 1 }] }, 'missing', ['body', 'steps', 0, 'action']],
    [{ ...goodCard('x'), steps: Array(501).fill({ order: 1, action: 'a' }) }, 'too_long', ['body', 'steps']],
    [{ ...goodCard('x'), evidences: [{ kind: 'log' }] }, 'missing', ['body', 'evidences', 0, 'content']],
    [
      { ...goodCard('x'), evidences: Array(101).fill({ kind: 'k', content: 'c' }) },
      'too_long',
      ['body', 'evidences'],
    ],
    [{ ...goodCard('x'), workspace_id: 'here' }, 'uuid_parsing', ['body', 'workspace_id']],
  ])('a card that does not fit is refused with its location (%#)', async (body, type, loc) => {
    const answer = await somebody.post('/api/v1/cards', body)
    expect(answer.status).toBe(422)
    expect(answer.body.detail[0]).toMatchObject({ type, loc })
    expect((await somebody.get('/api/v1/cards')).body.total).toBe(0)
  })

  test('without a credential or the right scopes nothing is written', async () => {
    expect((await t.anonymous().post('/api/v1/cards', goodCard())).status).toBe(401)
    const user = await t.user()
    const key = await user.post('/api/v1/auth/api-keys', { name: 'k', scopes: ['record', 'search'] })
    const refused = await t.anonymous().post('/api/v1/cards', goodCard(), { 'x-api-key': key.body.api_key })
    expect(refused.status).toBe(403)
    expect(refused.body).toMatchObject({
      code: 'missing_scope',
      required_scopes: ['record', 'case:write'],
    })
  })

  test('recording in a workspace takes an editor or admin', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t)
    const body = { ...goodCard(), workspace_id: workspaceId }
    expect((await admin.post('/api/v1/cards', body)).status).toBe(201)
    expect((await editor.post('/api/v1/cards', body)).body.workspace_id).toBe(workspaceId)
    expect((await viewer.post('/api/v1/cards', body)).body).toMatchObject({ code: 'forbidden' })
    const stranger = await t.user()
    expect((await stranger.post('/api/v1/cards', body)).status).toBe(404)
    expect((await stranger.post('/api/v1/cards', { ...body, workspace_id: UNKNOWN })).status).toBe(404)
    const library = await stranger.post('/api/v1/cards', { ...body, workspace_id: PUBLIC_LIBRARY_ID })
    expect(library.status).toBe(403)
    expect((await stranger.get('/api/v1/cards')).body.total).toBe(0)
  })

  test('an unknown card is a 404, a malformed id a 422, by either name', async () => {
    const user = await t.user()
    for (const path of [`cards/${UNKNOWN}`, `cases/${UNKNOWN}`]) {
      const answer = await user.get(`/api/v1/${path}`)
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual({ detail: 'Card not found.', code: 'not_found' })
    }
    expect((await user.get('/api/v1/cases/nonsense')).body.detail[0]).toMatchObject({
      type: 'uuid_parsing',
      loc: ['path', 'case_id'],
    })
    expect((await user.get('/api/v1/cards/nonsense')).body.detail[0].loc).toEqual(['path', 'card_id'])
  })

  test('lists are newest first, in pages, with exact totals', async () => {
    const user = await t.user()
    const made: string[] = []
    for (let i = 0; i < 5; i++) made.unshift((await record(user)).card_id)
    await record(await t.user())
    const ids = (answer: { body: { items: { card_id: string }[] } }) =>
      answer.body.items.map((item) => item.card_id)
    const all = await user.get('/api/v1/cards')
    expect(all.body).toMatchObject({ total: 5, page: 1, page_size: 20 })
    expect(ids(all)).toEqual(made)
    const second = await user.get('/api/v1/cases?page=2&page_size=2')
    expect(second.body).toMatchObject({ total: 5, page: 2, page_size: 2 })
    expect(ids(second)).toEqual(made.slice(2, 4))
    for (const page of [9, 999_999_999_999_999])
      expect((await user.get(`/api/v1/cards?page=${page}&page_size=100`)).body).toMatchObject({
        total: 5,
        items: [],
      })
    expect(all.body.items[0]).toMatchObject({ owner_name: 'person', can_edit: true })
  })

  test.each([
    ['page=0', 'greater_than_equal', 'page'],
    ['page_size=101', 'less_than_equal', 'page_size'],
    ['page_size=ten', 'int_type', 'page_size'],
    ['scope=mine', 'literal_error', 'scope'],
    ['track=all', 'literal_error', 'track'],
    ['q=', 'string_too_short', 'q'],
    ['q=pool', 'value_error', 'q'],
    ['q=pool&scope=workspace', 'value_error', 'q'],
    ['workspace_id=x', 'uuid_parsing', 'workspace_id'],
  ])('the list refuses %s', async (query, type, name) => {
    const answer = await somebody.get(`/api/v1/cases?${query}`)
    expect(answer.status).toBe(422)
    expect(answer.body.detail[0]).toMatchObject({ type, loc: ['query', name] })
  })

  test('track and status filter; /cards has neither track nor q', async () => {
    const user = await t.user()
    await record(user)
    const built = await record(user, { card_type: 'decision' })
    const shared = await record(user, { card_type: 'reference' })
    await user.post(`/api/v1/cards/${shared.card_id}/share`)
    const total = async (path: string) => (await user.get(`/api/v1/${path}`)).body.total
    expect(await total('cases?track=build')).toBe(2)
    expect(await total('cases?track=debug')).toBe(1)
    expect(await total('cards?track=debug&q=x')).toBe(3)
    expect(await total('cases?status=published')).toBe(1)
    expect(await total('cases?status=unpublished&track=build')).toBe(1)
    expect(await total('cases?status=somewhere')).toBe(0)
    expect(await total(`cards?status=${'x'.repeat(5000)}`)).toBe(0)
    expect(await total(`cards?page=${Number.MAX_SAFE_INTEGER}&page_size=100`)).toBe(await total('cards'))
    expect(await total(`cards?workspace_id=${user.workspaceId}`)).toBe(3)
    expect(await total(`cards?workspace_id=${UNKNOWN}`)).toBe(0)
    expect((await user.get('/api/v1/cases?track=build')).body.items[1].card_id).toBe(built.card_id)
  })

  test('q filters the public library by text, letter case and signs aside', async () => {
    const user = await t.user()
    const card = await record(user, { title: 'Ünïque 100%_Zebra connection trouble' })
    await user.post(`/api/v1/cards/${card.card_id}/publish`)
    const total = async (q: string) =>
      (await user.get(`/api/v1/cases?scope=public&q=${encodeURIComponent(q)}`)).body.total
    expect(await total('ünïque zebra')).toBe(1)
    expect(await total('100%_ze')).toBe(1)
    expect(await total('100__ze')).toBe(0)
    expect(await total('zebra aardvark')).toBe(0)
  })

  test('top tags have one order and one spelling, whatever collation the database has', async () => {
    const user = await t.user()
    await record(user, { tags: ['b', '(c)', 'Node'] })
    await record(user, { tags: ['a', 'node'] })
    for (const column of ['tag', 'tag_normal']) await collateAsWords(t, 'card_tags', column)
    expect((await user.get('/api/v1/cards/stats')).body.top_tags).toEqual([
      { tag: 'Node', count: 2 },
      { tag: '(c)', count: 1 },
      { tag: 'a', count: 1 },
      { tag: 'b', count: 1 },
    ])
  })

  test('stats count what the list shows', async () => {
    const { workspaceId, editor, viewer } = await team(t)
    const empty = await editor.get('/api/v1/cards/stats')
    expect(empty.body).toMatchObject({ scope: 'personal', total: 0, top_tags: [], last_activity_at: null })
    await record(editor, { tags: ['node', 'pool'], workspace_id: workspaceId })
    const shared = await record(editor, {
      tags: ['Node'],
      workspace_id: workspaceId,
      card_type: 'decision',
    })
    await editor.post(`/api/v1/cards/${shared.card_id}/share`)
    await record(editor)
    const personal = await editor.get('/api/v1/cases/stats')
    expect(personal.body).toMatchObject({
      total: 3,
      published: 1,
      unpublished: 2,
      by_type: { debug_fix: 2, how_to: 0, lesson_learned: 0, decision: 1, reference: 0 },
      by_track: { debug: 2, build: 1 },
      feedback: { useful: 0, not_applicable: 0, outdated: 0 },
    })
    expect(personal.body.top_tags[0].count).toBe(2)
    expect(personal.body.last_activity_at).not.toBeNull()
    const seen = await viewer.get(`/api/v1/cards/stats?scope=workspace&workspace_id=${workspaceId}`)
    expect(seen.body).toMatchObject({ scope: 'workspace', total: 1, published: 1, unpublished: 0 })
    expect(
      (await (await t.user()).get(`/api/v1/cards/stats?scope=workspace&workspace_id=${workspaceId}`)).status,
    ).toBe(404)
    expect((await viewer.get('/api/v1/cards/stats?scope=public')).status).toBe(422)
  })
})
