import { expect, test } from 'vitest'
import { record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { decide, longKnown, matterOf, report, serviceAdmin } from '../../../test/support/moderation.ts'
import { published } from '../../../test/support/publishing.ts'

const UNKNOWN = '01890000-0000-7000-8000-000000000000'
const ON = { PUBLIC_PAGES: 'on' }

onBothEngines(
  'moderation',
  (t) => {
    test('a stranger learns nothing: of cards, matters and bans that are not theirs to see', async () => {
      const [me, stranger] = [await t.user(), await t.user()]
      const secret = await record(me)
      const theirs = await published(me)
      const none = await report(stranger, UNKNOWN)
      for (const who of [stranger, t.anonymous()]) {
        const answer = await report(who, secret.card_id)
        expect(answer.status).toBe(404)
        expect(answer.body).toEqual(none.body)
        expect((await who.get(`/api/v1/cards/${secret.card_id}/report`)).status).toBe(404)
      }
      expect((await report(me, theirs.card_id)).body.code).toBe('own_card')
      await report(stranger, theirs.card_id)
      const boss = await serviceAdmin(t)
      const found = await matterOf(boss, theirs.card_id)
      for (const who of [stranger, me]) {
        expect((await who.get(`/api/v1/moderation/matters/${found.matter_id}`)).status).toBe(404)
        expect((await decide(who, found, { decision: 'keep' })).status).toBe(404)
        expect((await who.get('/api/v1/moderation/matters')).body.total).toBe(0)
        expect((await who.get('/api/v1/moderation/bans')).body.total).toBe(0)
        expect(
          (await who.post(`/api/v1/moderation/bans/${UNKNOWN}/lift`, { reason: 'why not' })).status,
        ).toBe(404)
      }
      const appeal = { note: 'It is mine, look again.' }
      expect(
        (await stranger.post(`/api/v1/moderation/matters/${found.matter_id}/appeal`, appeal)).status,
      ).toBe(404)
      expect((await me.post(`/api/v1/moderation/matters/${found.matter_id}/appeal`, appeal)).body.code).toBe(
        'no_appeal',
      )
      expect((await stranger.get(`/api/v1/cards/${theirs.card_id}/moderation`)).status).toBe(403)
      expect((await stranger.get(`/api/v1/cards/${secret.card_id}/moderation`)).status).toBe(404)
    })

    test('a report on the page of somebody whose session has ended is refused, not taken from a stranger', async () => {
      const { card_id } = await published(await t.user())
      const ended = { 'x-requested-with': 'kvault-web', 'x-session-user': (await t.user()).userId }
      const send = (headers: Record<string, string>) =>
        t.anonymous().post(`/api/v1/cards/${card_id}/report`, { kind: 'wrong' }, headers)
      expect((await send(ended)).status).toBe(401)
      expect((await send({})).status).toBe(201)
    })

    test('a key that reads no cards reads no title by asking what it may report', async () => {
      const { admin, editor, workspaceId } = await team(t)
      const card = await record(editor, { workspace_id: workspaceId })
      await editor.post(`/api/v1/cards/${card.card_id}/share`)
      const { body } = await admin.post('/api/v1/auth/api-keys', { name: 'writer', scopes: ['record'] })
      const key = { 'x-api-key': body.api_key }
      const asked = await t.anonymous().get(`/api/v1/cards/${card.card_id}/report`, key)
      expect([asked.status, asked.text.includes(card.title)]).toEqual([403, false])
      const wrong = { kind: 'wrong' }
      const sent = await t.anonymous().post(`/api/v1/cards/${card.card_id}/report`, wrong, key)
      expect(sent.status).toBe(201)
    })

    test('one report for each person; anonymous readers of public pages may report too', async () => {
      const [me, reader, boss] = [await t.user(), await t.user(), await serviceAdmin(t)]
      const card = await published(me)
      // Which card it would be is said before anything is written.
      for (const who of [reader, t.anonymous()])
        expect((await who.get(`/api/v1/cards/${card.card_id}/report`)).body).toEqual({
          card_id: card.card_id,
          title: card.title,
        })
      expect((await me.get(`/api/v1/cards/${card.card_id}/report`)).body.code).toBe('own_card')
      const key = ['AKIA', 'Q3X7ZP2LMNV4RTYW'].join('')
      expect((await report(reader, card.card_id, 'spam')).body).toMatchObject({ replaced: false })
      expect((await report(reader, card.card_id, 'secret', `it says ${key}`)).body).toMatchObject({
        replaced: true,
      })
      expect((await report(t.anonymous(), card.card_id, 'wrong')).status).toBe(201)
      expect((await report(t.anonymous(), card.card_id, 'other')).body).toMatchObject({ replaced: true })
      const found = await matterOf(boss, card.card_id)
      expect(found).toMatchObject({ reports: 2, status: 'open', is_hidden: false })
      const whole = (await boss.get(`/api/v1/moderation/matters/${found.matter_id}`)).body
      expect(whole.all_reports.map((one: { kind: string }) => one.kind).sort()).toEqual(['other', 'secret'])
      expect(JSON.stringify(whole)).not.toContain(key)
      expect(JSON.stringify(whole)).not.toContain(reader.userId)
      expect(whole.publisher).toMatchObject({ user_id: me.userId, published_cards: 1, is_banned: false })
      expect(whole.content.title).toBe(card.title)
    })

    test('three long-known people who have nothing to do with each other hide a card; a ring or new accounts do not', async () => {
      const [me, boss] = [await t.user('publisher'), await serviceAdmin(t)]
      const [card, other, third] = [await published(me), await published(me), await published(me)]
      for (let i = 0; i < 4; i++) await report(await t.user(), third.card_id)
      const ring = await team(t)
      await t.app.services.database.transaction((db) =>
        db
          .updateTable('users')
          .set({ created_at: '2020-01-01T00:00:00.000Z' })
          .where('user_id', 'in', [ring.admin.userId, ring.editor.userId, ring.viewer.userId])
          .execute(),
      )
      for (const one of [ring.admin, ring.editor, ring.viewer]) await report(one, other.card_id)
      for (let i = 0; i < 3; i++) {
        expect((await t.anonymous().get(`/library/${card.card_id}`)).status).toBe(200)
        await report(await longKnown(t), card.card_id)
      }
      for (const shown of [other, third]) expect((await matterOf(boss, shown.card_id)).is_hidden).toBe(false)
      expect(await matterOf(boss, card.card_id)).toMatchObject({ is_hidden: true, hidden_by_reports: true })

      const reader = await t.user()
      expect((await reader.get(`/api/v1/cards/${card.card_id}`)).status).toBe(404)
      expect((await t.anonymous().get(`/library/${card.card_id}`)).status).toBe(404)
      expect((await t.anonymous().get('/library')).text).not.toContain(card.card_id)
      expect((await t.anonymous().get('/sitemap.xml')).text).not.toContain(card.card_id)
      const search = { query: card.title, scope: 'public' }
      const ids = (answer: { body: { results: { card_id: string }[] } }) =>
        answer.body.results.map((hit) => hit.card_id)
      expect(ids(await reader.post('/api/v1/search', search))).not.toContain(card.card_id)
      expect(ids(await me.post('/api/v1/search', { ...search, scope: 'personal' }))).toContain(card.card_id)
      expect((await report(reader, card.card_id)).status).toBe(404)

      const own = (await me.get(`/api/v1/cards/${card.card_id}`)).body
      expect(own.hidden_since).toBeTruthy()
      expect(own.readers.text).toBe('Only you')
      const inbox = (await me.get('/api/v1/notices')).body.items
      expect(inbox[0]).toMatchObject({ kind: 'card.hidden', card_id: card.card_id, actor_id: null })
      for (const [verb, body] of [
        ['publish', {}],
        ['move', { workspace_id: me.workspaceId }],
      ] as const) {
        await me.post(`/api/v1/cards/${card.card_id}/unpublish`)
        const answer = await me.post(`/api/v1/cards/${card.card_id}/${verb}`, body)
        if (verb === 'publish') expect(answer.body).toMatchObject({ code: 'card_hidden' })
      }

      // Kept: shown again, and the same version is not hidden by reports a second time.
      const found = await matterOf(boss, card.card_id)
      expect((await decide(boss, found, { decision: 'keep' })).body).toMatchObject({
        status: 'decided',
        is_hidden: false,
      })
      expect((await me.post(`/api/v1/cards/${card.card_id}/publish`)).status).toBe(200)
      for (let i = 0; i < 4; i++) await report(await longKnown(t), card.card_id)
      expect((await reader.get(`/api/v1/cards/${card.card_id}`)).status).toBe(200)
    })

    test('if two moderators decide at once, one wins, and the other is told the decision', async () => {
      const [me, one, two] = [await t.user(), await serviceAdmin(t), await serviceAdmin(t)]
      const card = await published(me)
      await report(await t.user(), card.card_id)
      const found = await matterOf(one, card.card_id)
      const answers = await Promise.all([
        decide(one, found, { decision: 'hide' }),
        decide(two, found, { decision: 'hide' }),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
      const late = answers.find(({ status }) => status === 409)
      expect(late?.body).toMatchObject({ code: 'matter_changed', decision: 'hide', status: 'decided' })
      expect(late?.body.reason).toContain('home folder')
      const wrong = await decide(one, found, { decision: 'keep', ban_publisher: true })
      expect(wrong.status).toBe(422)
      expect((await decide(one, found, { decision: 'burn' })).status).toBe(422)
      for (const reason of [' ', '\u0007\u0007\u0007', 'a\u0001\u001bb'])
        expect((await decide(one, found, { decision: 'keep', reason })).status).toBe(422)
    })

    test('remove, ban, appeal once, granted: all told, all in the log', async () => {
      const [me, boss] = [await t.user(), await serviceAdmin(t)]
      const open = await me.post('/api/v1/workspaces', { name: 'Open', visibility: 'public' })
      const unlisted = await me.post('/api/v1/workspaces', { name: 'Unlisted', visibility: 'unlisted' })
      const card = await published(me)
      await report(await t.user(), card.card_id)
      const found = await matterOf(boss, card.card_id)
      const decided = await decide(boss, found, { decision: 'remove', ban_publisher: true })
      expect(decided.body).toMatchObject({ decision: 'remove', ban_publisher: true })
      expect(decided.body.publisher).toMatchObject({ hidden_or_removed: 1, is_banned: true })
      const own = (await me.get(`/api/v1/cards/${card.card_id}`)).body
      expect(own).toMatchObject({ status: 'unpublished', workspace_id: me.workspaceId })
      const notice = (await me.get('/api/v1/notices')).body.items[0]
      expect(notice).toMatchObject({ kind: 'card.moderated', actor_id: null, card_id: card.card_id })
      expect(notice.text).toContain('home folder')

      const next = await record(me)
      const refused = await me.post(`/api/v1/cards/${next.card_id}/publish`)
      expect(refused.status).toBe(403)
      expect(refused.body).toMatchObject({ code: 'publishing_banned', matter_id: found.matter_id })
      expect(refused.body.detail).toContain('appeal')
      const there = await record(me, { workspace_id: open.body.workspace_id })
      expect((await me.post(`/api/v1/cards/${there.card_id}/share`)).body.code).toBe('publishing_banned')
      const closed = await me.post('/api/v1/workspaces', { name: 'Closed' })
      const inside = await record(me, { workspace_id: closed.body.workspace_id })
      expect((await me.post(`/api/v1/cards/${inside.card_id}/share`)).status).toBe(200)
      const opening = await me.patch(`/api/v1/workspaces/${closed.body.workspace_id}`, {
        visibility: 'public',
      })
      expect(opening.body.code).toBe('publishing_banned')
      const visibilityOf = (visibility: string) =>
        me.patch(`/api/v1/workspaces/${unlisted.body.workspace_id}`, { visibility })
      expect((await visibilityOf('public')).body.code).toBe('publishing_banned')
      // What lets nobody else read it stays possible.
      expect((await visibilityOf('unlisted')).status).toBe(200)
      expect((await visibilityOf('private')).status).toBe(200)

      const address = `/api/v1/moderation/matters/${found.matter_id}/appeal`
      const state = (await me.get(`/api/v1/cards/${card.card_id}/moderation`)).body
      expect(state).toMatchObject({ is_hidden: true, matters: [{ can_appeal: true, decision: 'remove' }] })
      expect(JSON.stringify(state)).not.toContain(boss.userId)
      expect((await me.post(address, { note: 'I have mended it.' })).status).toBe(201)
      expect((await me.post(address, { note: 'And again.' })).body.code).toBe('no_appeal')
      const early = await decide(boss, found, { decision: 'keep' })
      expect(early.body).toMatchObject({ code: 'matter_changed', status: 'appealed' })
      expect(early.body.detail).toContain('Its owner has appealed: ')
      const appealed = await matterOf(boss, card.card_id)
      expect(appealed).toMatchObject({ status: 'appealed', appeal_note: 'I have mended it.' })
      const granted = await decide(boss, appealed, { decision: 'keep', reason: 'It is right now.' })
      expect(granted.body).toMatchObject({ status: 'decided', ban_publisher: false })
      expect((await me.post(address, { note: 'Once more.' })).body.code).toBe('no_appeal')
      expect((await me.post(`/api/v1/cards/${card.card_id}/publish`)).status).toBe(200)
      const log = (await boss.get('/api/v1/admin/audit?page_size=100')).body.items
      const said = log
        .filter((entry: { details: { matter_id?: string } }) => entry.details.matter_id === found.matter_id)
        .map((entry: { action: string }) => entry.action)
      expect(said.toSorted()).toEqual([
        'card.reported',
        'moderation.appeal_decided',
        'moderation.appealed',
        'moderation.decided',
        'publisher.ban_lifted',
        'publisher.banned',
      ])
    })
  },
  ON,
)

onBothEngines('a server without public pages', (t) => {
  test('takes no report of nobody, whatever the card', async () => {
    const card = await published(await t.user())
    for (const id of [card.card_id, UNKNOWN]) expect((await report(t.anonymous(), id)).status).toBe(401)
  })
})

onBothEngines(
  'a server with limits',
  (t) => {
    test('takes few reports a minute from one address', async () => {
      const card = await published(await t.user())
      const statuses = []
      for (let i = 0; i < 7; i++) statuses.push((await report(t.anonymous(), card.card_id)).status)
      expect(statuses.filter((status) => status === 201).length).toBe(5)
      expect(statuses.at(-1)).toBe(429)
    })
  },
  { ...ON, RATE_LIMIT: 'on' },
)
