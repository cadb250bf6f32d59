import { expect, test } from 'vitest'
import { goodCard, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { meeting } from '../../../test/support/meeting.ts'
import { type Ctx, contextFor, inTx } from '../../core/context.ts'
import { takeFromIndex } from '../../search-index/index-store.ts'
import { wronglyIndexed } from '../../search-index/verify.ts'
import {
  bringIndexUpToDate,
  fillEmptyIndex,
  indexableCards,
  indexCards,
  reindex,
  reindexAll,
  reindexStale,
  staleCount,
  unindexCard,
  wordsOnly,
} from './card-index.ts'

onBothEngines('re-indexing', (t) => {
  /** Sets the analyser that has read the card; 0 marks the card. */
  const mark = (ctx: Ctx, cardId: string, analyser = 0) =>
    ctx.db.updateTable('search_docs').set({ analyser }).where('card_id', '=', cardId).execute()

  test('cards that are missing or read by another analyser are read again, and an interrupted reindex continues', async () => {
    const user = await t.user()
    const cards = await Promise.all(
      Array.from({ length: 60 }, (_, i) => record(user, { title: `Lantern number ${i}` })),
    )
    const ctx = contextFor(t.app.services)
    await inTx(ctx, async (ctx) => {
      await takeFromIndex(
        ctx,
        cards.slice(0, 10).map((card) => card.card_id),
      )
      await ctx.db.updateTable('search_docs').set({ analyser: 0 }).execute()
    })
    expect(await staleCount(ctx)).toBe(60)
    const stopping = new AbortController()
    await reindex(ctx, () => stopping.abort(), stopping.signal)
    expect(await staleCount(ctx)).toBe(35)
    expect(await reindex(ctx)).toBe(35)
    expect(await staleCount(ctx)).toBe(0)
    const found = await user.post('/api/v1/search', { query: 'lantern', limit: 50 })
    expect(found.body.total).toBe(60)
  })

  test('marked cards are read again before the service starts, cards of an older analyser by a job', async () => {
    const user = await t.user()
    const [marked, older] = [await record(user), await record(user)]
    const ctx = contextFor(t.app.services)
    await inTx(ctx, async (ctx) => {
      await mark(ctx, marked.card_id)
      await mark(ctx, older.card_id, 1)
    })
    expect(await staleCount(ctx)).toBe(2)
    expect(await bringIndexUpToDate(ctx)).toBe(1)
    expect(await staleCount(ctx)).toBe(1)
    await reindexStale(ctx, new AbortController().signal)
    expect(await staleCount(ctx)).toBe(0)
  })

  test('all cards are read again when asked to, or those that an interrupted reindex has left', async () => {
    const ctx = contextFor(t.app.services)
    expect(await reindexAll(ctx)).toBe(62)
    await inTx(ctx, (ctx) =>
      ctx.db
        .updateTable('search_docs')
        .set({ analyser: 0 })
        .where('card_id', 'in', (eb) => eb.selectFrom('search_docs').select('card_id').limit(7))
        .execute(),
    )
    const seen: number[] = []
    expect(await reindexAll(ctx, (done, total) => seen.push(done, total))).toBe(7)
    expect(seen).toEqual([7, 7])
  })

  test('an index that was being filled when the program was killed is filled at the next start', async () => {
    const ctx = contextFor(t.app.services)
    const cards = await ctx.db.selectFrom('cards').select('card_id').orderBy('card_id').execute()
    await inTx(ctx, (ctx) =>
      takeFromIndex(
        ctx,
        cards.slice(20).map((card) => card.card_id),
      ),
    )
    expect(await fillEmptyIndex(ctx)).toBe(cards.length - 20)
    expect(await staleCount(ctx)).toBe(0)
    expect(await fillEmptyIndex(ctx)).toBe(0)
  })

  test('a card that is marked is read again, and its evidence is found then', async () => {
    const user = await t.user()
    const card = await record(user, { evidences: [{ kind: 'log', content: 'a pangolinfault' }] })
    const plain = await record(user)
    const ctx = contextFor(t.app.services)
    const indexed = await indexableCards(ctx, '', 1000)
    const before = indexed.filter((one) => [card.card_id, plain.card_id].includes(one.card_id))
    await inTx(ctx, async (ctx) => {
      await indexCards(
        ctx,
        before.map((one) => ({ ...one, evidence_texts: [] })),
      )
      expect(await wronglyIndexed(ctx, await Promise.all(before.map(wordsOnly)))).toEqual([card.card_id])
      await mark(ctx, card.card_id)
    })
    const search = async () => (await user.post('/api/v1/search', { query: 'pangolinfault' })).body.results
    expect(await search()).toEqual([])
    expect(await staleCount(ctx)).toBe(1)
    expect(await wronglyIndexed(ctx, await Promise.all(before.map(wordsOnly)))).toEqual([])
    expect(await reindex(ctx)).toBe(1)
    expect((await search())[0].card_id).toBe(card.card_id)
    expect(await wronglyIndexed(ctx, await Promise.all(before.map(wordsOnly)))).toEqual([])
  })

  const entryOf = (cardId: string) =>
    t.app.services.database.read
      .selectFrom('search_docs')
      .select('analyser')
      .where('card_id', '=', cardId)
      .executeTakeFirst()

  test('a card that is changed or deleted meanwhile is not overtaken', async () => {
    const user = await t.user()
    const [changed, deleted] = [await record(user), await record(user)]
    const ctx = contextFor(t.app.services)
    await inTx(ctx, async (ctx) => {
      await mark(ctx, changed.card_id)
      await mark(ctx, deleted.card_id)
    })
    const [card] = (await indexableCards(ctx, '', 1000)).filter((one) => one.card_id === changed.card_id)
    if (!card) throw new Error('the card is not there')
    const title = 'A weathervane that points to the ground'
    await meeting(
      t,
      async (db) => {
        const inside = { ...ctx, db, transacting: true }
        await db.updateTable('cards').set({ title }).where('card_id', '=', changed.card_id).execute()
        await indexCards(inside, [{ ...card, title }])
        await db
          .updateTable('cards')
          .set({ deleted_at: ctx.now().toISOString() })
          .where('card_id', '=', deleted.card_id)
          .execute()
        await unindexCard(inside, deleted.card_id)
      },
      () => reindex(ctx),
    )
    expect(await wronglyIndexed(ctx, [await wordsOnly({ ...card, title })])).toEqual([])
    expect(await entryOf(deleted.card_id)).toBeUndefined()
  })

  test('a deleted card that is in the index leaves it, marked or not', async () => {
    const user = await t.user()
    const card = await record(user)
    const ctx = contextFor(t.app.services)
    const [indexed] = (await indexableCards(ctx, '', 1000)).filter((one) => one.card_id === card.card_id)
    if (!indexed) throw new Error('the card is not there')
    await user.delete(`/api/v1/cards/${card.card_id}`)
    for (const isMarked of [true, false]) {
      await inTx(ctx, async (ctx) => {
        await indexCards(ctx, [indexed])
        if (isMarked) await mark(ctx, card.card_id)
      })
      expect(await staleCount(ctx)).toBe(isMarked ? 1 : 0)
      await reindexAll(ctx)
      expect(await entryOf(card.card_id)).toBeUndefined()
    }
  })

  test('a workspace that becomes public is found by everybody, and private again by its members alone', async () => {
    const { workspaceId, admin, editor } = await team(t)
    const stranger = await t.user()
    const card = await record(editor, { ...goodCard('narwhal'), workspace_id: workspaceId })
    await editor.post(`/api/v1/cards/${card.card_id}/share`)
    const found = async () =>
      (await stranger.post('/api/v1/search', { query: 'narwhal1', scope: 'public' })).body.results.length
    const show = (visibility: string) => admin.patch(`/api/v1/workspaces/${workspaceId}`, { visibility })
    expect(await found()).toBe(0)
    await show('public')
    await reindex(contextFor(t.app.services))
    expect(await found()).toBe(1)
    await show('private')
    expect(await found()).toBe(0)
  })
})
