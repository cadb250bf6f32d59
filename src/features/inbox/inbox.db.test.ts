import { expect, test } from 'vitest'
import { goodCard, type Person } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

onBothEngines('the inbox of an author', (t) => {
  async function published(owner: Person) {
    const card = (await owner.post('/api/v1/cards', goodCard())).body
    expect((await owner.post(`/api/v1/cards/${card.card_id}/publish`)).status).toBe(200)
    return { url: `/api/v1/cards/${card.card_id}`, id: card.card_id as string, title: card.title as string }
  }
  const inbox = async (as: Person) => {
    const { items, unread } = (await as.get('/api/v1/notices')).body
    expect((await as.get('/api/v1/notices/unread')).body).toEqual({ unread })
    return items
  }

  test('tells of feedback and verdicts, one unread notice for each card', async () => {
    const [owner, one, two] = [await t.user('owner'), await t.user('One'), await t.user('Two')]
    const card = await published(owner)
    await one.post(`${card.url}/feedback`, { kind: 'useful' })
    await two.post(`${card.url}/feedback`, { kind: 'outdated' })
    await owner.post(`${card.url}/feedback`, { kind: 'useful' })
    const [notice, ...more] = await inbox(owner)
    expect(more).toEqual([])
    expect(notice).toMatchObject({
      kind: 'card.feedback',
      card_id: card.id,
      heading: `Feedback on “${card.title}”`,
      text: 'Two says that it is outdated. The card shows everything that was said.',
    })
    await owner.post('/api/v1/notices/read', {})
    await two.post(`${card.url}/feedback`, { kind: 'outdated' })
    await one.post(`${card.url}/verdicts`, { outcome: 'failed' })
    expect((await inbox(owner)).map((each: { text: string }) => each.text)).toEqual([
      'One used it, and it did not work. The card shows everything that was said.',
      notice.text,
    ])
    expect(await inbox(one)).toEqual([])
  })

  test('feedback that was taken back before it was read gives no notice', async () => {
    const [owner, one, two] = [await t.user('owner'), await t.user('One'), await t.user('Two')]
    const card = await published(owner)
    await one.post(`${card.url}/feedback`, { kind: 'useful' })
    await one.delete(`${card.url}/feedback`)
    expect(await inbox(owner)).toEqual([])
    await two.post(`${card.url}/verdicts`, { outcome: 'stale' })
    await one.post(`${card.url}/feedback`, { kind: 'useful' })
    await two.delete(`${card.url}/verdicts`)
    expect((await inbox(owner)).map((each: { text: string }) => each.text)).toEqual([
      'One found it useful. The card shows everything that was said.',
    ])
  })

  test('a deleted card has no name; the ledger names a card only while it is there', async () => {
    const [owner, reader] = [await t.user('owner'), await t.user('reader')]
    const card = await published(owner)
    await reader.post(`${card.url}/feedback`, { kind: 'useful' })
    const titles = async () =>
      (await owner.get('/api/v1/credits/history')).body.items.map(
        (entry: { reason: string; card_title: string | null }) => [entry.reason, entry.card_title],
      )
    expect(await titles()).toEqual([
      ['feedback_reward', card.title],
      ['publish_reward', card.title],
      ['signup_bonus', null],
    ])
    await owner.delete(card.url)
    expect(await inbox(owner)).toMatchObject([{ card_id: null, heading: 'Feedback on a card' }])
    expect((await titles()).map(([, title]: [string, string | null]) => title)).toEqual([null, null, null])
  })
})
