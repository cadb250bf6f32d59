import { expect, test } from 'vitest'
import { record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

onBothEngines('publishing switched off in the settings', (t) => {
  const url = (card: { card_id: string }) => `/api/v1/cards/${card.card_id}`
  const OFF = { publishing_enabled: false }

  test('nothing is shared where strangers read, by REST or by tool', async () => {
    const stranger = await t.user()
    for (const visibility of ['public', 'unlisted']) {
      const { workspaceId, editor } = await team(t, { visibility })
      const card = await record(editor, { workspace_id: workspaceId })
      await editor.put('/api/v1/user/settings', OFF)
      const refused = [
        await editor.post(`${url(card)}/share`),
        await editor.post('/mcp/tools/share_card', { card_id: card.card_id }),
      ]
      for (const answer of refused)
        expect([answer.status, answer.body.code], visibility).toEqual([403, 'publishing_disabled'])
      expect((await stranger.get(url(card))).status).toBe(404)
      await editor.put('/api/v1/user/settings', {})
      expect((await editor.post(`${url(card)}/share`)).body.status).toBe('published')
    }
  })

  test('a workspace is not opened to strangers, but closed', async () => {
    const { workspaceId, admin } = await team(t)
    await admin.put('/api/v1/user/settings', OFF)
    const workspace = `/api/v1/workspaces/${workspaceId}`
    const refused = await admin.patch(workspace, { visibility: 'unlisted' })
    expect([refused.status, refused.body.code]).toEqual([403, 'publishing_disabled'])
    await admin.put('/api/v1/user/settings', {})
    expect((await admin.patch(workspace, { visibility: 'public' })).status).toBe(200)
    await admin.put('/api/v1/user/settings', OFF)
    expect((await admin.patch(workspace, { visibility: 'private' })).status).toBe(200)
  })

  test('a deleted card comes back unpublished from the library, and as it was to a private team', async () => {
    const { workspaceId, editor, viewer } = await team(t)
    const [open, shared] = [await record(editor), await record(editor, { workspace_id: workspaceId })]
    await editor.post(`${url(open)}/publish`)
    await editor.post(`${url(shared)}/share`)
    await editor.put('/api/v1/user/settings', OFF)
    for (const card of [open, shared]) await editor.delete(url(card))
    const back = await editor.post(`${url(open)}/undelete`)
    expect(back.body).toMatchObject({ status: 'unpublished', workspace_id: editor.workspaceId })
    expect((await viewer.get(url(open))).status).toBe(404)
    expect((await editor.post(`${url(shared)}/undelete`)).body.status).toBe('published')
    expect((await viewer.get(url(shared))).status).toBe(200)
  })
})
