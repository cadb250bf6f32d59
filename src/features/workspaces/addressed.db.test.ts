import { afterAll, expect, test } from 'vitest'
import { type Person, team } from '../../../test/support/cards.ts'
import { clientOf } from '../../../test/support/client.ts'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { startSmtp } from '../../../test/support/smtp.ts'
import { DAY_MS } from '../../shared/time.ts'

const smtp = await startSmtp()
afterAll(() => smtp.stop())

const MINE = '/api/v1/invitations'

async function invited(t: TestVault, email: string, role = 'editor') {
  const { admin, workspaceId } = await team(t, { name: 'Platform' })
  const url = `/api/v1/workspaces/${workspaceId}`
  const { invite, token } = (await admin.post(`${url}/invites`, { email: email.toUpperCase(), role })).body
  return { admin, url, token, inviteId: invite.invite_id as string }
}

const withoutMail = (t: TestVault) => {
  test('the link of an accepted invitation tells nothing any more once who accepted it has left', async () => {
    const guest = await t.user('guest')
    const { admin, url, token } = await invited(t, guest.email)
    const seen = () => t.anonymous().get(`/api/v1/workspaces/invites/${token}`)
    expect((await guest.post('/api/v1/workspaces/invites/accept', { token })).status).toBe(200)
    expect((await seen()).body).toMatchObject({ workspace_name: 'Platform', status: 'accepted' })
    await admin.delete(`${url}/members/${guest.userId}`)
    await admin.patch(url, { name: 'Payroll' })
    const never = await t.anonymous().get(`/api/v1/workspaces/invites/${'x'.repeat(43)}`)
    expect([(await seen()).status, (await seen()).body]).toEqual([404, never.body])
    const again = await guest.post('/api/v1/workspaces/invites/accept', { token })
    expect([again.status, again.body.code]).toEqual([409, 'invite_not_pending'])
  })

  test('the invited person sees the invitation and declines it; its admin sees that', async () => {
    const guest = await t.user('guest')
    const { admin, url, token, inviteId } = await invited(t, guest.email)
    const mine = await guest.get(MINE)
    expect(mine.body).toMatchObject([
      {
        invite_id: inviteId,
        workspace_name: 'Platform',
        inviter_name: 'admin',
        role: 'editor',
        can_accept: false,
      },
    ])
    expect(mine.text).not.toContain(token)
    expect((await guest.post(`${MINE}/${inviteId}/decline`)).status).toBe(204)
    expect((await guest.get(MINE)).body).toEqual([])
    expect((await guest.post(`${MINE}/${inviteId}/decline`)).status).toBe(404)
    expect((await t.anonymous().get(`/api/v1/workspaces/invites/${token}`)).status).toBe(404)
    expect((await guest.post('/api/v1/workspaces/invites/accept', { token })).status).toBe(404)

    const [shown] = (await admin.get(`${url}/invites?include_history=true`)).body
    expect(shown).toMatchObject({ invite_id: inviteId, status: 'revoked' })
    expect(shown.declined_at).toMatch(/Z$/)
    const log = await admin.get(`${url}/audit?action=invite.declined`)
    expect(log.body.items).toMatchObject([{ actor_id: guest.userId, subject_id: inviteId }])

    // No is no grudge: a new invitation is another one.
    expect((await admin.post(`${url}/invites`, { email: guest.email })).status).toBe(200)
    expect((await guest.get(MINE)).body).toHaveLength(1)
  })

  test('nobody can see or decline invitations of others, or join without a link or a confirmed address', async () => {
    const [guest, other] = [await t.user('guest'), await t.user('other')]
    const { token, inviteId } = await invited(t, guest.email)
    expect((await other.get(MINE)).body).toEqual([])
    for (const verb of ['decline', 'accept'])
      expect((await other.post(`${MINE}/${inviteId}/${verb}`)).status).toBe(404)
    const refused = await guest.post(`${MINE}/${inviteId}/accept`)
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    expect((await guest.post('/api/v1/workspaces/invites/accept', { token })).status).toBe(200)
    expect((await guest.get(MINE)).body).toEqual([])
  })

  test('an expired or revoked invitation is not shown', async () => {
    const guest = await t.user('guest')
    const first = await invited(t, guest.email)
    await first.admin.delete(`${first.url}/invites/${first.inviteId}`)
    const second = await invited(t, guest.email)
    expect((await guest.get(MINE)).body).toHaveLength(1)
    t.later(7 * DAY_MS)
    expect((await guest.get(MINE)).body).toEqual([])
    expect((await guest.post(`${MINE}/${second.inviteId}/decline`)).status).toBe(404)
  })

  test('declined and accepted at the same moment: one of the two', async () => {
    const guest = await t.user('guest')
    const { admin, url, token, inviteId } = await invited(t, guest.email)
    const [declined, accepted] = await Promise.all([
      guest.post(`${MINE}/${inviteId}/decline`),
      guest.post('/api/v1/workspaces/invites/accept', { token }),
    ])
    const isMember = accepted.status === 200
    expect([declined.status, accepted.status]).toEqual(isMember ? [404, 200] : [204, 404])
    const members = (await admin.get(`${url}/members`)).body.map((one: { user_id: string }) => one.user_id)
    expect(members.includes(guest.userId)).toBe(isMember)
  })
}

