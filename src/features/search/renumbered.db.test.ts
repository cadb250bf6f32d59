import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { record } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { meeting } from '../../../test/support/meeting.ts'
import { contextFor } from '../../core/context.ts'
import { indexCards, indexedCards } from '../cards/card-index.ts'

// A search consists of several statements. It gets between two of them by a table that the later one waits for.
onBothEngines('a card that is indexed again while it is searched for', (t) => {
  test.each([
    ['in a scope that is read whole, after its number was read', 'users', 400],
    ['in a large scope, after its number was read', 'users', 0],
    ['in a large scope, after what is in no list was read', 'search_changes', 0],
  ])('is found %s', async (_where, table, readWhole) => {
    const { services } = t.app
    const before = services.searchTuning.readWhole
    services.searchTuning.readWhole = readWhole
    try {
      const user = await t.user()
      const { card_id } = await record(user, { title: 'Wombat renumbered meanwhile' })
      const find = async () =>
        (await user.post('/api/v1/search', { query: 'wombat renumbered' })).body.results.map(
          (hit: { card_id: string }) => hit.card_id,
        )
      // Who asks is known from here on, so that nothing else waits for the table.
      expect(await find()).toEqual([card_id])
      const again = async (db: typeof services.database.read) => {
        if (t.engine === 'postgres')
          await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(db)
        const rows = await db.selectFrom('cards').selectAll().where('card_id', '=', card_id).execute()
        await indexCards({ ...contextFor(services), db, transacting: true }, await indexedCards(db, rows))
      }
      expect(await meeting(t, again, find)).toEqual([card_id])
      expect(await find()).toEqual([card_id])
    } finally {
      services.searchTuning.readWhole = before
    }
  })
})
