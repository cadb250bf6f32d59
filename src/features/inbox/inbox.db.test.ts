import { expect, test } from 'vitest'
import { goodCard, type Person } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { meeting } from '../../../test/support/meeting.ts'
import { contextFor } from '../../core/context.ts'
import { tell } from '../notices/notices.ts'

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

  test('tells once of what two people say at the same moment', async () => {
    const [owner, one, two] = [await t.user('owner'), await t.user('One'), await t.user('Two')]
    const card = await published(owner)
    const ctx = contextFor(t.app.services)
    const said = await meeting(
      t,
      (db) =>
        tell(
          { ...ctx, db, transacting: true },
          { userId: owner.userId, kind: 'card.feedback', subjectId: card.id, details: { said: 'worked' } },
        ),
      () => one.post(`${card.url}/verdicts`, { outcome: 'failed' }),
    )
    expect(said.status).toBe(201)
    const [notice, ...more] = await inbox(owner)
    expect(more).toEqual([])
    expect(notice.text).toContain('One used it, and it did not work')
    await owner.post('/api/v1/notices/read', {})
    await two.post(`${card.url}/verdicts`, { outcome: 'worked' })
    expect(await inbox(owner)).toHaveLength(2)
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
      'One used it, and it worked. The card shows everything that was said.',
    ])
  })

  test('what somebody took back leaves the notice of what others say, as far as the owner has not read it', async () => {
    const [owner, one, two] = [await t.user('owner'), await t.user('One'), await t.user('Two')]
    const card = await published(owner)
    const texts = async () => (await inbox(owner)).map((each: { text: string }) => each.text)
    const says = (words: string) => `${words}. The card shows everything that was said.`
    await one.post(`${card.url}/feedback`, { kind: 'outdated' })
    await two.post(`${card.url}/feedback`, { kind: 'useful' })
    await two.delete(`${card.url}/feedback`)
    expect(await texts()).toEqual([says('One says that it is outdated')])
    // One that was replaced or taken back does not count.
    await two.post(`${card.url}/verdicts`, { outcome: 'failed' })
    await two.post(`${card.url}/verdicts`, { outcome: 'worked' })
    expect(await texts()).toEqual([says('Two used it, and it worked')])
    await two.delete(`${card.url}/verdicts`)
    expect(await texts()).toEqual([says('One says that it is outdated')])
    await owner.post('/api/v1/notices/read', {})
    await two.post(`${card.url}/feedback`, { kind: 'useful' })
    await two.delete(`${card.url}/feedback`)
    expect((await inbox(owner)).map((each: { read_at: unknown }) => each.read_at === null)).toEqual([false])
    await one.delete(`${card.url}/feedback`)
    expect(await texts()).toEqual([says('One says that it is outdated')])
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