const withMail = (t: TestVault) => {
  const confirm = async (person: Person, address: string) => {
    const mail = await smtp.mail(
      ({ envelope, subject }) => envelope.to.includes(address) && subject?.startsWith('Confirm') === true,
    )
    const token = /token=([\w-]+)/.exec(mail.text ?? '')?.[1]
    expect((await person.post('/api/v1/auth/verify-email', { token })).status).toBe(204)
  }

  test('an invitation that names an account is for no later holder of its address, and ends with the account', async () => {
    const guest = await t.user(`named-${t.engine}`)
    const [former, present] = [guest.email, `moved-${guest.email}`]
    await guest.put('/api/v1/user/settings', { ask_before_added: true })
    const { admin, workspaceId } = await team(t, { name: 'Platform' })
    const url = `/api/v1/workspaces/${workspaceId}`
    const { invite_id } = (await admin.post(`${url}/members`, { user_id: guest.userId })).body
    await guest.post('/api/v1/auth/email', { email: present })
    await confirm(guest, present)
    const resend = () => admin.post(`${url}/invites/${invite_id}/resend`)
    expect((await resend()).body).toMatchObject({ email_sent: true, invite: { email: '' } })
    await smtp.mailTo(present, 'admin invites you to Platform')

    const body = { email: former, password: 'a password of the next one' }
    const { access_token } = (await t.anonymous().post('/api/v1/auth/register', body)).body
    const next = clientOf(t.app, { authorization: `Bearer ${access_token}` })
    const second = await smtp.mailTo(former, 'Confirm your e-mail address', 2)
    const token = /token=([\w-]+)/.exec(second.text ?? '')?.[1]
    expect((await next.post('/api/v1/auth/verify-email', { token })).status).toBe(204)
    expect((await next.get(MINE)).body).toEqual([])
    expect((await guest.get(MINE)).body).toMatchObject([{ invite_id, can_accept: true }])

    expect((await guest.delete('/api/v1/auth/me?confirmed_by_user=true')).status).toBe(200)
    expect((await admin.get(`${url}/invites`)).body).toEqual([])
    expect((await resend()).body.code).toBe('invite_not_pending')
    const { read } = t.app.services.database
    const rows = await read.selectFrom('workspace_invites').select('email').where('invite_id', '=', invite_id)
    expect(await rows.execute()).toEqual([{ email: '' }])
  })

  test('an invitation to an address is not for an account that was named there and has left it', async () => {
    const guest = await t.user(`left-${t.engine}`)
    const [former, present] = [guest.email, `moved-${guest.email}`]
    await guest.put('/api/v1/user/settings', { ask_before_added: true })
    const { admin, workspaceId } = await team(t, { name: 'Platform' })
    const url = `/api/v1/workspaces/${workspaceId}`
    const { invite_id } = (await admin.post(`${url}/members`, { user_id: guest.userId, role: 'viewer' })).body
    const invite = () => admin.post(`${url}/invites`, { email: former, role: 'admin' })
    // As long as the account has the address, both mean the same person.
    expect((await invite()).body.invite.invite_id).toBe(invite_id)
    expect((await guest.get(MINE)).body).toMatchObject([{ invite_id, role: 'admin', can_accept: true }])
    await guest.post('/api/v1/auth/email', { email: present })
    await confirm(guest, present)
    const { token } = (await invite()).body
    expect((await guest.get(MINE)).body).toEqual([])
    expect((await guest.post(`${MINE}/${invite_id}/accept`)).status).toBe(404)
    const next = await t.user(`next-${t.engine}`)
    const joined = await next.post('/api/v1/workspaces/invites/accept', { token })
    expect([joined.status, joined.body.role]).toEqual([200, 'admin'])
  })

  test('nor is one that was sent to the address, and is sent there again by its id', async () => {
    const guest = await t.user(`resent-${t.engine}`)
    const [former, present] = [guest.email, `moved-${guest.email}`]
    await confirm(guest, former)
    const { admin, url, inviteId } = await invited(t, former)
    expect((await guest.get(MINE)).body).toMatchObject([{ invite_id: inviteId, can_accept: true }])
    await guest.post('/api/v1/auth/email', { email: present })
    await confirm(guest, present)
    expect((await admin.post(`${url}/invites/${inviteId}/resend`)).status).toBe(200)
    expect((await guest.get(MINE)).body).toEqual([])
    expect((await guest.post(`${MINE}/${inviteId}/accept`)).status).toBe(404)
  })

  test('a confirmed address sees its invitations and joins without the link; an unconfirmed one sees none', async () => {
    const guest = await t.user(`guest-${t.engine}`)
    const { inviteId } = await invited(t, guest.email, 'viewer')
    expect((await guest.get(MINE)).body).toEqual([])
    for (const verb of ['decline', 'accept'])
      expect((await guest.post(`${MINE}/${inviteId}/${verb}`)).status).toBe(404)
    await confirm(guest, guest.email)
    expect((await guest.get(MINE)).body).toMatchObject([{ invite_id: inviteId, can_accept: true }])
    const joined = await guest.post(`${MINE}/${inviteId}/accept`)
    expect([joined.status, joined.body]).toMatchObject([200, { user_id: guest.userId, role: 'viewer' }])
    expect((await guest.post(`${MINE}/${inviteId}/accept`)).status).toBe(404)
  })
}

onBothEngines('invitations addressed to oneself', withoutMail)
onBothEngines('invitations addressed to oneself, with mail', withMail, { SMTP_URL: smtp.url })
