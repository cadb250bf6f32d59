import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'

const EVENTS = '/api/v1/project-context/events'
const list = (query: Record<string, string>) => `${EVENTS}?${new URLSearchParams(query)}`

onBothEngines('the timeline of a project', (t) => {
  test('pages hold every event once, newest first, documents included', async () => {
    const user = await t.user()
    const written: string[] = []
    for (let number = 0; number < 7; number++) {
      const { body } = await user.post(EVENTS, {
        project_key: 'org/timeline',
        event_type: number % 3 === 2 ? 'summary' : 'user_message',
        content: `event ${number}`,
      })
      written.push(body.raw_id)
    }
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const query = { project_key: 'org/timeline', limit: '3', ...(cursor ? { cursor } : {}) }
      const { status, body } = await user.get(list(query))
      expect(status).toBe(200)
      seen.push(...body.items.map((event: { raw_id: string }) => event.raw_id))
      cursor = body.next_cursor
    } while (cursor)
    expect(seen).toEqual(written.toReversed())
  })

  test('a page goes on where it stopped after the event at its end was deleted', async () => {
    const user = await t.user()
    for (const content of ['one', 'two', 'three'])
      await user.post(EVENTS, { project_key: 'p', event_type: 'turn', content })
    const first = await user.get(list({ project_key: 'p', limit: '2' }))
    await user.delete(`${EVENTS}/${first.body.items[1].raw_id}`)
    const second = await user.get(list({ project_key: 'p', cursor: first.body.next_cursor }))
    expect(second.body.items.map((event: { content: string }) => event.content)).toEqual(['one'])
    expect(second.body.next_cursor).toBeNull()
  })

  test('long events are cut and say so; a project without memory is empty', async () => {
    const user = await t.user()
    await user.post(EVENTS, { project_key: 'p', event_type: 'turn', content: 'x'.repeat(500) })
    const { body } = await user.get(list({ project_key: 'p', max_chars_per_event: '200' }))
    expect(body.items[0]).toMatchObject({ content: 'x'.repeat(200), truncated: true })
    const empty = await user.get(list({ project_key: 'nothing/here' }))
    expect(empty.body).toMatchObject({ items: [], next_cursor: null })
  })

  test('nobody sees the events of somebody else under the same key', async () => {
    const [author, other] = [await t.user(), await t.user()]
    await author.post(EVENTS, { project_key: 'org/secret', event_type: 'turn', content: 'private' })
    expect((await other.get(list({ project_key: 'org/secret' }))).body.items).toEqual([])
  })

  test('a cursor that is not one is a 422', async () => {
    const user = await t.user()
    const { status, body } = await user.get(list({ project_key: 'p', cursor: 'elsewhere' }))
    expect(status).toBe(422)
    expect(body.detail[0].loc).toEqual(['query', 'cursor'])
  })
})
