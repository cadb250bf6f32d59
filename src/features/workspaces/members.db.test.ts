import { expect, test } from 'vitest'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'

type Person = Awaited<ReturnType<TestVault['user']>>

async function team(t: TestVault, body: object = {}) {
  const admin = await t.user('admin')
  const { workspace_id } = (await admin.post('/api/v1/workspaces', { name: 'team', ...body })).body
  const members = `/api/v1/workspaces/${workspace_id}/members`
  const add = async (role: string): Promise<Person> => {
    const person = await t.user(role)
    const answer = await admin.post(members, { user_id: person.userId, role })
    if (answer.status !== 200) throw new Error(answer.text)
    return person
  }
  return { admin, workspaceId: workspace_id as string, members, add }
}

onBothEngines('members', (t) => {
  test('somebody added by e-mail, in any case, is a viewer unless a role is given', async () => {
    const { admin, members } = await team(t)
    const [one, two] = [await t.user(), await t.user()]
    const added = await admin.post(`${members}/by-email`, { email: one.email.toUpperCase() })
    expect(added.status).toBe(200)
    expect(added.body).toMatchObject({ user_id: one.userId, role: 'viewer' })
    expect((await admin.post(members, { user_id: two.userId, role: 'editor' })).body.role).toBe('editor')
    const list = await one.get(members)
    expect(list.body.map((member: { email: string }) => member.email)).toEqual([admin.email, one.email, ''])
    expect(list.body[0]).toMatchObject({ role: 'admin', display_name: 'admin', user_id: admin.userId })
  })

  test('an address without an account is a 404 that points to invitations', async () => {
    const { admin, members } = await team(t)
    const answer = await admin.post(`${members}/by-email`, { email: 'nobody@example.com' })
    expect(answer.status).toBe(404)
    expect(answer.body.detail).toContain('invitation')
    const unknown = await admin.post(members, { user_id: '00000000-0000-7000-8000-00000000ffff' })
    expect(unknown.status).toBe(404)
  })

  test('a wrong role or e-mail address is a 422 and changes nothing', async () => {
    const { admin, members, add } = await team(t)
    const viewer = await add('viewer')
    const wrong: [string, unknown][] = [
      ['role', { email: 'a@example.com', role: 'owner' }],
      ['email', { email: 'a@' }],
      ['email', { email: `${'x'.repeat(310)}@example.com` }],
      ['email', {}],
    ]
    for (const [field, body] of wrong) {
      const answer = await admin.post(`${members}/by-email`, body)
      expect(answer.status).toBe(422)
      expect(answer.body.detail[0].loc).toEqual(['body', field])
    }
    expect((await admin.patch(`${members}/${viewer.userId}`, { role: 'king' })).status).toBe(422)
    expect((await admin.patch(`${members}/${viewer.userId}`, {})).status).toBe(422)
    expect((await admin.get(members)).body).toHaveLength(2)
  })

  test('a member cannot be added again, not even by two requests at once', async () => {
    const { admin, members } = await team(t)
    const person = await t.user()
    const answers = await Promise.all(
      [1, 2, 3].map(() => admin.post(members, { user_id: person.userId, role: 'editor' })),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409, 409])
    const again = await admin.post(`${members}/by-email`, { email: person.email })
    expect(again.body.code).toBe('already_member')
    expect((await admin.get(members)).body).toHaveLength(2)
  })

  test('the policy gives the role that a request leaves out, and bounds the domains', async () => {
    const { admin, members } = await team(t, {
      policy_json: { default_role: 'editor', invite_domains: ['example.com'] },
    })
    const person = await t.user()
    expect((await admin.post(`${members}/by-email`, { email: person.email })).body.role).toBe('editor')
    const email = `out-${t.engine}@elsewhere.example`
    await t.anonymous().post('/api/v1/auth/register', { email, password: 'correct horse' })
    const refused = await admin.post(`${members}/by-email`, { email })
    expect(refused.status).toBe(403)
    expect(refused.body.detail).toContain('example.com')
  })

  test('a role changes what somebody may do, at once', async () => {
    const { admin, members, add } = await team(t)
    const person = await add('viewer')
    expect((await person.patch(`${members}/${person.userId}`, { role: 'admin' })).status).toBe(403)
    const changed = await admin.patch(`${members}/${person.userId}`, { role: 'admin' })
    expect(changed.body).toMatchObject({ user_id: person.userId, role: 'admin' })
    expect((await person.patch(`${members}/${admin.userId}`, { role: 'viewer' })).status).toBe(200)
    expect((await admin.patch(`${members}/${person.userId}`, { role: 'viewer' })).status).toBe(403)
  })

  test('the last admin can be neither demoted nor removed, nor leave', async () => {
    const { admin, members, add } = await team(t)
    await add('editor')
    const own = `${members}/${admin.userId}`
    expect((await admin.patch(own, { role: 'viewer' })).body.code).toBe('last_admin')
    expect((await admin.delete(own)).body.code).toBe('last_admin')
    expect((await admin.patch(own, { role: 'admin' })).status).toBe(200)
    const second = await add('admin')
    expect((await admin.delete(own)).status).toBe(200)
    expect((await admin.get(members)).status).toBe(404)
    expect((await second.get(members)).body).toHaveLength(2)
  })

  test('of two admins who demote or remove each other at the same time, one stays', async () => {
    const demote = { method: 'patch' as const }
    const remove = { method: 'delete' as const }
    for (const [first, second] of [
      [demote, demote],
      [remove, remove],
      [demote, remove],
    ] as const) {
      const { admin, members, add } = await team(t)
      const other = await add('admin')
      const act = (actor: Person, target: Person, { method }: { method: 'patch' | 'delete' }) =>
        method === 'patch'
          ? actor.patch(`${members}/${target.userId}`, { role: 'viewer' })
          : actor.delete(`${members}/${target.userId}`)
      const answers = await Promise.all([act(admin, other, first), act(other, admin, second)])
      const statuses = answers.map((answer) => answer.status)
      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
      const survivor = statuses[0] === 200 ? admin : other
      const admins = (await survivor.get(members)).body.filter(
        (member: { role: string }) => member.role === 'admin',
      )
      expect(admins).toHaveLength(1)
    }
  })

  test('of two admins who leave at the same time, one stays', async () => {
    const { admin, members, workspaceId } = await team(t)
    const other = await t.user('admin')
    const invites = `/api/v1/workspaces/${workspaceId}/invites`
    const { token } = (await admin.post(invites, { email: other.email, role: 'admin' })).body
    await other.post('/api/v1/workspaces/invites/accept', { token })
    const answers = await Promise.all([admin, other].map((who) => who.delete(`${members}/${who.userId}`)))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
  })

  test('a viewer may leave, and is then a stranger', async () => {
    const { admin, members, add } = await team(t)
    const viewer = await add('viewer')
    const left = await viewer.delete(`${members}/${viewer.userId}`)
    expect(left.body).toMatchObject({ user_id: viewer.userId, removed: true })
    expect((await viewer.get(members)).status).toBe(404)
    expect((await admin.delete(`${members}/${viewer.userId}`)).status).toBe(404)
  })
})
