import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { goodCard, record } from '../../../test/support/cards.ts'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { contextFor, inTx } from '../../core/context.ts'
import {
  countsInDocuments,
  documentsNamedBy,
  findBest,
  foldChanges,
  likeWords,
  viewIndex,
  wordsOfDocuments,
} from '../../search-index/index.ts'
import { wordStore } from '../../search-index/vocabulary.ts'
import { gramHash, trigramsOf, wordHash } from '../../text/term-hash.ts'
import { type IndexedCard, indexCards, unindexCard } from './card-index.ts'

onBothEngines('the search index', (t) => {
  test('holds a card as it was last written, and counts its words once', async () => {
    const user = await t.user()
    const card: IndexedCard = { ...(await record(user, goodCard('quokka'))), evidence_texts: [] }
    const ctx = contextFor(t.app.services)
    const write = (change: Partial<IndexedCard>) =>
      inTx(ctx, (ctx) => indexCards(ctx, [{ ...card, ...change }]))
    const findBy = async (word: string) =>
      (
        await findBest(ctx, await viewIndex(ctx), [[{ hash: wordHash(word), postings: 1, worth: 1 }]], [])
      ).candidates.map((found) => found.documentId)
    const counted = async (word: string) =>
      (await ctx.db.selectFrom('search_words').selectAll().where('hash', '=', wordHash(word)).execute())[0]
    const total = async () => (await ctx.db.selectFrom('search_totals').selectAll().execute())[0]

    await write({ title: 'A zyzzyva in the pool' })
    await write({ title: 'A wombatine thing in the pool' })
    expect(await findBy('zyzzyva')).toEqual([])
    expect(await findBy('wombatin')).toEqual([card.card_id])

    await foldChanges(ctx)
    expect(await counted('wombatin')).toMatchObject({ cards: 1, public_cards: 0 })
    expect(await counted('zyzzyva')).toBeUndefined()

    const before = await total()
    await inTx(ctx, (ctx) => unindexCard(ctx, card.card_id))
    await foldChanges(ctx)
    expect(await findBy('wombatin')).toEqual([])
    expect(await counted('wombatin')).toBeUndefined()
    expect((await total())?.cards).toBe((before?.cards ?? 0) - 1)
  })

  test('forgets a word with its trigrams once no card has it, and learns it again', async () => {
    const ctx = contextFor(t.app.services)
    const owner = await newcomer(t)
    const hash = wordHash('jerboaq')
    const grams = trigramsOf('jerboaq').map((gram) => [gramHash(gram)])
    const written = async (title: string): Promise<IndexedCard> => ({
      ...(await record(owner, { ...goodCard('numbat'), title })),
      evidence_texts: [],
    })
    const put = (card: IndexedCard) => inTx(ctx, (ctx) => indexCards(ctx, [card]))
    const remove = (card: IndexedCard) => inTx(ctx, (ctx) => unindexCard(ctx, card.card_id))
    const expectCount = async (count: number | undefined) => {
      await foldChanges(ctx)
      const words = await ctx.db.selectFrom('search_words').select('cards').where('hash', '=', hash).execute()
      expect(words.map(({ cards }) => cards)).toEqual(count === undefined ? [] : [count])
      const found = await wordStore(ctx).findAny(ctx, grams, 10)
      expect(found.includes(hash)).toBe(count !== undefined)
    }
    const [one, two] = [await written('The jerboaq sleeps'), await written('The jerboaq wakes')]
    await expectCount(2)
    await remove(one)
    await expectCount(1)
    await remove(two)
    await expectCount(undefined)

    await put(one)
    await expectCount(1)
    await remove(one)
    await put(two)
    await expectCount(1)
    await remove(two)
    await put(one)
    await remove(one)
    await expectCount(undefined)
    // It comes and goes before it is counted.
    await put(one)
    await remove(one)
    await expectCount(undefined)

    // An earlier version left words with the count zero. They go when they are touched.
    await put(one)
    await expectCount(1)
    await inTx(ctx, (ctx) =>
      ctx.db.updateTable('search_words').set({ cards: 0 }).where('hash', '=', hash).execute(),
    )
    await put(one)
    await expectCount(undefined)
  })

  test('many writers at once lose no count', async () => {
    const ctx = contextFor(t.app.services)
    const cards: IndexedCard[] = await Promise.all(
      Array.from({ length: 20 }, async () => ({
        ...(await record(await newcomer(t), goodCard('platypus'))),
        evidence_texts: [],
      })),
    )
    await Promise.all([
      ...cards.map((card) => inTx(ctx, (ctx) => indexCards(ctx, [card]))),
      foldChanges(ctx),
      foldChanges(ctx),
    ])
    await foldChanges(ctx)
    const hash = wordHash('platypus1')
    const words = await ctx.db.selectFrom('search_words').selectAll().where('hash', '=', hash).execute()
    expect(words).toMatchObject([{ cards: 20, public_cards: 0 }])
  })

  test('knows words that may be meant: a slip, a part of an identifier', async () => {
    const ctx = contextFor(t.app.services)
    const recorded = await record(await newcomer(t), { title: 'The marsupialRegistry never answers' })
    const card: IndexedCard = { ...recorded, evidence_texts: [] }
    await inTx(ctx, (ctx) => indexCards(ctx, [card]))
    await foldChanges(ctx)
    const own = await documentsNamedBy(ctx, sql`select card_id from cards where card_id = ${card.card_id}`, 1)
    const vocabulary = {
      counts: await countsInDocuments(ctx, own),
      isPublic: false,
      words: () => wordsOfDocuments(ctx, own),
    }
    const meant = async (word: string) =>
      (await likeWords(ctx, { typed: word, term: word }, vocabulary)).map((like) => like.word)
    expect(await meant('marsupail')).toContain('marsupi')
    expect(await meant('supialregist')).toContain('marsupialregistri')
    expect(await meant('12345')).toEqual([])
  })
})

const newcomer = (t: TestVault) => t.user('newcomer')
