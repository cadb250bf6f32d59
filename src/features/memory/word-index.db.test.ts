import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'
import { eventNumber, eventsWith } from './event-index.ts'

onBothEngines('lists of words in memory', (t) => {
  test('where the limit may have cut a list, the newest come first', async () => {
    const user = await t.user()
    for (let n = 1; n <= 3; n++)
      await user.post('/mcp/tools/append_context_event', {
        project_key: 'lists/limit',
        event_type: 'summary',
        content: `axolotl ${n}`,
      })
    const { read, engine } = t.app.services.database
    const { partition_no: partition, user_id: userId } = await read
      .selectFrom('context_partitions')
      .select(['partition_no', 'user_id'])
      .orderBy('partition_no', 'desc')
      .executeTakeFirstOrThrow()
    const [first, second, third] = [1, 2, 3].map((sequence) => eventNumber(partition, sequence))
    const range = { userId, partition, from: first as number, to: third as number }
    const listed = async (limit: number) => (await eventsWith(read, engine, range, ['axolotl'], limit))[0]
    expect(await listed(2)).toEqual([third, second])
    expect(await listed(3)).toEqual([third, second, first])
    expect((await listed(4))?.toSorted()).toEqual([first, second, third])
  })
})
