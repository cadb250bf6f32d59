import { sql } from 'kysely'
import pino from 'pino'
import { expect, test, vi } from 'vitest'
import { onBothEngines, QUICK_HASHING } from '../../test/support/engines.ts'
import { buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { type Named, prepared } from './prepared.ts'

const quick = prepared(
  'quickStatement',
  (_, parameter: Named<{ value: string }>) =>
    sql<{ value: string }>`select cast(${parameter('value')} as text) as value`,
)
const sleeping = prepared(
  'sleepingStatement',
  (_, parameter: Named<{ seconds: number }>) => sql`select pg_sleep(${parameter('seconds')}::float)`,
)

onBothEngines('a statement', (t) => {
  test('that is slow is logged by its name, without its values', async () => {
    const lines: { msg: string; statement?: string; ms?: number }[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const app = await buildApp(readConfig(t.vault.env), { jobs: [], passwordHashing: QUICK_HASHING, log })
    try {
      const { read } = app.services.database
      lines.length = 0
      expect(await quick(read, { value: 'private' })).toEqual([{ value: 'private' }])
      // A statement on another machine may be slow by itself.
      if (t.engine === 'sqlite') expect(lines).toEqual([])
      if (t.engine === 'postgres') await sleeping(read, { seconds: 1.1 })
      else {
        let now = performance.now()
        const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
          now += 1100
          return now
        })
        await quick(read, { value: 'private' }).finally(() => clock.mockRestore())
      }
      const statement = t.engine === 'postgres' ? 'sleepingStatement' : 'quickStatement'
      expect(lines).toContainEqual(
        expect.objectContaining({ msg: 'a slow statement', statement, ms: expect.any(Number) }),
      )
      expect(JSON.stringify(lines)).not.toContain('private')
    } finally {
      await app.close()
    }
  })
})
