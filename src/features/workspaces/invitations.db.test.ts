import { expect, test } from 'vitest'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'

const ACCEPT = '/api/v1/workspaces/invites/accept'
const view = (token: string) => `/api/v1/workspaces/invites/${token}`
const WEEK_MS = 7 * 24 * 3_600_000

async function team(t: TestVault, body: object = {}) {
  const admin = await t.user('admin')
  const { workspace_id } = (await admin.post('/api/v1/workspaces', { name: 'team', ...body })).body
  const url = `/api/v1/workspaces/${workspace_id}`
  const invites = `${url}/invites`
  const statuses = async () =>
    (await admin.get(`${invites}?include_history=true`)).body.map((one: { status: string }) => one.status)
  return { admin, workspaceId: workspace_id as string, url, invites, statuses }
}

onBothEngines('invitations', (t) => {
  test('without a mail server the admin gets the link to hand over', async () => {
    const { admin, workspaceId, invites } = await team(t)
    const sent = await admin.post(invites, { email: 'New@Example.com' })
    expect(sent.status).toBe(200)
    expect(sent.body).toMatchObject({
      email_sent: false,
      invite: {
        workspace_id: workspaceId,
        email: 'New@Example.com',
        role: 'viewer',
        status: 'pending',
        invited_by: admin.userId,
        accepted_at: null,
      },
    })
    expect(sent.body.token).toMatch(/^[\w-]{43}$/)
    expect(sent.body.invite_url).toBe(`${t.app.services.config.baseUrl}/invite/${sent.body.token}`)
    const { created_at, expires_at } = sent.body.invite
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(WEEK_MS)
    expect(await t.app.services.database.read.selectFrom('outbox').selectAll().execute()).toEqual([])
  })

  test('the token is nowhere in the database', async () => {
    const { admin, invites } = await team(t)
    const { token } = (await admin.post(invites, { email: 'new@example.com' })).body
    const { read } = t.app.services.database
    const stored = await Promise.all([
      read.selectFrom('workspace_invites').selectAll().execute(),
      read.selectFrom('audit_log').selectAll().execute(),
      read.selectFrom('outbox').selectAll().execute(),
    ])
    expect(JSON.stringify(stored)).not.toContain(token)
  })

  test('anybody with the link sees what it is about, without signing in', async () => {
    const { admin, invites } = await team(t)
    const { token, invite } = (await admin.post(invites, { email: 'new@example.com', role: 'editor' })).body
    const seen = await t.anonymous().get(view(token))
    expect(seen.body).toEqual({
      workspace_name: 'team',
      inviter_name: 'admin',
      email: 'new@example.com',
      role: 'editor',
      status: 'pending',
      expires_at: invite.expires_at,
    })
    expect((await t.anonymous().get(view('x'.repeat(43)))).status).toBe(404)
    expect((await t.anonymous().get(view('short'))).body.detail[0].loc).toEqual(['path', 'token'])
  })

  test('accepting makes a member with the role of the invitation, once', async () => {
    const { admin, invites, url } = await team(t)
    const [guest, second] = [await t.user('guest'), await t.user('second')]
    const { token } = (await admin.post(invites, { email: guest.email, role: 'editor' })).body
    const accepted = await guest.post(ACCEPT, { token })
    expect(accepted.status).toBe(200)
    expect(accepted.body).toMatchObject({ user_id: guest.userId, role: 'editor' })
    expect((await guest.get(url)).body).toMatchObject({ role: 'editor', member_count: 2 })
    const again = await second.post(ACCEPT, { token })
    expect([again.status, again.body.code]).toEqual([409, 'invite_not_pending'])
    expect((await t.anonymous().get(view(token))).body.status).toBe('accepted')
    const [row] = (await admin.get(`${invites}?include_history=true`)).body
    expect(row.status).toBe('accepted')
    expect(row.accepted_at).not.toBeNull()
    expect((await admin.get(invites)).body).toEqual([])
    const [notice, ...more] = (await admin.get('/api/v1/notices')).body.items
    expect(more).toEqual([])
    expect(notice).toMatchObject({ kind: 'workspace.joined', actor_id: guest.userId, invite_id: null })
    expect(notice.heading).toMatch(/^guest joined /)
  })

  test('of two people who accept one invitation at once, one gets in', async () => {
    const { admin, invites, url } = await team(t)
    const people = [await t.user(), await t.user(), await t.user()]
    const { token } = (await admin.post(invites, { email: 'shared@example.com' })).body
    const answers = await Promise.all(people.map((person) => person.post(ACCEPT, { token })))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409])
    expect((await admin.get(url)).body.member_count).toBe(2)
  })

  test('one person who accepts twice at once is one member', async () => {
    const { admin, invites, url } = await team(t)
    const guest = await t.user()
    const { token } = (await admin.post(invites, { email: guest.email })).body
    const answers = await Promise.all([1, 2].map(() => guest.post(ACCEPT, { token })))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
    expect((await admin.get(url)).body.member_count).toBe(2)
  })

  test('the same address again is the same invitation with a new link; the old link is dead', async () => {
    const { admin, invites } = await team(t)
    const first = (await admin.post(invites, { email: 'new@example.com', role: 'editor' })).body
    const again = (await admin.post(invites, { email: ' NEW@example.com ' })).body
    expect(again.invite.invite_id).toBe(first.invite.invite_id)
    expect(again.invite.role).toBe('editor')
    expect(again.token).not.toBe(first.token)
    expect((await t.anonymous().get(view(first.token))).status).toBe(404)
    expect((await (await t.user()).post(ACCEPT, { token: first.token })).status).toBe(404)
    expect((await t.anonymous().get(view(again.token))).status).toBe(200)
    const raised = await admin.post(invites, { email: 'new@example.com', role: 'admin' })
    expect(raised.body.invite.role).toBe('admin')
    expect((await admin.get(invites)).body).toHaveLength(1)
  })

  test('two admins who invite one address at once make one invitation', async () => {
    const { admin, invites } = await team(t)
    const answers = await Promise.all(
      [1, 2, 3].map(() => admin.post(invites, { email: 'twice@example.com' })),
    )
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200])
    expect((await admin.get(invites)).body).toHaveLength(1)
    const alive = await Promise.all(answers.map((answer) => t.anonymous().get(view(answer.body.token))))
    expect(alive.filter((answer) => answer.status === 200)).toHaveLength(1)
  })

  test('resending rotates the token and gives seven more days', async () => {
    const { admin, invites } = await team(t)
    const first = (await admin.post(invites, { email: 'new@example.com' })).body
    t.later(WEEK_MS - 1000)
    const again = await admin.post(`${invites}/${first.invite.invite_id}/resend`)
    expect(again.status).toBe(200)
    t.later(2000)
    expect((await t.anonymous().get(view(first.token))).status).toBe(404)
    expect((await t.anonymous().get(view(again.body.token))).status).toBe(200)
    expect((await admin.post(`${invites}/${t.app.services.now().getTime()}/resend`)).status).toBe(422)
    expect((await admin.post(`${invites}/00000000-0000-7000-8000-00000000ffff/resend`)).status).toBe(404)
  })

  test('an invitation ends after seven days and can be sent again', async () => {
    const { admin, invites } = await team(t)
    const guest = await t.user()
    const { token, invite } = (await admin.post(invites, { email: guest.email })).body
    t.later(WEEK_MS)
    const late = await guest.post(ACCEPT, { token })
    expect([late.status, late.body.code]).toEqual([410, 'invite_expired'])
    expect((await t.anonymous().get(view(token))).status).toBe(410)
    const again = await admin.post(`${invites}/${invite.invite_id}/resend`)
    expect((await guest.post(ACCEPT, { token: again.body.token })).status).toBe(200)
  })

  test('a revoked invitation is unknown to its holder and stays in the history', async () => {
    const { admin, invites, statuses } = await team(t)
    const { token, invite } = (await admin.post(invites, { email: 'new@example.com' })).body
    const revoked = await admin.delete(`${invites}/${invite.invite_id}`)
    expect(revoked.body).toEqual({ invite_id: invite.invite_id, status: 'revoked' })
    expect((await t.anonymous().get(view(token))).status).toBe(404)
    expect((await (await t.user()).post(ACCEPT, { token })).status).toBe(404)
    const twice = await admin.delete(`${invites}/${invite.invite_id}`)
    expect([twice.status, twice.body.code]).toEqual([409, 'invite_not_pending'])
    expect((await admin.post(`${invites}/${invite.invite_id}/resend`)).body.code).toBe('invite_not_pending')
    expect((await admin.get(invites)).body).toEqual([])
    const anew = await admin.post(invites, { email: 'new@example.com' })
    expect(anew.body.invite.invite_id).not.toBe(invite.invite_id)
    expect((await statuses()).sort()).toEqual(['pending', 'revoked'])
  })

  test('an accepted invitation cannot be revoked, and nothing changes', async () => {
    const { admin, invites, url, statuses } = await team(t)
    const guest = await t.user()
    const { token, invite } = (await admin.post(invites, { email: guest.email })).body
    await guest.post(ACCEPT, { token })
    const refused = await admin.delete(`${invites}/${invite.invite_id}`)
    expect([refused.status, refused.body.code]).toEqual([409, 'invite_not_pending'])
    expect(await statuses()).toEqual(['accepted'])
    expect((await guest.get(url)).status).toBe(200)
  })

  test('of accepting and revoking at once, one wins', async () => {
    const { admin, invites, url } = await team(t)
    const guest = await t.user()
    const { token, invite } = (await admin.post(invites, { email: guest.email })).body
    const [accepted, revoked] = await Promise.all([
      guest.post(ACCEPT, { token }),
      admin.delete(`${invites}/${invite.invite_id}`),
    ])
    expect([accepted.status, revoked.status]).toContain(200)
    expect(accepted.status === 200 && revoked.status === 200).toBe(false)
    expect((await admin.get(url)).body.member_count).toBe(accepted.status === 200 ? 2 : 1)
  })

  test('a member cannot be invited, and a member who accepts stays what they are', async () => {
    const { admin, invites, url } = await team(t)
    const member = await t.user()
    const { token } = (await admin.post(invites, { email: 'other@example.com', role: 'admin' })).body
    await admin.post(`${url}/members`, { user_id: member.userId })
    const again = await admin.post(invites, { email: member.email.toUpperCase() })
    expect([again.status, again.body.code]).toEqual([409, 'already_member'])
    const accepted = await member.post(ACCEPT, { token })
    expect([accepted.status, accepted.body.code]).toEqual([409, 'already_member'])
    expect((await t.anonymous().get(view(token))).body.status).toBe('pending')
    expect((await member.get(url)).body.role).toBe('viewer')
  })

  test('wrong input is a 422 that names the location, and nobody is invited', async () => {
    const { admin, invites } = await team(t)
    for (const [field, body] of [
      ['email', {}],
      ['email', { email: 'a@' }],
      ['email', { email: 'no address' }],
      ['email', { email: 'new@example.com\r\nBcc: other@example.com' }],
      ['email', { email: `${'x'.repeat(309)}@example.com` }],
      ['role', { email: 'new@example.com', role: 'owner' }],
    ] as const) {
      const answer = await admin.post(invites, body)
      expect(answer.status).toBe(422)
      expect(answer.body.detail[0].loc).toEqual(['body', field])
    }
    expect((await admin.get(invites)).body).toEqual([])
    expect((await admin.post(ACCEPT, { token: 'short' })).status).toBe(422)
    expect((await admin.post(ACCEPT, { token: 'x'.repeat(401) })).status).toBe(422)
    expect((await admin.post(invites, { email: `${'x'.repeat(308)}@example.com` })).status).toBe(200)
  })

  test('a personal workspace takes no invitations', async () => {
    const user = await t.user()
    const refused = await user.post(`/api/v1/workspaces/${user.workspaceId}/invites`, {
      email: 'new@example.com',
    })
    expect([refused.status, refused.body.code]).toEqual([409, 'personal_workspace'])
  })

  test('anybody with the link may accept it, also with an account of another address', async () => {
    const { admin, invites } = await team(t)
    const { token } = (await admin.post(invites, { email: 'work@example.com' })).body
    expect((await (await t.user('private')).post(ACCEPT, { token })).status).toBe(200)
  })

  test('where the workspace is bound to domains, the account must be of one of them', async () => {
    const { admin, invites } = await team(t, { policy_json: { invite_domains: ['corp.example'] } })
    const refused = await admin.post(invites, { email: 'new@example.com' })
    expect(refused.status).toBe(403)
    const { token } = (await admin.post(invites, { email: `new-${t.engine}@corp.example` })).body
    const stranger = await (await t.user()).post(ACCEPT, { token })
    expect(stranger.status).toBe(403)
    expect(stranger.body.detail).toContain('corp.example')
    const acceptAs = async (name: string) => {
      const account = { email: `${name}-${t.engine}@corp.example`, password: 'correct horse' }
      const { access_token } = (await t.anonymous().post('/api/v1/auth/register', account)).body
      return t.anonymous().post(ACCEPT, { token }, { authorization: `Bearer ${access_token}` })
    }
    // Without mail nobody can prove an address, so a domain that somebody claims opens nothing.
    expect((await acceptAs('colleague')).status).toBe(403)
    expect((await acceptAs('new')).status).toBe(200)
  })

  test('the tools do the same as the routes', async () => {
    const { admin, workspaceId } = await team(t)
    const guest = await t.user()
    const invited = await admin.tool('invite_workspace_member', {
      workspace_id: workspaceId,
      email: guest.email,
    })
    expect(invited.body.data.invite).toMatchObject({ role: 'viewer', status: 'pending' })
    const { invite_id } = invited.body.data.invite
    const resent = await admin.tool('resend_workspace_invite', { workspace_id: workspaceId, invite_id })
    const accepted = await guest.tool('accept_workspace_invite', { token: resent.body.data.token })
    expect(accepted.body.data).toMatchObject({ user_id: guest.userId, role: 'viewer' })
    const listed = await admin.tool('list_workspace_invites', {
      workspace_id: workspaceId,
      include_history: true,
    })
    expect(listed.body.data).toHaveLength(1)
    const revoked = await admin.tool('revoke_workspace_invite', { workspace_id: workspaceId, invite_id })
    expect(revoked.status).toBe(409)
    const strict = await admin.tool('invite_workspace_member', {
      workspace_id: workspaceId,
      email: guest.email,
      note: 'hello',
    })
    expect(strict.body.detail[0].type).toBe('extra_forbidden')
  })
})

onBothEngines(
  'invitations of a vault that other computers cannot open',
  (t) => {
    test('name BASE_URL, sent first or again', async () => {
      const { admin, invites } = await team(t)
      for (const baseUrl of [
        'http://localhost:8080',
        'http://[::1]:9000',
        'http://0.0.0.0:80',
        'http://127.1.2.3',
      ]) {
        Object.assign(t.app.services, { config: { ...t.app.services.config, baseUrl } })
        const sent = await admin.post(invites, { email: 'new@example.com' })
        const again = await admin.post(`${invites}/${sent.body.invite.invite_id}/resend`)
        for (const { body } of [sent, again])
          expect(body.warnings, baseUrl).toEqual([expect.stringMatching(/cannot open\. .* BASE_URL /)])
      }
    })
  },
  {},
)

onBothEngines(
  'invitations of a vault with an address of its own',
  (t) => {
    test('have no warning', async () => {
      const { admin, invites } = await team(t)
      const sent = await admin.post(invites, { email: 'new@example.com' })
      expect(sent.body.warnings).toEqual([])
    })
  },
  { BASE_URL: 'https://vault.example.com' },
)
