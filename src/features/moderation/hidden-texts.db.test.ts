import { expect, test } from 'vitest'
import { goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { decide, matterOf, report, serviceAdmin } from '../../../test/support/moderation.ts'
import { published } from '../../../test/support/publishing.ts'

const url = ({ card_id }: { card_id: string }) => `/api/v1/cards/${card_id}`

/** A text that strangers no longer read does not come back to them in another card. */
onBothEngines('texts that moderators have hidden', (t) => {
  const hide = async (boss: Person, card: { card_id: string }) => {
    const answer = await decide(boss, await matterOf(boss, card.card_id), { decision: 'hide' })
    expect(answer.status, answer.text).toBe(200)
  }

  /** The library refuses a new card with this text. */
  const expectRefused = async (by: Person, text: object) => {
    const answer = await by.post(`${url(await record(by, { ...text }))}/publish`)
    expect([answer.status, answer.body.reasons?.[0]?.rule], answer.text).toEqual([400, 'withdrawn_text'])
  }

  test('an appeal frees none of them, and neither does a second decision', async () => {
    const [me, boss] = [await t.user(), await serviceAdmin(t)]
    const [text, changed] = [goodCard(), goodCard()]
    const card = await published(me, '', text)
    await report(await t.user(), card.card_id)
    await hide(boss, card)
    expect((await me.patch(url(card), changed)).status).toBe(200)
    const { matter_id } = await matterOf(boss, card.card_id)
    const appeal = `/api/v1/moderation/matters/${matter_id}/appeal`
    expect((await me.post(appeal, { note: 'It says something else now.' })).status).toBe(201)
    await expectRefused(me, text)
    await hide(boss, card)
    for (const one of [text, changed]) await expectRefused(me, one)
  })

  test('what was changed after the report is hidden as what was reported is', async () => {
    const [me, boss] = [await t.user(), await serviceAdmin(t)]
    const [text, changed] = [goodCard(), goodCard()]
    const card = await published(me, '', text)
    await report(await t.user(), card.card_id)
    expect((await me.patch(url(card), changed)).status).toBe(200)
    await hide(boss, card)
    for (const one of [text, changed]) await expectRefused(me, one)
  })

  /** A card that is shared in a workspace, and reported there. */
  const reportedIn = async (me: Person, reporter: Person, workspace_id: string, text: object) => {
    const card = await record(me, { ...text, workspace_id })
    expect((await me.post(`${url(card)}/share`)).status).toBe(200)
    expect((await report(reporter, card.card_id)).status).toBe(201)
    return card
  }

  test('closing and deleting the workspace frees none of them, and moderators still count the decision', async () => {
    const [me, boss] = [await t.user(), await serviceAdmin(t)]
    const made = await me.post('/api/v1/workspaces', { name: 'Open', visibility: 'public' })
    const { workspace_id } = made.body
    const text = goodCard()
    await hide(boss, await reportedIn(me, await t.user(), workspace_id, text))
    const there = `/api/v1/workspaces/${workspace_id}`
    expect((await me.patch(there, { visibility: 'private' })).status).toBe(200)
    await expectRefused(me, text)
    expect((await me.delete(`${there}?confirm_name=Open`)).status).toBe(200)
    await expectRefused(me, text)
    const other = await published(me)
    await report(await t.user(), other.card_id)
    const { matter_id } = await matterOf(boss, other.card_id)
    const { publisher } = (await boss.get(`/api/v1/moderation/matters/${matter_id}`)).body
    expect(publisher.hidden_or_removed).toBe(1)
  })

  test('what a private team has hidden is compared with nothing', async () => {
    const { admin: head, editor: me, viewer, workspaceId } = await team(t)
    const text = goodCard()
    await hide(head, await reportedIn(me, viewer, workspaceId, text))
    expect((await published(me, '', text)).status).toBe('published')
  })

  const isOpen = async (card: { card_id: string }) => (await (await t.user()).get(url(card))).status === 200

  const sharedIn = async (me: Person, workspace_id: string, text: object) => {
    const card = await record(me, { ...text, workspace_id })
    const shared = await me.post(`${url(card)}/share`)
    expect(shared.status, shared.text).toBe(200)
    return shared.body
  }

  const hiddenInLibrary = async (me: Person, text: object) => {
    const card = await published(me, '', { ...text })
    await report(await t.user(), card.card_id)
    await hide(await serviceAdmin(t), card)
  }

  test('an edit in a private team washes none of them for when the team is opened', async () => {
    const me = await t.user()
    const text = goodCard()
    await hiddenInLibrary(me, text)
    const { workspace_id } = (await me.post('/api/v1/workspaces', { name: 'Own' })).body
    const card = await sharedIn(me, workspace_id, text)
    expect(card.review.status).toBe('rejected')
    const edited = await me.patch(url(card), { scope_notes: 'Everywhere.' })
    expect([edited.status, edited.body.review.status]).toEqual([200, 'rejected'])
    expect((await me.put(`${url(card)}/cites`, { cites: ['npm:pg@8'] })).status).toBe(200)
    expect((await me.get(url(card))).body.review.status).toBe('rejected')
    const opened = await me.patch(`/api/v1/workspaces/${workspace_id}`, { visibility: 'public' })
    expect(opened.status, opened.text).toBe(200)
    expect(await isOpen(card)).toBe(false)
    expect((await me.patch(url(card), { scope_notes: 'Here.' })).body.code).toBe('quality_rejected')
    expect((await me.patch(url(card), goodCard())).status).toBe(200)
    expect(await isOpen(card)).toBe(true)
  })

  test('opening a team shows none that was shared there before it was hidden, unless moderators let it pass', async () => {
    const [me, boss] = [await t.user(), await serviceAdmin(t)]
    const { workspace_id } = (await me.post('/api/v1/workspaces', { name: 'Own' })).body
    const show = (visibility: string) => me.patch(`/api/v1/workspaces/${workspace_id}`, { visibility })
    const text = goodCard()
    const [card, other] = [
      await sharedIn(me, workspace_id, text),
      await sharedIn(me, workspace_id, goodCard()),
    ]
    expect([card.review.status, other.review.status]).toEqual(['passed', 'passed'])
    await hiddenInLibrary(me, text)
    expect((await show('unlisted')).status).toBe(200)
    expect([await isOpen(card), await isOpen(other)]).toEqual([false, true])
    expect((await me.get(url(card))).body.review).toMatchObject({
      status: 'rejected',
      reasons: [{ rule: 'withdrawn_text' }],
    })
    const asked = await me.post(`${url(card)}/ask-moderators`, { target_workspace_id: workspace_id })
    expect(asked.status, asked.text).toBe(201)
    await decide(boss, await matterOf(boss, card.card_id), { decision: 'keep' })
    await me.post(`${url(card)}/unpublish`)
    const again = await me.post(`${url(card)}/publish?target_workspace_id=${workspace_id}`)
    expect(again.status, again.text).toBe(200)
    for (const visibility of ['private', 'public']) expect((await show(visibility)).status).toBe(200)
    expect(await isOpen(card)).toBe(true)
  })

  test('a matter is open if its workspace is at the report', async () => {
    const { admin: me, viewer, workspaceId } = await team(t, { visibility: 'unlisted' })
    const { admin: head, editor, viewer: reader, workspaceId: closed } = await team(t)
    const cards = [
      await reportedIn(me, viewer, workspaceId, goodCard()),
      await reportedIn(editor, reader, closed, goodCard()),
    ]
    expect(await matterOf(head, cards[1].card_id)).toBeTruthy()
    const ids = cards.map(({ card_id }) => card_id)
    const { database } = t.app.services
    const stored = database.read.selectFrom('moderation_matters').select(['card_id', 'was_open'])
    const rows = await stored.where('card_id', 'in', ids).execute()
    expect(ids.map((id) => rows.find(({ card_id }) => card_id === id)?.was_open)).toEqual([1, 0])
  })
})
