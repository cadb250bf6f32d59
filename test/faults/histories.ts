import fc from 'fast-check'
import { expect } from 'vitest'
import { contextFor } from '../../src/core/context.ts'
import { reconcile } from '../../src/features/credits/reconciliation.ts'
import { goodCard } from '../support/cards.ts'
import type { TestVault } from '../support/engines.ts'

const CLIENTS = 8
const STEPS = 6
const PROJECT = 'example/histories'

type Person = Awaited<ReturnType<TestVault['user']>>
type Role = 'admin' | 'editor' | 'viewer' | 'none'

/** A span of the history, in the order in which things began and ended. */
type Span = { from: number; to: number }

/**
 * What happened, as the clients saw it. The rules are checked against everything since the beginning, so the same
 * people go on from one history to the next.
 */
class Record {
  #time = 0
  readonly roleChanges = new Map<string, (Span & { role: Role })[]>()
  readonly teamWrites: (Span & { userId: string })[] = []
  readonly updates = new Map<string, number>()
  readonly events = new Map<string, number>()
  readonly accepted = new Map<string, number>()
  readonly redeemed = new Map<string, number>()

  async span<T>(work: () => Promise<T>): Promise<{ span: Span; result: T }> {
    const from = ++this.#time
    const result = await work()
    return { span: { from, to: ++this.#time }, result }
  }

  count(counts: Map<string, number>, key: string): void {
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
}

export async function histories(t: TestVault, rounds: number): Promise<void> {
  const people: Person[] = []
  for (let i = 0; i < CLIENTS; i++) people.push(await t.user(`client${i}`))
  const admin = await t.user('admin')
  const librarian = await t.user('librarian')
  const ok = <T extends { status: number; text: string }>(answer: T): T => {
    if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`)
    return answer
  }
  const teamId: string = ok(await admin.post('/api/v1/workspaces', { name: 'Team' })).body.workspace_id
  const publicCard = ok(await librarian.post('/api/v1/cards', goodCard('histories'))).body
  ok(await librarian.post(`/api/v1/cards/${publicCard.card_id}/publish`))
  const record = new Record()

  const setRole = async (person: Person, role: Role) => {
    const url = `/api/v1/workspaces/${teamId}/members`
    const changes = record.roleChanges.get(person.userId) ?? []
    record.roleChanges.set(person.userId, changes)
    const { span, result } = await record.span(async () => {
      if (role === 'none') return admin.delete(`${url}/${person.userId}`)
      const changed = await admin.patch(`${url}/${person.userId}`, { role })
      return changed.status === 404 ? admin.post(url, { user_id: person.userId, role }) : changed
    })
    if (result.status < 300) changes.push({ ...span, role })
    else expect([404]).toContain(result.status)
  }
  for (const person of people) await setRole(person, 'editor')

  /** All clients at once: the same card, the same invitation, the same code. */
  const shared = { cardId: '', token: '', code: '', ownCards: new Map<string, string>() }
  const prepare = async () => {
    const card = ok(await admin.post('/api/v1/cards', { ...goodCard(), workspace_id: teamId })).body
    shared.cardId = card.card_id
    const email = `someone-${crypto.randomUUID()}@example.com`
    const workspaceId = ok(await librarian.post('/api/v1/workspaces', { name: 'Invited' })).body.workspace_id
    shared.token = ok(await librarian.post(`/api/v1/workspaces/${workspaceId}/invites`, { email })).body.token
    shared.code ||= ok(await librarian.post('/api/v1/billing/invites', {})).body.code
    for (const person of people)
      shared.ownCards.set(person.userId, ok(await person.post('/api/v1/cards', goodCard())).body.card_id)
  }

  const steps: { [name: string]: (person: Person) => Promise<void> } = {
    search: async (person) => {
      const found = await person.post('/api/v1/search', { query: 'histories1 histories2', scope: 'public' })
      expect([200, 402]).toContain(found.status)
    },
    publish: async (person) => {
      const own = shared.ownCards.get(person.userId)
      expect([200, 409]).toContain((await person.post(`/api/v1/cards/${own}/publish`)).status)
    },
    unpublish: async (person) => {
      const own = shared.ownCards.get(person.userId)
      expect((await person.post(`/api/v1/cards/${own}/unpublish`)).status).toBeLessThan(500)
    },
    feedback: async (person) => {
      const given = await person.post(`/api/v1/cases/${publicCard.card_id}/feedback`, { kind: 'useful' })
      expect(given.status).toBe(201)
    },
    update: async (person) => {
      const now = await person.get(`/api/v1/cards/${shared.cardId}`)
      if (now.status !== 200) return
      const { span, result } = await record.span(() =>
        person.patch(
          `/api/v1/cards/${shared.cardId}`,
          { scope_notes: crypto.randomUUID() },
          { 'if-match': `"${now.body.version}"` },
        ),
      )
      expect([200, 403, 404, 412]).toContain(result.status)
      if (result.status !== 200) return
      record.count(record.updates, shared.cardId)
      record.teamWrites.push({ ...span, userId: person.userId })
    },
    writeToTeam: async (person) => {
      const { span, result } = await record.span(() =>
        person.post('/api/v1/cards', { ...goodCard(), workspace_id: teamId }),
      )
      expect([201, 403, 404]).toContain(result.status)
      if (result.status === 201) record.teamWrites.push({ ...span, userId: person.userId })
    },
    demote: (person) => setRole(person, 'viewer'),
    remove: (person) => setRole(person, 'none'),
    promote: (person) => setRole(person, 'editor'),
    accept: async (person) => {
      const answer = await person.post('/api/v1/workspaces/invites/accept', { token: shared.token })
      expect([200, 404, 409, 410]).toContain(answer.status)
      if (answer.status === 200) record.count(record.accepted, shared.token)
    },
    redeem: async (person) => {
      const answer = await person.post('/api/v1/billing/redeem-invite', { code: shared.code })
      expect([200, 404, 409, 410]).toContain(answer.status)
      if (answer.status === 200) record.count(record.redeemed, shared.code)
    },
    remember: async (person) => {
      const answer = await person.post('/api/v1/project-context/turns', {
        project_key: PROJECT,
        user_message: 'm',
        agent_report: 'r',
        facts: ['f'],
      })
      expect(answer.status).toBe(201)
      record.count(record.events, person.userId)
    },
  }

  const oneHistory = fc.array(
    fc.array(fc.constantFrom(...Object.keys(steps)), { minLength: 1, maxLength: STEPS }),
    {
      minLength: CLIENTS,
      maxLength: CLIENTS,
    },
  )
  // The admin's own calls come from several clients at once; changes to one person's role stay in order.
  const lines = new Map<string, Promise<void>>()
  const isRoleChange = (name: string) => ['demote', 'remove', 'promote'].includes(name)
  const perform = async (person: Person, name: string) => {
    const step = steps[name] as (person: Person) => Promise<void>
    if (!isRoleChange(name)) return step(person)
    // Somebody else's role: the one of the next client, so that it changes while that client writes.
    const target = people[(people.indexOf(person) + 1) % people.length] as Person
    const before = lines.get(target.userId) ?? Promise.resolve()
    const mine = before.then(() => step(target))
    lines.set(target.userId, mine)
    return mine
  }

  await fc.assert(
    fc.asyncProperty(oneHistory, async (history) => {
      await prepare()
      await Promise.all(
        people.map(async (person, i) => {
          for (const name of history[i] ?? []) await perform(person, name)
        }),
      )
      await checkRules(t, { people, record, cardId: shared.cardId, admin })
    }),
    { numRuns: rounds, endOnFailure: true },
  )
}

type Checked = { people: Person[]; record: Record; cardId: string; admin: Person }

async function checkRules(t: TestVault, { people, record, cardId, admin }: Checked): Promise<void> {
  const { database } = t.app.services
  // No overdraft, and every balance is the sum of its entries.
  expect((await reconcile(contextFor(t.app.services))).differences).toEqual([])
  const entries = await database.read.selectFrom('credit_entries').selectAll().execute()
  expect(entries.filter((entry) => entry.balance_after < 0)).toEqual([])
  // No double reward: for a card, for feedback on a card, for an invitation.
  for (const reason of ['publish_reward', 'feedback_reward', 'invite_redeemed', 'signup_bonus']) {
    const causes = entries
      .filter((entry) => entry.reason === reason)
      .map((entry) => `${entry.user_id} ${entry.cause}`)
    expect(new Set(causes).size, reason).toBe(causes.length)
  }
  const rewards = entries.filter((entry) => entry.reason === 'publish_reward').map((entry) => entry.ref_id)
  expect(new Set(rewards).size, 'one reward for a card').toBe(rewards.length)
  // No lost update: every acknowledged one made a version.
  const card = await admin.get(`/api/v1/cards/${cardId}`)
  expect(card.body.version).toBe(1 + (record.updates.get(cardId) ?? 0))
  // One invitation makes one member; a code of one use is used once.
  for (const times of [...record.accepted.values(), ...record.redeemed.values()]) expect(times).toBe(1)
  // Memory holds every turn with its facts.
  for (const person of people) {
    const snapshot = await person.get(`/api/v1/project-context/snapshot?project_key=${PROJECT}`)
    expect(snapshot.body.total_events).toBe(2 * (record.events.get(person.userId) ?? 0))
  }
  // Nobody wrote to the team who could not have had a role for it at any moment of that write.
  const wrong = record.teamWrites.filter(({ userId, from, to }) => {
    const changes = record.roleChanges.get(userId) ?? []
    const before = changes.filter((change) => change.to < from).at(-1)?.role ?? 'none'
    const during = changes.filter((change) => change.from < to && change.to >= from).map(({ role }) => role)
    return ![before, ...during].some((role) => role === 'editor' || role === 'admin')
  })
  expect(wrong).toEqual([])
}
