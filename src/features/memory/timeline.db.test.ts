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

  test('a page continues where it stopped after its last event was deleted', async () => {
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
    for (const cursor of ['elsewhere', '2026-13-45T99:99:99.999Z_1', '2026-02-30T10:00:00.000Z_1']) {
      const { status, body } = await user.get(list({ project_key: 'p', cursor }))
      expect(status, cursor).toBe(422)
      expect(body.detail, cursor).toMatchObject([{ loc: ['query', 'cursor'] }])
    }
  })

  test('a session and types narrow the list, page by page', async () => {
    const user = await t.user()
    const types = ['user_message', 'agent_report', 'summary'] as const
    for (let number = 0; number < 12; number++)
      await user.post(EVENTS, {
        project_key: 'org/filtered',
        event_type: types[number % 3],
        content: `event ${number}`,
        session_id: number % 2 === 0 ? 'even' : 'odd',
      })
    const contents = async (filter: string) => {
      const { status, body, text } = await user.get(`${list({ project_key: 'org/filtered' })}${filter}`)
      expect(status, text).toBe(200)
      return body.items.map((event: { content: string }) => event.content)
    }
    const named = (...numbers: number[]) => numbers.map((number) => `event ${number}`)
    expect(await contents('&session_id=even')).toEqual(named(10, 8, 6, 4, 2, 0))
    expect(await contents('&event_type=summary')).toEqual(named(11, 8, 5, 2))
    expect(await contents('&event_type=summary&event_type=agent_report&session_id=odd')).toEqual(
      named(11, 7, 5, 1),
    )
    expect(await contents('&session_id=none')).toEqual([])

    const first = await user.get(`${list({ project_key: 'org/filtered', limit: '4' })}&session_id=even`)
    const cursor = encodeURIComponent(first.body.next_cursor)
    expect(await contents(`&session_id=even&limit=4&cursor=${cursor}`)).toEqual(named(2, 0))
    expect(
      (await (await t.user()).get(list({ project_key: 'org/filtered', session_id: 'even' }))).body.items,
    ).toEqual([])
  })

  test('a filter reads a limited number of events per page, and the cursor continues to the last one', async () => {
    const user = await t.user()
    const append = (session_id: string, content: string) =>
      user.post(EVENTS, { project_key: 'org/long', event_type: 'turn', content, session_id })
    await append('rare', 'the oldest')
    for (let number = 0; number < 110; number++) await append('common', `event ${number}`)
    await append('rare', 'the newest')
    const pages: string[][] = []
    let cursor: string | null = null
    do {
      const query = { project_key: 'org/long', session_id: 'rare', limit: '1', ...(cursor ? { cursor } : {}) }
      const { body } = await user.get(list(query))
      pages.push(body.items.map((event: { content: string }) => event.content))
      cursor = body.next_cursor
    } while (cursor)
    expect(pages).toEqual([['the newest'], [], ['the oldest']])
  })

  test('a type that is not there, and an endless session name, are refused', async () => {
    const user = await t.user()
    const wrong = await user.get(list({ project_key: 'p', event_type: 'rumour' }))
    expect([wrong.status, wrong.body.detail[0].loc]).toEqual([422, ['query', 'event_type', 0]])
    expect((await user.get(list({ project_key: 'p', session_id: 'x'.repeat(1001) }))).status).toBe(422)
    const many = Array.from({ length: 6 }, () => '&event_type=turn').join('')
    expect((await user.get(`${list({ project_key: 'p' })}${many}`)).status).toBe(422)
  })
})
