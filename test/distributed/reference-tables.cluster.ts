import { afterAll, beforeAll, expect, test } from 'vitest'
import { run, serversOf } from '../support/cluster.ts'
import { TestVault } from '../support/engines.ts'

const AT_ONCE = 40

const vault = new TestVault('postgres', {})
beforeAll(() => vault.up())
afterAll(() => vault.down())

/** A circle of locks on one server. PostgreSQL breaks it only after a second. */
async function deadlocks(): Promise<number> {
  const url = vault.vault.env.DATABASE_URL ?? ''
  let found = 0
  for (const server of await serversOf(url)) {
    const { rows } = await run(
      server,
      'select deadlocks::int as n from pg_stat_database where datname = current_database()',
    )
    found += rows[0].n
  }
  return found
}

test('on a cluster, people who register and make teams at the same moment do not wait in a circle', async () => {
  const names = Array.from({ length: AT_ONCE }, (_, i) => `at-once-${i}`)
  const people = await Promise.all(names.map((name) => vault.user(name)))
  const made = await Promise.all(people.map((person) => person.post('/api/v1/workspaces', { name: 'Team' })))
  expect(made.map(({ status }) => status)).toEqual(people.map(() => 201))
  expect(new Set(people.map(({ workspaceId }) => workspaceId)).size).toBe(AT_ONCE)
  expect(await deadlocks()).toBe(0)
})
