import { expect, test } from 'vitest'
import { type Person, record } from '../../../test/support/cards.ts'
import { clientOf } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { contextFor, inTx, type Viewer } from '../../core/context.ts'
import { SAMPLE_CARDS } from '../inbox/sample-cards.ts'
import { noteFirstSearch } from './first-steps.ts'

const STEPS = '/api/v1/auth/first-steps'
const SAMPLES = '/api/v1/samples'
const COUNT = Object.keys(SAMPLE_CARDS).length

const doneOf = async (me: Person): Promise<string[]> =>
  (await me.get(STEPS)).body.steps
    .filter(({ done }: { done: boolean }) => done)
    .map(({ step }: { step: string }) => step)

onBothEngines('first steps', (t) => {
  test('are seen where they happen, one after the other', async () => {
    const me = await t.user()
    expect((await me.get(STEPS)).body).toEqual({
      steps: ['key', 'call', 'card', 'search', 'invite'].map((step) => ({ step, done: false })),
      done: false,
      dismissed_at: null,
      sample_cards: 0,
    })
    const { api_key } = (await me.post('/api/v1/auth/api-keys', { name: 'agent' })).body
    expect(await doneOf(me)).toEqual(['key'])
    const agent = clientOf(t.app, { 'x-api-key': api_key })
    expect((await agent.post('/api/v1/search', { query: 'anything at all' })).status).toBe(200)
    expect(await doneOf(me)).toEqual(['key', 'call', 'search'])
    await record(me)
    const { workspace_id } = (await me.post('/api/v1/workspaces', { name: 'Team' })).body
    expect(await doneOf(me)).toEqual(['key', 'call', 'card', 'search'])
    await me.post(`/api/v1/workspaces/${workspace_id}/invites`, { email: 'mate@example.com', role: 'viewer' })
    expect((await me.get(STEPS)).body).toMatchObject({ done: true })
    expect((await (await t.user()).get(STEPS)).body.steps).toEqual(
      expect.not.arrayContaining([{ step: 'search', done: true }]),
    )
  })

  test('a search that is rolled back leaves the step to the next one', async () => {
    const me = await t.user()
    const ctx = { ...contextFor(t.app.services), viewer: { userId: me.userId } as Viewer }
    const refused = inTx(ctx, async (ctx) => {
      await noteFirstSearch(ctx)
      throw new Error('not enough credits')
    })
    await expect(refused).rejects.toThrow('not enough credits')
    expect(await doneOf(me)).toEqual([])
    await me.post('/api/v1/search', { query: 'the next search' })
    expect(await doneOf(me)).toEqual(['search'])
  })

  test('a code for friends and a member who was added are invitations too', async () => {
    const [me, lead, mate] = [await t.user(), await t.user(), await t.user()]
    expect((await me.post('/api/v1/billing/invites', {})).status).toBeLessThan(300)
    expect(await doneOf(me)).toEqual(['invite'])
    const { workspace_id } = (await lead.post('/api/v1/workspaces', { name: 'Team' })).body
    await lead.post(`/api/v1/workspaces/${workspace_id}/members`, { user_id: mate.userId, role: 'viewer' })
    expect(await doneOf(lead)).toEqual(['invite'])
    expect(await doneOf(mate)).toEqual([])
  })

  test('put away, they stay away', async () => {
    const me = await t.user()
    const [first, second] = await Promise.all([me.post(`${STEPS}/dismiss`), me.post(`${STEPS}/dismiss`)])
    expect(first.body.dismissed_at).toBe(second.body.dismissed_at)
    await me.post('/api/v1/search', { query: 'the first search of all' })
    expect((await me.get(STEPS)).body.dismissed_at).toBe(first.body.dismissed_at)
    expect(await doneOf(me)).toEqual(['search'])
  })
})

onBothEngines('sample cards', (t) => {
  test('are added once, found by search, and no step', async () => {
    const me = await t.user()
    const added = await Promise.all([me.post(SAMPLES), me.post(SAMPLES)])
    expect(added.map(({ body }) => body.added).sort()).toEqual([0, COUNT])
    expect((await me.get(STEPS)).body.sample_cards).toBe(COUNT)
    expect(await doneOf(me)).toEqual([])
    const { results } = (await me.post('/api/v1/search', { query: 'ENOSPC inotify watchers' })).body
    expect(results[0].title).toBe(SAMPLE_CARDS['inotify-watchers']?.title)
    const [card] = (await me.get('/api/v1/cards')).body.items
    expect(card).toMatchObject({ is_sample: true, status: 'unpublished' })
  })

  test('are added to the personal workspace, also with a key that records for a team', async () => {
    const me = await t.user()
    const { workspace_id } = (await me.post('/api/v1/workspaces', { name: 'Team' })).body
    const key = { name: 'agent', scopes: ['account'], default_workspace_id: workspace_id }
    const { api_key } = (await me.post('/api/v1/auth/api-keys', key)).body
    const added = await clientOf(t.app, { 'x-api-key': api_key }).post(SAMPLES)
    expect([added.status, added.body.added]).toEqual([200, COUNT])
    const { items } = (await me.get('/api/v1/cards')).body
    const homes = new Set(items.map((card: { workspace_id: string }) => card.workspace_id))
    expect([...homes]).toEqual([me.workspaceId])
  })

  test('removal takes the unchanged ones, names the others, and leaves what one wrote', async () => {
    const me = await t.user()
    const mine = await record(me)
    await me.post(SAMPLES)
    const { items } = (await me.get('/api/v1/cards')).body
    const [edited, shared] = items.filter((card: { is_sample?: true }) => card.is_sample)
    await me.patch(`/api/v1/cards/${edited.card_id}`, { title: 'My own words for this problem' })
    await me.post(`/api/v1/cards/${shared.card_id}/share`)
    const removed = await me.delete(SAMPLES)
    expect(removed.body.removed).toBe(COUNT - 2)
    expect(removed.body.kept.map((card: { card_id: string }) => card.card_id).sort()).toEqual(
      [edited.card_id, shared.card_id].sort(),
    )
    const left = (await me.get('/api/v1/cards')).body.items.map((card: { card_id: string }) => card.card_id)
    expect(left.sort()).toEqual([mine.card_id, edited.card_id, shared.card_id].sort())
    expect((await me.delete(SAMPLES)).body.removed).toBe(0)
    expect((await me.post(SAMPLES)).body.added).toBe(COUNT - 2)
  })
})
