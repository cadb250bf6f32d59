import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addLike, goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { meeting } from '../../../test/support/meeting.ts'
import { longKnown } from '../../../test/support/moderation.ts'
import { contextFor, inTx } from '../../core/context.ts'
import { DAY_MS } from '../../core/day.ts'
import { newId } from '../../db/ids.ts'
import { refreshAllTrust, refreshDueTrust, refreshTrust } from '../trust/refresh.ts'

const never = new AbortController().signal

let words = 0
const publicCard = async (owner: Person) => {
  const { card_id } = (await owner.post('/api/v1/cards', goodCard(`verdict${++words}`))).body
  const answer = await owner.post(`/api/v1/cards/${card_id}/publish`)
  if (answer.status !== 200) throw new Error(answer.text)
  return `/api/v1/cards/${card_id}`
}

onBothEngines('verdicts', (t) => {
  const trustOf = async (reader: Person, card: string) => (await reader.get(card)).body.trust
  const balance = async (person: Person) => (await person.get('/api/v1/auth/me')).body.credits_balance
  const stored = () =>
    t.app.services.database.read.selectFrom('cards').select(['card_id', 'trust']).orderBy('card_id').execute()

  /** Public cards of the same owner. */
  const furtherCards = async (card: string, count: number) => {
    const ids = Array.from({ length: count }, () => ({ card_id: newId() }))
    await addLike(t.app, 'cards', ['card_id', card.split('/').at(-1) ?? ''], ids)
    return ids.map(({ card_id }) => `/api/v1/cards/${card_id}`)
  }

  test('a card says what came of it, in numbers and in words', async () => {
    const [owner, a, b, c] = [await t.user(), await t.user(), await t.user(), await t.user()]
    const card = await publicCard(owner)
    expect(await trustOf(owner, card)).toBeNull()
    const first = await a.post(`${card}/verdicts`, {
      outcome: 'worked',
      environment: { node: '24.1.0' },
      note: 'at once',
      applied_in: 'github.com/team/app',
    })
    expect(first.status).toBe(201)
    expect(first.body).toMatchObject({ outcome: 'worked', environment: { node: '24.1.0' }, card_version: 1 })
    await b.post(`${card}/verdicts`, { outcome: 'worked', environment: { node: '22.3' } })
    await c.post(`${card}/verdicts`, { outcome: 'failed', environment: { Node: '18' } })
    const trust = await trustOf(owner, card)
    expect(trust).toMatchObject({ worked: 2, failed: 1, stale: 0, people: 3, before_change: 0 })
    expect(trust.low).toBeLessThan(trust.value)
    expect(trust.high).toBeGreaterThan(trust.value)
    expect(trust.summary).toBe(
      'Worked 2× on node 22 and 24, failed 1× on Node 18, last confirmed today by 2 people',
    )
    // Said without a place, it is not counted for one.
    await c.post(`${card}/verdicts`, { outcome: 'worked' })
    expect((await trustOf(owner, card)).summary).toContain(
      'Worked 3×, 2× on node 22 and 24, failed 1× on Node 18',
    )
    expect((await c.delete(`${card}/verdicts`)).status).toBe(204)
    await c.post(`${card}/verdicts`, { outcome: 'failed', environment: { Node: '18' } })
    t.later(12 * DAY_MS)
    expect((await trustOf(owner, card)).summary).toContain('12 days ago by 2 people')
    const found = await a.post('/api/v1/search', { query: `verdict${words}`, scope: 'public' })
    expect(found.body.results[0].trust.summary.length).toBeLessThanOrEqual(120)
    expect(found.body.results[0].trust).toMatchObject({ worked: 2, failed: 1 })
  })

  test('the same verdict again changes nothing, another replaces it, and all can be taken back', async () => {
    const [owner, judge] = [await t.user(), await t.user()]
    const card = await publicCard(owner)
    const verdict = { outcome: 'worked', environment: { node: '24', os: 'Debian' } }
    const first = (await judge.post(`${card}/verdicts`, verdict)).body
    const same = await judge.post(`${card}/verdicts`, {
      outcome: 'worked',
      environment: { OS: 'debian', node: '24' },
    })
    expect(same.body.verdict_id).toBe(first.verdict_id)
    expect([first.credits_awarded, same.body.credits_awarded]).toEqual([1, 0])
    await judge.post(`${card}/verdicts`, { ...verdict, outcome: 'stale' })
    expect(await trustOf(owner, card)).toMatchObject({ worked: 0, stale: 1, people: 1 })
    expect((await judge.delete(`${card}/verdicts`)).status).toBe(204)
    expect(await trustOf(owner, card)).toBeNull()
    expect((await judge.get(`${card}/verdicts`)).body).toMatchObject({ total: 0, items: [] })
    const again = await judge.delete(`${card}/verdicts`)
    expect([again.status, again.body.code]).toEqual([404, 'not_found'])
  })

  test('readers read outcome and note; the output and the name are for those who edit the card', async () => {
    const [owner, judge, reader] = [await t.user(), await t.user('Judge'), await t.user()]
    const card = await publicCard(owner)
    await judge.post(`${card}/verdicts`, { outcome: 'failed', note: 'on musl', evidence: 'exit code 127' })
    const [seen] = (await reader.get(`${card}/verdicts`)).body.items
    expect(seen).toMatchObject({ outcome: 'failed', note: 'on musl', evidence: null, user_name: null })
    expect(seen).not.toHaveProperty('applied_in')
    const [own] = (await owner.get(`${card}/verdicts`)).body.items
    expect(own).toMatchObject({ evidence: 'exit code 127', user_name: 'Judge', is_mine: false })
    t.later(1000)
    for (const step of ['unpublish', 'publish']) await owner.post(`${card}/${step}`)
    expect((await reader.get(`${card}/verdicts`)).body.items).toEqual([])
    expect((await judge.get(`${card}/verdicts`)).body.items).toMatchObject([
      { note: 'on musl', is_mine: true },
    ])
  })

  test('the last verdict of each person is looked up by an index, not compared with all others', async () => {
    const { read } = t.app.services.database
    const { rows } = await sql<{ name: string }>`${
      t.engine === 'sqlite'
        ? sql`select name from pragma_index_info('card_verdicts_standing') order by seqno`
        : sql`select attname as name from pg_attribute where attrelid = 'card_verdicts_standing'::regclass order by attnum`
    }`.execute(read)
    expect(rows.map((row) => row.name)).toEqual(['card_id', 'user_id', 'environment_key', 'verdict_id'])
  })

  test('a card that one cannot see is not there, and bad input is named', async () => {
    const [owner, other] = [await t.user(), await t.user()]
    const { card_id } = await record(owner)
    const url = `/api/v1/cards/${card_id}/verdicts`
    expect((await other.post(url, { outcome: 'worked' })).status).toBe(404)
    expect((await other.get(url)).status).toBe(404)
    expect((await t.anonymous().post(url, { outcome: 'worked' })).status).toBe(401)
    expect((await owner.post(url, { outcome: 'perhaps' })).body.detail[0]).toMatchObject({
      loc: ['body', 'outcome'],
    })
    expect((await owner.post(url, { outcome: 'worked', note: 'x'.repeat(2001) })).status).toBe(422)
  })

  test('secrets in evidence, note and environment are not kept', async () => {
    const [owner, judge] = [await t.user(), await t.user()]
    const card = await publicCard(owner)
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const answer = await judge.post(`${card}/verdicts`, {
      outcome: 'worked',
      evidence: `token ${secret}`,
      note: secret,
      environment: { token: secret },
    })
    expect(answer.status).toBe(201)
    const rows = await t.app.services.database.read.selectFrom('card_verdicts').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(secret)
  })

  test('after a change of the fix earlier verdicts weigh less, and the card says so', async () => {
    const [owner, ...judges] = await Promise.all([1, 2, 3, 4].map(() => t.user()))
    if (!owner) throw new Error('nobody')
    const card = await publicCard(owner)
    for (const judge of judges) await judge.post(`${card}/verdicts`, { outcome: 'failed' })
    const before = await trustOf(owner, card)
    expect((await owner.patch(card, { tags: ['other'] })).status).toBe(200)
    expect(await trustOf(owner, card)).toMatchObject({ before_change: 0, value: before.value })
    await owner.patch(card, { fix_summary: 'Another fix, which does something else altogether.' })
    const after = await trustOf(owner, card)
    expect(after.before_change).toBe(3)
    expect(after.value).toBeGreaterThan(before.value)
    expect(after.summary).toBe('Verified 3× before the last change')
  })

  test('one vote does not mark a card as outdated; several do', async () => {
    const [owner, ...readers] = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9].map(() => longKnown(t)))
    if (!owner) throw new Error('nobody')
    const card = await publicCard(owner)
    await readers[0]?.post(`${card}/feedback`, { kind: 'outdated' })
    expect((await owner.get(card)).body).toMatchObject({ likely_outdated: false, trust: { stale: 1 } })
    for (const reader of readers) await reader.post(`${card}/verdicts`, { outcome: 'stale' })
    expect((await owner.get(card)).body).toMatchObject({ likely_outdated: true, trust: { stale: 8 } })
  })

  test('a verdict replaces an earlier vote, and “outdated” after it counts until the next verdict', async () => {
    const [owner, judge] = [await t.user(), await t.user()]
    const card = await publicCard(owner)
    await judge.post(`${card}/feedback`, { kind: 'outdated' })
    t.later(DAY_MS)
    await judge.post(`${card}/verdicts`, { outcome: 'worked' })
    expect(await trustOf(owner, card)).toMatchObject({ worked: 1, stale: 0, people: 1 })
    t.later(DAY_MS)
    await judge.post(`${card}/feedback`, { kind: 'useful' })
    expect(await trustOf(owner, card)).toMatchObject({ worked: 1, stale: 0, people: 1 })
    await judge.post(`${card}/feedback`, { kind: 'outdated' })
    expect(await trustOf(owner, card)).toMatchObject({ worked: 1, stale: 1, people: 1 })
    t.later(DAY_MS)
    await judge.post(`${card}/verdicts`, { outcome: 'worked' })
    expect(await trustOf(owner, card)).toMatchObject({ worked: 1, stale: 0, people: 1 })
  })

  test('accounts of today bury no card of a stranger; in a private team a new colleague counts in full', async () => {
    const [owner, ...others] = await Promise.all(Array.from({ length: 9 }, () => t.user()))
    if (!owner) throw new Error('nobody')
    const card = await publicCard(owner)
    for (const one of others) await one.post(`${card}/verdicts`, { outcome: 'stale' })
    expect((await owner.get(card)).body).toMatchObject({ likely_outdated: false, trust: { stale: 8 } })
    const [verdict] = (await owner.get(`${card}/verdicts`)).body.items
    expect(verdict).toMatchObject({ weight: 0.06, weighs_less: ['new_account'] })

    const { admin, viewer, workspaceId } = await team(t)
    const { card_id } = await record(admin, { workspace_id: workspaceId })
    const own = `/api/v1/cards/${card_id}`
    await admin.post(`${own}/share`)
    await viewer.post(`${own}/verdicts`, { outcome: 'stale' })
    const [colleague] = (await admin.get(`${own}/verdicts`)).body.items
    expect(colleague).toMatchObject({ weight: 1, weighs_less: [] })
  })

  test('worked pays as useful does: once per person and card, within one limit', async () => {
    const [owner, judge] = [await t.user(), await t.user()]
    const card = await publicCard(owner)
    const before = await balance(owner)
    await judge.post(`${card}/feedback`, { kind: 'useful' })
    expect((await judge.post(`${card}/verdicts`, { outcome: 'worked' })).body.credits_awarded).toBe(0)
    expect(await balance(owner)).toBe(before + 1)
    const cards = await furtherCards(card, 20)
    const start = await balance(owner)
    const answers = await Promise.all(
      cards.map((each) => judge.post(`${each}/verdicts`, { outcome: 'worked' })),
    )
    expect(answers.map((answer) => answer.status)).toEqual(cards.map(() => 201))
    expect(answers.filter((answer) => answer.body.credits_awarded === 1)).toHaveLength(19)
    expect(await balance(owner)).toBe(start + 19)
    expect((await owner.post(`${card}/verdicts`, { outcome: 'worked' })).body.credits_awarded).toBe(0)
  })

  test('the owner counts little, praise that is returned weighs less, and the tenth card of one owner too', async () => {
    const [a, b, stranger] = [await t.user(), await t.user(), await t.user()]
    const [cardOfA, cardOfB, own] = [await publicCard(a), await publicCard(b), await publicCard(a)]
    await a.post(`${own}/verdicts`, { outcome: 'worked' })
    await b.post(`${cardOfA}/verdicts`, { outcome: 'worked' })
    const alone = (await trustOf(a, cardOfA)).value
    expect((await trustOf(a, own)).value).toBeLessThan(alone)
    await a.post(`${cardOfB}/verdicts`, { outcome: 'worked' })
    await refreshDueTrust(contextFor(t.app.services), never)
    const returned = (await trustOf(a, cardOfA)).value
    expect(returned).toBeLessThan(alone)
    expect((await trustOf(a, cardOfB)).value).toBe(returned)
    const values: number[] = []
    for (const card of await furtherCards(cardOfB, 10)) {
      values.push((await stranger.post(`${card}/verdicts`, { outcome: 'worked' })).body.trust.value)
    }
    expect(values[9]).toBeLessThan(values[0] ?? 0)
    expect(values.toSorted((x, y) => y - x)).toEqual(values)
  })

  test('those who edit a card see how much each verdict counts and why; readers do not', async () => {
    const [owner, reader] = [await longKnown(t), await longKnown(t)]
    const card = await publicCard(owner)
    await owner.post(`${card}/verdicts`, { outcome: 'worked' })
    await reader.post(`${card}/verdicts`, { outcome: 'failed' })
    const seen = async (who: typeof owner) =>
      (await who.get(`${card}/verdicts`)).body.items.map(
        ({ outcome, weight, weighs_less }: Record<string, unknown>) => [outcome, weight, weighs_less],
      )
    expect(await seen(owner)).toEqual([
      ['failed', 1, []],
      ['worked', 0.2, ['owner']],
    ])
    expect(await seen(reader)).toEqual([
      ['failed', null, null],
      ['worked', null, null],
    ])
  })

  test('24 verdicts at once: none is lost, and trust is what the log says', async () => {
    const owner = await t.user()
    const judges = await Promise.all(Array.from({ length: 24 }, () => t.user()))
    const card = await publicCard(owner)
    const answers = await Promise.all(
      judges.map((judge, index) =>
        judge.post(`${card}/verdicts`, { outcome: index % 4 === 0 ? 'failed' : 'worked' }),
      ),
    )
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201]))
    expect(await trustOf(owner, card)).toMatchObject({ worked: 18, failed: 6, people: 24 })
    await refreshDueTrust(contextFor(t.app.services), never)
    await refreshAllTrust(contextFor(t.app.services), never)
    const kept = await stored()
    await inTx(contextFor(t.app.services), async (ctx) => {
      await ctx.db.updateTable('cards').set({ trust: null }).execute()
      await refreshTrust(
        ctx,
        kept.map((row) => row.card_id),
      )
    })
    expect(await stored()).toEqual(kept)
  })

  test('a verdict that comes while the job computes is counted', async () => {
    const [owner, judge, late] = [await t.user(), await t.user(), await t.user()]
    const card = await publicCard(owner)
    const cardId = card.split('/').at(-1) ?? ''
    const { verdict_id } = (await judge.post(`${card}/verdicts`, { outcome: 'worked' })).body
    const ctx = contextFor(t.app.services)
    await inTx(ctx, ({ db }) =>
      db.updateTable('cards').set({ trust: '{}' }).where('card_id', '=', cardId).execute(),
    )
    await meeting(
      t,
      async (db) => {
        const given = db.selectFrom('card_verdicts').selectAll().where('verdict_id', '=', verdict_id)
        const row = { ...(await given.executeTakeFirstOrThrow()), verdict_id: newId(), user_id: late.userId }
        await db.insertInto('card_verdicts').values(row).execute()
        await refreshTrust({ ...ctx, db }, [cardId])
      },
      () => refreshAllTrust(ctx, never),
    )
    expect(await trustOf(owner, card)).toMatchObject({ worked: 2, people: 2 })
  })

  test('a verdict on a card that is deleted at this moment is answered if it is kept, and refused if it is not', async () => {
    const [owner, judge] = [await t.user(), await t.user()]
    const card = await publicCard(owner)
    const cardId = card.split('/').at(-1) ?? ''
    const answer = await meeting(
      t,
      (db) =>
        db
          .updateTable('cards')
          .set({ deleted_at: new Date().toISOString() })
          .where('card_id', '=', cardId)
          .execute(),
      () => judge.post(`${card}/verdicts`, { outcome: 'worked', note: 'at once' }),
    )
    const { database } = t.app.services
    const kept = await database.read
      .selectFrom('card_verdicts')
      .select(['outcome', 'note'])
      .where('card_id', '=', cardId)
      .execute()
    expect([answer.status, kept]).toEqual(
      t.engine === 'sqlite' ? [404, []] : [201, [{ outcome: 'worked', note: 'at once' }]],
    )
  })

  test('verdicts can be neither changed nor removed', async () => {
    const [owner, judge] = [await t.user(), await t.user()]
    const card = await publicCard(owner)
    const { verdict_id } = (await judge.post(`${card}/verdicts`, { outcome: 'worked' })).body
    const { database } = t.app.services
    const change = () =>
      database.transaction((db) =>
        db
          .updateTable('card_verdicts')
          .set({ outcome: 'failed' })
          .where('verdict_id', '=', verdict_id)
          .execute(),
      )
    const remove = () =>
      database.transaction((db) =>
        db.deleteFrom('card_verdicts').where('verdict_id', '=', verdict_id).execute(),
      )
    await expect(change()).rejects.toThrow('append-only')
    await expect(remove()).rejects.toThrow('append-only')
  })

  test('a person judges a card in 100 environments and 30 times a day; the same again is no further verdict', async () => {
    const [owner, judge, other] = [await t.user(), await t.user(), await t.user()]
    const card = await publicCard(owner)
    const judged = async (person: Person, node: number, outcome = 'worked') => {
      const { status, body } = await person.post(`${card}/verdicts`, {
        outcome,
        environment: { node: `${node}` },
      })
      return status === 201 ? status : body.code
    }
    /** As if they had judged it in these environments, too. */
    const addJudged = (from: number, to: number) =>
      addLike(
        t.app,
        'card_verdicts',
        ['user_id', judge.userId],
        Array.from({ length: to - from + 1 }, (_, i) => ({
          verdict_id: crypto.randomUUID(),
          environment: `{"node":"${from + i}"}`,
          environment_key: `node=${from + i}`,
        })),
      )
    expect(await judged(judge, 1)).toBe(201)
    await addJudged(2, 30)
    expect(await judged(judge, 1)).toBe(201)
    expect(await judged(judge, 1, 'failed')).toBe('too_many_verdicts')
    expect(await judged(other, 1)).toBe(201)
    t.later(DAY_MS)
    await addJudged(31, 100)
    expect(await judged(judge, 101)).toBe('too_many_verdicts')
    expect(await judged(judge, 1, 'failed')).toBe(201)
    expect(await trustOf(owner, card)).toMatchObject({ worked: 100, failed: 1, people: 2 })
  })
})

