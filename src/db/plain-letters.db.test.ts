import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { goodCard, record } from '../../test/support/cards.ts'
import { onBothEngines } from '../../test/support/engines.ts'
import { contextFor, inTx } from '../core/context.ts'
import { bringIndexUpToDate } from '../features/cards/indexing/reindex.ts'
import { indexDifference } from '../features/memory/events.search.ts'
import { fillEventIndex } from '../features/memory/reindex.ts'
import { plainLetters } from './migrations/0052-plain-letters.ts'

onBothEngines(
  'letters that not every keyboard has',
  (t) => {
    const context = () => contextFor(t.app.services)

    test('words with them are found in plain letters, and the other way round', async () => {
      const user = await t.user()
      const pairs = [
        ['Hauptstraße', 'HAUPTSTRASSE'],
        ['ændring', 'aendring'],
        ['cœur', 'coeur'],
        ['størrelse', 'storrelse'],
        ['Łódź', 'lodz'],
        ['đăng', 'dang'],
        ['ısı', 'isi'],
      ]
      for (const [written, plain] of pairs) {
        const { card_id } = await record(user, { ...goodCard(), title: `About ${written}` })
        for (const query of [written, plain]) {
          const [first] = (await user.post('/api/v1/search', { query })).body.results
          expect(first, query).toMatchObject({ card_id, weak: false })
        }
        await user.delete(`/api/v1/cards/${card_id}`)
      }
    })

    test('an upgrade indexes again what has such a letter, and nothing else', async () => {
      const user = await t.user()
      const event = { project_key: 'plain/letters', event_type: 'turn' }
      for (const content of ['die Straße', 'the road', 'the newest'])
        await user.post('/api/v1/project-context/events', { ...event, content })
      const marked = await record(user, { ...goodCard('one'), body: 'Die Straße.' })
      const evidences = [{ kind: 'log', content: 'Øresund' }]
      const byEvidence = await record(user, { ...goodCard('two'), evidences })
      await record(user, goodCard('three'))
      await inTx(context(), async ({ db }) => {
        for (const statement of plainLetters.statements(t.engine)) await sql.raw(statement).execute(db)
      })
      const { db } = context()
      const stale = await db.selectFrom('search_docs').select('card_id').where('analyser', '=', 0).execute()
      expect(stale.map(({ card_id }) => card_id).sort()).toEqual([marked.card_id, byEvidence.card_id].sort())
      const dropped = t.engine === 'sqlite' ? 4 : 2
      expect(await indexDifference(db, t.engine)).toEqual({ lacking: dropped, stray: 0 })
      expect(await bringIndexUpToDate(context())).toBe(2)
      expect(await fillEventIndex(context())).toBe(2)
      expect(await indexDifference(db, t.engine)).toEqual({ lacking: 0, stray: 0 })
      const asked = '/api/v1/project-context/search?project_key=plain/letters&mode=ranked&query=strasse'
      expect((await user.get(asked)).body.results).toHaveLength(1)
    })

    test('an upgrade without such letters leaves the index as it is', async () => {
      await inTx(context(), async ({ db }) => {
        await sql`delete from context_events where content like '%Straße%'`.execute(db)
      })
      const before = await indexDifference(context().db, t.engine)
      await inTx(context(), async ({ db }) => {
        for (const statement of plainLetters.statements(t.engine)) await sql.raw(statement).execute(db)
      })
      expect(await indexDifference(context().db, t.engine)).toEqual(before)
    })
  },
  {},
)
