import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { record, team } from '../../../test/support/cards.ts'
import type { Answer } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { meeting, waitingStatements } from '../../../test/support/meeting.ts'
import { contextFor, SELF_GUARDED } from '../../core/context.ts'
import type { Db } from '../../db/db.ts'
import { newId } from '../../db/ids.ts'
import { markDue, refreshDueTrust } from './refresh.ts'

onBothEngines('a verdict beside a merge', (t) => {
  const url = (id: string) => `/api/v1/cards/${id}`
  const database = () => t.app.services.database
  const untilOneWaits = () => expect.poll(() => waitingStatements(database())).toBeGreaterThan(0)
  const verdictsOn = (cardId: string) =>
    database().read.selectFrom('card_verdicts').selectAll().where('card_id', '=', cardId).execute()

  async function twoCards() {
    const { admin, editor, viewer, workspaceId } = await team(t)
    const shared = async (): Promise<string> => {
      const { card_id } = await record(admin, { workspace_id: workspaceId })
      await admin.post(`${url(card_id)}/share`)
      return card_id
    }
    const [from, into] = [await shared(), await shared()]
    return {
      viewer,
      from,
      into,
      merge: () => admin.post(`${url(from)}/merge`, { into_card_id: into }),
      judge: (cardId = from) => editor.post(`${url(cardId)}/verdicts`, { outcome: 'worked' }),
      unjudge: (cardId: string) => editor.delete(`${url(cardId)}/verdicts`),
      workedOn: async (cardId: string) => (await admin.get(url(cardId))).body.trust.worked,
    }
  }

  /** What is begun while a row is locked, and ends afterwards. */
  async function whileLocked(lock: (db: Db) => Promise<unknown>, begin: () => Promise<Promise<Answer>[]>) {
    const [locked, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const locking = database().transaction(async (db) => {
      await lock(db)
      locked.resolve()
      await end.promise
    }, SELF_GUARDED)
    await Promise.race([locked.promise, locking])
    const begun = await begin().finally(end.resolve)
    await locking
    return Promise.all(begun)
  }

  test('a verdict that is written while a merge reads the others counts on the card that takes in', async () => {
    const { from, into, merge, judge, workedOn } = await twoCards()
    const lock = (db: Db) =>
      db.selectFrom('cards').select('card_id').where('card_id', '=', into).forNoKeyUpdate().execute()
    const begin = async () => {
      const merging = merge()
      await untilOneWaits()
      const judging = judge()
      await expect.poll(() => verdictsOn(from)).toHaveLength(1)
      return [merging, judging]
    }
    const answers = await (t.engine === 'sqlite' ? Promise.all([merge(), judge()]) : whileLocked(lock, begin))
    expect(answers.map(({ status }) => status)).toEqual([200, 201])
    expect(await workedOn(into)).toBe(1)
  })

  test('so does one that is written when the merge is done, and was begun before', async () => {
    const { from, into, merge, judge, workedOn } = await twoCards()
    const begin = async () => {
      const judging = judge()
      await untilOneWaits()
      const merged = await merge()
      return [Promise.resolve(merged), judging]
    }
    const answers = await (t.engine === 'sqlite'
      ? Promise.all([merge(), judge()])
      : whileLocked((db) => markDue(db, from), begin))
    expect(answers.map(({ status }) => status)).toEqual([200, 201])
    expect(await workedOn(into)).toBe(1)
  })

  test('a verdict that finds its card marked is counted by the refresh that settles the mark', async () => {
    const { viewer, from, judge, workedOn } = await twoCards()
    expect((await judge()).status).toBe(201)
    const [given] = await verdictsOn(from)
    if (!given) throw new Error('no verdict')
    await database().transaction((db) => markDue(db, from))
    const another = async (db: Db) => {
      const other = { verdict_id: newId(), user_id: viewer.userId }
      await db
        .insertInto('card_verdicts')
        .values({ ...given, ...other })
        .execute()
      await markDue(db, from)
    }
    const never = new AbortController().signal
    await meeting(t, another, () => refreshDueTrust(contextFor(t.app.services), never))
    expect(await workedOn(from)).toBe(2)
  })

  const locked =
    (table: 'cards' | 'workspaces' | 'credit_balances' | 'search_docs', column: string, id: string) =>
    (db: Db) =>
      db.selectFrom(table).select(sql.ref(column).as('id')).where(sql.ref(column), '=', id).forUpdate()

  /** Begins a request while something is locked. When it waits for that, the other row must be free. */
  async function waitsFor(
    lock: (db: Db) => Promise<unknown>,
    row: ReturnType<typeof locked>,
    begin: () => Promise<Answer>,
  ) {
    if (t.engine === 'sqlite' || database().isDistributed) return begin()
    const [answer] = await whileLocked(lock, async () => {
      const asked = begin()
      await untilOneWaits()
      await database().transaction((db) => row(db).noWait().execute(), SELF_GUARDED)
      return [asked]
    })
    return answer
  }

  const waitsWithout = (cardId: string, row: ReturnType<typeof locked>, begin: () => Promise<Answer>) =>
    waitsFor((db) => locked('cards', 'card_id', cardId)(db).execute(), row, begin)

  test('what waits for a card holds nothing yet that comes after it in the order of locks', async () => {
    const { admin, editor, workspaceId } = await team(t)
    const ids: string[] = []
    for (let i = 0; i < 2; i++) {
      ids.push((await record(admin, { workspace_id: workspaceId })).card_id)
      await admin.post(`${url(ids[i] ?? '')}/share`)
    }
    const [into, from] = ids as [string, string]
    await admin.post(`${url(from)}/merge`, { into_card_id: into })
    const second = locked('cards', 'card_id', from)
    const unpublish = () => admin.post(`${url(from)}/unpublish`)
    expect(await waitsWithout(into, second, unpublish)).toMatchObject({ status: 200 })
    const unmerge = () => admin.delete(`${url(from)}/merge`)
    expect(await waitsWithout(into, second, unmerge)).toMatchObject({ status: 204 })
    const praise = () => editor.post(`${url(into)}/feedback`, { kind: 'useful' })
    const balance = locked('credit_balances', 'user_id', admin.userId)
    expect(await waitsWithout(into, balance, praise)).toMatchObject({ body: { credits_awarded: 1 } })
    const workspace = locked('workspaces', 'workspace_id', workspaceId)
    const there = `/api/v1/workspaces/${workspaceId}`
    const open = () => admin.patch(there, { visibility: 'unlisted' })
    expect(await waitsWithout(into, workspace, open)).toMatchObject({ status: 200 })
    const remove = () => admin.delete(`${there}?confirm_name=Team`)
    expect(await waitsWithout(into, workspace, remove)).toMatchObject({ body: { deleted: true } })
  })

  test('a verdict that waits for the mark of its card does not hold the card', async () => {
    const { into, judge, unjudge } = await twoCards()
    const mark = (db: Db) => markDue(db, into)
    const card = locked('cards', 'card_id', into)
    expect(await waitsFor(mark, card, () => judge(into))).toMatchObject({ status: 201 })
    expect(await waitsFor(mark, card, () => unjudge(into))).toMatchObject({ status: 204 })
  })

  test('the end of an account that waits for a card does not hold its entry of the search index', async () => {
    const person = await t.user('leaving')
    const { card_id } = await record(person)
    const leave = () => person.delete('/api/v1/auth/me?confirmed_by_user=true')
    const answer = await waitsWithout(card_id, locked('search_docs', 'card_id', card_id), leave)
    expect(answer).toMatchObject({ body: { deleted_cards: 1 } })
  })
})
