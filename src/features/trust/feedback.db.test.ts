import { expect, test } from 'vitest'
import { addLike, type Person, record } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { longKnown } from '../../../test/support/moderation.ts'
import { DAY_MS } from '../../shared/time.ts'
import { MAX_REWARDS_PER_DAY, MAX_REWARDS_RECEIVED_PER_DAY } from './record-verdict.ts'

onBothEngines('feedback', (t) => {
  const balance = async (person: Person) => (await person.get('/api/v1/auth/me')).body.credits_balance
  const publicCard = async (owner: Person) => {
    const card = await record(owner)
    const answer = await owner.post(`/api/v1/cards/${card.card_id}/publish`)
    if (answer.status !== 200) throw new Error(answer.text)
    return `/api/v1/cases/${card.card_id}`
  }

  test('the first useful of somebody else earns the contributor one credit, once', async () => {
    const [owner, giver] = [await t.user(), await t.user()]
    const card = await publicCard(owner)
    const before = await balance(owner)
    const first = await giver.post(`${card}/feedback`, { kind: 'not_applicable', comment: 'other version' })
    expect(first.status).toBe(201)
    expect(first.body).toMatchObject({ kind: 'not_applicable', comment: 'other version', credits_awarded: 0 })
    const useful = await giver.post(`${card}/feedback`, { kind: 'useful' })
    expect(useful.body).toMatchObject({
      feedback_id: first.body.feedback_id,
      case_id: useful.body.card_id,
      comment: null,
      credits_awarded: 1,
    })
    await giver.post(`${card}/feedback`, { kind: 'outdated' })
    expect((await giver.post(`${card}/feedback`, { kind: 'useful' })).body.credits_awarded).toBe(0)
    expect(await balance(owner)).toBe(before + 1)
    expect((await t.anonymous().get(`${card}/feedback/stats`)).body).toEqual({
      card_id: useful.body.card_id,
      useful: 1,
      not_applicable: 0,
      outdated: 0,
      total: 1,
    })
  })

  test('the same useful sent many times at once earns one credit', async () => {
    const [owner, giver] = [await t.user(), await t.user()]
    const card = await publicCard(owner)
    const before = await balance(owner)
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => giver.post(`${card}/feedback`, { kind: 'useful' })),
    )
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201, 201])
    expect(await balance(owner)).toBe(before + 1)
    expect((await owner.get(`${card}/feedback/stats`)).body.total).toBe(1)
  })

  test('one’s own useful earns nothing', async () => {
    const owner = await t.user()
    const card = await publicCard(owner)
    const before = await balance(owner)
    expect((await owner.post(`${card}/feedback`, { kind: 'useful' })).body.credits_awarded).toBe(0)
    expect(await balance(owner)).toBe(before)
  })

  test('a giver rewards at most 20 cards a day, and taking back makes no room for more', async () => {
    const [owner, giver] = [await t.user(), await t.user()]
    const awarded: number[] = []
    const first = (await publicCard(owner)).split('/').at(-1) ?? ''
    const others = Array.from({ length: MAX_REWARDS_PER_DAY }, () => ({ card_id: crypto.randomUUID() }))
    await addLike(t.app, 'cards', ['card_id', first], others)
    for (const [i, { card_id }] of [{ card_id: first }, ...others].entries()) {
      const url = `/api/v1/cards/${card_id}/feedback`
      awarded.push((await giver.post(url, { kind: 'useful' })).body.credits_awarded)
      if (i % 2 === 0) expect((await giver.delete(url)).status).toBe(204)
    }
    expect(awarded.filter((credits) => credits === 1)).toHaveLength(MAX_REWARDS_PER_DAY)
    expect(awarded.at(-1)).toBe(0)
    t.later(DAY_MS)
    const next = await giver.post(`${await publicCard(owner)}/feedback`, { kind: 'useful' })
    expect(next.body.credits_awarded).toBe(1)
  })

  test('feedback and a verdict at the same moment do not pass the limit of a day', async () => {
    const [owner, other] = [await t.user(), await t.user()]
    const [first, last] = [(await publicCard(owner)).split('/').at(-1) ?? '', await publicCard(other)]
    const cards = Array.from({ length: MAX_REWARDS_PER_DAY }, () => ({ card_id: crypto.randomUUID() }))
    await addLike(t.app, 'cards', ['card_id', first], cards)
    for (let round = 0; round < 3; round++) {
      t.later(DAY_MS)
      const giver = await t.user()
      for (const { card_id } of cards.slice(1))
        await giver.post(`/api/v1/cards/${card_id}/feedback`, { kind: 'useful' })
      const both = await Promise.all([
        giver.post(`/api/v1/cards/${first}/feedback`, { kind: 'useful' }),
        giver.post(`${last}/verdicts`, { outcome: 'worked' }),
      ])
      expect(both.map(({ status }) => status)).toEqual([201, 201])
      expect(both.map(({ body }) => body.credits_awarded).toSorted()).toEqual([0, 1])
    }
  })

  test('one person is rewarded at most 50 times a day, whoever gives, also at the same moment', async () => {
    const [owner, ...givers] = await Promise.all(Array.from({ length: 7 }, () => t.user()))
    if (!owner) throw new Error('nobody')
    const card = await publicCard(owner)
    const useful = async (giver: Person | undefined) =>
      (await giver?.post(`${card}/feedback`, { kind: 'useful' }))?.body.credits_awarded
    // A fresh account's first useful pays.
    expect(await useful(givers.pop())).toBe(1)
    const [entry] = await t.app.services.database.read
      .selectFrom('credit_entries')
      .select('entry_id')
      .where('user_id', '=', owner.userId)
      .where('reason', '=', 'feedback_reward')
      .execute()
    const more = Array.from({ length: MAX_REWARDS_RECEIVED_PER_DAY - 3 }, () => crypto.randomUUID())
    await addLike(
      t.app,
      'credit_entries',
      ['entry_id', entry?.entry_id ?? ''],
      more.map((entry_id) => ({ entry_id, cause: `feedback:${entry_id}` })),
    )
    const late = givers.pop()
    const answers = await Promise.all([
      ...givers.map(useful),
      (async () => (await late?.post(`${card}/verdicts`, { outcome: 'worked' }))?.body.credits_awarded)(),
    ])
    expect(answers.toSorted()).toEqual([0, 0, 0, 1, 1])
    t.later(DAY_MS)
    expect(await useful(await t.user())).toBe(1)
  })

  test('many who found it outdated mark the card, one does not', async () => {
    const [owner, ...readers] = await Promise.all(Array.from({ length: 13 }, () => longKnown(t)))
    if (!owner) throw new Error('nobody')
    const card = await publicCard(owner)
    const marked: boolean[] = []
    for (const reader of readers) {
      await reader.post(`${card}/feedback`, { kind: 'outdated' })
      marked.push((await owner.get(card)).body.likely_outdated)
    }
    expect([marked[0], marked.at(-1)]).toEqual([false, true])
    await readers[0]?.delete(`${card}/feedback`)
    for (const reader of readers.slice(0, 6)) await reader.post(`${card}/feedback`, { kind: 'useful' })
    expect((await owner.get(card)).body.likely_outdated).toBe(false)
  })

  test('the owner reads every comment, others their own', async () => {
    const [owner, a, b] = [await t.user(), await t.user(), await t.user()]
    const card = await publicCard(owner)
    await a.post(`${card}/feedback`, { kind: 'useful', comment: 'from a' })
    await b.post(`${card}/feedback`, { kind: 'outdated', comment: 'from b' })
    expect((await owner.get(`${card}/feedback`)).body).toMatchObject({
      total: 2,
      items: [{ comment: 'from b' }, { comment: 'from a', user_name: 'person' }],
    })
    expect((await a.get(`${card}/feedback`)).body).toMatchObject({ total: 1, items: [{ comment: 'from a' }] })
  })

  test('somebody who sees the feedback of others asks for their own alone, or for comments alone', async () => {
    const [owner, voter] = [await t.user(), await t.user()]
    const card = await publicCard(owner)
    await owner.post(`${card}/feedback`, { kind: 'outdated', comment: '' })
    await voter.post(`${card}/feedback`, { kind: 'useful', comment: 'from the voter' })
    const listed = async (query: string) => {
      const { items, total } = (await owner.get(`${card}/feedback?page_size=1&${query}`)).body
      return [total, items[0].kind]
    }
    expect(await listed('')).toEqual([2, 'useful'])
    expect(await listed('mine=true')).toEqual([1, 'outdated'])
    expect(await listed('with_comment=true')).toEqual([1, 'useful'])
  })

  test('stats of a card that is not open: for its readers only', async () => {
    const [owner, other] = [await t.user(), await t.user()]
    const { card_id } = await record(owner)
    const url = `/api/v1/cards/${card_id}/feedback/stats`
    expect((await t.anonymous().get(url)).status).toBe(404)
    expect((await other.get(url)).status).toBe(404)
    expect((await owner.get(url)).body.total).toBe(0)
    expect((await t.anonymous().get('/api/v1/cards/x/feedback/stats')).status).toBe(422)
  })

  test('a kind that is not there, a long comment and no credential are refused', async () => {
    const user = await t.user()
    const { card_id } = await record(user)
    const url = `/api/v1/cases/${card_id}/feedback`
    expect((await user.post(url, { kind: 'great' })).body.detail[0]).toMatchObject({
      type: 'literal_error',
      loc: ['body', 'kind'],
    })
    expect((await user.post(url, {})).body.detail[0]).toMatchObject({ type: 'missing' })
    expect((await user.post(url, { kind: 'useful', comment: 'x'.repeat(2001) })).status).toBe(422)
    expect((await t.anonymous().post(url, { kind: 'useful' })).status).toBe(401)
  })

  test('feedback is taken back with its words, and given again it earns nothing more', async () => {
    const [owner, giver] = [await t.user(), await t.user()]
    const card = await publicCard(owner)
    const before = await balance(owner)
    await giver.post(`${card}/feedback`, { kind: 'useful', comment: 'my words' })
    const taken = await giver.delete(`${card}/feedback`)
    expect(taken.status).toBe(204)
    expect((await owner.get(`${card}/feedback/stats`)).body).toMatchObject({ useful: 0, total: 0 })
    expect((await owner.get(card)).body.feedback.useful).toBe(0)
    expect((await owner.get(`${card}/feedback`)).body).toMatchObject({ items: [], total: 0 })
    expect((await giver.get(`${card}/feedback`)).body.total).toBe(0)
    const again = await giver.delete(`${card}/feedback`)
    expect([again.status, again.body.code]).toEqual([404, 'not_found'])
    const stored = await t.app.services.database.read
      .selectFrom('card_feedback')
      .select('comment')
      .where('user_id', '=', giver.userId)
      .execute()
    expect(stored).toEqual([{ comment: null }])

    expect((await giver.post(`${card}/feedback`, { kind: 'useful' })).body.credits_awarded).toBe(0)
    expect((await owner.get(`${card}/feedback/stats`)).body).toMatchObject({ useful: 1, total: 1 })
    expect(await balance(owner)).toBe(before + 1)
  })

  test('giving and taking back many times at once pays once and counts right', async () => {
    const [owner, giver] = [await t.user(), await t.user()]
    const card = await publicCard(owner)
    const before = await balance(owner)
    await giver.post(`${card}/feedback`, { kind: 'useful' })
    const answers = await Promise.all(
      [1, 2, 3].flatMap(() => [
        giver.delete(`${card}/feedback`),
        giver.post(`${card}/feedback`, { kind: 'useful' }),
      ]),
    )
    for (const { status, text } of answers) expect([201, 204, 404], text).toContain(status)
    expect(await balance(owner)).toBe(before + 1)
    const { total } = (await owner.get(`${card}/feedback/stats`)).body
    expect((await owner.get(`${card}/feedback`)).body.total).toBe(total)
  })

  test('it can be taken back even if the card is no longer shared, and only by the person who gave it', async () => {
    const [owner, giver, other] = [await t.user(), await t.user(), await t.user()]
    const card = await publicCard(owner)
    await giver.post(`${card}/feedback`, { kind: 'outdated' })
    expect((await other.delete(`${card}/feedback`)).status).toBe(404)
    expect((await owner.delete(`${card}/feedback`)).status).toBe(404)
    await owner.post(`${card}/unpublish`)
    expect((await giver.get(card)).status).toBe(404)
    expect((await giver.delete(`${card}/feedback`)).status).toBe(204)
    expect((await owner.get(card)).body.feedback.outdated).toBe(0)
    expect((await giver.delete(`/api/v1/cards/${crypto.randomUUID()}/feedback`)).status).toBe(404)
  })
})
