import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { record } from '../../test/support/cards.ts'
import { onBothEngines } from '../../test/support/engines.ts'
import { contextFor } from '../core/context.ts'
import { gramHash, trigramsOf } from '../text/term-hash.ts'
import { documentsNamedBy, havingGrams, wordsOfDocuments } from './index-store.ts'
import { foldChanges, wordStore } from './vocabulary.ts'

onBothEngines('scope-words', (t) => {
  test('words of a few documents are found by trigrams as in the vocabulary of all, and those of others are not', async () => {
    const ctx = contextFor(t.app.services)
    const own = await record(await t.user('own'), { title: 'The kernelScheduler panics 4711 times at 網路' })
    await record(await t.user('other'), { title: 'A schedulerKernel of somebody else' })
    await foldChanges(ctx)
    const documents = await documentsNamedBy(
      ctx,
      sql`select card_id from cards where card_id = ${own.card_id}`,
      1,
    )
    const words = await wordsOfDocuments(ctx, documents)
    const numbers = new Set(words.map(({ hash }) => hash))
    for (const [...asked] of [
      ['kern'],
      ['kern', 'schedul'],
      ['schedulerkernel'],
      ['471'],
      ['xyzzy'],
      ['網路'],
    ]) {
      const match = asked.map((word) => trigramsOf(word).map(gramHash))
      const found = havingGrams(words, match).map(({ hash }) => hash)
      const everywhere = await wordStore(ctx).findAny(ctx, match, 1000)
      expect(found.sort(), asked.join()).toEqual(everywhere.filter((hash) => numbers.has(hash)).sort())
    }
    expect(havingGrams(words, [trigramsOf('kern').map(gramHash)])).not.toEqual([])
    const spelled = (await wordsOfDocuments(ctx, documents)).map(({ word }) => word)
    expect(spelled).toContain('kernelschedul')
    expect(spelled).not.toContain('schedulerkernel')
  })
})
