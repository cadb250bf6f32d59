import { sql } from 'kysely'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { record } from '../../test/support/cards.ts'
import type { Client } from '../../test/support/client.ts'
import { onBothEngines, type TestVault } from '../../test/support/engines.ts'
import { contextFor } from '../core/context.ts'
import { wordHash } from '../text/term-hash.ts'
import { tierOf, usualTuning } from './postings.ts'
import { wronglyListed } from './verify.ts'
import { maintainIndex } from './write.ts'

/** Lets the next card have this number in the index, as if so many had come before it. */
async function nextNumber(t: TestVault, docNo: number): Promise<void> {
  await t.app.services.database.transaction(async (db) => {
    if (t.engine === 'sqlite')
      await sql`update sqlite_sequence set seq = ${docNo - 1} where name = 'search_docs'`.execute(db)
    else
      await sql`select setval(pg_get_serial_sequence('search_docs', 'doc_no'), ${docNo}, false)`.execute(db)
  })
}

onBothEngines('posting lists', (t) => {
  const tend = () => maintainIndex(contextFor(t.app.services))
  const tiers = async () =>
    (await t.app.services.database.read.selectFrom('search_runs').select('run').orderBy('run').execute()).map(
      ({ run }) => tierOf(run),
    )
  /** On a cluster a node may see a commit a moment later than another. Then the next round of the job does the rest. */
  const tended = (expected: number[]) =>
    expect
      .poll(
        async () => {
          await tend()
          return tiers()
        },
        { timeout: 20_000 },
      )
      .toEqual(expected)
  const titles = async (user: Client, query: string, more: object = {}) => {
    const { body } = await user.post('/api/v1/search', { query, limit: 50, ...more })
    return body.results.map((result: { title: string }) => result.title).sort()
  }

  beforeAll(() => Object.assign(t.app.services.searchTuning, { foldFrom: 1, readWhole: 0 }))

  test('a card is found alike while it is fresh, in a short run, and in every longer one', async () => {
    const user = await t.user()
    const stranger = await t.user()
    const all: string[] = []
    const write = async (title: string, tags: string[] = []) => {
      all.push(title)
      return record(user, { title, tags })
    }
    const seen = async () => {
      expect(await titles(user, 'axolotl')).toEqual(all.toSorted())
      expect(await titles(user, 'axolotl', { tags: ['pond'] })).toEqual(['Axolotl 0'])
      expect(await titles(user, 'salamander')).toEqual(all.length > 1 ? ['Axolotl salamander'] : [])
      expect(await titles(stranger, 'axolotl')).toEqual([])
    }
    await nextNumber(t, 500)
    await write('Axolotl 0', ['pond'])
    await seen()
    await tended([0])
    await seen()

    await nextNumber(t, 600)
    await write('Axolotl salamander')
    await tended([0, 0])
    await seen()

    await nextNumber(t, 9000)
    await write('Axolotl 2')
    await tended([0, 1])
    await seen()

    await nextNumber(t, 70_000)
    await write('Axolotl 3')
    await tended([0, 2])
    await seen()
  })

  test('a card that is changed or deleted is found as it is now, before and after its lists are rebuilt', async () => {
    const user = await t.user()
    await nextNumber(t, 140_000)
    await record(user, { title: 'Quokka kept' })
    const changed = await record(user, { title: 'Quokka changed' })
    const deleted = await record(user, { title: 'Quokka deleted' })
    await nextNumber(t, 200_000)
    await record(user, { title: 'A later card' })
    await tend()
    await user.patch(`/api/v1/cards/${changed.card_id}`, { title: 'Numbat changed' })
    await user.delete(`/api/v1/cards/${deleted.card_id}`)
    const seen = async () => {
      expect(await titles(user, 'quokka')).toEqual(['Quokka kept'])
      expect(await titles(user, 'numbat')).toEqual(['Numbat changed'])
      const { body } = await user.post('/api/v1/search', { query: 'quokka', limit: 1 })
      expect(body.total).toBe(1)
    }
    await tend()
    await seen()
    t.app.services.searchTuning.rewriteAfterTombstones = 1
    onTestFinished(() => {
      t.app.services.searchTuning.rewriteAfterTombstones = usualTuning().rewriteAfterTombstones
    })
    await record(user, { title: 'Something that wakes the job' })
    await tend()
    await seen()
    const { read } = t.app.services.database
    // The vault's own job may have been first, and be at it still.
    await expect
      .poll(() => read.selectFrom('search_runs').select('dead').where('dead', '>', 0).execute())
      .toEqual([{ dead: 2 }])
    await seen()
  })

  test('common words get separate lists, rare ones are bundled, and both are found', async () => {
    const user = await t.user()
    await nextNumber(t, 300_032)
    for (let i = 0; i < 70; i++) {
      await record(user, { title: `Wombat number${i} burrow` })
      if (i % 23 === 0) await tend()
    }
    await tend()
    expect(await titles(user, 'wombat')).toHaveLength(50)
    const { body } = await user.post('/api/v1/search', { query: 'wombat', limit: 1 })
    expect(body.total).toBe(70)
    for (const i of [0, 22, 23, 24, 69])
      expect(await titles(user, `number${i}`)).toContain(`Wombat number${i} burrow`)
  })

  test('lists that lack a card are noticed', async () => {
    const ctx = contextFor(t.app.services)
    await tend()
    expect(await wronglyListed(ctx)).toBe(0)
    await t.app.services.database.transaction((db) =>
      db.deleteFrom('search_postings').where('key', '=', wordHash('wombat')).execute(),
    )
    expect(await wronglyListed(ctx)).toBe(70)
  })
})
