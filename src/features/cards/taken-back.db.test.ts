import { expect, test } from 'vitest'
import { type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

onBothEngines('notices of deleted comments', (t) => {
  const kinds = async (as: Person): Promise<string[]> =>
    (await as.get('/api/v1/notices?unread_only=true')).body.items
      .map((one: { kind: string }) => one.kind)
      .filter((kind: string) => kind.startsWith('card.'))
      .sort()

  async function shared() {
    const all = await team(t)
    const { card_id } = await record(all.editor, { workspace_id: all.workspaceId })
    await all.editor.post(`/api/v1/cards/${card_id}/share`)
    const thread = `/api/v1/cards/${card_id}/comments`
    const say = async (as: Person, body: string) =>
      `${thread}/${(await as.post(thread, { body })).body.comment_id}`
    return { ...all, say }
  }

  test('the owner and the mentioned have none left, whoever deletes it', async () => {
    for (const deleter of ['viewer', 'admin'] as const) {
      const { editor, viewer, admin, say } = await shared()
      const comment = await say(viewer, `Look, <@${admin.userId}>`)
      expect([await kinds(editor), await kinds(admin)]).toEqual([['card.commented'], ['card.mentioned']])
      expect((await { viewer, admin }[deleter].delete(comment)).status).toBe(204)
      expect([await kinds(editor), await kinds(admin)], deleter).toEqual([[], []])
    }
  })

  test('a notice stays while somebody else has said the same', async () => {
    const { editor, viewer, admin, say } = await shared()
    const first = await say(viewer, `Look, <@${editor.userId}>`)
    const second = await say(admin, `Do look, <@${editor.userId}>`)
    await admin.delete(second)
    expect([await kinds(editor), await kinds(viewer)]).toEqual([['card.mentioned'], []])
    await viewer.delete(first)
    expect(await kinds(editor)).toEqual([])
  })

  test('the end of an account takes them along', async () => {
    const { editor, viewer, admin, say } = await shared()
    await say(viewer, `Look, <@${admin.userId}>`)
    expect((await viewer.delete('/api/v1/auth/me?confirmed_by_user=true')).status).toBe(200)
    expect([await kinds(editor), await kinds(admin)]).toEqual([[], []])
  })
})
