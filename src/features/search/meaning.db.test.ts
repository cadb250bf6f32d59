import { afterAll, afterEach, expect, test } from 'vitest'
import { record, team } from '../../../test/support/cards.ts'
import { startEmbeddingsStandIn } from '../../../test/support/embeddings-stand-in.ts'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { published } from '../../../test/support/publishing.ts'
import { contextFor } from '../../core/context.ts'
import { makeVectors } from '../../embeddings/index.ts'
import { cardVectors } from './meaning.ts'

const model = await startEmbeddingsStandIn()
const QUIET = { behave: 'answer', dimensions: 16, delayMs: 0, refusedWord: undefined } as const
afterEach(() => void Object.assign(model, QUIET))
afterAll(() => model.close())

const ENV = {
  EMBEDDINGS_URL: model.url,
  EMBEDDINGS_KEY: 'a-key',
  EMBEDDINGS_MODEL: 'first',
  EMBEDDINGS_WAIT_MS: '2000',
}

const settle = (t: TestVault) =>
  makeVectors(contextFor(t.app.services), [cardVectors], new AbortController().signal)

const vectors = (t: TestVault) =>
  t.app.services.database.read.selectFrom('search_vectors').selectAll().execute()

type Hit = { card_id: string; weak: boolean }
type Body = { results: Hit[]; semantic?: boolean; total: number; credits_charged: number }

