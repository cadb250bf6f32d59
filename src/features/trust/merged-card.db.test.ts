import { expect, test } from 'vitest'
import { type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

const url = (cardId: string) => `/api/v1/cards/${cardId}`

onBothEngines('the id of a merged card', (t) => {
  /** The other card has one version more, so that a version says which card it is of. */
  async function merged() {
    const user = await t.user()
    const [from, into] = [(await record(user)).card_id, (await record(user)).card_id]
    await user.patch(url(into), { body: 'A second version' })
    expect((await user.post(`${url(from)}/merge`, { into_card_id: into })).status).toBe(200)
    return { user, from, into }
  }

  type Step = [method: 'patch' | 'post' | 'put', path: string, body: object]

  const steps = (cardId: string, workspace_id: string): Step[] => [
    ['patch', url(cardId), { body: 'Unseen' }],
    ['patch', url(cardId), { evidences: [{ kind: 'log', content: 'Unseen' }] }],
    ['post', `${url(cardId)}/restore`, { version: 1 }],
    ['put', `${url(cardId)}/cites`, { cites: ['npm:left-pad@1'] }],
    ['put', `${url(cardId)}/review-interval`, { review_after_days: 30 }],
    ['put', `${url(cardId)}/doubts`, { dismissed: true }],
    ['post', `${url(cardId)}/publish`, {}],
    ['post', `${url(cardId)}/share`, {}],
    ['post', `${url(cardId)}/share`, { workspace_id }],
    ['post', `${url(cardId)}/move`, { workspace_id }],
    ['post', '/mcp/tools/update_card', { card_id: cardId, body: 'Unseen' }],
    ['post', '/mcp/tools/publish_card', { card_id: cardId }],
    ['post', '/mcp/tools/share_card', { card_id: cardId }],
  ]

  test('changes neither card, and names the one that answers, whatever version is given', async () => {
    const { user, from, into } = await merged()
    const { workspace_id } = (await user.post('/api/v1/workspaces', { name: 'Team' })).body
    for (const [method, path, body] of steps(from, workspace_id))
      for (const headers of [undefined, { 'if-match': '"2"' }]) {
        const { status, body: refusal } = await user[method](path, body, headers)
        expect([status, refusal.code, refusal.into_card_id], path).toEqual([409, 'merged_already', into])
        expect(refusal.detail, path).toContain(into)
      }
    expect((await user.delete(`${url(from)}/merge`)).status).toBe(204)
    const card = (await user.get(url(from))).body
    expect([card.version, card.status, card.evidence_count]).toEqual([1, 'unpublished', 0])
  })

  test('answers without an ETag, which would be of the other card, until the merge is undone', async () => {
    const { user, from, into } = await merged()
    const tagOf = async (cardId: string) => (await user.get(url(cardId))).headers.etag
    expect([await tagOf(from), await tagOf(into)]).toEqual([undefined, '"2"'])
    expect((await user.delete(`${url(from)}/merge`)).status).toBe(204)
    expect(await tagOf(from)).toBe('"1"')
  })

  test('still unpublishes, links and deletes the merged card', async () => {
    const { user, from, into } = await merged()
    expect((await user.post(`${url(from)}/unpublish`)).status).toBe(200)
    const link = await user.post(`${url(from)}/links`, { to_card_id: into, kind: 'related' })
    expect(link.status).toBe(201)
    expect((await user.delete(url(from))).status).toBe(204)
    expect((await user.get(url(from))).status).toBe(404)
  })

  test('changes the card for people who cannot read the other one', async () => {
    const { admin, editor, workspaceId: workspace_id } = await team(t)
    const shared = async (by: Person) => {
      const { card_id } = await record(by, { workspace_id })
      await by.post(`${url(card_id)}/share`)
      return card_id
    }
    const [from, into] = [await shared(admin), await shared(editor)]
    await editor.post(`${url(from)}/merge`, { into_card_id: into })
    expect((await admin.patch(url(from), { body: 'Ours' })).status).toBe(409)
    await editor.post(`${url(into)}/move`, { workspace_id: editor.workspaceId })
    expect((await admin.patch(url(from), { body: 'Ours' })).status).toBe(200)
    expect((await admin.get(url(from))).body).toMatchObject({ card_id: from, body: 'Ours' })
  })

  test('a change beside a merge is made before it, or refused', async () => {
    const user = await t.user()
    for (let round = 0; round < 4; round++) {
      const [from, into] = [(await record(user)).card_id, (await record(user)).card_id]
      const [merge, changed] = await Promise.all([
        user.post(`${url(from)}/merge`, { into_card_id: into }),
        user.patch(url(from), { body: 'At the same time' }),
      ])
      expect(merge.status).toBe(200)
      expect([200, 409]).toContain(changed.status)
      await user.delete(`${url(from)}/merge`)
      expect((await user.get(url(from))).body.version).toBe(changed.status === 200 ? 2 : 1)
    }
  })

  test('says why it was merged, and by whom, to those who could read both cards then', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t)
    const shared = async () => {
      const { card_id } = await record(admin, { workspace_id: workspaceId })
      expect((await admin.post(`${url(card_id)}/share`)).status).toBe(200)
      return card_id as string
    }
    const [from, into] = [await shared(), await shared()]
    const mergeOf = async (as: Person, cardId: string) => (await as.get(`${url(cardId)}/links`)).body.merge
    expect(await mergeOf(viewer, from)).toBeNull()
    const why = 'Both tell of the payroll pool'
    expect((await editor.post(`${url(from)}/merge`, { into_card_id: into, why })).status).toBe(200)
    expect(await mergeOf(viewer, from)).toMatchObject({ into_card_id: into, why, created_by_name: 'editor' })
    expect(await mergeOf(viewer, into)).toBeNull()

    t.later(1000)
    const opened = { visibility: 'public' }
    expect((await admin.patch(`/api/v1/workspaces/${workspaceId}`, opened)).status).toBe(200)
    const stranger = await t.user()
    expect(await mergeOf(stranger, from)).toMatchObject({
      into_card_id: into,
      why: null,
      created_by_name: null,
    })
    expect(await mergeOf(viewer, from)).toMatchObject({ why })
    // Whoever may not read the other card learns nothing of the merge.
    expect((await admin.post(`${url(into)}/unpublish`)).status).toBe(200)
    expect(await mergeOf(stranger, from)).toBeNull()
    expect(await mergeOf(admin, from)).toMatchObject({ why })
    expect((await admin.delete(`${url(from)}/merge`)).status).toBe(204)
    expect(await mergeOf(admin, from)).toBeNull()
  })
})
