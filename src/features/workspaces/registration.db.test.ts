import { beforeAll, expect, test } from 'vitest'
import type { Answer } from '../../../test/support/client.ts'
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
    const accountsOf = async (emails: string[]) => {
      const { read } = t.app.services.database
      return (await read.selectFrom('users').select('user_id').where('email', 'in', emails).execute()).length
    }
    const register = (email: string, invite_code?: string) =>
      t.anonymous().post('/api/v1/auth/register', { email, password: 'correct horse', invite_code })

    const bearerOf = (answer: Answer) => ({ authorization: `Bearer ${answer.body.access_token}` })
    let chief: Record<string, string>
    beforeAll(async () => {
      chief = bearerOf(await register('chief@example.com'))
    })

    async function invitesOfTeam(): Promise<string> {
      const created = await t.anonymous().post('/api/v1/workspaces', { name: 'team' }, chief)
      return `/api/v1/workspaces/${created.body.workspace_id}/invites`
    }
    const inviteTo = async (invites: string) =>
      (await t.anonymous().post(invites, { email: 'new@example.com' }, chief)).body

    test('the token of a workspace invitation opens the door, nothing else does', async () => {
      const { token } = await inviteTo(await invitesOfTeam())
      const without = await register('none@example.com')
      expect([without.status, without.body.code]).toEqual([403, 'forbidden'])
      expect((await register('wrong@example.com', 'x'.repeat(43))).status).toBe(404)
      const registered = await register('new@example.com', token)
      expect(registered.status).toBe(201)
      expect((await t.anonymous().post(ACCEPT, { token }, bearerOf(registered))).status).toBe(200)
      expect((await register('late@example.com', token)).status).toBe(404)
      expect(
        (await t.anonymous().post('/api/v1/auth/login', { email: 'wrong@example.com', password: 'x' }))
          .status,
      ).toBe(401)
    })

    test('a token opens one registration, also of several at once, and is still accepted by its new holder', async () => {
      const { token } = await inviteTo(await invitesOfTeam())
      const names = Array.from({ length: 6 }, (_, index) => `at-once-${index}@example.com`)
      const answers = await Promise.all(names.map((email) => register(email, token)))
      const refused = answers.filter(({ status }) => status !== 201)
      expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
        Array.from({ length: 5 }, () => [409, 'invite_not_pending']),
      )
      const registered = answers.find(({ status }) => status === 201)
      expect(await accountsOf(names)).toBe(1)
      if (!registered) throw new Error('nobody got in')
      expect((await t.anonymous().post(ACCEPT, { token }, bearerOf(registered))).status).toBe(200)
    })

    test('a registration that fails leaves the token open, and sending it again opens another one', async () => {
      const invites = await invitesOfTeam()
      const { token, invite } = await inviteTo(invites)
      expect((await register('chief@example.com', token)).body.code).toBe('email_taken')
      expect((await register('mistyped@exmaple.com', token)).status).toBe(201)
      const again = await register('right@example.com', token)
      expect([again.status, again.body.code]).toEqual([409, 'invite_not_pending'])
      expect(again.body.detail).toContain('sign in with that account')
      const resent = (await t.anonymous().post(`${invites}/${invite.invite_id}/resend`, {}, chief)).body
      expect((await register('right@example.com', resent.token)).status).toBe(201)
    })
  },
  { REGISTRATION: 'invite', ADMIN_EMAILS: 'chief@example.com' },
)

onBothEngines('registration that is open to everybody', (t) => {
  test('takes the token of an invitation as often as it comes: it opens nothing there', async () => {
    const admin = await t.user()
    const { workspace_id } = (await admin.post('/api/v1/workspaces', { name: 'team' })).body
    const sent = await admin.post(`/api/v1/workspaces/${workspace_id}/invites`, { email: 'new@example.com' })
    for (const email of ['mistyped@exmaple.com', 'right@example.com']) {
      const body = { email, password: 'correct horse', invite_code: sent.body.token }
      expect((await t.anonymous().post('/api/v1/auth/register', body)).status).toBe(201)
    }
  })
})