onBothEngines(
  'verdicts where mail is configured',
  (t) => {
    test('an account without a proven address weighs nothing', async () => {
      const [owner, judge] = [await t.user(), await t.user()]
      const { card_id } = await record(owner)
      await owner.post(`/api/v1/cards/${card_id}/share`)
      await owner.post(`/api/v1/cards/${card_id}/verdicts`, { outcome: 'failed' })
      const { trust } = (await owner.get(`/api/v1/cards/${card_id}`)).body
      expect(trust).toMatchObject({ failed: 1, value: 0.75 })
      expect((await judge.post(`/api/v1/cards/${card_id}/verdicts`, { outcome: 'worked' })).status).toBe(404)
    })

    test('a verdict keeps its weight when its account is deleted', async () => {
      const [owner, judge] = [await t.user(), await t.user()]
      const ctx = contextFor(t.app.services)
      await inTx(ctx, ({ db }) =>
        db.updateTable('users').set({ email_verified: 1 }).where('user_id', '=', judge.userId).execute(),
      )
      const card = await publicCard(owner)
      await judge.post(`${card}/verdicts`, { outcome: 'worked' })
      const before = (await owner.get(card)).body.trust
      expect((await judge.delete('/api/v1/auth/me?confirmed_by_user=true')).status).toBe(200)
      await inTx(ctx, (ctx) => refreshTrust(ctx, [card.split('/').at(-1) ?? '']))
      expect((await owner.get(card)).body.trust).toEqual(before)
      expect(before.value).toBeGreaterThan(0.5)
    })
  },
  { SMTP_URL: 'smtp://127.0.0.1:9' },
)
