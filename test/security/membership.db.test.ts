import { afterAll, describe, expect, test } from 'vitest'
import { goodCard } from '../support/cards.ts'
import { onBothEngines, type TestVault } from '../support/engines.ts'
import { startSmtp } from '../support/smtp.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())

type Person = Awaited<ReturnType<TestVault['user']>>

async function teamOf(admin: Person, body: object = {}) {
  const { workspace_id } = (await admin.post('/api/v1/workspaces', { name: 'Platform', ...body })).body
  const members = `/api/v1/workspaces/${workspace_id}/members`
  const add = (person: Person, role = 'viewer') =>
    admin.post(`${members}/by-email`, { email: person.email, role })
  const leave = (person: Person) => person.delete(`${members}/${person.userId}`)
  return { workspaceId: workspace_id as string, members, add, leave }
}

const inboxOf = async (person: Person) => (await person.get('/api/v1/notices')).body
const askMe = (person: Person) => person.put('/api/v1/user/settings', { ask_before_added: true })

const define = (t: TestVault) => {
  const people = async () => [await t.user(`lead-${t.engine}`), await t.user(`mate-${t.engine}`)] as const

  describe('somebody who is added without being asked', () => {
    test('adding the author of a public card by id does not tell their address', async () => {
      const [author, curious] = [await t.user(), await t.user()]
      const { workspace_id } = (await curious.post('/api/v1/workspaces', { name: 'Collection' })).body
      const members = `/api/v1/workspaces/${workspace_id}/members`
      expect((await curious.post(members, { user_id: author.userId })).status).toBe(200)
      const seen = await curious.get(members)
      expect(seen.text).not.toContain(author.email)
      expect((await author.get(members)).text).toContain(author.email)
    })

    test('is told by whom, in the inbox and by mail, and leaves with one call', async () => {
      const [lead, mate] = await people()
      const { workspaceId, add, leave } = await teamOf(lead)
      expect((await add(mate)).body).toMatchObject({ user_id: mate.userId, role: 'viewer' })
      const inbox = await inboxOf(mate)
      expect(inbox).toMatchObject({ total: 1, unread: 1 })
      expect(inbox.items[0]).toMatchObject({
        kind: 'workspace.added',
        heading: `lead-${t.engine} added you to Platform`,
        actor_id: lead.userId,
        workspace_id: workspaceId,
        role: 'viewer',
      })
      const mail = await smtp.mailTo(mate.email, `lead-${t.engine} added you to Platform`)
      expect(mail.text).toContain(`${t.app.services.config.baseUrl}/inbox`)
      expect((await leave(mate)).status).toBe(200)
      expect((await inboxOf(mate)).items[0].role).toBeNull()
      expect((await inboxOf(lead)).total).toBe(0)
    })

    test('gets no mail who wants none, and one a day and one unread notice for the same team', async () => {
      const [lead, mate] = await people()
      const { add, leave } = await teamOf(lead)
      for (let round = 0; round < 3; round++) {
        await add(mate)
        await leave(mate)
      }
      expect(await inboxOf(mate)).toMatchObject({ total: 1, unread: 1 })
      const quiet = await t.user(`quiet-${t.engine}`)
      await quiet.put('/api/v1/user/settings', { email_notifications: false })
      await add(quiet)
      expect((await inboxOf(quiet)).unread).toBe(1)
      const sent = await t.app.services.database.read
        .selectFrom('outbox')
        .select('to_address')
        .where('state_key', 'like', 'notice:%')
        .where('to_address', 'in', [mate.email, quiet.email])
        .execute()
      expect(sent).toEqual([{ to_address: mate.email }])
    })

    test('reads notices one by one or all at once, and never those of others', async () => {
      const [lead, mate] = await people()
      for (let team = 0; team < 3; team++) await (await teamOf(lead)).add(mate)
      const { items } = await inboxOf(mate)
      const ids = { notice_ids: [items[0].notice_id] }
      expect((await lead.post('/api/v1/notices/read', ids)).body).toEqual({ unread: 0 })
      expect((await mate.get('/api/v1/notices/unread')).body).toEqual({ unread: 3 })
      expect((await mate.post('/api/v1/notices/read', ids)).body).toEqual({ unread: 2 })
      expect((await mate.get('/api/v1/notices?unread_only=true')).body).toMatchObject({ total: 2 })
      expect((await mate.post('/api/v1/notices/read')).body).toEqual({ unread: 0 })
      const many = { notice_ids: Array.from({ length: 101 }, () => items[0].notice_id) }
      expect((await mate.post('/api/v1/notices/read', many)).status).toBe(422)
    })

    test('is told of a changed role and of being removed', async () => {
      const [lead, mate] = await people()
      const { members, add } = await teamOf(lead)
      await add(mate)
      await lead.patch(`${members}/${mate.userId}`, { role: 'editor' })
      await lead.delete(`${members}/${mate.userId}`)
      const kinds = (await inboxOf(mate)).items.map((notice: { kind: string }) => notice.kind)
      expect(kinds).toEqual(['workspace.removed', 'workspace.role_changed', 'workspace.added'])
    })
  })

  describe('somebody who wants to be asked first', () => {
    test('gets an invitation instead, by e-mail and by id, and accepts it from the inbox', async () => {
      const [lead, mate] = await people()
      await askMe(mate)
      const { members, workspaceId, add } = await teamOf(lead)
      const asked = await add(mate, 'editor')
      expect([asked.status, asked.body.status, asked.body.role]).toEqual([200, 'invited', 'editor'])
      expect((await mate.get(members)).status).toBe(404)
      const again = await lead.post(members, { user_id: mate.userId, role: 'viewer' })
      expect(again.body).toMatchObject({ status: 'invited', invite_id: asked.body.invite_id })
      const [notice] = (await inboxOf(mate)).items
      expect(notice).toMatchObject({ kind: 'workspace.invited', invite_id: asked.body.invite_id, role: null })
      const accept = `/api/v1/invitations/${notice.invite_id}/accept`
      expect((await lead.post(accept)).status).toBe(404)
      expect((await mate.post(accept)).body).toMatchObject({ workspace_id: workspaceId, role: 'viewer' })
      expect((await mate.post(accept)).status).toBe(404)
      expect((await inboxOf(mate)).items[0]).toMatchObject({ role: 'viewer', invite_id: null })
      expect((await add(mate)).body.code).toBe('already_member')
    })

    test('may decline, and then neither the inbox nor the link opens anything', async () => {
      const [lead, mate] = await people()
      await askMe(mate)
      const { workspaceId, add } = await teamOf(lead)
      const { invite_id } = (await add(mate)).body
      const link = await lead.post(`/api/v1/workspaces/${workspaceId}/invites`, { email: mate.email })
      expect((await lead.post(`/api/v1/invitations/${invite_id}/decline`)).status).toBe(404)
      expect((await mate.post(`/api/v1/invitations/${invite_id}/decline`)).status).toBe(204)
      expect((await mate.post(`/api/v1/invitations/${invite_id}/accept`)).status).toBe(404)
      const byLink = await mate.post('/api/v1/workspaces/invites/accept', { token: link.body.token })
      expect(byLink.status).toBe(404)
      expect((await inboxOf(mate)).items[0].invite_id).toBeNull()
    })

    test('an invitation by address is in the inbox only of the account that has proved the address', async () => {
      const [lead, mate] = await people()
      const { workspaceId } = await teamOf(lead)
      const invites = `/api/v1/workspaces/${workspaceId}/invites`
      const { invite } = (await lead.post(invites, { email: mate.email })).body
      expect((await inboxOf(mate)).total).toBe(0)
      expect((await mate.post(`/api/v1/invitations/${invite.invite_id}/accept`)).status).toBe(404)
      await t.app.services.database.transaction((db) =>
        db.updateTable('users').set({ email_verified: 1 }).where('user_id', '=', mate.userId).execute(),
      )
      await lead.post(invites, { email: mate.email })
      expect((await inboxOf(mate)).items[0].invite_id).toBe(invite.invite_id)
      expect((await mate.post(`/api/v1/invitations/${invite.invite_id}/accept`)).status).toBe(200)
    })
  })

  describe('an office that others gave', () => {
    test('keeps nobody: a last admin whom somebody else made admin may leave', async () => {
      const [lead, mate] = await people()
      const { add, leave, members } = await teamOf(lead)
      await add(mate, 'admin')
      expect((await leave(lead)).status).toBe(200)
      expect((await leave(mate)).status).toBe(200)
      expect((await mate.get(members)).status).toBe(404)
    })

    test('goes back to the giver, if they are still there', async () => {
      const [lead, mate] = await people()
      const { add, leave, members } = await teamOf(lead)
      await add(mate, 'viewer')
      await lead.patch(`${members}/${mate.userId}`, { role: 'admin' })
      await mate.patch(`${members}/${lead.userId}`, { role: 'viewer' })
      expect((await leave(mate)).status).toBe(200)
      expect((await lead.get(members)).body).toMatchObject([{ user_id: lead.userId, role: 'admin' }])
    })

    test('goes to the editor who joined first if the giver has gone, by leaving and with the account', async () => {
      const [lead, mate] = await people()
      const [viewer, first, second] = [await t.user('viewer'), await t.user('first'), await t.user('second')]
      const { add, leave, members } = await teamOf(lead)
      await add(viewer)
      for (const [person, role] of [
        [first, 'editor'],
        [second, 'editor'],
        [mate, 'admin'],
      ] as const) {
        t.later(1000)
        await add(person, role)
      }
      await leave(lead)
      expect((await leave(mate)).status).toBe(200)
      const roles = async () =>
        (await viewer.get(members)).body.map((one: { display_name: string; role: string }) => [
          one.display_name,
          one.role,
        ])
      expect(await roles()).toEqual([
        ['viewer', 'viewer'],
        ['first', 'admin'],
        ['second', 'editor'],
      ])
      expect((await inboxOf(first)).items[0].kind).toBe('workspace.role_changed')
      expect((await first.delete('/api/v1/auth/me?confirmed_by_user=true')).status).toBe(200)
      expect(await roles()).toEqual([
        ['viewer', 'viewer'],
        ['second', 'admin'],
      ])
      // Nobody has let the viewer read drafts, so the operator names the next one.
      expect((await leave(second)).status).toBe(200)
      expect(await roles()).toEqual([['viewer', 'viewer']])
    })

    test('but who made the workspace, or accepted the office, stays until there is another', async () => {
      const [lead, mate] = await people()
      const { workspaceId, add, leave } = await teamOf(lead)
      expect((await leave(lead)).body.code).toBe('last_admin')
      const invites = `/api/v1/workspaces/${workspaceId}/invites`
      const { token } = (await lead.post(invites, { email: mate.email, role: 'admin' })).body
      await mate.post('/api/v1/workspaces/invites/accept', { token })
      await add(await t.user('third'))
      await leave(lead)
      expect((await leave(mate)).body.code).toBe('last_admin')
    })
  })

  describe('who has left a team', () => {
    test('neither shares a card into it nor changes one that is shared there', async () => {
      const [lead, mate] = await people()
      const { workspaceId, add, leave } = await teamOf(lead)
      await add(mate, 'editor')
      const make = async (name: string) =>
        (await mate.post('/api/v1/cards', { ...goodCard(name), workspace_id: workspaceId })).body.card_id
      const [draft, shared] = [await make('draft'), await make('shared')]
      await mate.post(`/api/v1/cards/${shared}/share`)
      await leave(mate)
      expect((await mate.post(`/api/v1/cards/${draft}/share`)).status).toBe(403)
      expect((await mate.tool('share_card', { card_id: draft })).status).toBe(403)
      expect((await mate.patch(`/api/v1/cards/${shared}`, { title: 'Other words now' })).status).toBe(403)
      expect((await mate.patch(`/api/v1/cards/${draft}`, { scope_notes: 'Mine still' })).status).toBe(200)
      expect((await mate.post(`/api/v1/cards/${shared}/unpublish`)).status).toBe(200)
      expect((await mate.post(`/api/v1/cards/${draft}/publish`)).status).toBe(200)
      expect((await mate.patch(`/api/v1/cards/${draft}`, { scope_notes: 'In the library' })).status).toBe(200)
    })

    test('cannot restore there what an admin has deleted', async () => {
      const [lead, mate] = await people()
      const { workspaceId, add, leave } = await teamOf(lead)
      await add(mate, 'editor')
      const given = { ...goodCard('brought back'), workspace_id: workspaceId }
      const { card_id } = (await mate.post('/api/v1/cards', given)).body
      const shownToTeam = async () => (await lead.get(`/api/v1/cards/${card_id}`)).body.status
      await mate.post(`/api/v1/cards/${card_id}/share`)
      await lead.delete(`/api/v1/cards/${card_id}`)
      await mate.post(`/api/v1/cards/${card_id}/undelete`)
      expect(await shownToTeam()).toBe('published')
      await lead.delete(`/api/v1/cards/${card_id}`)
      await leave(mate)
      const back = await mate.post(`/api/v1/cards/${card_id}/undelete`)
      expect([back.status, back.body.status, back.body.published_at]).toEqual([200, 'unpublished', null])
      const found = await lead.post('/api/v1/search', { query: 'brought back', scope: 'workspace' })
      expect(found.body.results).toEqual([])
    })
  })

  describe('a workspace that is bound to domains', () => {
    const bound = { policy_json: { invite_domains: ['example.com'] } }

    test('does not believe an address that nobody has proved', async () => {
      const [lead, mate] = await people()
      const { workspaceId, members, add } = await teamOf(lead, bound)
      expect((await add(mate)).status).toBe(403)
      expect((await lead.post(members, { user_id: mate.userId })).status).toBe(403)
      const invites = `/api/v1/workspaces/${workspaceId}/invites`
      const { token } = (await lead.post(invites, { email: mate.email })).body
      const refused = await mate.post('/api/v1/workspaces/invites/accept', { token })
      expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('Confirm')])
      await t.app.services.database.transaction((db) =>
        db.updateTable('users').set({ email_verified: 1 }).where('user_id', '=', mate.userId).execute(),
      )
      expect((await mate.post('/api/v1/workspaces/invites/accept', { token })).status).toBe(200)
    })

    test('does not tell the domain of an account that an admin knows by its id', async () => {
      const [lead, mate] = await people()
      await t.app.services.database.transaction((db) =>
        db.updateTable('users').set({ email_verified: 1 }).where('user_id', '=', mate.userId).execute(),
      )
      const { workspaceId, members } = await teamOf(lead)
      const guess = async (domain: string) => {
        const policy_json = { invite_domains: [domain] }
        await lead.patch(`/api/v1/workspaces/${workspaceId}`, { policy_json })
        const { status, body } = await lead.post(members, { user_id: mate.userId })
        return [status, body.code, body.detail.replace(domain, '')]
      }
      const answer = await guess('example.com')
      expect(answer.slice(0, 2)).toEqual([403, 'forbidden'])
      expect(await guess('elsewhere.example')).toEqual(answer)
      await lead.patch(`/api/v1/workspaces/${workspaceId}`, { policy_json: null })
      expect((await lead.post(members, { user_id: mate.userId })).status).toBe(200)
      for (const domain of ['example.com', 'elsewhere.example'])
        expect((await guess(domain)).slice(0, 2)).toEqual([409, 'already_member'])

      // Who reads the address in another workspace adds the account by its id too.
      const { add } = await teamOf(lead)
      expect((await add(mate)).status).toBe(200)
      const second = await teamOf(lead, bound)
      expect((await lead.post(second.members, { user_id: mate.userId })).status).toBe(200)
    })

    test('takes nobody in by the inbox whom it would not take by the link', async () => {
      const [lead, mate] = await people()
      await askMe(mate)
      const { workspaceId, add } = await teamOf(lead)
      const { invite_id } = (await add(mate)).body
      await lead.patch(`/api/v1/workspaces/${workspaceId}`, bound)
      const accept = () => mate.post(`/api/v1/invitations/${invite_id}/accept`)
      const set = (change: { email_verified: 1; email_normal?: string }) =>
        t.app.services.database.transaction((db) =>
          db.updateTable('users').set(change).where('user_id', '=', mate.userId).execute(),
        )
      expect((await accept()).status).toBe(403)
      await set({ email_verified: 1, email_normal: `moved-${t.engine}@elsewhere.example` })
      expect((await accept()).status).toBe(403)
      await set({ email_verified: 1, email_normal: mate.email })
      expect((await accept()).status).toBe(200)
    })
  })
}

onBothEngines('membership', define, { SMTP_URL: smtp.url })

onBothEngines(
  'adding people',
  (t) => {
    test('is limited per adder, together with inviting', async () => {
      const lead = await t.user('mass')
      const { members, workspaceId } = await teamOf(lead)
      const tries = Array.from({ length: 10 }, async (_, index) => [
        await lead.post(`${members}/by-email`, { email: `nobody-${index}@example.com` }),
        await lead.post(`/api/v1/workspaces/${workspaceId}/invites`, { email: `a-${index}@example.com` }),
      ])
      const statuses = (await Promise.all(tries)).flat().map(({ status }) => status)
      expect(statuses.filter((status) => status === 429)).toEqual([])
      const over = await lead.post(`${members}/by-email`, { email: 'one-more@example.com' })
      expect([over.status, over.body.code]).toEqual([429, 'rate_limited'])
      const byId = await lead.post(members, { user_id: lead.userId })
      expect(byId.status).toBe(429)
    })
  },
  { RATE_LIMIT: 'on' },
)
