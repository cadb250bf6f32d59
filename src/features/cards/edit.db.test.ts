import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { goodCard, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { contextFor } from '../../core/context.ts'
import { DAY_MS } from '../../shared/time.ts'
import { purgeDeletedCards } from './delete.ts'

onBothEngines('changing cards', (t) => {
  const url = (card: { card_id: string }) => `/api/v1/cards/${card.card_id}`
  const count = async (table: 'cards' | 'card_evidences' | 'card_versions', cardId: string) => {
    const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}
      where card_id = ${cardId}`.execute(t.app.services.database.read)
    return rows[0]?.n
  }

  test('an update changes what is given, keeps the rest, bumps the version and reviews again', async () => {
    const user = await t.user()
    const card = await record(user, { tags: ['one'], environment: { node: '24' } })
    const answer = await user.patch(url(card), {
      tags: ['two', 'Three'],
      root_cause: null,
      scope_notes: 'all',
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.etag).toBe('"2"')
    expect(answer.body).toMatchObject({
      version: 2,
      title: card.title,
      tags: ['two', 'Three'],
      environment: { node: '24' },
      root_cause: null,
      scope_notes: 'all',
      status: 'unpublished',
      review: { status: 'passed', reasons: [{ rule: 'debug_grounds' }] },
    })
    expect((await user.get('/api/v1/cards/stats')).body.top_tags).toEqual([
      { tag: 'Three', count: 1 },
      { tag: 'two', count: 1 },
    ])
    const same = await user.patch(url(card), { tags: ['two', 'Three'] })
    expect(same.body.version).toBe(2)
    expect((await user.patch(url(card), {})).body.version).toBe(2)
  })

  test.each([
    [{ title: null }, 'string_type', 'title'],
    [{ title: '' }, 'string_too_short', 'title'],
    [{ tags: 'a,b' }, 'list_type', 'tags'],
    [{ card_type: 'poem' }, 'literal_error', 'card_type'],
    [{ environment: null }, 'dict_type', 'environment'],
  ])('an update that does not fit is refused (%#)', async (body, type, field) => {
    const user = await t.user()
    const card = await record(user)
    const answer = await user.patch(url(card), body)
    expect(answer.status).toBe(422)
    expect(answer.body.detail[0]).toMatchObject({ type, loc: ['body', field] })
    expect((await user.get(url(card))).body.version).toBe(1)
  })

  test('evidence is only ever added to, in order', async () => {
    const user = await t.user()
    const card = await record(user, { evidences: [{ kind: 'log', content: 'first' }] })
    await user.patch(url(card), { evidences: [{ kind: 'diff', content: 'second', meta: { pr: 1 } }] })
    const answer = await user.patch(url(card), { evidences: [] })
    expect(answer.body).toMatchObject({ version: 2, evidence_count: 2 })
    const { evidences } = (await user.get(`${url(card)}?include_evidences=1`)).body
    expect(evidences).toMatchObject([
      { kind: 'log', content: 'first', meta: null },
      { kind: 'diff', content: 'second', meta: { pr: 1 } },
    ])
  })

  test('the database itself refuses to change or remove evidence and earlier versions', async () => {
    const user = await t.user()
    const card = await record(user, { evidences: [{ kind: 'log', content: 'kept' }] })
    await user.patch(url(card), { title: 'Another title for this' })
    const attempt = (statement: string) =>
      t.app.services.database.transaction((db) => sql.raw(statement).execute(db))
    for (const table of ['card_evidences', 'card_versions']) {
      const where = `where card_id = '${card.card_id}'`
      await expect(attempt(`update ${table} set card_id = card_id ${where}`)).rejects.toThrow('append-only')
      await expect(attempt(`delete from ${table} ${where}`)).rejects.toThrow('append-only')
    }
    await user.delete(url(card))
    await expect(
      attempt(`update card_evidences set content = '' where card_id = '${card.card_id}'`),
    ).rejects.toThrow('append-only')
    expect(await count('card_evidences', card.card_id)).toBe(1)
  })

  test('If-Match: a stale version gets a 412 with the current one', async () => {
    const user = await t.user()
    const card = await record(user)
    const patch = (ifMatch: string, title: string) =>
      user.patch(url(card), { title }, { 'if-match': ifMatch })
    expect((await patch('"1"', 'Title number two here')).status).toBe(200)
    const stale = await patch('"1"', 'Title number three here')
    expect(stale.status).toBe(412)
    expect(stale.body).toMatchObject({ code: 'version_mismatch', version: 2 })
    expect((await patch('W/"2"', 'Title number three here')).body.version).toBe(3)
    expect((await patch('3', 'Title number four here')).body.version).toBe(4)
    expect((await patch('"7", "4"', 'Title number five here')).body.version).toBe(5)
    expect((await patch('*', 'Title number six here')).body.version).toBe(6)
    expect((await patch('nonsense', 'Title number seven here')).status).toBe(412)
    for (const verb of ['share', 'publish', 'unpublish'])
      expect((await user.post(`${url(card)}/${verb}`, undefined, { 'if-match': '"1"' })).status).toBe(412)
    expect((await user.post(`${url(card)}/restore`, { version: 1 }, { 'if-match': '"1"' })).status).toBe(412)
    expect((await user.delete(url(card), { 'if-match': '"1"' })).status).toBe(412)
    for (const read of ['', '/history', '/history/1'])
      expect((await user.get(`${url(card)}${read}`, { 'if-match': '"1"' })).status, read).toBe(200)
  })

  test('of editors who start from one version at once, one gets through', async () => {
    const { workspaceId, admin, editor } = await team(t)
    const card = await record(admin, { workspace_id: workspaceId })
    const answers = await Promise.all(
      [admin, editor, admin, editor].map((person, i) =>
        person.patch(url(card), { title: `Title of writer number ${i}` }, { 'if-match': '"1"' }),
      ),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 412, 412, 412])
  })

  test('updates at once without If-Match each make their own version', async () => {
    const user = await t.user()
    const card = await record(user)
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map((i) =>
        user.patch(url(card), {
          title: `Concurrent title number ${i}`,
          evidences: [{ kind: 'log', content: `${i}` }],
        }),
      ),
    )
    expect(answers.map((answer) => answer.body.version).sort()).toEqual([2, 3, 4, 5, 6])
    const history = await user.get(`${url(card)}/history`)
    expect(history.body.total).toBe(6)
    const { evidences } = (await user.get(`${url(card)}?include_evidences=true`)).body
    expect(evidences.map((e: { content: string }) => e.content).sort()).toEqual(['1', '2', '3', '4', '5'])
  })

  test('history says who changed what, an earlier version is complete, and restoring makes a new one', async () => {
    const { workspaceId, admin, editor } = await team(t)
    const card = await record(admin, { workspace_id: workspaceId, tags: ['old'] })
    await editor.patch(url(card), { title: 'A new title for it', tags: [] })
    await admin.patch(url(card), { body: 'more', evidences: [{ kind: 'log', content: 'x' }] })
    const history = await admin.get(`/api/v1/cases/${card.card_id}/history`)
    expect(history.body).toMatchObject({
      total: 3,
      items: [
        { version: 3, current: true, changed_by: admin.userId, changed_fields: ['body', 'evidences'] },
        { version: 2, current: false, changed_by_name: 'editor', changed_fields: ['title', 'tags'] },
        { version: 1, current: false, changed_by_name: 'admin', changed_fields: [] },
      ],
    })
    expect((await admin.get(`${url(card)}/history?page=2&page_size=2`)).body).toMatchObject({
      total: 3,
      items: [{ version: 1 }],
    })
    expect((await admin.get(`${url(card)}/history?page=3&page_size=2`)).body.items).toEqual([])
    const first = await editor.get(`${url(card)}/history/1`)
    expect(first.body).toMatchObject({
      card_id: card.card_id,
      version: 1,
      content: { title: card.title, tags: ['old'], body: null },
    })
    expect((await editor.get(`${url(card)}/history/3`)).body).toMatchObject({
      current: true,
      content: { body: 'more' },
    })
    const restored = await editor.post(`${url(card)}/restore`, { version: 1 })
    expect(restored.body).toMatchObject({
      version: 4,
      title: card.title,
      tags: ['old'],
      body: null,
      evidence_count: 1,
    })
    expect((await editor.get(`${url(card)}/history/9`)).status).toBe(404)
    expect((await editor.post(`${url(card)}/restore`, { version: 9 })).status).toBe(404)
    expect((await editor.get(`${url(card)}/history/0`)).status).toBe(422)
    expect((await editor.post(`${url(card)}/restore`, {})).body.detail[0].loc).toEqual(['body', 'version'])
  })

  test('a deleted card is gone for everybody, can be brought back for 30 days, and is purged then', async () => {
    const { workspaceId, editor, viewer } = await team(t)
    const card = await record(editor, {
      workspace_id: workspaceId,
      evidences: [{ kind: 'log', content: 'x' }],
    })
    await editor.patch(url(card), { title: 'Second title of the card' })
    await editor.post(`${url(card)}/share`)
    await viewer.post(`${url(card)}/feedback`, { kind: 'useful' })
    expect((await editor.delete(`/api/v1/cases/${card.card_id}`)).status).toBe(204)
    expect((await editor.get(url(card))).status).toBe(404)
    expect((await editor.delete(url(card))).status).toBe(404)
    expect((await viewer.get('/api/v1/cards?scope=workspace')).body.total).toBe(0)
    expect((await editor.get('/api/v1/cards')).body.total).toBe(0)
    expect((await viewer.post(`${url(card)}/undelete`)).status).toBe(404)

    t.later(29 * DAY_MS)
    expect((await editor.post(`${url(card)}/undelete`)).body).toMatchObject({
      status: 'published',
      feedback: { useful: 1 },
    })
    expect((await editor.post(`${url(card)}/undelete`)).status).toBe(404)
    await editor.delete(url(card))

    const ctx = contextFor(t.app.services)
    t.later(29 * DAY_MS)
    await purgeDeletedCards(ctx)
    expect(await count('cards', card.card_id)).toBe(1)
    t.later(2 * DAY_MS)
    const login = await t
      .anonymous()
      .post('/api/v1/auth/login', { email: editor.email, password: 'correct horse battery' })
    const bearer = { authorization: `Bearer ${login.body.access_token}` }
    expect((await t.anonymous().post(`${url(card)}/undelete`, undefined, bearer)).status).toBe(404)
    expect(await purgeDeletedCards(ctx)).toBeGreaterThan(0)
    for (const table of ['cards', 'card_evidences', 'card_versions'] as const)
      expect(await count(table, card.card_id)).toBe(0)
  })

  test('a body over 8 MiB is too large', async () => {
    const user = await t.user()
    const answer = await user.post('/api/v1/cards', {
      ...goodCard(),
      card_payload: { x: 'y'.repeat(9_000_000) },
    })
    expect(answer.status).toBe(413)
    expect(answer.body.code).toBe('payload_too_large')
  })
})
