import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { addLike, goodCard, type Person, record, team, titleWord } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

const url = (cardId: string) => `/api/v1/cards/${cardId}`

onBothEngines('a card that took the place of another', (t) => {
  const newWord = () => randomUUID()
  const find = async (as: Person, word: string, scope: string): Promise<string[]> =>
    (await as.post('/api/v1/search', { query: titleWord(word), scope })).body.results.map(
      (hit: { card_id: string }) => hit.card_id,
    )

  const supersede = async (by: Person, newer: string, older: string) =>
    expect((await by.post(`${url(newer)}/links`, { to_card_id: older, kind: 'supersedes' })).status).toBe(201)

  /** A card of the admin in a team, and one of the editor in its place. */
  async function replaced() {
    const { workspaceId: workspace_id, admin, editor, viewer } = await team(t)
    const word = newWord()
    const shared = async (by: Person, about = word) => {
      const { card_id } = await record(by, { ...goodCard(about), workspace_id })
      await by.post(`${url(card_id)}/share`)
      return card_id
    }
    const [older, newer] = [await shared(admin), await shared(editor)]
    await supersede(editor, newer, older)
    expect(await find(viewer, word, 'workspace')).toEqual([newer])
    return { workspace_id, admin, editor, viewer, older, newer, word, shared }
  }

  test('and is taken back or moved away gives it back, and takes it again when it is shared again', async () => {
    const { workspace_id, admin, editor, viewer, older, newer, word } = await replaced()
    await editor.post(`${url(newer)}/unpublish`)
    expect(await find(viewer, word, 'workspace')).toEqual([older])
    await editor.post(`${url(newer)}/share`)
    expect(await find(viewer, word, 'workspace')).toEqual([newer])
    await editor.post(`${url(newer)}/move`, { workspace_id: editor.workspaceId })
    expect(await find(viewer, word, 'workspace')).toEqual([older])
    const { card_id: third } = await record(admin)
    const again = await admin.post(`${url(third)}/links`, { to_card_id: older, kind: 'supersedes' })
    expect([again.status, again.body.code, again.text.includes(newer)]).toEqual([
      409,
      'successor_hidden',
      false,
    ])
    await editor.post(`${url(newer)}/share`, { workspace_id })
    expect(await find(viewer, word, 'workspace')).toEqual([newer])
  })

  test('and is gone leaves its place to another, to one of two at once, and does not take it again', async () => {
    const { workspace_id, admin, editor, viewer, older, newer, word, shared } = await replaced()
    const others = [await shared(admin, newWord()), await shared(admin, newWord())]
    const replaceBy = (cardId: string) =>
      admin.post(`${url(cardId)}/links`, { to_card_id: older, kind: 'supersedes' })
    expect((await replaceBy(others[0] ?? '')).body.code).toBe('superseded_already')
    await editor.post(`${url(newer)}/move`, { workspace_id: editor.workspaceId })
    const answers = await Promise.all(others.map(replaceBy))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
    expect(await find(viewer, word, 'workspace')).toEqual([])
    await editor.post(`${url(newer)}/share`, { workspace_id })
    expect((await editor.get(`${url(newer)}/links`)).body.items).toEqual([])
    const [won] = answers.filter(({ status }) => status === 201)
    await admin.delete(`${url(older)}/links/${won?.body.link_id}`)
    expect((await find(viewer, word, 'workspace')).toSorted()).toEqual([newer, older].toSorted())
  })

  test('and was merged with it and is gone: the merge is undone first, at any time', async () => {
    const { admin, editor, shared } = await replaced()
    const [older, newer, next] = [await shared(admin), await shared(editor), await shared(admin)]
    expect((await editor.post(`${url(older)}/merge`, { into_card_id: newer })).status).toBe(200)
    await editor.post(`${url(newer)}/move`, { workspace_id: editor.workspaceId })
    const replace = () => admin.post(`${url(next)}/links`, { to_card_id: older, kind: 'supersedes' })
    expect((await replace()).body.code).toBe('merged_already')
    await t.app.services.database.transaction((db) =>
      db
        .updateTable('card_merges')
        .set({ created_at: new Date(0).toISOString() })
        .where('from_card_id', '=', older)
        .execute(),
    )
    expect((await admin.delete(`${url(older)}/merge`)).status).toBe(204)
    expect((await replace()).status).toBe(201)
  })

  test('holds it only for those who read both: the older one that is published is found in the library', async () => {
    const { admin, older, word } = await replaced()
    expect((await admin.post(`${url(older)}/publish`)).status).toBe(200)
    expect(await find(await t.user(), word, 'public')).toEqual([older])
  })

  test('and loses its readers with its workspace gives it back', async () => {
    const { admin } = await team(t)
    const word = newWord()
    const opened = await admin.post('/api/v1/workspaces', { name: 'Open', visibility: 'public' })
    const at = `/api/v1/workspaces/${opened.body.workspace_id}`
    const older = (await record(admin, goodCard(word))).card_id
    const newer = (await record(admin, goodCard(newWord(), { root_cause: `Because of ${titleWord(word)}` })))
      .card_id
    await admin.post(`${url(older)}/publish`)
    await admin.post(`${url(newer)}/publish?target_workspace_id=${opened.body.workspace_id}`)
    await supersede(admin, newer, older)
    const stranger = await t.user()
    expect(await find(stranger, word, 'public')).toEqual([newer])
    await admin.patch(at, { visibility: 'private' })
    expect(await find(stranger, word, 'public')).toEqual([older])
    await admin.patch(at, { visibility: 'public' })
    // A job indexes the cards of a workspace that is opened.
    await expect.poll(() => find(stranger, word, 'public')).toEqual([newer])
    expect((await admin.delete(`${at}?confirm_name=Open`)).status).toBe(200)
    expect(await find(stranger, word, 'public')).toEqual([older])
  })

  test('takes in twenty cards at most', async () => {
    const me = await t.user()
    const [into, one] = [await record(me), await record(me)]
    const others = Array.from({ length: 20 }, () => ({ card_id: randomUUID() }))
    await addLike(t.app, 'cards', ['card_id', one.card_id], others)
    const merged = {
      into_card_id: into.card_id,
      merged_by: me.userId,
      why: null,
      created_at: new Date().toISOString(),
    }
    await t.app.services.database.transaction((db) =>
      db
        .insertInto('card_merges')
        .values(others.map(({ card_id }) => ({ ...merged, from_card_id: card_id })))
        .execute(),
    )
    const refused = await me.post(`${url(one.card_id)}/merge`, { into_card_id: into.card_id })
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_merged'])
  })
})
