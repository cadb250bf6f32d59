import { expect, test } from 'vitest'
import { goodCard, type Person, record, team, titleWord } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/ids.ts'

onBothEngines('moving a card', (t) => {
  const move = (as: Person, cardId: string, workspace_id: string, headers = {}) =>
    as.post(`/api/v1/cards/${cardId}/move`, { workspace_id }, headers)

  /** Two teams; the first one's editor is editor in both. */
  const twoTeams = async (settings: Record<string, unknown> = {}) => {
    const [from, to] = [await team(t, settings), await team(t)]
    await to.admin.post(`/api/v1/workspaces/${to.workspaceId}/members`, {
      user_id: from.editor.userId,
      role: 'editor',
    })
    return { from, to, editor: from.editor }
  }

  test('the owner moves it from home to a team and on to another; sharing goes along', async () => {
    const { from, to, editor } = await twoTeams()
    const word = `travelling${t.engine}`
    const { card_id, version } = await record(editor, goodCard(word))
    const moved = await move(editor, card_id, from.workspaceId)
    expect(moved.status).toBe(200)
    expect(moved.body).toMatchObject({
      workspace_id: from.workspaceId,
      origin_workspace_id: from.workspaceId,
      status: 'unpublished',
      version,
    })
    await editor.post(`/api/v1/cards/${card_id}/share`)
    expect((await move(editor, card_id, to.workspaceId)).body.status).toBe('published')

    const find = async (as: Person) =>
      (await as.post('/api/v1/search', { query: titleWord(word), scope: 'workspace' })).body.results.length
    expect([await find(from.viewer), await find(to.viewer)]).toEqual([0, 1])
    expect((await from.viewer.get(`/api/v1/cards/${card_id}`)).status).toBe(404)
    expect((await to.viewer.get(`/api/v1/cards/${card_id}`)).status).toBe(200)
    const back = await editor.post(`/api/v1/cards/${card_id}/unpublish`)
    expect(back.body).toMatchObject({ workspace_id: to.workspaceId, status: 'unpublished' })

    const logOf = async ({ admin, workspaceId }: typeof from) =>
      (await admin.get(`/api/v1/workspaces/${workspaceId}/audit`)).body.items
        .filter((entry: { subject_id: string }) => entry.subject_id === card_id)
        .map((entry: { action: string }) => entry.action)
    expect(await logOf(from)).toEqual(['card.moved_out', 'card.shared', 'card.moved_in'])
    expect(await logOf(to)).toEqual(['card.unpublished', 'card.moved_in'])
  })

  test('a shared card arrives unpublished in a personal and in a public workspace', async () => {
    const { admin, workspaceId } = await team(t)
    const open = await admin.post('/api/v1/workspaces', { name: 'Open', visibility: 'public' })
    for (const target of [open.body.workspace_id, admin.workspaceId]) {
      const { card_id } = await record(admin, { workspace_id: workspaceId })
      await admin.post(`/api/v1/cards/${card_id}/share`)
      expect((await move(admin, card_id, target)).body).toMatchObject({
        workspace_id: target,
        status: 'unpublished',
        published_at: null,
      })
      expect((await (await t.user()).get(`/api/v1/cards/${card_id}`)).status).toBe(404)
    }
  })

  test("somebody else's card moves only to where its owner is a member", async () => {
    const { from, to, editor } = await twoTeams()
    const { card_id } = await record(from.admin, { workspace_id: from.workspaceId })
    for (const target of [to.workspaceId, editor.workspaceId]) {
      const refused = await move(editor, card_id, target)
      expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    }
    await to.admin.post(`/api/v1/workspaces/${to.workspaceId}/members`, { user_id: from.admin.userId })
    const moved = await move(editor, card_id, to.workspaceId)
    expect(moved.body).toMatchObject({ workspace_id: to.workspaceId, owner_id: from.admin.userId })
  })

  test('it needs the right to edit in both, and both to be known', async () => {
    const { from, to, editor } = await twoTeams()
    const { card_id } = await record(from.admin, { workspace_id: from.workspaceId })
    await from.admin.post(`/api/v1/cards/${card_id}/share`)
    expect((await move(from.viewer, card_id, from.viewer.workspaceId)).status).toBe(403)
    expect((await move(await t.user(), card_id, to.workspaceId)).status).toBe(404)
    expect((await move(from.admin, card_id, to.workspaceId)).status).toBe(404)
    await to.admin.post(`/api/v1/workspaces/${to.workspaceId}/members`, { user_id: from.admin.userId })
    expect((await move(from.admin, card_id, to.workspaceId)).status).toBe(403)
    expect((await move(from.admin, card_id, PUBLIC_LIBRARY_ID)).status).toBe(403)
    expect((await move(editor, card_id, crypto.randomUUID())).status).toBe(404)
    expect((await move(editor, card_id, 'x')).status).toBe(422)
    const stale = await move(editor, card_id, to.workspaceId, { 'if-match': '"9"' })
    expect([stale.status, stale.body.code]).toEqual([412, 'version_mismatch'])
    const same = await move(editor, card_id, from.workspaceId)
    expect([same.status, same.body.status]).toEqual([200, 'published'])
  })

  test('a card in the library is taken back first, and a policy that holds cards holds them here too', async () => {
    const { from, to, editor } = await twoTeams({ policy_json: { allow_publish: false } })
    const { card_id } = await record(editor, { workspace_id: from.workspaceId })
    const held = await move(editor, card_id, to.workspaceId)
    expect([held.status, held.body.code]).toEqual([403, 'publishing_disabled'])
    const published = await record(editor)
    await editor.post(`/api/v1/cards/${published.card_id}/publish`)
    const refused = await move(editor, published.card_id, to.workspaceId)
    expect([refused.status, refused.body.code]).toEqual([409, 'card_published'])
  })

  test('after two moves at once the card is in one workspace, and found only there', async () => {
    const { from, to, editor } = await twoTeams()
    const { card_id } = await record(editor)
    const answers = await Promise.all([
      move(editor, card_id, from.workspaceId),
      move(editor, card_id, to.workspaceId),
    ])
    expect(answers.map((answer) => answer.status)).toEqual([200, 200])
    const { workspace_id, origin_workspace_id } = (await editor.get(`/api/v1/cards/${card_id}`)).body
    expect([from.workspaceId, to.workspaceId]).toContain(workspace_id)
    expect(origin_workspace_id).toBe(workspace_id)
  })

  test('a stricter team reviews a shared card that moves in', async () => {
    const me = await t.user()
    const from = (await me.post('/api/v1/workspaces', { name: 'From' })).body.workspace_id
    const strict = await me.post('/api/v1/workspaces', {
      name: 'Strict',
      policy_json: { danger_rules: { weakened_check: 'block' } },
    })
    const card = await record(me, {
      workspace_id: from,
      body: 'Call it with curl --insecure https://registry.npmjs.org/ if the certificate is old.',
    })
    expect((await me.post(`/api/v1/cards/${card.card_id}/share`)).status).toBe(200)
    const moved = await move(me, card.card_id, strict.body.workspace_id)
    expect(moved.body).toMatchObject({ code: 'quality_rejected', reasons: [{ rule: 'weakened_check' }] })
    expect((await me.get(`/api/v1/cards/${card.card_id}`)).body).toMatchObject({
      workspace_id: from,
      status: 'published',
    })
  })
})
