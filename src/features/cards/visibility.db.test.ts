import { expect, test } from 'vitest'
import { type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { contextFor, inTx } from '../../core/context.ts'
import { findAnyCard, hideCard } from './review.ts'

onBothEngines('who sees which card', (t) => {
  const reads = async (person: Person, cardId: string) => (await person.get(`/api/v1/cards/${cardId}`)).status
  const lists = async (person: Person, cardId: string, query: string) => {
    const answer = await person.get(`/api/v1/cards?page_size=100&${query}`)
    return answer.body.items.some((item: { card_id: string }) => item.card_id === cardId)
  }

  test('nobody else knows of a private card: not by id, not in lists, not in stats, not by any verb', async () => {
    const [owner, other] = [await t.user(), await t.user()]
    const { card_id } = await record(owner, { title: 'My private thoughts on pools' })
    const url = `/api/v1/cards/${card_id}`
    for (const answer of [
      await other.get(url),
      await other.patch(url, { title: 'mine now' }),
      await other.delete(url),
      await other.post(`${url}/share`),
      await other.post(`${url}/publish`),
      await other.post(`${url}/unpublish`),
      await other.post(`${url}/undelete`),
      await other.post(`${url}/restore`, { version: 1 }),
      await other.post(`${url}/feedback`, { kind: 'useful' }),
      await other.get(`${url}/history`),
      await other.get(`${url}/history/1`),
      await other.get(`${url}/feedback`),
      await other.get(`${url}/feedback/stats`),
      await t.anonymous().get(`${url}/feedback/stats`),
    ])
      expect(answer.status).toBe(404)
    for (const scope of ['personal', 'workspace', 'public'])
      expect(await lists(other, card_id, `scope=${scope}`)).toBe(false)
    expect((await other.get('/api/v1/cards/stats')).body.total).toBe(0)
    expect((await other.get('/api/v1/cards/stats?scope=workspace')).body.total).toBe(0)
    const named = await other.get(`/api/v1/cards?scope=workspace&workspace_id=${owner.workspaceId}`)
    expect(named.status).toBe(404)
    expect((await owner.get(url)).body.title).toBe('My private thoughts on pools')
  })

  test('in a workspace: editors read a draft by id, viewers after it is shared, and lists show it then', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t)
    const stranger = await t.user()
    const { card_id } = await record(editor, { workspace_id: workspaceId })
    expect(await reads(admin, card_id)).toBe(200)
    expect(await reads(viewer, card_id)).toBe(404)
    expect(await lists(admin, card_id, 'scope=workspace')).toBe(false)
    expect(await lists(editor, card_id, 'scope=workspace')).toBe(true)

    expect((await editor.post(`/api/v1/cards/${card_id}/share`)).body).toMatchObject({
      status: 'published',
      workspace_id: workspaceId,
    })
    for (const person of [admin, editor, viewer]) {
      expect(await reads(person, card_id)).toBe(200)
      expect(await lists(person, card_id, 'scope=workspace')).toBe(true)
      expect(await lists(person, card_id, `scope=workspace&workspace_id=${workspaceId}`)).toBe(true)
      expect(await lists(person, card_id, 'scope=public')).toBe(false)
    }
    expect(await lists(viewer, card_id, 'scope=personal')).toBe(false)
    expect(await reads(stranger, card_id)).toBe(404)
    expect(await lists(stranger, card_id, 'scope=workspace')).toBe(false)
    expect((await viewer.get(`/api/v1/cards/${card_id}`)).body.can_edit).toBe(false)
    expect((await admin.get(`/api/v1/cards/${card_id}`)).body.can_edit).toBe(true)
    for (const history of ['history', 'history/1']) {
      const refused = await viewer.get(`/api/v1/cards/${card_id}/${history}`)
      expect([refused.status, refused.body.detail]).toEqual([
        403,
        'Only the owner, and editors and admins of its workspace, may read the history of this card.',
      ])
    }

    await editor.post(`/api/v1/cards/${card_id}/unpublish`)
    expect(await reads(viewer, card_id)).toBe(404)
    expect(await lists(admin, card_id, 'scope=workspace')).toBe(false)
  })

  test('a hidden card is there for its owner alone, whatever the role of others', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t, { visibility: 'public' })
    const former = await record(editor, { workspace_id: workspaceId })
    const { card_id } = await record(editor, { workspace_id: workspaceId })
    for (const id of [former.card_id, card_id]) await editor.post(`/api/v1/cards/${id}/share`)
    const url = `/api/v1/cards/${card_id}`
    await editor.post(`${url}/links`, { to_card_id: former.card_id, kind: 'supersedes' })
    const query = { query: former.title, scope: 'workspace' }
    const found = async () =>
      (await viewer.post('/api/v1/search', query)).body.results.map((hit: { card_id: string }) => hit.card_id)
    expect(await found()).not.toContain(former.card_id)
    await inTx(contextFor(t.app.services), async (ctx) => {
      const hidden = await findAnyCard(ctx, card_id)
      if (hidden) await hideCard(ctx, hidden)
    })
    for (const person of [admin, viewer, await t.user()]) {
      for (const answer of [
        await person.get(url),
        await person.patch(url, { title: 'mine now' }),
        await person.delete(url),
        await person.get(`${url}/history`),
        await person.get(`${url}/comments`),
        await person.get(`${url}/feedback/stats`),
        await person.post(`${url}/feedback`, { kind: 'useful' }),
        await person.get(`${url}/similar`),
      ])
        expect(answer.status).toBe(404)
      for (const scope of ['personal', 'workspace', 'public', `workspace&workspace_id=${workspaceId}`])
        expect(await lists(person, card_id, `scope=${scope}`), scope).toBe(false)
    }
    expect((await t.anonymous().get(`${url}/feedback/stats`)).status).toBe(404)
    expect(await found()).toContain(former.card_id)
    expect(await reads(editor, card_id)).toBe(200)
    expect(await lists(editor, card_id, 'scope=personal')).toBe(true)
  })

  test('a person who leaves the workspace loses its cards but not their own', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t)
    const own = await record(editor, { workspace_id: workspaceId })
    const shared = await record(admin, { workspace_id: workspaceId })
    await admin.post(`/api/v1/cards/${shared.card_id}/share`)
    expect(await reads(viewer, shared.card_id)).toBe(200)
    for (const person of [viewer, editor])
      await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${person.userId}`)
    expect(await reads(viewer, shared.card_id)).toBe(404)
    expect(await reads(editor, shared.card_id)).toBe(404)
    expect(await reads(editor, own.card_id)).toBe(200)
  })

  test('unlisted: readable by id and in the named workspace, never in the public list; public: in both', async () => {
    const stranger = await t.user()
    for (const visibility of ['unlisted', 'public']) {
      const { workspaceId, editor } = await team(t, { visibility })
      const draft = await record(editor, { workspace_id: workspaceId })
      const shared = await record(editor, { workspace_id: workspaceId })
      await editor.post(`/api/v1/cards/${shared.card_id}/share`)
      expect(await reads(stranger, draft.card_id)).toBe(404)
      expect(await reads(stranger, shared.card_id)).toBe(200)
      const named = `scope=workspace&workspace_id=${workspaceId}`
      expect(await lists(stranger, draft.card_id, named)).toBe(false)
      expect(await lists(stranger, shared.card_id, named)).toBe(true)
      expect(await lists(stranger, shared.card_id, 'scope=workspace')).toBe(false)
      expect(await lists(stranger, shared.card_id, 'scope=public')).toBe(visibility === 'public')
    }
  })

  test('a member who may read but not edit is told so', async () => {
    const { workspaceId, editor, viewer } = await team(t)
    const { card_id } = await record(editor, { workspace_id: workspaceId })
    await editor.post(`/api/v1/cards/${card_id}/share`)
    const url = `/api/v1/cards/${card_id}`
    for (const answer of [
      await viewer.patch(url, { title: 'no' }),
      await viewer.delete(url),
      await viewer.post(`${url}/share`),
      await viewer.post(`${url}/publish`),
      await viewer.post(`${url}/unpublish`),
      await viewer.post(`${url}/restore`, { version: 1 }),
      await viewer.get(`${url}/history`),
      await viewer.get(`${url}/history/1`),
    ]) {
      expect(answer.status).toBe(403)
      expect(answer.body.code).toBe('forbidden')
    }
  })

  test('an editor may change and share a colleague’s card, an admin delete it; publishing stays with the owner', async () => {
    const { workspaceId, admin, editor } = await team(t)
    const { card_id } = await record(admin, { workspace_id: workspaceId })
    const url = `/api/v1/cards/${card_id}`
    expect((await editor.patch(url, { title: 'Better title for pools' })).body.version).toBe(2)
    expect((await editor.post(`${url}/share`)).status).toBe(200)
    expect((await editor.post(`${url}/publish`)).status).toBe(403)
    expect((await editor.post(`${url}/unpublish`)).status).toBe(403)
    expect((await editor.delete(url)).status).toBe(403)
    const other = await record(editor, { workspace_id: workspaceId })
    expect((await admin.delete(`/api/v1/cards/${other.card_id}`)).status).toBe(204)
  })
})
