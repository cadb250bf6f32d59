import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import pino from 'pino'
import { beforeAll, expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'
import { buildApp } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { contextFor, inTx } from '../../core/context.ts'
import type { Schema } from '../../db/schema.ts'
import { dropFromIndex, indexDifference } from './event-index.ts'
import { fillEventIndex, reindexEvents } from './store.ts'

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

    // A list that does not fit into work_mem is read once for each row, which 300,000 events do not finish.
    test('is compared with the events without a list of all of them', async () => {
      if (t.engine === 'sqlite' || t.app.services.database.isDistributed) return
      const asked: string[] = []
      const pool = new pg.Pool({ connectionString: t.vault.env.DATABASE_URL, max: 1 })
      const dialect = new PostgresDialect({ pool })
      const db = new Kysely<Schema>({ dialect, log: ({ query }) => void asked.push(query.sql) })
      await indexDifference(db, t.engine)
      const plans = await Promise.all(
        asked.map((statement) => sql<object>`explain ${sql.raw(statement)}`.execute(db)),
      )
      await db.destroy()
      const plan = JSON.stringify(plans.map(({ rows }) => rows))
      expect(plan.match(/Anti Join/g)).toHaveLength(2)
      expect(plan).not.toContain('SubPlan')
    })
  },
  {},
)