const ask = async (who: Awaited<ReturnType<TestVault['user']>>, input: object): Promise<Body> => {
  const answer = await who.post('/api/v1/search', input)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

onBothEngines(
  'search by meaning',
  (t) => {
    test('finds a card without a common word, marked weak, and only among what one may see', async () => {
      const { admin, viewer, workspaceId } = await team(t)
      const stranger = await t.user('stranger')
      const text = { title: 'Heap swelling', symptom: 'oom', fix_summary: 'oom heap' }
      const own = await record(viewer, text)
      const shared = await record(admin, { ...text, workspace_id: workspaceId })
      await admin.post(`/api/v1/cards/${shared.card_id}/share`)
      const theirs = await record(stranger, text)
      await record(viewer, { title: 'Volume full', symptom: 'disk', fix_summary: 'space' })
      await settle(t)
      const mine = await ask(viewer, { query: 'memory' })
      expect(mine.semantic).toBe(true)
      expect(mine.results[0]).toMatchObject({ card_id: own.card_id, weak: true })
      expect(mine.total).toBe(0)
      const both = await ask(viewer, { query: 'memory', include_workspaces: true, limit: 2 })
      expect(both.results.map(({ card_id }) => card_id).sort()).toEqual([own.card_id, shared.card_id].sort())
      const others = await ask(stranger, { query: 'memory', include_workspaces: true })
      expect(others.results.map(({ card_id }) => card_id)).toEqual([theirs.card_id])
    })

    test('keeps to tags and other filters', async () => {
      const person = await t.user()
      const made = []
      for (const tags of [['java'], ['node']])
        made.push(await record(person, { title: 'Heap swelling', symptom: 'oom', fix_summary: 'oom', tags }))
      await settle(t)
      const found = await ask(person, { query: 'memory', tags: ['node'] })
      expect(found.results.map(({ card_id }) => card_id)).toEqual([made[1]?.card_id])
      const left = await ask(person, { query: 'memory tag:java -node' })
      expect(left.results.map(({ card_id }) => card_id)).toEqual([made[0]?.card_id])
    })

    test('charges for nothing that only meaning has found', async () => {
      const reader = await t.user('reader')
      const author = await t.user('author')
      await published(author, '', { title: 'Credentials are unauthorised after login' })
      await settle(t)
      const found = await ask(reader, { query: 'password', scope: 'public' })
      expect(found).toMatchObject({ results: [], total: 0, credits_charged: 0, semantic: true })
    })

    test('sends redacted texts, with key and model', async () => {
      const person = await t.user()
      const secret = `AKIA${'ABCDEFGHIJKLMNOP'}`
      await record(person, { title: 'Login with a key', symptom: 'login', fix_summary: 'login' })
      await settle(t)
      await ask(person, { query: `login ${secret}` })
      expect(model.texts.join('\n')).not.toContain(secret)
      expect(model.texts.some((text) => text.startsWith('login'))).toBe(true)
      expect(model.requests.at(-1)).toEqual({ model: 'first', authorization: 'Bearer a-key' })
    })

    test('asks again only for what has changed, and forgets what is deleted', async () => {
      const person = await t.user()
      const one = await record(person, { title: 'Zebrafish one', symptom: 'slow', fix_summary: 'waits' })
      await settle(t)
      model.texts.length = 0
      await person.patch(`/api/v1/cards/${one.card_id}`, { scope_notes: 'Not part of what is sent' })
      await settle(t)
      expect(model.texts).toEqual([])
      await person.patch(`/api/v1/cards/${one.card_id}`, { title: 'Zebrafish two' })
      await settle(t)
      expect(model.texts).toHaveLength(1)
      expect((await ask(person, { query: 'hanging' })).results[0]?.card_id).toBe(one.card_id)
      await person.delete(`/api/v1/cards/${one.card_id}`)
      expect((await ask(person, { query: 'hanging' })).results).toEqual([])
      await cardVectors.remove(contextFor(t.app.services), false)
      expect((await vectors(t)).some(({ card_id }) => card_id === one.card_id)).toBe(false)
    })

    test('a text that the endpoint refuses stops no other', async () => {
      const person = await t.user()
      const good = await record(person, { title: 'Volume full', symptom: 'disk', fix_summary: 'space' })
      const bad = await record(person, { title: 'Volume quagga', symptom: 'disk', fix_summary: 'space' })
      model.refusedWord = 'quagga'
      await settle(t)
      const stored = new Map((await vectors(t)).map((row) => [row.card_id, row.dimensions]))
      expect([stored.get(good.card_id), stored.get(bad.card_id)]).toEqual([16, 0])
      model.texts.length = 0
      await settle(t)
      expect(model.texts).toEqual([])
    })

    const FAILURES = ['refuse', 'too-few', 'no-numbers', 'no-direction', 'no-json', 'huge'] as const
    test('a failing endpoint leaves search to words, and nothing is lost', async () => {
      for (const behave of FAILURES) {
        const person = await t.user()
        model.behave = behave
        const card = await record(person, { title: `Heap ${behave}`, symptom: 'oom', fix_summary: 'oom' })
        await settle(t)
        const found = await ask(person, { query: `heap ${behave}` })
        expect(found.semantic, behave).toBe(false)
        expect(found.results[0]?.card_id, behave).toBe(card.card_id)
        const ready = await t.anonymous().get('/health/ready')
        expect(ready.status).toBe(200)
        expect(ready.body, behave).toMatchObject({
          status: 'degraded',
          checks: { embeddings: { status: 'failed' } },
        })
        model.behave = 'answer'
        await settle(t)
        expect(
          (await vectors(t)).some(({ card_id }) => card_id === card.card_id),
          behave,
        ).toBe(true)
      }
      await settle(t)
    })

    test('vectors of another length than before are refused', async () => {
      const person = await t.user()
      await record(person, { title: 'Heap one', symptom: 'oom', fix_summary: 'oom' })
      await settle(t)
      model.dimensions = 8
      expect((await ask(person, { query: 'swelling of another size' })).semantic).toBe(false)
      const late = await record(person, { title: 'Heap two', symptom: 'oom', fix_summary: 'oom' })
      await settle(t)
      expect((await vectors(t)).some(({ card_id }) => card_id === late.card_id)).toBe(false)
      model.dimensions = 16
      await settle(t)
      expect((await vectors(t)).some(({ card_id }) => card_id === late.card_id)).toBe(true)
    })

    test('another model makes all vectors anew, and no model removes them', async () => {
      const ctx = contextFor(t.app.services)
      const as = (embeddings: typeof ctx.config.embeddings) => ({
        ...ctx,
        config: { ...ctx.config, embeddings },
      })
      const { embeddings } = ctx.config
      if (!embeddings) throw new Error('no model')
      const before = await vectors(t)
      expect(before.length).toBeGreaterThan(0)
      const stopping = new AbortController().signal
      await makeVectors(as({ ...embeddings, model: 'second' }), [cardVectors], stopping)
      expect(new Set((await vectors(t)).map((row) => row.model))).toEqual(new Set(['second']))
      await makeVectors(as(undefined), [cardVectors], stopping)
      expect(await vectors(t)).toEqual([])
    })
  },
  ENV,
)

onBothEngines(
  'a slow embeddings endpoint',
  (t) => {
    test('is waited for no longer than is set, and its answer serves the next search', async () => {
      const person = await t.user()
      const card = await record(person, { title: 'Heap swelling', symptom: 'oom', fix_summary: 'oom' })
      await settle(t)
      model.delayMs = 500
      const first = await ask(person, { query: 'memory slowly' })
      expect(first.semantic).toBe(false)
      await expect.poll(async () => (await ask(person, { query: 'memory slowly' })).semantic).toBe(true)
      const second = await ask(person, { query: 'memory slowly' })
      expect(second.results[0]?.card_id).toBe(card.card_id)
    })
  },
  { ...ENV, EMBEDDINGS_WAIT_MS: '20' },
)

onBothEngines('search without a model', (t) => {
  test('says nothing about meaning, and sends nothing', async () => {
    const person = await t.user()
    await record(person, { title: 'Heap swelling', symptom: 'oom', fix_summary: 'oom' })
    model.texts.length = 0
    await settle(t)
    expect(await ask(person, { query: 'heap swelling' })).not.toHaveProperty('semantic')
    expect((await t.anonymous().get('/health/ready')).body.checks.embeddings).toEqual({
      status: 'not_configured',
    })
    expect(model.texts).toEqual([])
  })
})
