import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'

const ACCEPT = '/api/v1/workspaces/invites/accept'

onBothEngines(
  'inviting very many',
  (t) => {
    test('more than 20 invitations of one person in a minute wait, new and repeated ones together', async () => {
      const [admin, other] = [await t.user(), await t.user()]
      const invitesOf = async (person: typeof admin) => {
        const { body } = await person.post('/api/v1/workspaces', { name: 'team' })
        return `/api/v1/workspaces/${body.workspace_id}/invites`
      }
      const [first, second] = [await invitesOf(admin), await invitesOf(admin)]
      const invite = (to: string, number: number) => admin.post(to, { email: `guest${number}@example.com` })
      const { body: sent } = await invite(first, 0)
      for (let number = 1; number < 19; number += 1) expect((await invite(first, number)).status).toBe(200)
      expect((await admin.post(`${first}/${sent.invite.invite_id}/resend`)).status).toBe(200)
      // The limit is the person's, whichever workspace they invite to.
      const held = await invite(second, 20)
      expect([held.status, held.body.code]).toEqual([429, 'rate_limited'])
      expect(Number(held.headers['retry-after'])).toBeGreaterThan(0)
      expect((await admin.post(`${first}/${sent.invite.invite_id}/resend`)).status).toBe(429)
      expect((await admin.get(second)).body).toEqual([])
      expect((await other.post(await invitesOf(other), { email: 'guest@example.com' })).status).toBe(200)
    })
  },
  { RATE_LIMIT: 'on' },
)

onBothEngines(
  'registration by invitation',
  (t) => {
    const register = (email: string, invite_code?: string) =>
      t.anonymous().post('/api/v1/auth/register', { email, password: 'correct horse', invite_code })

    async function invitedByAdmin(): Promise<string> {
      const admin = await register('chief@example.com')
      const bearer = { authorization: `Bearer ${admin.body.access_token}` }
      const created = await t.anonymous().post('/api/v1/workspaces', { name: 'team' }, bearer)
      const invites = `/api/v1/workspaces/${created.body.workspace_id}/invites`
      return (await t.anonymous().post(invites, { email: 'new@example.com' }, bearer)).body.token
    }

    test('the token of a workspace invitation opens the door, nothing else does', async () => {
      const token = await invitedByAdmin()
      const without = await register('none@example.com')
      expect([without.status, without.body.code]).toEqual([403, 'forbidden'])
      expect((await register('wrong@example.com', 'x'.repeat(43))).status).toBe(404)
      const registered = await register('new@example.com', token)
      expect(registered.status).toBe(201)
      const bearer = { authorization: `Bearer ${registered.body.access_token}` }
      expect((await t.anonymous().post(ACCEPT, { token }, bearer)).status).toBe(200)
      expect((await register('late@example.com', token)).status).toBe(404)
      expect(
        (await t.anonymous().post('/api/v1/auth/login', { email: 'wrong@example.com', password: 'x' }))
          .status,
      ).toBe(401)
    })
  },
  { REGISTRATION: 'invite', ADMIN_EMAILS: 'chief@example.com' },
)
