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
]

permissionTable('workspaces', rows)

test('the table has every workspace route', () => {
  const routes = capabilities
    .flatMap((capability) => capability.rest ?? [])
    .filter((route) => /^[A-Z]+ \/api\/v1\/workspaces/.test(route))
  expect(rows.map((row) => row.route).sort()).toEqual(routes.sort())
})
