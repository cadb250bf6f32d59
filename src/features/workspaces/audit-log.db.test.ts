import { expect, test } from 'vitest'
import { makeAdmin } from '../../../test/support/admin.ts'
import { record, team } from '../../../test/support/cards.ts'
import { clientOf } from '../../../test/support/client.ts'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { decide, matterOf, report, serviceAdmin } from '../../../test/support/moderation.ts'

type Entry = { action: string; actor_id: string | null; actor_name: string | null }

const actions = (answer: { body: { items: { action: string }[] } }) =>
  answer.body.items.map(({ action }) => action)

const define = (t: TestVault) => {
  test("a workspace's admins read who did what, newest first", async () => {
    const [owner, member] = [await t.user('owner'), await t.user('member')]
    const { workspace_id } = (await owner.post('/api/v1/workspaces', { name: 'team' })).body
    const url = `/api/v1/workspaces/${workspace_id}`
    await owner.post(`${url}/members`, { user_id: member.userId })
    await owner.patch(`${url}/members/${member.userId}`, { role: 'editor' })
    const invited = await owner.post(`${url}/invites`, { email: 'new@example.com' })
    await owner.delete(`${url}/invites/${invited.body.invite.invite_id}`)
    await member.delete(`${url}/members/${member.userId}`)

    const log = await owner.get(`${url}/audit`)
    expect(log.body).toMatchObject({ total: 6, page: 1, page_size: 20 })
    expect(new Set(actions(log))).toEqual(
      new Set([
        'member.left',
        'invite.revoked',
        'invite.created',
        'member.role_changed',
        'member.added',
        'workspace.created',
      ]),
    )
    const left = log.body.items.find((entry: { action: string }) => entry.action === 'member.left')
    expect(left).toMatchObject({
      actor_id: member.userId,
      actor_name: 'member',
      subject_type: 'user',
      subject_id: member.userId,
      subject_name: 'member',
    })
    // Whom it was done to is said also after they are gone; other subjects have no such name.
    const names = log.body.items.map((one: { subject_type: string; subject_name: string | null }) => [
      one.subject_type,
      one.subject_name,
    ])
    expect(new Set(names.map(String))).toEqual(new Set(['user,member', 'invite,', 'workspace,']))
    const changed = await owner.get(`${url}/audit?action=member.role_changed`)
    expect(changed.body.items[0].details).toEqual({ from: 'viewer', to: 'editor' })
    expect((await owner.get(`${url}/audit?actor_id=${member.userId}`)).body.total).toBe(1)
    const second = await owner.get(`${url}/audit?page=2&page_size=4`)
    expect(second.body.items).toHaveLength(2)
    expect(JSON.stringify(log.body)).not.toContain(invited.body.token)
  })

  test('a row about a card names it, as long as its reader may read the card', async () => {
    const { admin, editor, workspaceId } = await team(t)
    const shared = await record(editor, { workspace_id: workspaceId, title: 'Shared with the team' })
    await editor.post(`/api/v1/cards/${shared.card_id}/share`)
    const gone = await record(editor, { workspace_id: workspaceId, title: 'Shared and taken home' })
    await editor.post(`/api/v1/cards/${gone.card_id}/share`)
    await editor.post(`/api/v1/cards/${gone.card_id}/move`, { workspace_id: editor.workspaceId })
    const titles = async () => {
      const { items } = (await admin.get(`/api/v1/workspaces/${workspaceId}/audit`)).body
      const ofCards = items.filter((one: { subject_type: string }) => one.subject_type === 'card')
      expect(items.length).toBeGreaterThan(ofCards.length)
      return ofCards.map((one: { action: string; card_title: string | null }) => [one.action, one.card_title])
    }
    expect(await titles()).toEqual([
      ['card.moved_out', null],
      ['card.shared', null],
      ['card.shared', 'Shared with the team'],
    ])
    const { api_key } = (
      await admin.post('/api/v1/auth/api-keys', { name: 'members', scopes: ['workspace:write'] })
    ).body
    const withKey = await clientOf(t.app, { 'x-api-key': api_key }).get(
      `/api/v1/workspaces/${workspaceId}/audit`,
    )
    expect([withKey.status, withKey.text.includes('Shared with the team')]).toEqual([200, false])
    await editor.delete(`/api/v1/cards/${shared.card_id}`)
    expect((await titles()).map(([, title]: [string, string | null]) => title)).toEqual([
      null,
      null,
      null,
      null,
    ])
  })

  test('a row about two cards names both, as long as its reader may read them', async () => {
    const { admin, editor, workspaceId } = await team(t)
    const [shared, other] = [
      await record(editor, { workspace_id: workspaceId, title: 'The old way' }),
      await record(editor, { workspace_id: workspaceId, title: 'The new way' }),
    ]
    for (const { card_id } of [shared, other]) await editor.post(`/api/v1/cards/${card_id}/share`)
    const link = { to_card_id: shared.card_id, kind: 'related' }
    await editor.post(`/api/v1/cards/${other.card_id}/links`, link)
    await editor.post(`/api/v1/cards/${shared.card_id}/merge`, { into_card_id: other.card_id })
    const others = async () => {
      const { items } = (await admin.get(`/api/v1/workspaces/${workspaceId}/audit`)).body
      return items
        .filter(({ action }: { action: string }) => /linked|merged|shared/.test(action))
        .map((one: { action: string; other_card: unknown }) => [one.action, one.other_card])
    }
    const { card_id } = other
    expect(await others()).toEqual([
      ['card.merged', { card_id, title: 'The new way' }],
      ['card.linked', { card_id, title: 'The new way' }],
      ['card.shared', null],
      ['card.shared', null],
    ])
    await editor.post(`/api/v1/cards/${card_id}/move`, { workspace_id: editor.workspaceId })
    expect((await others()).slice(-4, -2)).toEqual([
      ['card.merged', null],
      ['card.linked', null],
    ])
  })

  test('a private card that a link names is in no row, neither when it is linked nor when that is taken back', async () => {
    const { admin, editor, workspaceId } = await team(t)
    const { card_id: shared } = await record(editor, { workspace_id: workspaceId })
    const { card_id: own } = await record(editor)
    expect((await editor.post(`/api/v1/cards/${shared}/share`)).status).toBe(200)
    for (const [from, to] of [
      [shared, own],
      [own, shared],
    ]) {
      const made = await editor.post(`/api/v1/cards/${from}/links`, { to_card_id: to, kind: 'related' })
      const taken = await editor.delete(`/api/v1/cards/${shared}/links/${made.body.link_id}`)
      expect([made.status, taken.status]).toEqual([201, 204])
    }
    const log = await admin.get(`/api/v1/workspaces/${workspaceId}/audit`)
    expect(log.text).not.toContain(own)
    const rows = log.body.items.map((one: { action: string; subject_id: string }) => [
      one.action,
      one.subject_id,
    ])
    expect(rows.slice(0, 2)).toEqual([
      ['card.unlinked', shared],
      ['card.linked', shared],
    ])
  })

  test('a row names another workspace only to its members, and to admins of the service', async () => {
    const { admin, editor, workspaceId } = await team(t, { visibility: 'public' })
    const boss = await t.user('chief')
    await makeAdmin(t.app, boss.email)
    const at = ({ card_id }: { card_id: string }) => `/api/v1/cards/${card_id}`
    const [brought, moved, gone] = [
      await record(editor),
      await record(editor),
      await record(editor, { workspace_id: workspaceId }),
    ]
    const there = `${at(brought)}/publish?target_workspace_id=${workspaceId}`
    expect((await editor.post(there)).status).toBe(200)
    expect((await editor.post(`${at(moved)}/move`, { workspace_id: workspaceId })).status).toBe(200)
    expect((await editor.post(`${at(gone)}/move`, { workspace_id: editor.workspaceId })).status).toBe(200)
    const own = await record(admin)
    expect((await admin.post(`${at(own)}/move`, { workspace_id: workspaceId })).status).toBe(200)
    const log = async (as: typeof admin, url: string) => {
      const { items } = (await as.get(url)).body
      return items
        .filter(({ action }: { action: string }) => /published|moved/.test(action))
        .map((one: { action: string; details: object }) => [one.action, one.details])
    }
    const url = `/api/v1/workspaces/${workspaceId}/audit`
    expect(await log(admin, url)).toEqual([
      ['card.moved_in', { from_workspace_id: admin.workspaceId }],
      ['card.moved_out', {}],
      ['card.moved_in', {}],
      ['card.published', { licence: 'CC-BY-4.0' }],
    ])
    expect(await log(boss, `/api/v1/admin/audit?workspace_id=${workspaceId}`)).toEqual([
      ['card.moved_in', { from_workspace_id: admin.workspaceId }],
      ['card.moved_out', { to_workspace_id: editor.workspaceId }],
      ['card.moved_in', { from_workspace_id: editor.workspaceId }],
      ['card.published', expect.objectContaining({ from_workspace_id: editor.workspaceId })],
    ])
  })

  test('the log of a workspace does not say who decided as a moderator, nor confirm a guess', async () => {
    const { admin, workspaceId } = await team(t, { visibility: 'public' })
    const boss = await serviceAdmin(t)
    const card = await record(admin, { workspace_id: workspaceId })
    await admin.post(`/api/v1/cards/${card.card_id}/share`)
    await report(await t.user(), card.card_id)
    const hide = { decision: 'hide', ban_publisher: true }
    expect((await decide(boss, await matterOf(boss, card.card_id), hide)).status).toBe(200)
    const { matter_id } = await matterOf(boss, card.card_id)
    await admin.post(`/api/v1/moderation/matters/${matter_id}/appeal`, { note: 'Look again.' })
    await decide(boss, await matterOf(boss, card.card_id), { decision: 'keep' })

    const decisions = [
      'publisher.ban_lifted',
      'publisher.banned',
      'moderation.appeal_decided',
      'moderation.decided',
    ]
    const url = `/api/v1/workspaces/${workspaceId}/audit`
    const entries = async (as: typeof admin, from: string) => {
      const { items } = (await as.get(`${from}page_size=100`)).body as { items: Entry[] }
      return items.filter(({ action }) => decisions.includes(action))
    }
    const toldAdmin = await entries(admin, `${url}?`)
    expect(new Set(toldAdmin.map(({ action }) => action))).toEqual(new Set(decisions))
    for (const entry of toldAdmin) expect([entry.actor_id, entry.actor_name]).toEqual([null, null])
    expect((await admin.get(`${url}?actor_id=${boss.userId}`)).body).toMatchObject({ items: [], total: 0 })
    const toldBoss = await entries(boss, `/api/v1/admin/audit?workspace_id=${workspaceId}&`)
    expect(toldBoss.map(({ actor_id }) => actor_id)).toEqual(Array(4).fill(boss.userId))
    // Who decided finds what they did.
    await admin.post(`/api/v1/workspaces/${workspaceId}/members`, { user_id: boss.userId, role: 'admin' })
    expect(await entries(boss, `${url}?actor_id=${boss.userId}&`)).toHaveLength(4)
    expect(await entries(admin, `${url}?actor_id=${boss.userId}&`)).toHaveLength(0)
  })

  test('refused requests are not in the log', async () => {
    const owner = await t.user('owner')
    const { workspace_id } = (await owner.post('/api/v1/workspaces', { name: 'team' })).body
    await owner.delete(`/api/v1/workspaces/${workspace_id}/members/${owner.userId}`)
    const log = await owner.get(`/api/v1/workspaces/${workspace_id}/audit`)
    expect(actions(log)).toEqual(['workspace.created'])
  })

  test('service admins read the whole log, nobody else does', async () => {
    const [admin, user] = [await t.user('chief'), await t.user('owner')]
    await makeAdmin(t.app, admin.email)
    await user.post('/api/v1/auth/api-keys', { name: 'key' })
    const refused = await user.get('/api/v1/admin/audit')
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    expect((await t.anonymous().get('/api/v1/admin/audit')).status).toBe(401)
    const log = await admin.get(`/api/v1/admin/audit?actor_id=${user.userId}`)
    expect(log.status).toBe(200)
    expect(new Set(actions(log))).toEqual(new Set(['key.created', 'account.registered']))
    expect((await admin.get('/api/v1/admin/audit?page_size=101')).status).toBe(422)
  })

  test('the database takes no change of the log', async () => {
    const { database } = t.app.services
    await expect(database.transaction((db) => db.deleteFrom('audit_log').execute())).rejects.toThrow(
      'append-only',
    )
    await expect(
      database.transaction((db) => db.updateTable('audit_log').set({ action: 'x' }).execute()),
    ).rejects.toThrow('append-only')
  })
}

onBothEngines('audit', define)
