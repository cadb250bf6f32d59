import { beforeAll, expect, test } from 'vitest'
import type { Route } from '../../src/core/capability.ts'
import type { Answer, Client } from './client.ts'
import { onBothEngines, type TestVault } from './engines.ts'

const PEOPLE = ['owner', 'admin', 'editor', 'viewer', 'outsider', 'anonymous'] as const
export type Who = (typeof PEOPLE)[number]

const VISIBILITIES = ['private', 'unlisted', 'public'] as const
export type Visibility = (typeof VISIBILITIES)[number]

/** One status for all visibilities, or one each for private, unlisted and public. */
type Expected = number | [atPrivate: number, atUnlisted: number, atPublic: number]

export type World = {
  bench: TestVault
  people: Record<Who, Client & { userId?: string }>
  owner: Client & { userId: string }
  workspaceId: string
}

export type PermissionRow = {
  route: Route
  /** What the call needs to exist before, made anew after each call that was not refused. */
  prepare?: (world: World) => Promise<string>
  call: (caller: Client, world: World, prepared: string) => Promise<Answer>
  expected: Record<Who, Expected>
}

/** Who usually may do what, to be spread into a row and changed where it differs. */
export const ADMINS_ONLY: Record<Who, Expected> = {
  owner: 200,
  admin: 200,
  editor: 403,
  viewer: 403,
  outsider: [404, 403, 403],
  anonymous: 401,
}
export const MEMBERS_ONLY: Record<Who, Expected> = { ...ADMINS_ONLY, editor: 200, viewer: 200 }
export const WHO_MAY_KNOW: Record<Who, Expected> = { ...MEMBERS_ONLY, outsider: [404, 200, 200] }
export const ANYBODY_SIGNED_IN: Record<Who, Expected> = { ...MEMBERS_ONLY, outsider: 200 }

async function makeWorld(bench: TestVault, visibility: Visibility): Promise<World> {
  const [owner, admin, editor, viewer, outsider] = [
    await bench.user('owner'),
    await bench.user('admin'),
    await bench.user('editor'),
    await bench.user('viewer'),
    await bench.user('outsider'),
  ]
  const created = await owner.post('/api/v1/workspaces', { name: visibility, visibility })
  const workspaceId: string = created.body.workspace_id
  for (const [role, { userId }] of Object.entries({ admin, editor, viewer }))
    await owner.post(`/api/v1/workspaces/${workspaceId}/members`, { user_id: userId, role })
  const people = { owner, admin, editor, viewer, outsider, anonymous: bench.anonymous() }
  return { bench, people, owner, workspaceId }
}

/**
 * Walks every person × every visibility × every row, on both engines. A feature adds its routes by a table
 * of its own.
 */
export function permissionTable(what: string, rows: readonly PermissionRow[]): void {
  onBothEngines(`permissions of ${what}`, (bench) => {
    const worlds = new Map<Visibility, World>()
    beforeAll(async () => {
      for (const visibility of VISIBILITIES) worlds.set(visibility, await makeWorld(bench, visibility))
    })
    for (const { route, prepare, call, expected } of rows)
      test.each(VISIBILITIES)(`${route} in a %s workspace`, async (visibility) => {
        const world = worlds.get(visibility)
        if (!world) throw new Error('no world')
        const seen: Record<string, number> = {}
        const wanted: Record<string, number> = {}
        let prepared: string | undefined
        for (const who of PEOPLE) {
          const status = expected[who]
          wanted[who] = typeof status === 'number' ? status : (status[VISIBILITIES.indexOf(visibility)] ?? 0)
          prepared ??= (await prepare?.(world)) ?? ''
          const answer = await call(world.people[who], world, prepared)
          seen[who] = answer.status
          // Whoever is refused changes nothing: the next caller finds it as it was.
          if (answer.status < 400) prepared = undefined
        }
        expect(seen).toEqual(wanted)
      })
  })
}
