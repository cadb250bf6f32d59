import { afterAll, expect, test } from 'vitest'
import { goodCard, record, team } from '../../../test/support/cards.ts'
import { clientOf } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { decide, matterOf, report, serviceAdmin } from '../../../test/support/moderation.ts'
import { published } from '../../../test/support/publishing.ts'
import { startSmtp } from '../../../test/support/smtp.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())

const blocked = () => ({
  ...goodCard(),
  fix_summary: `Clean up with rm -rf ${'/'} and then start the machine again, which makes room for ${crypto.randomUUID()}`,
})

onBothEngines('decisions of moderators', (t) => {
  test('a ban outlives the account, and a moderator lifts it', async () => {
    const [me, boss] = [await t.user(), await serviceAdmin(t)]
    const card = await published(me)
    await report(await t.user(), card.card_id)
    await decide(boss, await matterOf(boss, card.card_id), { decision: 'hide', ban_publisher: true })
    expect((await me.get('/api/v1/notices')).body.items[0].text).toContain(
      'They hid it from everybody but you, and banned you from publishing. Reason: It deletes',
    )
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

  test('a person is told that a ban was lifted, by itself or with a decision', async () => {
    const [me, boss, reporter] = [await t.user(), await serviceAdmin(t), await t.user()]
    const texts = async () =>
      (await me.get('/api/v1/notices')).body.items.map((one: { heading: string; text: string }) => [
        one.heading,
        one.text,
      ])
    const [one, two] = [await published(me), await published(me)]
    await report(reporter, one.card_id)
    await report(reporter, two.card_id)
    await decide(boss, await matterOf(boss, one.card_id), { decision: 'hide', ban_publisher: true })
    const [{ ban_id }] = (await boss.get('/api/v1/moderation/bans')).body.items
    const lifted = await boss.post(`/api/v1/moderation/bans/${ban_id}/lift`, { reason: 'They have learned' })
    expect(lifted.status).toBe(200)
    expect((await texts())[0]).toEqual([
      'You may publish in the library, and in public and unlisted workspaces, again',
      'A moderator lifted your ban. Reason: They have learned. Cards that were hidden or removed stay so.',
    ])
    await decide(boss, await matterOf(boss, two.card_id), { decision: 'hide', ban_publisher: true })
    const decided = (await boss.get('/api/v1/moderation/matters?status=decided&page_size=100')).body.items
    const found = decided.find((matter: { card_id: string }) => matter.card_id === two.card_id)
    await decide(boss, found, { decision: 'keep', reason: 'It was quoted.' })
    expect((await texts())[0]?.[1]).toContain(
      'They looked at it and kept it, and lifted your ban from publishing. Reason: It was quoted.',
    )
  })

  test('two decisions at once ban a person once, and the second moderator is told', async () => {
    const [me, one, two] = [await t.user(), await serviceAdmin(t), await serviceAdmin(t)]
    const cards = [await published(me), await published(me)]
    const reporter = await t.user()
    for (const { card_id } of cards) await report(reporter, card_id)
    const [first, second] = [await matterOf(one, cards[0].card_id), await matterOf(two, cards[1].card_id)]
    const ban = { decision: 'hide', ban_publisher: true }
    const answers = await Promise.all([decide(one, first, ban), decide(two, second, ban)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    const refused = answers.find(({ status }) => status === 409)?.body
    expect(refused).toMatchObject({
      code: 'already_banned',
      reason: 'It deletes the home folder of its reader.',
    })
    const mine = (await one.get('/api/v1/moderation/bans')).body.items.filter(
      (row: { user_id: string }) => row.user_id === me.userId,
    )
    expect(mine.map((row: { ban_id: string }) => row.ban_id)).toEqual([refused.ban_id])
    const [matter, moderator] = answers[0]?.status === 409 ? [first, one] : [second, two]
    expect((await decide(moderator, matter, { decision: 'hide' })).status).toBe(200)
  })

  test('moderators let a blocked draft through, only in this version and this workspace, and never a secret', async () => {
    const [me, boss] = [await t.user(), await serviceAdmin(t)]
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
    const boss = await serviceAdmin(t)
    const card = await record(editor, { workspace_id: workspaceId })
    await editor.post(`/api/v1/cards/${card.card_id}/share`)
    expect((await report(viewer, card.card_id, 'wrong')).status).toBe(201)
    const found = await matterOf(head, card.card_id)
    expect((await boss.get(`/api/v1/moderation/matters/${found.matter_id}`)).status).toBe(404)
    expect((await viewer.get(`/api/v1/moderation/matters/${found.matter_id}`)).status).toBe(404)
    expect((await head.get('/api/v1/notices')).body.items[0]).toMatchObject({
      kind: 'moderation.waiting',
      heading: 'A card waits for a moderator in Team',
    })
    await decide(head, found, { decision: 'hide', ban_publisher: true })
    for (const who of [viewer, head, boss])
      expect((await who.get(`/api/v1/cards/${card.card_id}`)).status).toBe(404)
    expect((await editor.get(`/api/v1/cards/${card.card_id}`)).status).toBe(200)
    const next = await record(editor, { workspace_id: workspaceId })
    expect((await editor.post(`/api/v1/cards/${next.card_id}/share`)).body.code).toBe('publishing_banned')
    expect((await editor.post(`/api/v1/cards/${next.card_id}/publish`)).status).toBe(200)
    // Who has left it hears no more of what the team is called.
    await editor.delete(`/api/v1/workspaces/${workspaceId}/members/${editor.userId}`)
    await head.patch(`/api/v1/workspaces/${workspaceId}`, { name: 'Payroll' })
    const [{ ban_id }] = (await head.get('/api/v1/moderation/bans')).body.items
    await head.post(`/api/v1/moderation/bans/${ban_id}/lift`, { reason: 'They have learned.' })
    expect((await editor.get('/api/v1/notices')).body.items[0].heading).toBe(
      'You may publish in a workspace that you left, again',
    )
    // What a team decided ends with the team.
    await head.delete(`/api/v1/workspaces/${workspaceId}?confirm_name=Payroll`)
    expect((await editor.get(`/api/v1/cards/${card.card_id}`)).body.hidden_since).toBeUndefined()
  })

  test('those who decided about a card do not learn what it says after its owner took it back', async () => {
    const { admin: boss, editor: me, viewer: reader, workspaceId } = await team(t)
    const card = await record(me, { workspace_id: workspaceId })
    const at = `/api/v1/cards/${card.card_id}`
    await me.post(`${at}/share`)
    await report(reader, card.card_id, 'wrong')
    const found = await matterOf(boss, card.card_id)
    const whole = async () => (await boss.get(`/api/v1/moderation/matters/${found.matter_id}`)).body

    await me.post(`${at}/unpublish`)
    const home = (await me.get('/api/v1/auth/me')).body.personal_workspace_id
    expect((await me.post(`${at}/move`, { workspace_id: home })).status).toBe(200)
    expect((await matterOf(boss, card.card_id)).title).toBe(card.title)
    await me.patch(at, { title: 'We leave for another company in May' })
    await me.put(`${at}/cites`, { cites: ['npm:another-company-sdk@1.0.0'] })
    expect((await matterOf(boss, card.card_id)).title).toBeNull()
    expect(JSON.stringify(await whole())).not.toContain('another')
    expect((await whole()).content.title).toBe(card.title)
  })

  test('in a private team whose only admin owns the card, a report that nobody could read is refused', async () => {
    const { admin: head, editor, viewer, workspaceId } = await team(t)
    const card = await record(head, { workspace_id: workspaceId })
    await head.post(`/api/v1/cards/${card.card_id}/share`)
    const refused = await report(viewer, card.card_id, 'wrong')
    expect([refused.status, refused.body.code]).toEqual([409, 'no_moderator'])
    await head.patch(`/api/v1/workspaces/${workspaceId}/members/${editor.userId}`, { role: 'admin' })
    expect((await report(viewer, card.card_id, 'wrong')).status).toBe(201)
    expect(await matterOf(editor, card.card_id)).toMatchObject({ reports: 1 })
  })

  test('reports of a person who leaves stay without a name', async () => {
    const [me, leaver, boss] = [await t.user(), await t.user(), await serviceAdmin(t)]
    const card = await published(me)
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

  test('a person in MODERATOR_EMAILS moderates once the address is proven', async () => {
    const [me, named] = [await t.user(), await t.user()]
    const card = await published(me)
    await report(await t.user(), card.card_id)
    const { config } = t.app.services
    Object.assign(t.app.services, { config: { ...config, moderatorEmails: [named.email] } })
    expect(await matterOf(named, card.card_id)).toBeUndefined()
    expect((await named.get('/api/v1/auth/me')).body).toMatchObject({ is_moderator: false, is_admin: false })
    await t.app.services.database.transaction((db) =>
      db.updateTable('users').set({ email_verified: 1 }).where('user_id', '=', named.userId).execute(),
    )
    expect((await named.get('/api/v1/auth/me')).body).toMatchObject({ is_moderator: true, is_admin: false })
    expect(await matterOf(named, card.card_id)).toMatchObject({ status: 'open' })
    Object.assign(t.app.services, { config })
  })
})

onBothEngines(
  'decisions, with mail',
  (t) => {
    test('the owner is mailed the decision and, on the same day, the one about the appeal', async () => {
      const [me, boss] = [await t.user(), await serviceAdmin(t)]
      const card = await published(me)
      await report(await t.user(), card.card_id)
      const found = await matterOf(boss, card.card_id)
      const hidden = await decide(boss, found, { decision: 'hide' })
      expect(hidden.body.publisher).toMatchObject({ published_cards: 0, hidden_or_removed: 1 })
      const first = await smtp.mailTo(me.email, 'A moderator decided about a card')
      expect(first.text).toContain('They hid it from everybody but you.')
      expect(first.text).toContain(`turn off e-mail notifications: ${t.app.services.config.baseUrl}/settings`)
      await me.post(`/api/v1/moderation/matters/${found.matter_id}/appeal`, { note: 'Look again, please.' })
      await decide(boss, await matterOf(boss, card.card_id), { decision: 'keep', reason: 'It warns.' })
      const mailed = await t.app.services.database.read
        .selectFrom('outbox')
        .select('subject')
        .where('to_address', '=', me.email)
        .where('state_key', 'like', 'notice:%')
        .execute()
      expect(mailed).toHaveLength(2)
    })

    const confirm = (email: string) =>
      t.app.services.database.transaction((db) =>
        db.updateTable('users').set({ email_verified: 1 }).where('email', '=', email).execute(),
      )

    /** Somebody is banned and deletes the account. A new one with the same address, confirmed, publishes. */
    const publishedAfterBan = async (wasConfirmed: boolean) => {
      const [me, boss] = [await t.user(), await serviceAdmin(t)]
      if (wasConfirmed) await confirm(me.email)
      const card = await published(me)
      await report(await t.user(), card.card_id)
      await decide(boss, await matterOf(boss, card.card_id), { decision: 'hide', ban_publisher: true })
      const mine = await me.post(`/api/v1/cards/${(await record(me)).card_id}/publish`)
      expect(mine.body).toMatchObject({ code: 'publishing_banned', matter_id: expect.any(String) })
      const password = 'correct horse battery'
      await me.post('/api/v1/auth/me/delete', { confirmed_by_user: true, password })
      const again = { email: me.email, password, display_name: 'new' }
      const { access_token } = (await t.anonymous().post('/api/v1/auth/register', again)).body
      await confirm(me.email)
      const back = clientOf(t.app, { authorization: `Bearer ${access_token}` })
      return back.post(`/api/v1/cards/${(await record(back)).card_id}/publish`)
    }

    test('a ban does not stick to an address that the banned person never confirmed', async () => {
      const answer = await publishedAfterBan(false)
      expect(answer.status, answer.text).toBe(200)
    })

    test('a ban by the address names no appeal, which only the account that was banned has', async () => {
      const refused = await publishedAfterBan(true)
      expect([refused.status, refused.body.code]).toEqual([403, 'publishing_banned'])
      expect(refused.body).not.toHaveProperty('matter_id')
      expect(refused.text).not.toContain('/appeal')
    })
  },
  { SMTP_URL: smtp.url },
)
