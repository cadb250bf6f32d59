import { expect, test } from 'vitest'
import { goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { clientOf } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { contextFor } from '../../core/context.ts'
import { DAY_MS } from '../../shared/time.ts'
import { type RescanSource, rescan, rescanSource } from '../rescan/rescan.ts'
import { MAX_BODY, MAX_COMMENTS, MAX_MENTIONS } from './comments.ts'
import { purgeDeletedCards } from './delete.ts'

onBothEngines('comments', (t) => {
  const thread = (cardId: string) => `/api/v1/cards/${cardId}/comments`
  const say = async (as: Person, cardId: string, body: string) => {
    const answer = await as.post(thread(cardId), { body })
    expect(answer.status, answer.text).toBe(201)
    return answer.body
  }
  const bodies = async (as: Person, cardId: string): Promise<string[]> =>
    (await as.get(thread(cardId))).body.items.map((one: { body: string }) => one.body)
  const notices = async (as: Person) =>
    (await as.get('/api/v1/notices?unread_only=true')).body.items.map(
      ({ kind, card_id, heading }: { kind: string; card_id: string; heading: string }) => ({
        kind,
        card_id,
        heading,
      }),
    )
  const kinds = async (as: Person) =>
    (await notices(as))
      .map((one: { kind: string }) => one.kind)
      .filter((kind: string) => kind.startsWith('card.'))
  const rowsOf = (cardId: string) =>
    t.app.services.database.read
      .selectFrom('card_comments')
      .selectAll()
      .where('card_id', '=', cardId)
      .execute()

  /** A card of the editor, shared with a team. */
  async function shared() {
    const all = await team(t)
    const { card_id, title } = await record(all.editor, { workspace_id: all.workspaceId })
    expect((await all.editor.post(`/api/v1/cards/${card_id}/share`)).status).toBe(200)
    return { ...all, cardId: card_id as string, title: title as string }
  }

  test('members talk under a card, oldest first; its author changes and deletes a comment', async () => {
    const { cardId, editor, viewer, admin, workspaceId } = await shared()
    const first = await say(viewer, cardId, '  Does it hold for **pools**?  ')
    expect(first).toMatchObject({
      body: 'Does it hold for **pools**?',
      user_name: 'viewer',
      workspace_id: workspaceId,
      edited_at: null,
      can_edit: true,
      can_delete: true,
    })
    await say(editor, cardId, 'It does.')
    const list = (await admin.get(`${thread(cardId)}?page_size=1&page=2`)).body
    expect(list).toMatchObject({ total: 2, audience: { workspace_id: workspaceId, name: 'Team' } })
    expect(list.items[0]).toMatchObject({ body: 'It does.', can_edit: false, can_delete: true })
    const url = `${thread(cardId)}/${first.comment_id}`
    expect((await viewer.patch(url, { body: 'Does it?' })).body).toMatchObject({
      body: 'Does it?',
      edited_at: expect.any(String),
    })
    // An edit that began before another one does not replace it.
    const late = await viewer.patch(url, { body: 'Does it really?', expected_edited_at: null })
    expect([late.status, late.body.code, late.body.body]).toEqual([409, 'comment_changed', 'Does it?'])
    const { edited_at } = late.body
    expect((await viewer.patch(url, { body: 'Really?', expected_edited_at: edited_at })).status).toBe(200)
    for (const [person, what] of [
      [editor, 'patch'],
      [admin, 'patch'],
      [editor, 'delete'],
    ] as const)
      expect((await person[what](url, { body: 'mine now' })).status).toBe(403)
    expect((await viewer.delete(url)).status).toBe(204)
    expect((await viewer.delete(url)).status).toBe(404)
    expect(await bodies(viewer, cardId)).toEqual(['It does.'])
  })

  test('an admin deletes the comment of another, and the log says so without its words', async () => {
    const { cardId, title, viewer, admin, workspaceId } = await shared()
    const { comment_id } = await say(viewer, cardId, 'Rude words')
    expect((await admin.delete(`${thread(cardId)}/${comment_id}`)).status).toBe(204)
    const log = (await admin.get(`/api/v1/workspaces/${workspaceId}/audit?action=comment.deleted`)).body.items
    expect(log).toHaveLength(1)
    expect(log[0]).toMatchObject({
      subject_id: cardId,
      card_title: title,
      details: { author_id: viewer.userId },
    })
    expect(JSON.stringify(log)).not.toContain('Rude')
  })

  test('the mentioned, the owner and those who spoke before are told, each once', async () => {
    const { cardId, title, editor, viewer, admin } = await shared()
    await say(viewer, cardId, `Look, <@${admin.userId}> and <@${admin.userId}>`)
    await say(viewer, cardId, 'and more')
    expect(await notices(admin)).toEqual([
      { kind: 'card.mentioned', card_id: cardId, heading: `viewer mentioned you on “${title}”` },
    ])
    expect(await kinds(editor)).toEqual(['card.commented'])
    expect(await kinds(viewer)).toEqual([])
    const mine = await say(editor, cardId, `<@${editor.userId}> knows`)
    expect(mine.mentions).toEqual([{ user_id: editor.userId, display_name: 'editor' }])
    expect(await kinds(viewer)).toEqual(['card.commented'])
    expect(await kinds(editor)).toEqual(['card.commented'])
    // Only whom an edit adds is told.
    await viewer.post('/api/v1/notices/read', {})
    const url = `${thread(cardId)}/${mine.comment_id}`
    await editor.patch(url, { body: `<@${editor.userId}> and <@${viewer.userId}> know` })
    await editor.patch(url, { body: `<@${editor.userId}> and <@${viewer.userId}> do know` })
    expect(await kinds(viewer)).toEqual(['card.mentioned'])
  })

  test('a notice names no card that its reader may no longer read', async () => {
    const { cardId, title, viewer, admin, editor, workspaceId } = await shared()
    await say(editor, cardId, `For <@${viewer.userId}>`)
    expect((await notices(viewer))[0].heading).toContain(title)
    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${viewer.userId}`)
    const [, mention] = await notices(viewer)
    expect(mention).toEqual({
      kind: 'card.mentioned',
      card_id: null,
      heading: 'editor mentioned you on a card',
    })
  })

  test('only members who can read the card are mentioned, and not too many', async () => {
    const { workspaceId, editor, viewer, admin } = await team(t)
    const stranger = await t.user('stranger')
    const { card_id } = await record(editor, { workspace_id: workspaceId })
    for (const id of [stranger.userId, viewer.userId, crypto.randomUUID()]) {
      const refused = await editor.post(thread(card_id), { body: `Hello <@${id}>` })
      expect([refused.status, refused.text.includes('not a member who can read')]).toEqual([422, true])
    }
    await say(editor, card_id, `Hello <@${admin.userId}>`)
    const crowd = Array.from({ length: MAX_MENTIONS + 1 }, () => `<@${crypto.randomUUID()}>`).join(' ')
    expect((await editor.post(thread(card_id), { body: crowd })).text).toContain('at most 20 people')
    expect((await rowsOf(card_id)).length).toBe(1)
  })

  test('a comment can be corrected after somebody whom it mentions has left', async () => {
    const { cardId, workspaceId, admin, editor, viewer } = await shared()
    const { comment_id } = await say(editor, cardId, `Lok at this, <@${viewer.userId}>`)
    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${viewer.userId}`)
    const correct = (body: string) => editor.patch(`${thread(cardId)}/${comment_id}`, { body })
    expect((await correct(`Look at this, <@${viewer.userId}>`)).status).toBe(200)
    expect((await correct('Look at this')).status).toBe(200)
    expect((await correct(`Look at this, <@${viewer.userId}>`)).status).toBe(422)
    const crowd = Array.from({ length: MAX_MENTIONS + 1 }, () => `<@${crypto.randomUUID()}>`).join(' ')
    expect((await correct(crowd)).text).toContain('at most 20 people')
  })

  test('strangers neither read nor write, also where the card is in the library', async () => {
    const { cardId, editor, viewer } = await shared()
    const stranger = await t.user('stranger')
    await say(viewer, cardId, 'Between us')
    for (const answer of [
      await stranger.get(thread(cardId)),
      await stranger.post(thread(cardId), { body: 'Hi' }),
    ])
      expect(answer.status).toBe(404)
    expect((await editor.post(`/api/v1/cards/${cardId}/publish`)).status).toBe(200)
    expect((await stranger.get(thread(cardId))).body).toMatchObject({ items: [], total: 0, audience: null })
    const refused = await stranger.post(thread(cardId), { body: 'Hi' })
    expect([refused.status, refused.body.detail.includes('feedback')]).toEqual([403, true])
    // The team that published it goes on talking.
    await say(viewer, cardId, 'Published')
    expect(await bodies(editor, cardId)).toEqual(['Between us', 'Published'])
    expect((await t.anonymous().get(thread(cardId))).status).toBe(401)
  })

  test('a comment stays with those it was said to when the card moves on', async () => {
    const { cardId, editor, viewer } = await shared()
    await say(viewer, cardId, 'For the first team')
    const other = await t.user('other')
    const second = (await editor.post('/api/v1/workspaces', { name: 'Second' })).body.workspace_id
    await editor.post(`/api/v1/workspaces/${second}/members`, { user_id: other.userId, role: 'admin' })
    expect((await editor.post(`/api/v1/cards/${cardId}/move`, { workspace_id: second })).status).toBe(200)
    expect(await bodies(other, cardId)).toEqual([])
    expect(await bodies(editor, cardId)).toEqual(['For the first team'])
    const { comment_id } = await say(other, cardId, 'For the second')
    expect(await bodies(editor, cardId)).toHaveLength(2)
    // The first team reads the card no more; its words can still be taken away by who wrote them.
    const [own] = await rowsOf(cardId)
    expect((await viewer.get(thread(cardId))).status).toBe(404)
    expect((await viewer.delete(`${thread(cardId)}/${comment_id}`)).status).toBe(404)
    expect((await viewer.delete(`${thread(cardId)}/${own?.comment_id}`)).status).toBe(204)
  })

  test('secrets are replaced, whether they are new or were stored before', async () => {
    const { cardId, viewer } = await shared()
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
    const said = await say(viewer, cardId, `Use ${secret}`)
    expect(said.body).not.toContain(secret)
    const edited = await viewer.patch(`${thread(cardId)}/${said.comment_id}`, { body: `Rather ${secret}` })
    expect(edited.body.body).not.toContain(secret)
    const { database } = t.app.services
    await database.transaction((db) =>
      db
        .updateTable('card_comments')
        .set({ body: `Old ${secret}` })
        .where('card_id', '=', cardId)
        .execute(),
    )
    const [result] = await rescan(database, [rescanSource('card_comments')], { dryRun: false })
    expect(result?.changed).toBe(1)
    expect(JSON.stringify(await rowsOf(cardId))).not.toContain(secret)
  })

  test('a comment that is edited while stored texts are read again keeps the edit', async () => {
    const { cardId, viewer } = await shared()
    const { comment_id } = await say(viewer, cardId, 'as it was')
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
    const { database } = t.app.services
    const store = (body: string) =>
      database.transaction((db) =>
        db.updateTable('card_comments').set({ body }).where('comment_id', '=', comment_id).execute(),
      )
    await store(`Old ${secret}`)
    const stored = rescanSource('card_comments')
    const edited: RescanSource = {
      ...stored,
      batch: async (...asked) => {
        const read = await stored.batch(...asked)
        if (read.length > 0) await store('as it was edited')
        return read
      },
    }
    await rescan(database, [edited], { dryRun: false })
    expect((await rowsOf(cardId)).map(({ body }) => body)).toEqual(['as it was edited'])
  })

  test('limits hold, and are looked at first', async () => {
    const { cardId, viewer, workspaceId } = await shared()
    for (const body of ['', '   ', '\u0007 \u001b', 'x'.repeat(MAX_BODY + 1), null, 7])
      expect((await viewer.post(thread(cardId), { body })).status).toBe(422)
    const { comment_id } = await say(viewer, cardId, 'x'.repeat(MAX_BODY))
    for (const body of [' ', '\u0007'])
      expect((await viewer.patch(`${thread(cardId)}/${comment_id}`, { body })).status).toBe(422)
    const rows = Array.from({ length: MAX_COMMENTS - 2 }, (_, i) => ({
      comment_id: crypto.randomUUID(),
      card_id: cardId,
      workspace_id: workspaceId,
      user_id: viewer.userId,
      body: `${i}`,
      created_at: t.app.services.now().toISOString(),
      edited_at: null,
    }))
    await t.app.services.database.transaction((db) => db.insertInto('card_comments').values(rows).execute())
    // One place is left, and several want it at once.
    const answers = await Promise.all(
      [1, 2, 3].map((n) => viewer.post(thread(cardId), { body: `last ${n}` })),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('thread_full')
  })

  test('comments go with the card, with the account, and are in the export', async () => {
    const { cardId, editor, viewer } = await shared()
    await say(viewer, cardId, 'Mine to take along')
    await say(editor, cardId, `Thanks, <@${viewer.userId}>`)
    const lines = (await viewer.get('/api/v1/auth/me/export')).text.trim().split('\n')
    const kept = lines.map((line: string) => JSON.parse(line)).filter(({ kind }) => kind === 'comment')
    expect(kept.map(({ value }) => value.body)).toEqual(['Mine to take along'])
    expect((await viewer.delete('/api/v1/auth/me?confirmed_by_user=true')).status).toBe(200)
    const { items } = (await editor.get(thread(cardId))).body
    expect(items).toHaveLength(1)
    expect(items[0].mentions).toEqual([{ user_id: viewer.userId, display_name: 'deleted user' }])
    await editor.delete(`/api/v1/cards/${cardId}`)
    expect((await editor.get(thread(cardId))).status).toBe(404)
    t.later(31 * DAY_MS)
    await purgeDeletedCards(contextFor(t.app.services))
    expect(await rowsOf(cardId)).toEqual([])
  })

  test('a key without the scope to record reads, and does not write', async () => {
    const { cardId, viewer } = await shared()
    const made = await viewer.post('/api/v1/auth/api-keys', { name: 'reader', scopes: ['search'] })
    const reader = clientOf(t.app, { 'x-api-key': made.body.api_key })
    expect((await reader.get(thread(cardId))).status).toBe(200)
    expect((await reader.post(thread(cardId), { body: 'Hi' })).body.code).toBe('missing_scope')
  })

  test('an own card at home takes notes that nobody else reads', async () => {
    const [owner, reader] = [await t.user(), await t.user()]
    const { card_id } = (await owner.post('/api/v1/cards', goodCard())).body
    await say(owner, card_id, 'Note to myself')
    await owner.post(`/api/v1/cards/${card_id}/publish`)
    expect(await bodies(reader, card_id)).toEqual([])
    expect(await bodies(owner, card_id)).toEqual(['Note to myself'])
  })
})
