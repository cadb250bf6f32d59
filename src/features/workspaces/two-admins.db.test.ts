import { expect, test } from 'vitest'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'

type Person = Awaited<ReturnType<TestVault['user']>>

const LEAVING = {
  leave: (who: Person, members: string) => who.delete(`${members}/${who.userId}`),
  'step down': (who: Person, members: string) => who.patch(`${members}/${who.userId}`, { role: 'viewer' }),
  'delete the account': (who: Person) => who.delete('/api/v1/auth/me?confirmed_by_user=true'),
}

/** Two admins who owe the role to nobody, and a member who stays. */
async function teamOfTwoAdmins(t: TestVault) {
  const [lead, second, viewer] = [await t.user('lead'), await t.user('second'), await t.user('viewer')]
  const { workspace_id } = (await lead.post('/api/v1/workspaces', { name: 'team' })).body
  const url = `/api/v1/workspaces/${workspace_id}`
  const { token } = (await lead.post(`${url}/invites`, { email: second.email, role: 'admin' })).body
  await second.post('/api/v1/workspaces/invites/accept', { token })
  await lead.post(`${url}/members`, { user_id: viewer.userId, role: 'viewer' })
  return { lead, second, viewer, members: `${url}/members` }
}

onBothEngines('two admins who go at the same moment, each in any way', (t) => {
  const ways = Object.entries(LEAVING)
  const ROUNDS = 3

  test('leave one admin to those who stay', async () => {
    for (const [at, [one, goFirst]] of ways.entries())
      for (const [other, goSecond] of ways.slice(at))
        for (let round = 0; round < ROUNDS; round++) {
          const { lead, second, viewer, members } = await teamOfTwoAdmins(t)
          const answers = await Promise.all([goFirst(lead, members), goSecond(second, members)])
          const how = `${one}, ${other}`
          expect(answers.map(({ status }) => status).sort(), how).toEqual([200, 409])
          expect(answers.find(({ status }) => status === 409)?.body.code, how).toBe('last_admin')
          const left: { role: string }[] = (await viewer.get(members)).body
          expect(
            left.filter(({ role }) => role === 'admin'),
            how,
          ).toHaveLength(1)
        }
  })
})
