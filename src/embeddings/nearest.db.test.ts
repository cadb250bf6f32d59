import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { record } from '../../test/support/cards.ts'
import { startEmbeddingsStandIn } from '../../test/support/embeddings-stand-in.ts'
import { onBothEngines, type TestVault } from '../../test/support/engines.ts'
import { contextFor, inTx } from '../core/context.ts'
import { cardVectors } from '../features/search/index.ts'
import { nearestTo } from './nearest.ts'
import { questionVector } from './questions.ts'
import { makeVectors } from './queue.ts'
import { KeptVectors, quantise } from './vectors.ts'

const model = await startEmbeddingsStandIn()
afterAll(() => model.close())

const settle = (t: TestVault) =>
  makeVectors(contextFor(t.app.services), [cardVectors], new AbortController().signal)

onBothEngines(
  'nearest vectors',
  (t) => {
    test('are the same by an extension and in the process', async () => {
      const person = await t.user()
      for (const symptom of ['oom', 'heap disk', 'heap slow slow', 'volume', 'login login heap'])
        await record(person, { title: symptom, symptom, fix_summary: symptom })
      await settle(t)
      const ctx = contextFor(t.app.services)
      const scope = {
        table: 'search_vectors',
        number: sql<number>`search_vectors.doc_no`,
        from: sql`search_vectors where true`,
      } as const
      const question = await questionVector(ctx, 'memory')
      if (!question) throw new Error('no vector')
      const byEngine = await nearestTo(ctx, scope, question, 4)
      const inProcess = await inTx(ctx, (ctx) => nearestTo(ctx, scope, question, 4))
      expect(byEngine).toHaveLength(4)
      expect(byEngine?.map(({ number }) => number)).toEqual(inProcess?.map(({ number }) => number))
      for (const [i, { similarity }] of (byEngine ?? []).entries())
        expect(similarity).toBeCloseTo(inProcess?.[i]?.similarity ?? 0, 4)
      if (t.engine === 'sqlite') await sql`select vec_version()`.execute(ctx.db)
    })

    test('the connections allow no further extension', async () => {
      if (t.engine !== 'sqlite') return
      const { read } = t.app.services.database
      await expect(sql`select load_extension('anything')`.execute(read)).rejects.toThrow(/not authorized/)
    })

    test('one process at a time asks, and another follows one that died', async () => {
      const { database } = t.app.services
      const lease = (leased_until: string) =>
        database.transaction((db) =>
          db.updateTable('search_vector_state').set({ leased_by: 'another', leased_until }).execute(),
        )
      await record(await t.user())
      model.texts.length = 0
      await lease(new Date(Date.now() + 60_000).toISOString())
      await settle(t)
      expect(model.texts).toEqual([])
      await lease(new Date(Date.now() - 1000).toISOString())
      await settle(t)
      expect(model.texts).toHaveLength(1)
    })
  },
  { EMBEDDINGS_URL: model.url, EMBEDDINGS_WAIT_MS: '2000' },
)

test('kept vectors stay within their bytes; the oldest make room', () => {
  const kept = new KeptVectors('model', 100, 5000 * 164)
  expect(kept.capacity).toBe(5000)
  const vector = quantise(Array.from({ length: 100 }, (_, i) => i - 50))
  for (let number = 1; number <= 6000; number++) kept.set(number, vector)
  const similarityOf = kept.similarityTo(vector)
  expect([1000, 1001, 6000].map(similarityOf)).toEqual([undefined, expect.closeTo(1), expect.closeTo(1)])
})
