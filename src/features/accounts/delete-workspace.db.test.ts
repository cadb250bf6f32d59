import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { goodCard, type Person, record, team, titleWord } from '../../../test/support/cards.ts'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { meeting } from '../../../test/support/meeting.ts'
import { startSmtp } from '../../../test/support/smtp.ts'
import { PUBLIC_LIBRARY_ID } from '../../db/ids.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())

const SETTINGS = '/api/v1/user/settings'
const at = (workspaceId: string) => `/api/v1/workspaces/${workspaceId}`
const remove = (as: Person, workspaceId: string, name = 'Team') =>
  as.delete(`${at(workspaceId)}?confirm_name=${encodeURIComponent(name)}`)
const card = async (as: Person, cardId: string) => (await as.get(`/api/v1/cards/${cardId}`)).body

const define = (t: TestVault) => {
  // The first: the mails of the others would go out before it.
  test('members and owners of its cards get one mail that counts their cards; the log keeps the numbers', async () => {
    const { workspaceId: workspace_id, admin, editor, viewer } = await team(t)
    for (let i = 0; i < 2; i++) await record(editor, { workspace_id })
    await editor.delete(`${at(workspace_id)}/members/${editor.userId}`)
    const settings = (await viewer.get('/api/v1/user/settings')).body
    await viewer.put('/api/v1/user/settings', { ...settings, email_notifications: false })
    const invited = `late-${t.engine}@example.com`
    await admin.post(`${at(workspace_id)}/invites`, { email: invited })
    const reader = await t.user('reader')
    await admin.post(`${at(workspace_id)}/members`, { user_id: reader.userId })
    await admin.patch(at(workspace_id), { name: 'Payroll' })
    await remove(admin, workspace_id, 'Payroll')
    // A private team tells its name, and who is in it, to its members alone.
    const left = 'A workspace that you left was deleted'
    const mail = await smtp.mailTo(editor.email, left)
    expect(mail.text).toContain('2 cards of yours were there')
    expect(mail.raw).not.toMatch(/Payroll|admin/)
    const [told] = (await editor.get('/api/v1/notices')).body.items
    expect(told).toMatchObject({ kind: 'workspace.deleted', heading: left, actor_id: null })
    const subject = 'admin deleted the workspace Payroll'
    expect((await smtp.mailTo(reader.email, subject)).text).toContain('None of its cards was yours')
    expect((await viewer.get('/api/v1/notices')).body.items[0].heading).toBe(subject)
    const mailed = await t.app.services.database.read
      .selectFrom('outbox')
      .select('to_address')
      .where('state_key', 'like', `workspace_deleted:${workspace_id}:%`)
      .execute()
    expect(mailed.map((mail) => mail.to_address).sort()).toEqual([editor.email, reader.email].sort())
    const [entry] = await t.app.services.database.read
      .selectFrom('audit_log')
      .select(['actor_id', 'details'])
      .where('action', '=', 'workspace.deleted')
      .where('subject_id', '=', workspace_id)
      .execute()
    expect(entry?.actor_id).toBe(admin.userId)
    expect(JSON.parse(entry?.details ?? '')).toMatchObject({
      name: 'Payroll',
      cards_of_others: 2,
      members: 3,
    })
  })

  test('the numbers come first, and cards, deleted cards and raw materials go home', async () => {
    const { workspaceId: workspace_id, admin, editor, viewer } = await team(t)
    const mine = await record(admin, { workspace_id })
    const theirs = await record(editor, { workspace_id })
    await editor.post(`/api/v1/cards/${theirs.card_id}/share`)
    const deleted = await record(editor, { workspace_id })
    await editor.delete(`/api/v1/cards/${deleted.card_id}`)
    const material = await editor.post('/api/v1/raw-materials', { content: 'minutes', workspace_id })
    const { token } = (await admin.post(`${at(workspace_id)}/invites`, { email: 'new@example.com' })).body

    const numbers = {
      members: 3,
      own_cards: 1,
      cards_of_others: 1,
      published_cards: 1,
      deleted_cards: 1,
      raw_materials: 1,
      open_invites: 1,
    }
    expect((await admin.get(`${at(workspace_id)}/deletion`)).body).toEqual({
      workspace_id,
      name: 'Team',
      ...numbers,
    })
    const done = await remove(admin, workspace_id)
    expect([done.status, done.body]).toEqual([200, { workspace_id, name: 'Team', ...numbers, deleted: true }])

    expect(await card(admin, mine.card_id)).toMatchObject({ workspace_id: admin.workspaceId })
    expect(await card(editor, theirs.card_id)).toMatchObject({
      workspace_id: editor.workspaceId,
      origin_workspace_id: editor.workspaceId,
      status: 'unpublished',
      published_at: null,
    })
    // Whoever only read it, or ran the workspace, has nothing to do with it any more.
    for (const other of [viewer, admin])
      expect((await other.get(`/api/v1/cards/${theirs.card_id}`)).status).toBe(404)
    const back = await editor.post(`/api/v1/cards/${deleted.card_id}/undelete`)
    expect(back.body).toMatchObject({ workspace_id: editor.workspaceId })
    expect((await editor.get(`/api/v1/raw-materials/${material.body.raw_id}`)).body.workspace_id).toBe(
      editor.workspaceId,
    )

    for (const person of [admin, editor, viewer]) {
      expect((await person.get(at(workspace_id))).status).toBe(404)
      const listed = (await person.get('/api/v1/workspaces')).body.items
      expect(listed.map((one: { workspace_id: string }) => one.workspace_id)).not.toContain(workspace_id)
    }
    expect((await t.anonymous().get(`/api/v1/workspaces/invites/${token}`)).status).toBe(404)
    expect((await editor.post('/api/v1/cards', goodCard('late', { workspace_id }))).status).toBe(404)
    const again = await remove(admin, workspace_id)
    expect([again.status, again.body.code]).toEqual([404, 'not_found'])
  })

  test('settings that a member changes at the same moment are kept', async () => {
    const { workspaceId, admin, editor } = await team(t)
    const settings = { ...(await editor.get(SETTINGS)).body, default_workspace_id: workspaceId }
    await editor.put(SETTINGS, settings)
    const change = { settings: JSON.stringify({ ...settings, language: 'pt-BR' }) }
    const done = await meeting(
      t,
      (db) => db.updateTable('users').set(change).where('user_id', '=', editor.userId).execute(),
      () => remove(admin, workspaceId),
    )
    expect(done.status).toBe(200)
    const { rows } = await sql<{ settings: string }>`select settings from users
      where user_id = ${editor.userId}`.execute(t.app.services.database.read)
    expect(JSON.parse(rows[0]?.settings ?? '')).toMatchObject({
      language: 'pt-BR',
      default_workspace_id: null,
    })
  })

  test('search finds each card for its owner and for nobody else', async () => {
    const { workspaceId: workspace_id, admin, editor, viewer } = await team(t)
    const word = `homecoming${t.engine}`
    const { card_id } = await record(editor, { ...goodCard(word), workspace_id })
    await editor.post(`/api/v1/cards/${card_id}/share`)
    const find = async (as: Person, scope: string) =>
      (await as.post('/api/v1/search', { query: titleWord(word), scope })).body.results.map(
        (hit: { card_id: string }) => hit.card_id,
      )
    expect(await find(viewer, 'workspace')).toEqual([card_id])
    await remove(admin, workspace_id)
    expect(await find(viewer, 'workspace')).toEqual([])
    expect(await find(admin, 'workspace')).toEqual([])
    // The card is indexed again after the answer. A search that meets this very moment leaves it out.
    await expect.poll(() => find(editor, 'personal')).toEqual([card_id])
  })

  test('a card published from it to the library stays there, and comes to its owner when it is taken back', async () => {
    const { workspaceId: workspace_id, admin, editor } = await team(t)
    const { card_id } = await record(editor, { workspace_id })
    expect((await editor.post(`/api/v1/cards/${card_id}/publish`)).status).toBe(200)
    expect((await remove(admin, workspace_id)).status).toBe(200)
    expect(await card(editor, card_id)).toMatchObject({
      workspace_id: PUBLIC_LIBRARY_ID,
      origin_workspace_id: editor.workspaceId,
      status: 'published',
    })
    const taken = await editor.post(`/api/v1/cards/${card_id}/unpublish`)
    expect(taken.body).toMatchObject({ workspace_id: editor.workspaceId, status: 'unpublished' })
  })

  test('a card published into it from another workspace returns there', async () => {
    const [one, other] = [await team(t), await team(t)]
    await other.admin.post(`${at(other.workspaceId)}/members`, { user_id: one.editor.userId, role: 'editor' })
    const { card_id } = await record(one.editor, { workspace_id: one.workspaceId })
    const published = await one.editor.post(
      `/api/v1/cards/${card_id}/publish?target_workspace_id=${other.workspaceId}`,
    )
    expect(published.body.workspace_id).toBe(other.workspaceId)
    await remove(other.admin, other.workspaceId)
    expect(await card(one.editor, card_id)).toMatchObject({
      workspace_id: one.workspaceId,
      status: 'unpublished',
    })
  })

  test('cards of a deleted account go to the person who deletes the workspace', async () => {
    const { workspaceId: workspace_id, admin, editor } = await team(t)
    const { card_id } = await record(editor, { workspace_id })
    await editor.post(`/api/v1/cards/${card_id}/share`)
    const left = await editor.delete('/api/v1/auth/me?confirmed_by_user=true')
    expect(left.status).toBe(200)
    await remove(admin, workspace_id)
    expect(await card(admin, card_id)).toMatchObject({
      workspace_id: admin.workspaceId,
      owner_name: 'deleted user',
      status: 'published',
    })
  })

  test('a card that a deleted account published into it from home comes to that person too', async () => {
    const { workspaceId, admin, editor } = await team(t)
    const { card_id } = await record(editor)
    await editor.post(`/api/v1/cards/${card_id}/publish?target_workspace_id=${workspaceId}`)
    expect((await editor.delete('/api/v1/auth/me?confirmed_by_user=true')).status).toBe(200)
    expect((await admin.get(`/api/v1/cards/${card_id}`)).status).toBe(200)
    await remove(admin, workspaceId)
    // Nobody is left in the workspace that it came from.
    expect(await card(admin, card_id)).toMatchObject({ workspace_id: admin.workspaceId, status: 'published' })
  })

  test('only admins delete it, with its name typed, and never the home of an account or the library', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t)
    for (const person of [editor, viewer]) {
      expect((await remove(person, workspaceId)).body.code).toBe('forbidden')
      expect((await person.get(`${at(workspaceId)}/deletion`)).status).toBe(403)
    }
    expect((await remove(await t.user(), workspaceId)).status).toBe(404)
    const wrong = await remove(admin, workspaceId, 'team')
    expect([wrong.status, wrong.body.detail[0].loc]).toEqual([422, ['query', 'confirm_name']])
    expect((await admin.delete(at(workspaceId))).body.detail[0].type).toBe('missing')
    expect((await remove(admin, workspaceId, 'x'.repeat(501))).status).toBe(422)
    const home = await remove(admin, admin.workspaceId, 'Personal')
    expect([home.status, home.body.code]).toEqual([409, 'personal_workspace'])
    expect((await admin.get(`${at(admin.workspaceId)}/deletion`)).status).toBe(409)
    expect((await remove(admin, PUBLIC_LIBRARY_ID, 'Public Library')).status).toBe(403)
    expect((await admin.get(at(workspaceId))).status).toBe(200)
    // A further personal workspace is no home, so it can go.
    const made = await admin.post('/api/v1/workspaces', { name: 'Drafts', type: 'personal' })
    expect((await remove(admin, made.body.workspace_id, ' Drafts ')).status).toBe(200)
  })

  test('memory written there stays with its author, and a default that named it is forgotten', async () => {
    const { workspaceId: workspace_id, admin, editor } = await team(t)
    const event = { project_key: 'org/repo', event_type: 'user_message', content: 'kept', workspace_id }
    expect((await editor.post('/api/v1/project-context/events', event)).status).toBeLessThan(300)
    const settings = (await editor.get('/api/v1/user/settings')).body
    await editor.put('/api/v1/user/settings', { ...settings, default_workspace_id: workspace_id })
    await remove(admin, workspace_id)
    const url = `/api/v1/project-context/events?project_key=org/repo&workspace_id=${workspace_id}`
    expect((await editor.get(url)).body.items).toMatchObject([{ content: 'kept' }])
    expect((await editor.get('/api/v1/user/settings')).body.default_workspace_id).toBeNull()
  })

  test('two deletions at once, and writes at the same time: nothing is left inside', async () => {
    const { workspaceId: workspace_id, admin, editor } = await team(t)
    const library = await record(editor)
    const answers = await Promise.all([
      remove(admin, workspace_id),
      ...Array.from({ length: 6 }, () => editor.post('/api/v1/cards', { ...goodCard(), workspace_id })),
      editor.post(`/api/v1/cards/${library.card_id}/publish?target_workspace_id=${workspace_id}`),
      editor.post('/api/v1/raw-materials', { content: 'meanwhile', workspace_id }),
      admin.post(`${at(workspace_id)}/invites`, { email: 'meanwhile@example.com' }),
      admin.post(`${at(workspace_id)}/members`, { user_id: (await t.user()).userId }),
      remove(admin, workspace_id),
    ])
    const deletions = [answers[0], answers.at(-1)].map((answer) => answer?.status)
    expect(deletions.sort()).toEqual([200, 404])
    for (const { status, text } of answers) expect([200, 201, 404], text).toContain(status)
    const { read } = t.app.services.database
    for (const table of ['cards', 'raw_materials', 'memberships', 'workspace_invites'] as const)
      expect(
        await read
          .selectFrom(table)
          .select('workspace_id')
          .where('workspace_id', '=', workspace_id)
          .execute(),
        table,
      ).toEqual([])
    const origins = await read
      .selectFrom('cards')
      .select('card_id')
      .where('origin_workspace_id', '=', workspace_id)
      .execute()
    expect(origins).toEqual([])
  })
}

onBothEngines('deleting a workspace', define, { SMTP_URL: smtp.url })
