import { expect, test } from 'vitest'
import type { Client } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { DAY_MS } from '../../shared/time.ts'

type Found = { raw_id: string; snippet: string; score?: number; weak?: true }

const SEARCH = '/api/v1/project-context/search'

async function remember(user: Client, content: string, project_key = 'p'): Promise<string> {
  const event = { project_key, event_type: 'turn', content }
  const answer = await user.post('/api/v1/project-context/events', event)
  expect(answer.status).toBe(201)
  return answer.body.raw_id
}

async function ask(user: Client, query: string, more: Record<string, string> = { mode: 'ranked' }) {
  const answer = await user.get(`${SEARCH}?${new URLSearchParams({ project_key: 'p', query, ...more })}`)
  expect(answer.status).toBe(200)
  return answer.body as {
    results: Found[]
    related?: Found[]
    corrected?: Record<string, string>
    period?: { from: string; to: string }
    total: number
  }
}

const idsOf = (found: readonly Found[] = []) => found.map(({ raw_id }) => raw_id)

onBothEngines('ranked search in a project', (t) => {
  test('a text that no event has literally is searched by its words, at every door', async () => {
    const user = await t.user()
    const raw_id = await remember(user, 'the webhook was left open after the deploy')
    await remember(user, 'lunch with the team')
    const { results, related, total } = await ask(user, 'open webhook', {})
    expect([results, total]).toEqual([[], 0])
    expect(idsOf(related)).toEqual([raw_id])
    expect(related?.[0]?.snippet).toContain('webhook was left open')
    expect(related?.[0]?.score).toBeGreaterThan(0.5)
    const tool = await user.tool('search_project_context', { project_key: 'p', query: 'open webhook' })
    expect(idsOf(tool.body.data.related)).toEqual([raw_id])
    expect(tool.body.data.results).toEqual([])
    const literal = await ask(user, 'left open', {})
    expect([idsOf(literal.results), literal.related]).toEqual([[raw_id], undefined])
    expect((await ask(user, 'nothing of that sort', {})).related).toEqual([])
  })

  test('nobody is offered what another person remembers', async () => {
    const [user, other] = [await t.user(), await t.user()]
    await remember(other, 'the webhook was left open')
    await remember(user, 'something else')
    expect((await ask(user, 'open webhook', {})).related).toEqual([])
    expect((await ask(user, 'webhok')).results).toEqual([])
  })

  test('an old event is found however many newer ones share a word with it, in a long question too', async () => {
    const user = await t.user()
    const old = await remember(user, 'the invoice worker stalled on the ledger lock')
    // Not all at once: they wait for each other, on a cluster and a busy machine longer than anybody waits.
    for (let n = 0; n < 160; n += 8)
      await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          remember(user, `worker ${n + i} reported the invoice number ${n + i}`),
        ),
      )
    const question =
      'so I was wondering today if anybody ever wrote down anywhere whether that invoice worker of ours ever had trouble with some lock of the ledger'
    for (const query of ['invoice worker stalled', question])
      expect(idsOf((await ask(user, query)).results)[0]).toBe(old)
  })

  test('a typing error is corrected and reported, and a right word is left alone', async () => {
    const user = await t.user()
    const raw_id = await remember(user, 'kubernetes evicted the pod because of disk pressure')
    await remember(user, 'the internet connection was slow')
    const { results, corrected } = await ask(user, 'kuberentes eviction')
    expect(idsOf(results)).toEqual([raw_id])
    expect(corrected).toEqual({ kuberentes: 'kubernetes' })
    expect((await ask(user, 'kubernetes')).corrected).toBeUndefined()
    expect((await ask(user, 'auditory')).results).toEqual([])
  })

  test('date words narrow by time, and are words again where nothing of that time answers', async () => {
    const user = await t.user()
    const before = await remember(user, 'the certificate of the proxy ran out')
    t.later(24 * 60 * 60 * 1000)
    const after = await remember(user, 'the certificate of the proxy was renewed')
    t.later(24 * 60 * 60 * 1000)
    const yesterday = await ask(user, 'proxy certificate yesterday')
    expect(idsOf(yesterday.results)).toEqual([after])
    expect(Date.parse(yesterday.period?.to ?? '') - Date.parse(yesterday.period?.from ?? '')).toBe(DAY_MS)
    expect(idsOf((await ask(user, 'proxy certificate two days ago')).results)).toEqual([before])
    const never = await ask(user, 'proxy certificate in 1999')
    expect([never.results.length, never.period]).toEqual([2, undefined])
    expect(idsOf((await ask(user, 'what did we do yesterday')).results)).toEqual([after])
  })

  test('a page continues where the last one ended, while others write', async () => {
    const user = await t.user()
    for (let n = 0; n < 30; n++) await remember(user, `pelican number ${n} of the pond`)
    const [first, second] = await Promise.all([
      ask(user, 'pelican pond', { mode: 'ranked', limit: '20' }),
      ask(user, 'pelican pond', { mode: 'ranked', limit: '20', page: '2' }),
      remember(user, 'a heron at the lake'),
      remember(user, 'a heron at the shore'),
    ])
    expect(new Set([...idsOf(first.results), ...idsOf(second.results)]).size).toBe(30)
    expect(first.total).toBe(30)
  })

  test('all pages together show every event once, also those that only a closer look lifts', async () => {
    const user = await t.user()
    const ids: string[] = []
    for (let n = 0; n < 170; n++) {
      const isLong = n % 17 < 2
      ids.push(
        await remember(
          user,
          isLong ? `${'pelican '.repeat(10)}${'of a pond '.repeat(12)}${n}` : `pelican ${n}`,
        ),
      )
    }
    const pages = []
    for (const page of ['1', '2', '3', '4'])
      pages.push(...idsOf((await ask(user, 'pelican', { mode: 'ranked', limit: '50', page })).results))
    expect(pages.toSorted()).toEqual(ids.toSorted())
  })

  test('a hit that shares little with the question is marked', async () => {
    const user = await t.user()
    const answer = await remember(user, 'the queue of the mailer overflowed after the release')
    await remember(user, 'release party on the roof')
    const { results } = await ask(user, 'mailer queue overflow release')
    expect(results[0]).toMatchObject({ raw_id: answer })
    expect(results[0]?.weak).toBeUndefined()
    expect(results[1]?.weak).toBe(true)
    expect(results[0]?.score).toBeGreaterThan(results[1]?.score ?? 1)
    // A question of stop words alone asks for nothing.
    expect((await ask(user, 'after the')).results).toMatchObject([{ weak: true }, { weak: true }])
  })
})
