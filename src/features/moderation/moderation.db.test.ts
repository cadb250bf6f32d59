import { expect, test } from 'vitest'
import { makeAdmin } from '../../../test/support/admin.ts'
import { goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { type Client, clientOf } from '../../../test/support/client.ts'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { contextFor } from '../../core/context.ts'
import { dropOldReads, keepWaitingReads } from '../card-reads/card-reads.ts'

const UNKNOWN = '01890000-0000-7000-8000-000000000000'
const DAY_MS = 86_400_000
const ON = { PUBLIC_PAGES: 'on', MODERATOR_EMAILS: 'moderator-1@example.com' }

const publish = async (me: Person, more: Record<string, unknown> = {}) => {
  const card = await record(me, more)
  const published = await me.post(`/api/v1/cards/${card.card_id}/publish`)
  expect(published.status, published.text).toBe(200)
  return published.body
}

const report = (by: Client, cardId: string, kind = 'dangerous', note: string | null = null) =>
  by.post(`/api/v1/cards/${cardId}/report`, { kind, note })

/** The matter of a card, as a moderator finds it. */
const matterOf = async (moderator: Person, cardId: string) => {
  const { body } = await moderator.get('/api/v1/moderation/matters?page_size=100')
  return body.items.find((one: { card_id: string }) => one.card_id === cardId)
}

const decide = (moderator: Person, found: { matter_id: string; revision: number }, more: object) =>
  moderator.post(`/api/v1/moderation/matters/${found.matter_id}/decision`, {
    revision: found.revision,
    reason: 'It deletes the home folder of its reader.',
    ...more,
  })

const blocked = () => ({
  ...goodCard(),
  fix_summary: `Clean up with rm -rf ${'/'} and then start the machine again, which makes room for ${crypto.randomUUID()}`,
})

async function agentOf(t: TestVault, person: Person): Promise<Client> {
  const made = await person.post('/api/v1/auth/api-keys', { name: 'agent' })
  expect(made.status, made.text).toBe(201)
  return clientOf(t.app, { 'x-api-key': made.body.api_key })
}

onBothEngines(
  'moderation',
  (t) => {
    /** Somebody whose account is a year old. */
    const longKnown = async (name = 'reporter') => {
      const person = await t.user(name)
      const since = new Date(Date.now() - 365 * DAY_MS).toISOString()
      await t.app.services.database.transaction((db) =>
        db.updateTable('users').set({ created_at: since }).where('user_id', '=', person.userId).execute(),
      )
      return person
    }
    const admin = async () => {
      const person = await t.user('service-admin')
      await makeAdmin(t.app, person.email)
      return person
    }
    const write = () => keepWaitingReads(contextFor(t.app.services))

    test('a stranger learns nothing: of cards, matters and bans that are not theirs to see', async () => {
      const [me, stranger] = [await t.user(), await t.user()]
      const secret = await record(me)
      const theirs = await publish(me)
      const none = await report(stranger, UNKNOWN)
      for (const who of [stranger, t.anonymous()]) {
        const answer = await report(who, secret.card_id)
        expect(answer.status).toBe(404)
        expect(answer.body).toEqual(none.body)
      }
      expect((await report(me, theirs.card_id)).body.code).toBe('own_card')
      await report(stranger, theirs.card_id)
      const boss = await admin()
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

    test('one report for each person; anonymous readers of public pages may report too', async () => {
      const [me, reader, boss] = [await t.user(), await t.user(), await admin()]
      const card = await publish(me)
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
      const [me, boss] = [await t.user('publisher'), await admin()]
      const [card, other, third] = [await publish(me), await publish(me), await publish(me)]
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
        await report(await longKnown(), card.card_id)
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
      for (let i = 0; i < 4; i++) await report(await longKnown(), card.card_id)
      expect((await reader.get(`/api/v1/cards/${card.card_id}`)).status).toBe(200)
    })

    test('of two moderators at once one decides, and the other is told what was decided', async () => {
      const [me, one, two] = [await t.user(), await admin(), await admin()]
      const card = await publish(me)
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
      expect((await decide(one, found, { decision: 'keep', reason: ' ' })).status).toBe(422)
    })

    test('remove, ban, appeal once, granted: all told, all in the log', async () => {
      const [me, boss] = [await t.user(), await admin()]
      const card = await publish(me)
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
      const open = await me.post('/api/v1/workspaces', { name: 'Open', visibility: 'public' })
      const there = await record(me, { workspace_id: open.body.workspace_id })
      expect((await me.post(`/api/v1/cards/${there.card_id}/share`)).body.code).toBe('publishing_banned')
      const closed = await me.post('/api/v1/workspaces', { name: 'Closed' })
      const inside = await record(me, { workspace_id: closed.body.workspace_id })
      expect((await me.post(`/api/v1/cards/${inside.card_id}/share`)).status).toBe(200)
      const opening = await me.patch(`/api/v1/workspaces/${closed.body.workspace_id}`, {
        visibility: 'public',
      })
      expect(opening.body.code).toBe('publishing_banned')

      const address = `/api/v1/moderation/matters/${found.matter_id}/appeal`
      const state = (await me.get(`/api/v1/cards/${card.card_id}/moderation`)).body
      expect(state).toMatchObject({ is_hidden: true, matters: [{ can_appeal: true, decision: 'remove' }] })
      expect(JSON.stringify(state)).not.toContain(boss.userId)
      expect((await me.post(address, { note: 'I have mended it.' })).status).toBe(201)
      expect((await me.post(address, { note: 'And again.' })).body.code).toBe('no_appeal')
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

    test('a ban outlives the account, and a moderator lifts it', async () => {
      const [me, boss] = [await t.user(), await admin()]
      const card = await publish(me)
      await report(await t.user(), card.card_id)
      await decide(boss, await matterOf(boss, card.card_id), { decision: 'hide', ban_publisher: true })
      await me.post('/api/v1/auth/me/delete', { confirmed_by_user: true, password: 'correct horse battery' })
      const again = await t.anonymous().post('/api/v1/auth/register', {
        email: me.email,
        password: 'correct horse battery',
        display_name: 'me again',
      })
      const back = clientOf(t.app, { authorization: `Bearer ${again.body.access_token}` })
      const fresh = await record(back)
      const refused = await back.post(`/api/v1/cards/${fresh.card_id}/publish`)
      expect(refused.body.code).toBe('publishing_banned')
      const { ban_id } = refused.body
      const lift = () => boss.post(`/api/v1/moderation/bans/${ban_id}/lift`, { reason: 'They have learned.' })
      expect((await boss.get('/api/v1/moderation/bans')).body.items[0]).toMatchObject({
        ban_id,
        lifted_at: null,
      })
      expect((await lift()).body.lift_reason).toBe('They have learned.')
      expect((await lift()).body.code).toBe('ban_lifted')
      expect((await back.post(`/api/v1/cards/${fresh.card_id}/publish`)).status).toBe(200)
    })

    test('moderators let a blocked draft through, in this version and to this place alone; never a secret', async () => {
      const [me, boss] = [await t.user(), await admin()]
      const card = await record(me, blocked())
      expect((await me.post(`/api/v1/cards/${card.card_id}/publish`)).body.code).toBe('quality_rejected')
      const ask = (id: string) => me.post(`/api/v1/cards/${id}/ask-moderators`, { note: 'It is a warning.' })
      const good = await record(me)
      expect((await ask(good.card_id)).body.code).toBe('not_blocked')
      expect((await ask(card.card_id)).status).toBe(201)
      expect((await ask(card.card_id)).body.code).toBe('matter_open')
      const found = await matterOf(boss, card.card_id)
      expect(found).toMatchObject({ cause: 'blocked', status: 'open' })
      const whole = (await boss.get(`/api/v1/moderation/matters/${found.matter_id}`)).body
      expect(whole.ask_note).toBe('It is a warning.')
      expect(whole.findings[0]).toMatchObject({
        rule: 'destruction',
        field: 'fix_summary',
        severity: 'block',
      })
      expect(whole.content.fix_summary.slice(whole.findings[0].start, whole.findings[0].end)).toContain(
        'rm -rf',
      )
      expect((await decide(boss, found, { decision: 'keep', reason: 'It warns.' })).status).toBe(200)
      await me.patch(`/api/v1/cards/${card.card_id}`, { scope_notes: 'Another version.' })
      expect((await me.post(`/api/v1/cards/${card.card_id}/publish`)).status).toBe(400)
      await ask(card.card_id)
      await decide(boss, await matterOf(boss, card.card_id), { decision: 'keep', reason: 'It warns.' })
      expect((await me.post(`/api/v1/cards/${card.card_id}/publish`)).status).toBe(200)
      const reader = await t.user()
      expect((await reader.get(`/api/v1/cards/${card.card_id}`)).status).toBe(200)

      const secret = await record(me, {
        ...goodCard(),
        body: ['ghp', `_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`].join(''),
      })
      expect((await ask(secret.card_id)).body.code).toBe('holds_secret')
    })

    test('admins of a private team decide about its cards, and moderators of the service do not see them', async () => {
      const { admin: head, editor, viewer, workspaceId } = await team(t)
      const boss = await admin()
      const card = await record(editor, { workspace_id: workspaceId })
      await editor.post(`/api/v1/cards/${card.card_id}/share`)
      expect((await report(viewer, card.card_id, 'wrong')).status).toBe(201)
      const found = await matterOf(head, card.card_id)
      expect((await boss.get(`/api/v1/moderation/matters/${found.matter_id}`)).status).toBe(404)
      expect((await viewer.get(`/api/v1/moderation/matters/${found.matter_id}`)).status).toBe(404)
      expect((await head.get('/api/v1/notices')).body.items[0].kind).toBe('moderation.waiting')
      await decide(head, found, { decision: 'hide', ban_publisher: true })
      for (const who of [viewer, head, boss])
        expect((await who.get(`/api/v1/cards/${card.card_id}`)).status).toBe(404)
      expect((await editor.get(`/api/v1/cards/${card.card_id}`)).status).toBe(200)
      const next = await record(editor, { workspace_id: workspaceId })
      expect((await editor.post(`/api/v1/cards/${next.card_id}/share`)).body.code).toBe('publishing_banned')
      expect((await editor.post(`/api/v1/cards/${next.card_id}/publish`)).status).toBe(200)
      // What a team decided ends with the team.
      await head.delete(`/api/v1/workspaces/${workspaceId}?confirm_name=Team`)
      expect((await editor.get(`/api/v1/cards/${card.card_id}`)).body.hidden_since).toBeUndefined()
    })

    test('whose agent was shown a card is told that it was withdrawn, once in each project', async () => {
      const [me, reader, other, boss] = [await t.user(), await t.user(), await t.user(), await admin()]
      const [agent, idle] = [await agentOf(t, reader), await agentOf(t, other)]
      const card = await publish(me)
      expect((await agent.get(`/api/v1/cards/${card.card_id}`)).status).toBe(200)
      await other.get(`/api/v1/cards/${card.card_id}`)
      await write()
      await report(await t.user(), card.card_id)
      await decide(boss, await matterOf(boss, card.card_id), { decision: 'hide' })
      const context = (who: Client, project_key: string, more = {}) =>
        who.tool('get_project_context', { project_key, ...more })
      const told = await context(agent, 'org/one', { max_total_chars: 1000 })
      expect(told.body.data.withdrawn_cards).toEqual([
        {
          card_id: card.card_id,
          title: card.title.length <= 60 ? card.title : expect.any(String),
          reason: 'It deletes the home folder of its reader.',
          withdrawn_at: expect.any(String),
          provenance: expect.objectContaining({ owner: 'public' }),
        },
      ])
      expect(JSON.stringify(told.body.data).length).toBeLessThan(1600)
      expect((await context(agent, 'org/one')).body.data.withdrawn_cards).toBeUndefined()
      expect((await context(agent, 'org/two')).body.data.withdrawn_cards).toHaveLength(1)
      expect((await context(idle, 'org/one')).body.data.withdrawn_cards).toBeUndefined()
      expect((await context(reader, 'org/three')).body.data.withdrawn_cards).toBeUndefined()
    })

    test('search and recall at an agent door count as shown; reads are kept for 30 days', async () => {
      const [me, reader] = [await t.user(), await t.user()]
      const agent = await agentOf(t, reader)
      const card = await publish(me)
      const found = await agent.post('/api/v1/search', { query: card.title, scope: 'public' })
      expect(found.body.results[0].card_id).toBe(card.card_id)
      await write()
      const kept = () =>
        t.app.services.database.read
          .selectFrom('card_reads')
          .select('card_id')
          .where('user_id', '=', reader.userId)
          .execute()
      expect(await kept()).toEqual([{ card_id: card.card_id }])
      t.later(31 * DAY_MS)
      await dropOldReads(contextFor(t.app.services))
      t.later(-31 * DAY_MS)
      expect(await kept()).toEqual([])
    })

    test('reports of who leaves are nobody’s', async () => {
      const [me, leaver, boss] = [await t.user(), await t.user(), await admin()]
      const card = await publish(me)
      await report(leaver, card.card_id, 'wrong', 'I tried it.')
      const exported = await leaver.get('/api/v1/auth/me/export')
      expect(exported.text).toContain('I tried it.')
      await leaver.post('/api/v1/auth/me/delete', {
        confirmed_by_user: true,
        password: 'correct horse battery',
      })
      const { matter_id } = await matterOf(boss, card.card_id)
      const { all_reports } = (await boss.get(`/api/v1/moderation/matters/${matter_id}`)).body
      expect(all_reports).toMatchObject([{ kind: 'wrong', note: 'I tried it.', is_anonymous: true }])
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
      const moved = await me.post(`/api/v1/cards/${card.card_id}/move`, {
        workspace_id: strict.body.workspace_id,
      })
      expect(moved.body).toMatchObject({ code: 'quality_rejected', reasons: [{ rule: 'weakened_check' }] })
      expect((await me.get(`/api/v1/cards/${card.card_id}`)).body).toMatchObject({
        workspace_id: from,
        status: 'published',
      })
    })
  },
  ON,
)

onBothEngines('a server without public pages', (t) => {
  test('takes no report of nobody, whatever the card', async () => {
    const card = await publish(await t.user())
    for (const id of [card.card_id, UNKNOWN]) {
      const answer = await report(t.anonymous(), id)
      expect(answer.status).toBe(401)
    }
  })
})

onBothEngines(
  'a server with limits',
  (t) => {
    test('takes few reports a minute from one address', async () => {
      const card = await publish(await t.user())
      const statuses = []
      for (let i = 0; i < 7; i++) statuses.push((await report(t.anonymous(), card.card_id)).status)
      expect(statuses.filter((status) => status === 201).length).toBe(5)
      expect(statuses.at(-1)).toBe(429)
    })
  },
  { ...ON, RATE_LIMIT: 'on' },
)
