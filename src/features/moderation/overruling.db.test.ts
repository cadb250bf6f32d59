import { expect, test } from 'vitest'
import { goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { decide, matterOf, report, serviceAdmin } from '../../../test/support/moderation.ts'

const url = ({ card_id }: { card_id: string }) => `/api/v1/cards/${card_id}`

/** Admins of a workspace try to change what moderators of the service have decided there. */
onBothEngines('decisions of the service', (t) => {
  /** A card in an open team, hidden by a moderator of the service, with its publisher banned. */
  const hiddenByService = async () => {
    const { admin: head, editor: me, workspaceId } = await team(t, { visibility: 'public' })
    const boss = await serviceAdmin(t)
    const text = goodCard()
    const card = await record(me, { ...text, workspace_id: workspaceId })
    await me.post(`${url(card)}/share`)
    await report(await t.user(), card.card_id)
    const found = await matterOf(boss, card.card_id)
    const decided = await decide(boss, found, { decision: 'hide', ban_publisher: true })
    expect(decided.status, decided.text).toBe(200)
    return { head, me, boss, workspaceId, text, card }
  }

  const keptBy = async (head: Person, card: { card_id: string }) =>
    (await decide(head, await matterOf(head, card.card_id), { decision: 'keep' })).status

  const close = async (head: Person, workspaceId: string) => {
    const at = `/api/v1/workspaces/${workspaceId}`
    expect((await head.patch(at, { visibility: 'private' })).status).toBe(200)
    expect((await head.delete(`${at}?confirm_name=Team`)).status).toBe(200)
  }

  test('stay, though an admin makes the moderator an admin of the team', async () => {
    const { head, me, boss, workspaceId, text, card } = await hiddenByService()
    const members = `/api/v1/workspaces/${workspaceId}/members`
    expect((await head.post(members, { user_id: boss.userId, role: 'admin' })).status).toBe(200)
    expect(await keptBy(head, card)).toBe(403)
    await close(head, workspaceId)
    expect((await me.get(url(card))).body.hidden_since).toBeTruthy()
    const copier = await t.user()
    const copy = await copier.post(`${url(await record(copier, text))}/publish`)
    expect(copy.body.reasons).toMatchObject([{ rule: 'withdrawn_text' }])
    const refused = await me.post(`${url(await record(me))}/publish`)
    expect(refused.body.code).toBe('publishing_banned')
  })

  test('stay when the moderator is one no longer', async () => {
    const { head, boss, card } = await hiddenByService()
    await t.app.services.database.transaction((db) =>
      db.updateTable('users').set({ service_admin: 0 }).where('user_id', '=', boss.userId).execute(),
    )
    expect(await keptBy(head, card)).toBe(403)
  })

  test('outlive a team; those of its admins end with it, also after the one who decided has left', async () => {
    const { admin: head, editor: me, viewer, workspaceId } = await team(t)
    const members = `/api/v1/workspaces/${workspaceId}/members`
    const second = await t.user()
    await head.post(members, { user_id: second.userId, role: 'admin' })
    const card = await record(me, { workspace_id: workspaceId })
    await me.post(`${url(card)}/share`)
    await report(viewer, card.card_id)
    await decide(second, await matterOf(second, card.card_id), { decision: 'hide' })
    expect((await second.delete(`${members}/${second.userId}`)).status).toBe(200)
    expect((await me.get(url(card))).body.hidden_since).toBeTruthy()
    expect((await head.delete(`/api/v1/workspaces/${workspaceId}?confirm_name=Team`)).status).toBe(200)
    const shown = await me.get(url(card))
    expect([shown.status, shown.body.hidden_since]).toEqual([200, undefined])
  })

  test('are marked: made where strangers read, by nobody who is or was admin there', async () => {
    const { card } = await hiddenByService()
    const { admin: head, editor: me, viewer, workspaceId } = await team(t, { visibility: 'public' })
    const ofTeam = await record(me, { workspace_id: workspaceId })
    await me.post(`${url(ofTeam)}/share`)
    await report(viewer, ofTeam.card_id)
    await decide(head, await matterOf(head, ofTeam.card_id), { decision: 'hide' })
    const second = await t.user()
    await head.post(`/api/v1/workspaces/${workspaceId}/members`, { user_id: second.userId, role: 'admin' })
    const byFormer = await record(me, { workspace_id: workspaceId })
    await me.post(`${url(byFormer)}/share`)
    await report(viewer, byFormer.card_id)
    await decide(second, await matterOf(second, byFormer.card_id), { decision: 'hide' })
    await head.delete(`/api/v1/workspaces/${workspaceId}/members/${second.userId}`)
    const ids = [card.card_id, ofTeam.card_id, byFormer.card_id]
    const { database } = t.app.services
    const rows = await database.read
      .selectFrom('moderation_matters')
      .select(['card_id', 'decided_by_service'])
      .where('card_id', 'in', ids)
      .execute()
    expect(ids.map((id) => rows.find(({ card_id }) => card_id === id)?.decided_by_service)).toEqual([1, 0, 0])
  })

  test('a moderator of the service is named to no admin of a workspace', async () => {
    const { admin, editor, workspaceId } = await team(t, { visibility: 'public' })
    const [boss, other] = [await serviceAdmin(t), await serviceAdmin(t)]
    const card = await record(editor, { workspace_id: workspaceId })
    await editor.post(`/api/v1/cards/${card.card_id}/share`)
    await report(await t.user(), card.card_id)
    const found = await matterOf(admin, card.card_id)
    expect((await decide(boss, found, { decision: 'hide' })).status).toBe(200)
    const nameFor = async (who: typeof boss) =>
      (await who.get(`/api/v1/moderation/matters/${found.matter_id}`)).body.decided_by_name
    expect([await nameFor(admin), await nameFor(other)]).toEqual([null, 'service-admin'])
    const late = await decide(admin, found, { decision: 'keep' })
    expect([late.body.code, late.body.decided_by_name]).toEqual(['matter_changed', null])
  })
})
