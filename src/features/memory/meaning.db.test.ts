import { afterAll, expect, test } from 'vitest'
import { startEmbeddingsStandIn } from '../../../test/support/embeddings-stand-in.ts'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { contextFor } from '../../core/context.ts'
import { makeVectors } from '../../embeddings/index.ts'
import { eventVectors } from './event-vectors.ts'

const model = await startEmbeddingsStandIn()
afterAll(() => model.close())

const ENV = { EMBEDDINGS_URL: model.url, EMBEDDINGS_WAIT_MS: '2000' }

const settle = (t: TestVault) =>
  makeVectors(contextFor(t.app.services), [eventVectors], new AbortController().signal)

const vectors = (t: TestVault) =>
  t.app.services.database.read.selectFrom('context_event_vectors').selectAll().execute()

type Person = Awaited<ReturnType<TestVault['user']>>

async function append(person: Person, project_key: string, content: string): Promise<string> {
  const answer = await person.post('/api/v1/project-context/events', {
    project_key,
    event_type: 'user_message',
    content,
  })
  expect(answer.status, answer.text).toBe(201)
  return answer.body.raw_id
}

const find = async (person: Person, project_key: string, query: string) => {
  const answer = await person.get(
    `/api/v1/project-context/search?${new URLSearchParams({ project_key, query, mode: 'ranked' })}`,
  )
  expect(answer.status, answer.text).toBe(200)
  return answer.body as { results: { raw_id: string; weak?: true }[]; semantic?: boolean; total: number }
}

onBothEngines(
  'memory by meaning',
  (t) => {
    test('finds events without a common word, marked weak, in the project alone', async () => {
      const [person, other] = [await t.user(), await t.user()]
      const near = await append(person, 'shop', 'the heap is swelling')
      await append(person, 'shop', 'the volume is full')
      await append(person, 'blog', 'the heap is swelling')
      await append(other, 'shop', 'the heap is swelling')
      await settle(t)
      const found = await find(person, 'shop', 'memory')
      expect(found.semantic).toBe(true)
      expect(found.results[0]).toMatchObject({ raw_id: near, weak: true })
      expect(found.results).toHaveLength(2)
    })

    test('new events follow, deleted ones go, and each is asked for once', async () => {
      const person = await t.user()
      const first = await append(person, 'shop', 'login')
      await settle(t)
      model.texts.length = 0
      const second = await append(person, 'shop', 'credentials')
      await settle(t)
      await settle(t)
      expect(model.texts).toEqual(['credentials'])
      await person.delete(`/api/v1/project-context/events/${second}`)
      const own = (await vectors(t)).filter(({ user_id }) => user_id === person.userId)
      expect(own).toHaveLength(1)
      expect((await find(person, 'shop', 'password')).results.map(({ raw_id }) => raw_id)).toEqual([first])
    })

    test('the search box and the literal search are as without a model', async () => {
      const person = await t.user()
      await append(person, 'shop', 'the heap is swelling')
      await settle(t)
      const box = await person.post('/api/v1/search/box', { query: 'memory', sections: ['memory'] })
      expect(box.body.memory.results).toEqual([])
    })

    test('without a model no vector stays', async () => {
      const ctx = contextFor(t.app.services)
      expect((await vectors(t)).length).toBeGreaterThan(0)
      const without = { ...ctx, config: { ...ctx.config, embeddings: undefined } }
      await makeVectors(without, [eventVectors], new AbortController().signal)
      expect(await vectors(t)).toEqual([])
    })
  },
  ENV,
)
