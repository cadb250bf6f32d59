import { expect, test } from 'vitest'
import { addLike, type Person, record, team } from '../../../test/support/cards.ts'
import { clientOf } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { DAY_MS } from '../../shared/time.ts'

onBothEngines('the week of a team', (t) => {
  const week = async (as: Person, workspaceId: string, days = 7) => {
    const answer = await as.get(`/api/v1/workspaces/${workspaceId}/week?days=${days}`)
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }
  const titles = ({ items }: { items: { title: string }[] }) => items.map((one) => one.title)
  async function shared(owner: Person, workspaceId: string, title: string): Promise<string> {
    const { card_id } = await record(owner, { workspace_id: workspaceId, title })
    expect((await owner.post(`/api/v1/cards/${card_id}/share`)).status).toBe(200)
    return card_id
  }
  const agentOf = async (person: Person) => {
    const made = await person.post('/api/v1/auth/api-keys', { name: 'agent' })
    return clientOf(t.app, { 'x-api-key': made.body.api_key })
  }

  test('lists new and changed cards with their authors, for members only', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t)
    const old = await shared(editor, workspaceId, 'An old card about the connection pool')
    const untouched = await shared(editor, workspaceId, 'A card that nobody touches')
    t.later(10 * DAY_MS)
    await shared(admin, workspaceId, 'A new card about the mail queue')
    await record(editor, { workspace_id: workspaceId, title: 'Not shared with anybody' })
    await admin.patch(`/api/v1/cards/${old}`, { title: 'An old card, told better' })
    const { cards, since } = await week(viewer, workspaceId)
    expect(cards.items).toMatchObject([
      {
        card_id: old,
        title: 'An old card, told better',
        change: 'changed',
        by_name: 'admin',
        home: { kind: 'workspace', workspace_id: workspaceId },
        readers: { kind: 'members', count: 3 },
      },
      { title: 'A new card about the mail queue', change: 'new', by_name: 'admin' },
    ])
    expect(Date.parse(since)).toBeLessThan(t.app.services.now().getTime() - 6 * DAY_MS)
    expect(
      (await week(viewer, workspaceId, 30)).cards.items.map((one: { card_id: string }) => one.card_id),
    ).toContain(untouched)
    const stranger = await t.user('stranger')
    expect((await stranger.get(`/api/v1/workspaces/${workspaceId}/week`)).status).toBe(404)
    await admin.patch(`/api/v1/workspaces/${workspaceId}`, { visibility: 'public' })
    expect((await stranger.get(`/api/v1/workspaces/${workspaceId}/week`)).status).toBe(403)
    for (const days of [0, 91, 'x'])
      expect((await viewer.get(`/api/v1/workspaces/${workspaceId}/week?days=${days}`)).status).toBe(422)
  })

  test('lists what helped which member, once for each, and only members', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t, { visibility: 'public' })
    const stranger = await t.user('stranger')
    const card = await shared(editor, workspaceId, 'The card that helps')
    const url = `/api/v1/cards/${card}`
    await viewer.post(`${url}/feedback`, { kind: 'useful', comment: 'secret thoughts' })
    await admin.post(`${url}/feedback`, { kind: 'useful' })
    await admin.post(`${url}/verdicts`, { outcome: 'worked', environment: {} })
    await editor.post(`${url}/feedback`, { kind: 'useful' })
    await stranger.post(`${url}/feedback`, { kind: 'useful' })
    const { helped } = await week(viewer, workspaceId)
    const said = ({ items }: typeof helped) => items.map((one: { user_name: string }) => one.user_name).sort()
    expect(said(helped)).toEqual(['admin', 'viewer'])
    expect(JSON.stringify(helped)).not.toContain('secret')
    await admin.delete(`${url}/feedback`)
    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${viewer.userId}`)
    expect((await week(admin, workspaceId)).helped.items).toEqual([])
  })

  test('lists doubted cards, also for review; the queue is for editors', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t, { policy_json: { review_after_days: 14 } })
    const stale = await shared(editor, workspaceId, 'A card from another time')
    await viewer.post(`/api/v1/cards/${stale}/feedback`, { kind: 'outdated' })
    await admin.post(`/api/v1/cards/${stale}/verdicts`, { outcome: 'stale' })
    expect((await week(viewer, workspaceId)).doubted.items).toMatchObject([
      {
        card_id: stale,
        title: 'A card from another time',
        doubt: { outcome: 'stale', user_name: null },
        can_edit: false,
        readers: { kind: 'members' },
      },
    ])
    t.later(20 * DAY_MS)
    const seen = await week(editor, workspaceId)
    expect(seen.doubted.items).toMatchObject([
      { card_id: stale, doubt: { user_name: 'admin' }, can_edit: true },
    ])
    expect(seen.review.items).toEqual([])
    await admin.put(`/api/v1/cards/${stale}/doubts`, { dismissed: true })
    expect((await week(viewer, workspaceId)).doubted.items).toEqual([])
    expect((await week(editor, workspaceId)).review.items).toMatchObject([{ card_id: stale, reason: 'due' }])
    expect((await week(viewer, workspaceId)).review).toBeNull()
    expect(seen.cards.items).toEqual([])
  })

  test('shows drafts by agents to those who may read them', async () => {
    const { workspaceId, admin, editor, viewer } = await team(t)
    const agent = await agentOf(editor)
    const { card_id } = await record(agent, { workspace_id: workspaceId, title: 'Found by an agent' })
    await record(editor, { workspace_id: workspaceId, title: 'Typed by a person' })
    await record(agent, { title: 'At home' })
    for (const person of [admin, editor])
      expect((await week(person, workspaceId)).drafts.items).toMatchObject([
        { card_id, title: 'Found by an agent', owner_name: 'editor', readers: { kind: 'editors', count: 2 } },
      ])
    expect((await week(viewer, workspaceId)).drafts.items).toEqual([])
    await editor.post(`/api/v1/cards/${card_id}/share`)
    const after = await week(viewer, workspaceId)
    expect([titles(after.drafts), titles(after.cards)]).toEqual([[], ['Found by an agent']])
    await editor.delete(`/api/v1/cards/${card_id}`)
    expect((await week(viewer, workspaceId)).cards.items).toEqual([])
  })

  test('no part is longer than twenty, and says that there is more', async () => {
    const { workspaceId, editor, viewer } = await team(t)
    const first = await shared(editor, workspaceId, 'One card of many')
    const others = Array.from({ length: 20 }, () => ({ card_id: crypto.randomUUID() }))
    await addLike(t.app, 'cards', ['card_id', first], others)
    const { cards } = await week(viewer, workspaceId)
    expect([cards.items.length, cards.has_more]).toEqual([20, true])
  })
})
