import { expect, test } from 'vitest'
import { goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

onBothEngines('a card whose owner has left its team', (t) => {
  const urlOf = (cardId: string) => `/api/v1/cards/${cardId}`

  const leftCard = async (isShared: boolean) => {
    const { workspaceId, admin, editor } = await team(t)
    const { card_id } = await record(editor, { ...goodCard(), workspace_id: workspaceId })
    if (isShared) await editor.post(`${urlOf(card_id)}/share`)
    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${editor.userId}`)
    return { card_id, owner: editor, admin }
  }

  const canEdit = async (as: Person, cardId: string): Promise<boolean> =>
    (await as.get(urlOf(cardId))).body.can_edit

  test('can_edit is false exactly while an update is refused', async () => {
    const { card_id, owner, admin } = await leftCard(true)
    expect([await canEdit(owner, card_id), await canEdit(admin, card_id)]).toEqual([false, true])
    const listed = await owner.get('/api/v1/cards?scope=personal')
    expect(listed.body.items).toMatchObject([{ card_id, can_edit: false }])
    const refused = await owner.patch(urlOf(card_id), { title: 'Another title' })
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    expect(refused.body.detail).toContain('unpublish')

    expect((await owner.post(`${urlOf(card_id)}/unpublish`)).body.can_edit).toBe(true)
    expect(await canEdit(owner, card_id)).toBe(true)
    expect((await owner.patch(urlOf(card_id), { title: 'Another title' })).status).toBe(200)
  })

  test('a published card in the library stays editable for its owner', async () => {
    const owner = await t.user()
    const { card_id } = await record(owner)
    expect((await owner.post(`${urlOf(card_id)}/publish`, {})).status).toBe(200)
    expect(await canEdit(owner, card_id)).toBe(true)
  })

  test('a draft that lies in the team cannot be shared; the refusal names move, and move works', async () => {
    const { card_id, owner } = await leftCard(false)
    expect(await canEdit(owner, card_id)).toBe(true)
    const refused = await owner.post(`${urlOf(card_id)}/share`)
    expect(refused.status).toBe(403)
    expect(refused.body.detail).toContain('move, to your personal workspace')
    expect(refused.body.detail).not.toContain('unpublish')
    const moved = await owner.post(`${urlOf(card_id)}/move`, { workspace_id: owner.workspaceId })
    expect([moved.status, moved.body.workspace_id]).toEqual([200, owner.workspaceId])
  })
})
