import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  ADMINS_ONLY,
  ANYBODY_SIGNED_IN,
  MEMBERS_ONLY,
  type PermissionRow,
  permissionTable,
  WHO_MAY_KNOW,
  type World,
} from '../../../test/support/permissions.ts'
import { capabilities } from '../../capabilities.ts'

const at = (world: World, rest = '') => `/api/v1/workspaces/${world.workspaceId}${rest}`

const newcomer = async (world: World) => (await world.bench.user('newcomer')).userId

async function newMember(world: World): Promise<string> {
  const userId = await newcomer(world)
  await world.owner.post(at(world, '/members'), { user_id: userId, role: 'viewer' })
  return userId
}

async function newInvite(world: World): Promise<{ invite: { invite_id: string }; token: string }> {
  const email = `guest-${randomUUID()}@example.com`
  return (await world.owner.post(at(world, '/invites'), { email })).body
}

/** A workspace like that of the world, to be deleted instead of it. */
async function doomedTwin(world: World): Promise<string> {
  const { owner, people } = world
  const { visibility } = (await owner.get(at(world))).body
  const { workspace_id } = (await owner.post('/api/v1/workspaces', { name: 'Doomed', visibility })).body
  for (const role of ['admin', 'editor', 'viewer'] as const)
    await owner.post(`/api/v1/workspaces/${workspace_id}/members`, { user_id: people[role].userId, role })
  return workspace_id
}

const rows: PermissionRow[] = [
  {
    route: 'POST /api/v1/workspaces',
    call: (caller) => caller.post('/api/v1/workspaces', { name: 'another' }),
    expected: { owner: 201, admin: 201, editor: 201, viewer: 201, outsider: 201, anonymous: 401 },
  },
  {
    route: 'GET /api/v1/workspaces',
    call: (caller) => caller.get('/api/v1/workspaces'),
    expected: ANYBODY_SIGNED_IN,
  },
  {
    route: 'GET /api/v1/workspaces/{workspace_id}',
    call: (caller, world) => caller.get(at(world)),
    expected: WHO_MAY_KNOW,
  },
  {
    route: 'PATCH /api/v1/workspaces/{workspace_id}',
    call: (caller, world) => caller.patch(at(world), { name: 'renamed' }),
    expected: ADMINS_ONLY,
  },
  {
    route: 'GET /api/v1/workspaces/{workspace_id}/deletion',
    call: (caller, world) => caller.get(at(world, '/deletion')),
    expected: ADMINS_ONLY,
  },
  {
    route: 'DELETE /api/v1/workspaces/{workspace_id}',
    prepare: doomedTwin,
    call: (caller, _world, twin) => caller.delete(`/api/v1/workspaces/${twin}?confirm_name=Doomed`),
    expected: ADMINS_ONLY,
  },
  {
    route: 'POST /api/v1/workspaces/{workspace_id}/members',
    prepare: newcomer,
    call: (caller, world, userId) => caller.post(at(world, '/members'), { user_id: userId }),
    expected: ADMINS_ONLY,
  },
  {
    route: 'POST /api/v1/workspaces/{workspace_id}/members/by-email',
    prepare: async (world) => (await world.bench.user('newcomer')).email,
    call: (caller, world, email) => caller.post(at(world, '/members/by-email'), { email }),
    expected: ADMINS_ONLY,
  },
  {
    route: 'GET /api/v1/workspaces/{workspace_id}/members',
    call: (caller, world) => caller.get(at(world, '/members')),
    expected: MEMBERS_ONLY,
  },
  {
    route: 'PATCH /api/v1/workspaces/{workspace_id}/members/{user_id}',
    prepare: newMember,
    call: (caller, world, userId) => caller.patch(at(world, `/members/${userId}`), { role: 'editor' }),
    expected: ADMINS_ONLY,
  },
  {
    route: 'DELETE /api/v1/workspaces/{workspace_id}/members/{user_id}',
    prepare: newMember,
    call: (caller, world, userId) => caller.delete(at(world, `/members/${userId}`)),
    expected: ADMINS_ONLY,
  },
  {
    route: 'GET /api/v1/workspaces/{workspace_id}/invites',
    call: (caller, world) => caller.get(at(world, '/invites')),
    expected: ADMINS_ONLY,
  },
  {
    route: 'POST /api/v1/workspaces/{workspace_id}/invites',
    call: (caller, world) => caller.post(at(world, '/invites'), { email: 'somebody@example.com' }),
    expected: ADMINS_ONLY,
  },
  {
    route: 'POST /api/v1/workspaces/{workspace_id}/invites/{invite_id}/resend',
    prepare: async (world) => (await newInvite(world)).invite.invite_id,
    call: (caller, world, inviteId) => caller.post(at(world, `/invites/${inviteId}/resend`)),
    expected: ADMINS_ONLY,
  },
  {
    route: 'DELETE /api/v1/workspaces/{workspace_id}/invites/{invite_id}',
    prepare: async (world) => (await newInvite(world)).invite.invite_id,
    call: (caller, world, inviteId) => caller.delete(at(world, `/invites/${inviteId}`)),
    expected: ADMINS_ONLY,
  },
  {
    route: 'GET /api/v1/workspaces/invites/{token}',
    prepare: async (world) => (await newInvite(world)).token,
    call: (caller, _world, token) => caller.get(`/api/v1/workspaces/invites/${token}`),
    expected: { ...ANYBODY_SIGNED_IN, anonymous: 200 },
  },
  {
    route: 'POST /api/v1/workspaces/invites/accept',
    prepare: async (world) => (await newInvite(world)).token,
    call: async (caller, world, token) => {
      const answer = await caller.post('/api/v1/workspaces/invites/accept', { token })
      // The outsider is one again for the next row.
      if (answer.status === 200) await caller.delete(at(world, `/members/${answer.body.user_id}`))
      return answer
    },
    expected: { owner: 409, admin: 409, editor: 409, viewer: 409, outsider: 200, anonymous: 401 },
  },
  {
    route: 'GET /api/v1/workspaces/{workspace_id}/week',
    call: (caller, world) => caller.get(at(world, '/week')),
    expected: MEMBERS_ONLY,
  },
  {
    route: 'GET /api/v1/workspaces/{workspace_id}/audit',
    call: (caller, world) => caller.get(at(world, '/audit')),
    expected: ADMINS_ONLY,
  },
]

permissionTable('workspaces', rows)

test('the table has every workspace route', () => {
  const routes = capabilities
    .flatMap((capability) => capability.rest ?? [])
    .filter((route) => /^[A-Z]+ \/api\/v1\/workspaces/.test(route))
  expect(rows.map((row) => row.route).sort()).toEqual(routes.sort())
})
