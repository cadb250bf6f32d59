import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { record } from '../../test/support/cards.ts'
import { type Client, clientOf } from '../../test/support/client.ts'
import { onBothEngines } from '../../test/support/engines.ts'
import { type App, buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { contextFor, inTx } from '../core/context.ts'
import { reindexAll } from '../features/cards/card-index.ts'
import { documentsByNumber } from './index-store.ts'
import { maintainIndex } from './write.ts'

onBothEngines('the part of the index that a process keeps', (t) => {
  let other: App
  beforeAll(async () => {
    other = await buildApp(readConfig(t.vault.env), { log: pino({ level: 'silent' }), jobs: [] })
    for (const app of [t.app, other]) Object.assign(app.services.searchTuning, { foldFrom: 1, readWhole: 0 })
  })
  afterAll(() => other.close())

  const tend = () => maintainIndex(contextFor(t.app.services))
  const inBoth = ({ token }: { token: string }): Client[] =>
    [t.app, other].map((app) => clientOf(app, { authorization: `Bearer ${token}` }))

  /** Every process says the same, also when asked again: the first times it reads, then it remembers. */
  async function finds(person: { token: string }, query: string, titles: string[], scope = 'personal') {
    for (const client of inBoth(person))
      for (let i = 0; i < 2; i++) {
        const { body } = await client.post('/api/v1/search', { query, scope, limit: 50 })
        expect(body.results.map((result: { title: string }) => result.title).sort()).toEqual(
          titles.toSorted(),
        )
        const short = await client.post('/api/v1/search', { query, scope, limit: 1 })
        expect(short.body.total).toBe(titles.length)
      }
  }

  test('a card that another process changed or deleted disappears at once, folded or not', async () => {
    const user = await t.user()
    const titles = Array.from({ length: 6 }, (_, i) => `Pangolin ${i}`)
    const cards = []
    for (const title of titles) cards.push(await record(user, { title }))
    await finds(user, 'pangolin', titles)
    await tend()
    await finds(user, 'pangolin', titles)

    await user.delete(`/api/v1/cards/${cards[0].card_id}`)
    await user.patch(`/api/v1/cards/${cards[1].card_id}`, { title: 'Aardvark' })
    await finds(user, 'pangolin', titles.slice(2))
    await finds(user, 'aardvark', ['Aardvark'])
    await tend()
    await finds(user, 'pangolin', titles.slice(2))
    await finds(user, 'aardvark', ['Aardvark'])
  })

  test('a card that is no longer public disappears for everybody else at once', async () => {
    const [owner, reader] = [await t.user(), await t.user()]
    const card = await record(owner, { title: 'Okapi in the library' })
    const published = await owner.post(`/api/v1/cards/${card.card_id}/publish`)
    expect(published.status).toBe(200)
    await tend()
    await finds(reader, 'okapi', ['Okapi in the library'], 'public')
    expect((await owner.post(`/api/v1/cards/${card.card_id}/unpublish`, {})).status).toBe(200)
    await finds(reader, 'okapi', [], 'public')
    await finds(owner, 'okapi', ['Okapi in the library'])
    await tend()
    await finds(reader, 'okapi', [], 'public')
  })

  test('search finds the same after the index is rebuilt', async () => {
    const user = await t.user()
    await record(user, { title: 'Echidna' })
    await tend()
    await finds(user, 'echidna', ['Echidna'])
    await reindexAll(contextFor(t.app.services))
    await finds(user, 'echidna', ['Echidna'])
    await tend()
    await finds(user, 'echidna', ['Echidna'])
  })

  test('entries of a rolled back transaction are not remembered', async () => {
    const user = await t.user()
    const card = await record(user, { title: 'Tapir' })
    const ctx = contextFor(t.app.services)
    const newest = async (db: typeof ctx.db) =>
      (
        await db
          .selectFrom('search_docs')
          .select('doc_no')
          .orderBy('doc_no', 'desc')
          .executeTakeFirstOrThrow()
      ).doc_no
    let inside = 0
    const undone = inTx(ctx, async (ctx) => {
      const [before] = await documentsByNumber(ctx, [await newest(ctx.db)])
      await ctx.db
        .deleteFrom('search_fresh')
        .where('doc_no', '=', before?.docNo ?? 0)
        .execute()
      await ctx.db.deleteFrom('search_docs').where('card_id', '=', card.card_id).execute()
      await ctx.db
        .insertInto('search_docs')
        .values({ card_id: card.card_id, analyser: 1, weights: Buffer.alloc(8) })
        .execute()
      inside = await newest(ctx.db)
      // The second time it would be kept.
      for (let i = 0; i < 2; i++) expect((await documentsByNumber(ctx, [inside]))[0]?.hashes).toEqual([])
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await documentsByNumber(ctx, [inside])).toEqual([])
    await finds(user, 'tapir', ['Tapir'])
  })
})
