import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { record } from '../../test/support/cards.ts'
import { onBothEngines } from '../../test/support/engines.ts'
import { publish } from '../../test/support/publishing.ts'
import { contextFor, inTx } from '../core/context.ts'
import { bringIndexUpToDate, reindexStale, staleCount } from '../features/cards/indexing/reindex.ts'
import { publishedFrom } from './migrations/0054-published-from.ts'

onBothEngines(
  'cards that an older version published',
  (t) => {
    test('are indexed again by a job, and the service does not wait for it', async () => {
      const user = await t.user()
      const published = await record(user)
      expect((await publish(user, published.card_id)).status).toBe(200)
      await record(user)
      const ctx = contextFor(t.app.services)
      await inTx(ctx, async ({ db }) => {
        for (const statement of publishedFrom.statements(t.engine)) await sql.raw(statement).execute(db)
      })
      expect(await bringIndexUpToDate(ctx)).toBe(0)
      expect(await staleCount(ctx)).toBe(1)
      await reindexStale(ctx, new AbortController().signal)
      expect(await staleCount(ctx)).toBe(0)
    })
  },
  {},
)
