import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'
import { LAST_SEQUENCE, partitionOf } from './event-index.ts'

onBothEngines('the numbers of the events of a project', (t) => {
  test('go on in a new partition when one is full, and all of them are found', async () => {
    const me = await t.user()
    const project_key = 'acme/full'
    const append = (content: string) =>
      me.post('/api/v1/project-context/events', { project_key, event_type: 'user_message', content })
    expect((await append('the import waits for a lock')).status).toBe(201)
    const { database } = t.app.services
    await database.transaction(async (db) => {
      const { project_id } = await db
        .selectFrom('context_projects')
        .select('project_id')
        .where('project_key', '=', project_key)
        .executeTakeFirstOrThrow()
      await db
        .updateTable('context_partitions')
        .set({ last_seq: LAST_SEQUENCE - 1 })
        .where('project_id', '=', project_id)
        .execute()
    })
    for (const word of ['second', 'third', 'fourth'])
      expect((await append(`the ${word} import waits for a lock`)).status).toBe(201)
    const rows = await database.read
      .selectFrom('context_events')
      .select(['event_no', 'content'])
      .where('content', 'like', '%import waits for a lock')
      .orderBy('event_no')
      .execute()
    const [first = 0, second, third, fourth] = rows.map(({ event_no }) => partitionOf(event_no))
    expect([second, third, fourth]).toEqual([first, first + 1, first + 1])
    for (const mode of ['substring', 'ranked']) {
      const found = await me.get(
        `/api/v1/project-context/search?project_key=${project_key}&query=import&mode=${mode}`,
      )
      expect(found.body.total).toBe(4)
    }
  })
})
