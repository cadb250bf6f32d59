import { expect, test } from 'vitest'
import { goodCard, record } from '../../../../test/support/cards.ts'
import { type Bench, onBothEngines } from '../../../../test/support/engines.ts'
import { contextFor, inTx } from '../../../core/context.ts'
import { findBest } from '../../../search-index/find-best.ts'
import { cardCounts, foldChanges, likeWords, totals } from '../../../search-index/vocabulary.ts'
import { wordHash } from '../../../text/term-hash.ts'
import { type IndexedCard, indexCard, unindexCard } from './index-card.ts'

onBothEngines('the search index', (t) => {
  test('holds a card as it was last written, and counts its words once', async () => {
    const user = await t.user()
    const card: IndexedCard = await record(user, goodCard('quokka'))
    const ctx = contextFor(t.app.services)
    const write = (change: Partial<IndexedCard>) => inTx(ctx, (ctx) => indexCard(ctx, { ...card, ...change }))
    const findBy = async (word: string) =>
      (await findBest(ctx, [[{ hash: wordHash(word), cards: 1, worth: 1 }]], [])).candidates.map(
        (found) => found.cardId,
      )

    await write({ title: 'A zyzzyva in the pool' })
    await write({ title: 'A wombatine thing in the pool' })
    expect(await findBy('zyzzyva')).toEqual([])
    expect(await findBy('wombatin')).toEqual([card.card_id])

    await foldChanges(ctx)
    const counts = await cardCounts(ctx, ['wombatin', 'zyzzyva'].map(wordHash))
    expect(counts.get(wordHash('wombatin'))).toBe(1)
    expect(counts.get(wordHash('zyzzyva')) ?? 0).toBe(0)

    const before = await totals(ctx)
    await inTx(ctx, (ctx) => unindexCard(ctx, card.card_id))
    await foldChanges(ctx)
    expect(await findBy('wombatin')).toEqual([])
    expect((await totals(ctx)).cards).toBe(before.cards - 1)
  })

  test('many writers at once lose no count', async () => {
    const ctx = contextFor(t.app.services)
    const cards: IndexedCard[] = await Promise.all(
      Array.from({ length: 20 }, async () => record(await newcomer(t), goodCard('platypus'))),
    )
    await Promise.all([
      ...cards.map((card) => inTx(ctx, (ctx) => indexCard(ctx, card))),
      foldChanges(ctx),
      foldChanges(ctx),
    ])
    await foldChanges(ctx)
    const hash = wordHash('platypus1')
    expect((await cardCounts(ctx, [hash])).get(hash)).toBe(20)
  })

  test('knows words that may be meant: a slip, a part of an identifier', async () => {
    const ctx = contextFor(t.app.services)
    const card: IndexedCard = await record(await newcomer(t), {
      title: 'The marsupialRegistry never answers',
    })
    await inTx(ctx, (ctx) => indexCard(ctx, card))
    await foldChanges(ctx)
    const meant = async (word: string) => (await likeWords(ctx, word)).map((like) => like.word)
    expect(await meant('marsupail')).toContain('marsupi')
    expect(await meant('supialregist')).toContain('marsupialregistry')
    expect(await meant('12345')).toEqual([])
  })
})

const newcomer = (t: Bench) => t.user('newcomer')
