import { expect, test } from 'vitest'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'

const ACCEPT = '/api/v1/workspaces/invites/accept'

type Person = Awaited<ReturnType<TestVault['user']>>
type Team = Awaited<ReturnType<typeof teamWithTwoAdmins>>

async function teamWithTwoAdmins(t: TestVault) {
  const [lead, second] = [await t.user('lead'), await t.user('second')]
  const { workspace_id } = (await lead.post('/api/v1/workspaces', { name: 'team' })).body
  const url = `/api/v1/workspaces/${workspace_id}`
  await lead.post(`${url}/members`, { user_id: second.userId, role: 'admin' })
  const invite = async (by: Person, body: object) => (await by.post(`${url}/invites`, body)).body
  const invites = async (): Promise<{ invite_id: string; status: string; invited_by: string }[]> =>
    (await lead.get(`${url}/invites?include_history=true`)).body
  return { lead, second, url, invite, invites, memberUrl: `${url}/members/${second.userId}` }
}

/** Every way in which an admin is admin no more. */
const LOSSES: Record<string, (team: Team) => Promise<{ status: number }>> = {
  removed: ({ lead, memberUrl }) => lead.delete(memberUrl),
  demoted: ({ lead, memberUrl }) => lead.patch(memberUrl, { role: 'editor' }),
  'demoted by themselves': ({ second, memberUrl }) => second.patch(memberUrl, { role: 'viewer' }),
  left: ({ second, memberUrl }) => second.delete(memberUrl),
  deleted: ({ second }) => second.delete('/api/v1/auth/me?confirmed_by_user=true'),
}

onBothEngines(
  'a former admin',
  (t) => {
    const mailsOf = (inviteId: string) =>
      t.app.services.database.read
        .selectFrom('outbox')
        .select(['status', 'text_body'])
        .where('state_key', 'like', `invite:${inviteId}:%`)
        .execute()

    test.for(Object.keys(LOSSES))('who is %s comes back by no invitation of theirs', async (loss) => {
      const team = await teamWithTwoAdmins(t)
      const { lead, second, url, invite, invites } = team
      const back = await invite(second, { email: 'way-back@example.com', role: 'admin' })
      const other = await invite(lead, { email: 'guest@example.com', role: 'editor' })
      expect((await LOSSES[loss]?.(team))?.status).toBe(200)

      const friend = await t.user('friend')
      for (const person of loss === 'deleted' ? [friend] : [second, friend])
        expect((await person.post(ACCEPT, { token: back.token })).status).toBe(404)
      const withdrawn = (await invites()).find(({ invite_id }) => invite_id === back.invite.invite_id)
      expect(withdrawn?.status).toBe('revoked')
      expect(await mailsOf(back.invite.invite_id)).toEqual([{ status: 'cancelled', text_body: '' }])
      const { items } = (await lead.get(`${url}/audit?action=invite.revoked`)).body
      expect(items).toMatchObject([
        { subject_id: back.invite.invite_id, details: { email: 'way-back@example.com' } },
      ])
      expect((await friend.post(ACCEPT, { token: other.token })).body.role).toBe('editor')
    })

    test('an invitation that another admin has sent again is theirs, and stays', async () => {
      const { lead, second, url, invite, memberUrl } = await teamWithTwoAdmins(t)
      const { token, invite: first } = await invite(second, { email: 'guest@example.com' })
      const again = (await lead.post(`${url}/invites/${first.invite_id}/resend`)).body
      expect((await lead.delete(memberUrl)).status).toBe(200)
      const guest = await t.user('guest')
      expect((await guest.post(ACCEPT, { token })).status).toBe(404)
      expect((await guest.post(ACCEPT, { token: again.token })).status).toBe(200)
    })

    test('an invitation that is sent while its sender is removed does not outlast them', async () => {
      const { lead, second, url, invites, memberUrl } = await teamWithTwoAdmins(t)
      await Promise.all([
        second.post(`${url}/invites`, { email: 'one@example.com', role: 'admin' }),
        lead.delete(memberUrl),
        second.post(`${url}/invites`, { email: 'two@example.com', role: 'admin' }),
      ])
      const open = (await invites()).filter(({ status }) => status === 'pending')
      expect(open).toEqual([])
    })

    test('who was invited, added and removed comes back by no invitation to them', async () => {
      const { lead, url, invite, invites } = await teamWithTwoAdmins(t)
      const guest = await t.user('guest')
      const { token, invite: sent } = await invite(lead, { email: guest.email, role: 'editor' })
      const other = await invite(lead, { email: 'other@example.com' })
      await lead.post(`${url}/members/by-email`, { email: guest.email })
      expect((await lead.delete(`${url}/members/${guest.userId}`)).status).toBe(200)
      expect((await guest.post(ACCEPT, { token })).status).toBe(404)
      expect(await mailsOf(sent.invite_id)).toEqual([{ status: 'cancelled', text_body: '' }])
      const open = (await invites()).filter(({ status }) => status === 'pending')
      expect(open).toMatchObject([{ invite_id: other.invite.invite_id }])
    })

    test('the role of somebody who stays admin ends no invitation', async () => {
      const { lead, second, memberUrl, invite, invites } = await teamWithTwoAdmins(t)
      await invite(second, { email: 'guest@example.com' })
      await lead.patch(memberUrl, { role: 'admin' })
      expect((await invites()).map(({ status }) => status)).toEqual(['pending'])
    })
  },
  // Nothing listens there, so mails wait.
  { SMTP_URL: 'smtp://127.0.0.1:1' },
)
