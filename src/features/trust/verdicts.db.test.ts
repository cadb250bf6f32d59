import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addLike, goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { meeting } from '../../../test/support/meeting.ts'
import { longKnown } from '../../../test/support/moderation.ts'
import { publish } from '../../../test/support/publishing.ts'
import { contextFor, inTx } from '../../core/context.ts'
import { newId } from '../../db/ids.ts'
import { DAY_MS } from '../../shared/time.ts'
import { refreshAllTrust, refreshDueTrust, refreshTrust } from './refresh.ts'

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
    const [owner, a, b, c] = [await longKnown(t), await longKnown(t), await longKnown(t), await longKnown(t)]
    const card = await publicCard(owner)
    const [, day, month] = t.app.services.now().toUTCString().split(' ')
    const today = `${Number(day)} ${month}`
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
      `Worked for 2 people, last on ${today}, node 22 and 24; failed for 1 person, Node 18`,
    )
    // Said without a place, it is not counted for one.
    await c.post(`${card}/verdicts`, { outcome: 'worked' })
    expect((await trustOf(owner, card)).summary).toContain(
      `Worked for 3 people, last on ${today}, 2 on node 22 and 24; failed for 1 person, Node 18`,
    )
    expect((await c.delete(`${card}/verdicts`)).status).toBe(204)
    await c.post(`${card}/verdicts`, { outcome: 'failed', environment: { Node: '18' } })
    t.later(12 * DAY_MS)
    expect((await trustOf(owner, card)).summary).toContain(`Worked for 2 people, last on ${today}`)
    const found = await a.post('/api/v1/search', { query: `verdict${words}`, scope: 'public' })
    expect(found.body.results[0].trust.summary.length).toBeLessThanOrEqual(120)
    expect(found.body.results[0].trust).toMatchObject({ worked: 2, failed: 1 })
  })

  test('the same verdict again changes nothing, another replaces it, and all can be taken back', async () => {
    const [owner, judge] = [await longKnown(t), await longKnown(t)]
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
    const [owner, judge, reader] = [await longKnown(t), await t.user('Judge'), await longKnown(t)]
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
    const [owner, other] = [await longKnown(t), await longKnown(t)]
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
    const [owner, judge] = [await longKnown(t), await longKnown(t)]
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
    const [owner, ...judges] = await Promise.all([1, 2, 3, 4].map(() => longKnown(t)))
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
    expect(after.summary).toBe('Failed for 3 people, before the last edit')
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

  test('verdict and feedback are one: either door stores both, and the newest one spoken counts', async () => {
    const [owner, judge] = [await longKnown(t), await longKnown(t)]
    const card = await publicCard(owner)
    const feedback = async () => (await owner.get(card)).body.feedback
    const listed = async () =>
      (await owner.get(`${card}/verdicts`)).body.items.map(
        (item: { outcome: string; note: string | null; environment: { node?: string } }) =>
          [item.outcome, item.environment.node, item.note].filter((word) => word != null).join(' '),
      )
    const given = await judge.post(`${card}/feedback`, { kind: 'outdated', comment: 'since version 3' })
    expect(given.body).toMatchObject({ kind: 'outdated', comment: 'since version 3', credits_awarded: 0 })
    expect(await listed()).toEqual(['stale since version 3'])
    expect(await trustOf(owner, card)).toMatchObject({ worked: 0, stale: 1, people: 1 })

    const verdict = { outcome: 'worked', environment: { node: '24' }, note: 'on 24' }
    t.later(1000)
    expect((await judge.post(`${card}/verdicts`, verdict)).body.credits_awarded).toBe(1)
    expect(await feedback()).toEqual({ useful: 1, not_applicable: 0, outdated: 0 })
    expect((await judge.get(`${card}/feedback`)).body.items).toMatchObject([
      { kind: 'useful', comment: 'on 24', feedback_id: given.body.feedback_id },
    ])
    t.later(1000)
    await judge.post(`${card}/verdicts`, { outcome: 'failed', environment: { node: '18' } })
    expect(await feedback()).toEqual({ useful: 0, not_applicable: 1, outdated: 0 })
    // The newest spoken one, also if it repeats what was said before elsewhere.
    t.later(1000)
    await judge.post(`${card}/verdicts`, verdict)
    expect(await feedback()).toEqual({ useful: 1, not_applicable: 0, outdated: 0 })
    expect(await listed()).toEqual(['worked 24 on 24', 'failed 18', 'stale since version 3'])
    // Feedback names no environment, so it replaces the newest verdict in its own.
    t.later(1000)
    await judge.post(`${card}/feedback`, { kind: 'not_applicable' })
    expect(await listed()).toEqual(['failed 24', 'failed 18', 'stale since version 3'])
    expect((await judge.delete(`${card}/feedback`)).status).toBe(204)
    expect([await listed(), await trustOf(owner, card)]).toEqual([[], null])
    expect(await feedback()).toEqual({ useful: 0, not_applicable: 0, outdated: 0 })

    await judge.post(`${card}/feedback`, { kind: 'useful' })
    expect((await judge.delete(`${card}/verdicts`)).status).toBe(204)
    expect((await judge.get(`${card}/feedback`)).body.items).toEqual([])
    for (const door of ['feedback', 'verdicts'])
      expect((await judge.delete(`${card}/${door}`)).status).toBe(404)
  })

  test('details are added to the same verdict afterwards, also an environment', async () => {
    const [owner, judge, other] = [await longKnown(t), await longKnown(t), await longKnown(t)]
    const card = await publicCard(owner)
    const said = (await judge.post(`${card}/verdicts`, { outcome: 'worked' })).body
    const details = {
      outcome: 'worked',
      environment: { node: '24' },
      note: 'At once',
      replaces: said.verdict_id,
    }
    expect((await other.post(`${card}/verdicts`, details)).status).toBe(404)
    expect((await judge.post(`${card}/verdicts`, details)).body).toMatchObject({ credits_awarded: 0 })
    expect((await owner.get(`${card}/verdicts`)).body.items).toMatchObject([
      { environment: { node: '24' }, note: 'At once' },
    ])
    expect(await trustOf(owner, card)).toMatchObject({ worked: 1, people: 1 })
    expect((await judge.get(`${card}/feedback`)).body.items).toMatchObject([{ comment: 'At once' }])
    expect((await judge.get(`${card}/verdicts?mine=true`)).body.total).toBe(1)
    expect((await other.get(`${card}/verdicts?mine=true`)).body.total).toBe(0)
    expect((await judge.post(`${card}/verdicts`, details)).body.code).toBe('not_found')
  })

  test('both doors at once, by one person: one feedback, one reward, and it is the last verdict', async () => {
    const [owner, judge] = [await longKnown(t), await longKnown(t)]
    const card = await publicCard(owner)
    const before = await balance(owner)
    const answers = await Promise.all([
      judge.post(`${card}/feedback`, { kind: 'useful' }),
      judge.post(`${card}/verdicts`, { outcome: 'worked', environment: { node: '24' } }),
      judge.post(`${card}/feedback`, { kind: 'useful' }),
      judge.post(`${card}/verdicts`, { outcome: 'failed' }),
    ])
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201, 201])
    expect(await balance(owner)).toBe(before + 1)
    const [newest] = (await owner.get(`${card}/verdicts`)).body.items
    const { useful, not_applicable, total } = (await owner.get(`${card}/feedback/stats`)).body
    expect(total).toBe(1)
    expect(newest.outcome === 'worked' ? useful : not_applicable).toBe(1)
  })

  test('accounts of today neither bury nor raise a card of a stranger, and its summary names none of them', async () => {
    const crowd = await Promise.all(Array.from({ length: 40 }, () => t.user()))
    const ageOf = (days: number) =>
      inTx(contextFor(t.app.services), ({ db }) =>
        db
          .updateTable('users')
          .set({ created_at: new Date(t.app.services.now().getTime() - days * DAY_MS).toISOString() })
          .where(
            'user_id',
            'in',
            crowd.map(({ userId }) => userId),
          )
          .execute(),
      )
    for (const [outcome, some] of [
      ['worked', crowd],
      ['stale', crowd.slice(0, 9)],
    ] as const) {
      await ageOf(0)
      const owner = await t.user()
      const card = await publicCard(owner)
      for (const one of some) await one.post(`${card}/verdicts`, { outcome, environment: { node: '24' } })
      const nobody = { worked: 0, failed: 0, stale: 0, people: 0, last_confirmed_at: null }
      expect((await owner.get(card)).body).toMatchObject({
        likely_outdated: false,
        trust: { ...nobody, summary: 'Too early to tell' },
      })
      const read = await owner.tool('get_card', { card_id: card.split('/').at(-1) })
      expect(read.body.data.trust).toMatchObject(nobody)
      // A month must pass before they are a crowd.
      await ageOf(20)
      await refreshAllTrust(contextFor(t.app.services), never)
      expect(await trustOf(owner, card)).toMatchObject({ people: 4, [outcome]: 4 })
      await ageOf(40)
      await refreshAllTrust(contextFor(t.app.services), never)
      expect(await trustOf(owner, card)).toMatchObject({ people: some.length, [outcome]: some.length })
    }
  })

  test('one person with 30 environments is one person', async () => {
    const [owner, one, other] = [await longKnown(t), await longKnown(t), await longKnown(t)]
    const card = await publicCard(owner)
    for (let node = 1; node <= 30; node++)
      await one.post(`${card}/verdicts`, {
        outcome: node > 25 ? 'worked' : 'failed',
        environment: { node: `${node % 2}.${node}.0` },
      })
    expect(await trustOf(owner, card)).toMatchObject({ worked: 1, failed: 1, people: 1 })
    await other.post(`${card}/verdicts`, { outcome: 'worked', environment: { node: '22.1' } })
    const { summary } = await trustOf(owner, card)
    expect(summary).toMatch(/^Worked for 2 people, last on \d+ \w{3}(?: \d{4})?, .*; failed for 1 person, /)
  })

  test('in a private team each member counts 1 from the first day, also for a card published from there', async () => {
    const { admin, editor, viewer, workspaceId } = await team(t)
    const stranger = await longKnown(t)
    const { card_id } = await record(editor, { workspace_id: workspaceId })
    const card = `/api/v1/cards/${card_id}`
    await editor.post(`${card}/share`)
    await viewer.post(`${card}/verdicts`, { outcome: 'worked', environment: { node: '22' } })
    const one = (await trustOf(admin, card)).value
    // The owner too.
    await editor.post(`${card}/verdicts`, { outcome: 'worked', environment: { node: '22' } })
    const both = await trustOf(admin, card)
    expect(both).toMatchObject({ worked: 2, people: 2, value: 0.833 })
    expect([one, both.summary]).toEqual([0.8, expect.stringMatching(/^Worked for 2 people, .*, node 22$/)])
    const items = (await admin.get(`${card}/verdicts`)).body.items
    for (const item of items) {
      expect(item).not.toHaveProperty('weight')
      expect(item).not.toHaveProperty('weighs_less')
    }

    expect((await publish(editor, card_id)).status).toBe(200)
    const seenBy = async (who: Person) => {
      const found = await who.post('/api/v1/search', {
        query: goodCard('x').title,
        scope: 'public',
        limit: 50,
      })
      const hit = found.body.results.find((each: { card_id: string }) => each.card_id === card_id)
      return [(await trustOf(who, card)).value, (await trustOf(who, card)).people, hit?.trust?.people]
    }
    for (const member of [admin, editor, viewer])
      expect((await seenBy(member)).slice(0, 2)).toEqual([0.833, 2])
    const [value, people] = await seenBy(stranger)
    expect(people).toBe(0)
    expect(value).toBeLessThan(0.77)
    await stranger.post(`${card}/verdicts`, { outcome: 'failed' })
    expect(await trustOf(viewer, card)).toMatchObject({ worked: 2, failed: 1, people: 3 })
    expect(await trustOf(stranger, card)).toMatchObject({ worked: 0, failed: 1, people: 1 })
    // Who has left is a stranger.
    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${viewer.userId}`)
    expect(await trustOf(viewer, card)).toMatchObject({ worked: 0, people: 1 })
    // Back in the team, the verdict of the stranger counts as before.
    expect((await editor.post(`${card}/unpublish`)).status).toBe(200)
    expect(await trustOf(editor, card)).toMatchObject({ worked: 1, failed: 1 })
  })

  test('votes of strangers on a card that is taken back into a team do not count as those of members', async () => {
    const { admin, editor, workspaceId } = await team(t)
    const crowd = await Promise.all(Array.from({ length: 12 }, () => t.user()))
    const { card_id } = await record(editor, { workspace_id: workspaceId })
    const card = `/api/v1/cards/${card_id}`
    expect((await publish(editor, card_id)).status).toBe(200)
    for (const one of crowd) await one.post(`${card}/feedback`, { kind: 'outdated' })
    await editor.post(`${card}/unpublish`)
    await editor.post(`${card}/share`)
    expect((await admin.get(card)).body).toMatchObject({ likely_outdated: false, trust: { people: 0 } })
  })

  test('worked pays as useful does: once per person and card, within one limit', async () => {
    const [owner, judge] = [await longKnown(t), await longKnown(t)]
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
    const [a, b, stranger] = [await longKnown(t), await longKnown(t), await longKnown(t)]
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

  test('24 verdicts at once: none is lost, and trust is what the log says', async () => {
    const owner = await longKnown(t)
    const judges = await Promise.all(Array.from({ length: 24 }, () => longKnown(t)))
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
    const [owner, judge, late] = [await longKnown(t), await longKnown(t), await longKnown(t)]
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
    const [owner, judge] = [await longKnown(t), await longKnown(t)]
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
    const [owner, judge] = [await longKnown(t), await longKnown(t)]
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
    const [owner, judge, other] = [await longKnown(t), await longKnown(t), await longKnown(t)]
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
    expect(await trustOf(owner, card)).toMatchObject({ worked: 2, failed: 1, people: 2 })
  })
})

onBothEngines(
  'verdicts where mail is configured',
  (t) => {
    test('an account without a proven address weighs nothing', async () => {
      const [owner, judge] = [await t.user(), await t.user()]
      const card = await publicCard(owner)
      await judge.post(`${card}/verdicts`, { outcome: 'failed' })
      expect((await owner.get(card)).body.trust).toMatchObject({ failed: 0, people: 0, value: 0.75 })
      // Nobody else reads a private card, so its owner counts there.
      const { card_id } = await record(owner)
      const own = `/api/v1/cards/${card_id}`
      await owner.post(`${own}/verdicts`, { outcome: 'failed' })
      expect((await owner.get(own)).body.trust).toMatchObject({ failed: 1, people: 1, value: 0.6 })
      expect((await judge.post(`${own}/verdicts`, { outcome: 'worked' })).status).toBe(404)
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
