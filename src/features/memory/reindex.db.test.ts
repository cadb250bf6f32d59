import pino from 'pino'
import { beforeAll, expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'
import { buildApp } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { contextFor, inTx } from '../../core/context.ts'
import { dropFromIndex, indexDifference } from './events.search.ts'
import { fillEventIndex, reindexEvents } from './reindex.ts'

onBothEngines(
  'the index of Agent Memory',
  (t) => {
    const context = () => contextFor(t.app.services)
    const difference = () => indexDifference(context().db, t.engine)
    let userId: string
    let events: number[]

    beforeAll(async () => {
      const person = await t.user()
      userId = person.userId
      for (const word of ['heron', 'magpie', 'siskin']) {
        const turn = { project_key: `birds/${word}`, user_message: word, agent_report: 'noted' }
        expect((await person.post('/api/v1/project-context/turns', turn)).status).toBe(201)
      }
      const rows = await context()
        .db.selectFrom('context_events')
        .select('event_no')
        .orderBy('event_no')
        .execute()
      events = rows.map((row) => row.event_no)
    })

    const lose = (eventNos: number[]) =>
      inTx(context(), ({ db }) => dropFromIndex(db, t.engine, userId, eventNos))

    test('is completed at a start, after a restore that was killed while it indexed', async () => {
      await lose(events.slice(1))
      expect((await difference()).lacking).toBeGreaterThan(0)
      const app = await buildApp(readConfig(t.vault.env), { log: pino({ level: 'silent' }), jobs: [] })
      await app.close()
      expect(await difference()).toEqual({ lacking: 0, stray: 0 })
    })

    test('several processes that start at once complete it together', async () => {
      await lose(events)
      const filled = await Promise.all([1, 2, 3].map(() => fillEventIndex(context())))
      expect(filled.reduce((sum, count) => sum + count, 0)).toBe(events.length)
      expect(await difference()).toEqual({ lacking: 0, stray: 0 })
      expect(await fillEventIndex(context())).toBe(0)
    })

    test('only what is missing is added; all of it is made again on demand', async () => {
      await lose(events.slice(1, 2))
      expect(await reindexEvents(context(), 'missing')).toBe(1)
      expect(await reindexEvents(context())).toBe(events.length)
      expect(await difference()).toEqual({ lacking: 0, stray: 0 })
    })
  },
  {},
)
