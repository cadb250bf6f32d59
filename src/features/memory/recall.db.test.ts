import { expect, test } from 'vitest'
import type { Client } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { indexDifference } from './event-index.ts'

const EVENTS = '/api/v1/project-context/events'
const url = (path: string, values: Record<string, string | number | undefined>) => {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)]))
  return `/api/v1/project-context/${path}?${query}`
}

async function remember(
  user: Client,
  project_key: string,
  content: string,
  more: object = {},
): Promise<string> {
  const answer = await user.post(EVENTS, { project_key, event_type: 'turn', content, ...more })
  expect(answer.status).toBe(201)
  return answer.body.raw_id
}

onBothEngines('snapshot', (t) => {
  test('a project without events answers empty', async () => {
    const user = await t.user()
    const { status, body } = await user.get(url('snapshot', { project_key: 'Org/Nothing' }))
    expect(status).toBe(200)
    expect(body).toMatchObject({
      project_key: 'org/nothing',
      workspace_id: user.workspaceId,
      summary: null,
      facts: null,
      project_preferences: null,
      user_preferences: null,
      recent_events: [],
      total_events: 0,
    })
  })

  test('the newest of each document, and the recent events newest first without them', async () => {
    const user = await t.user()
    const fact = (fact_kind: string) => ({ event_type: 'fact_snapshot', meta: { fact_kind } })
    for (const round of [1, 2, 3]) {
      t.later(1000)
      await remember(user, 'p', `summary ${round}`, { event_type: 'summary' })
      await remember(user, 'p', `facts ${round}`, fact('project_facts'))
      await remember(user, 'p', `preferences ${round}`, fact('project_preferences'))
      await remember(user, 'p', `message ${round}`, { event_type: 'user_message' })
      await remember(user, 'p', `report ${round}`, { event_type: 'agent_report' })
    }
    await remember(user, '__user__/preferences', 'for all projects', {
      event_type: 'fact_snapshot',
      meta: { fact_kind: 'user_preferences', confirmed_by_user: true },
    })
    const { body } = await user.tool('get_project_context', { project_key: 'p', limit_events: 3 })
    expect(body.data.summary.content).toBe('summary 3')
    expect(body.data.facts.content).toBe('facts 3')
    expect(body.data.project_preferences.content).toBe('preferences 3')
    expect(body.data.user_preferences.content).toBe('for all projects')
    expect(body.data.user_preferences.project_key).toBe('__user__/preferences')
    expect(body.data.recent_events.map((event: { content: string }) => event.content)).toEqual([
      'report 3',
      'message 3',
      'report 2',
    ])
    expect(body.data.total_events).toBe(15)

    const own = await user.get(url('snapshot', { project_key: '__user__/preferences' }))
    expect(own.body.user_preferences.content).toBe('for all projects')
    expect(own.body.total_events).toBe(1)
  })

  test('a deleted document gives way to the one before', async () => {
    const user = await t.user()
    await remember(user, 'p', 'older', { event_type: 'summary' })
    t.later(1000)
    const raw_id = await remember(user, 'p', 'newer', { event_type: 'summary' })
    await user.delete(`${EVENTS}/${raw_id}`)
    const { body } = await user.get(url('snapshot', { project_key: 'p' }))
    expect(body.summary.content).toBe('older')
    expect(body.total_events).toBe(1)
  })

  test('content is cut to the asked length, never inside a character', async () => {
    const user = await t.user()
    await remember(user, 'p', `${'a'.repeat(199)}😀 and more`)
    await remember(user, 'p', 'b'.repeat(200))
    const { body } = await user.get(url('snapshot', { project_key: 'p', max_chars_per_event: 200 }))
    const [whole, cut] = body.recent_events
    expect(whole).toMatchObject({ content: 'b'.repeat(200), truncated: false })
    expect(cut).toMatchObject({ content: `${'a'.repeat(199)}😀`, truncated: true })
  })

  test.each([
    { limit_events: 0 },
    { limit_events: 101 },
    { max_chars_per_event: 199 },
    { max_chars_per_event: 20_001 },
    { project_key: '' },
  ])('%j is out of range', async (change) => {
    const user = await t.user()
    const values = { project_key: 'p', ...change }
    const field = Object.keys(change)[0]
    const answer = await user.get(url('snapshot', values))
    expect(answer.status).toBe(422)
    expect(answer.body.detail[0].loc).toEqual(['query', field])
    expect((await user.tool('get_project_context', values)).status).toBe(422)
  })
})

onBothEngines('search in a project', (t) => {
  const find = async (user: Client, query: string, more: Record<string, string | number> = {}) =>
    (await user.get(url('search', { project_key: 'p', query, ...more }))).body.results as {
      raw_id: string
      snippet: string
      title: string | null
    }[]

  test('the literal text is found, whatever its signs', async () => {
    const user = await t.user()
    const texts = [
      '100% sure',
      'snake_case_name',
      'C:\\temp\\new',
      `it's "quoted"`,
      'a*b^c AND d',
      '50 %_\\ x',
      'a;b--c',
    ]
    for (const text of texts) {
      await remember(user, 'p', `before ${text} after`)
      await remember(user, 'p', 'nothing of the kind here')
    }
    for (const text of texts) {
      const found = await find(user, text)
      expect(found.map((hit) => hit.snippet)).toEqual([`before ${text} after`])
    }
    expect(await find(user, '100_ sure')).toEqual([])
    expect(await find(user, 'snake%name')).toEqual([])
  })

  test('case does not count, in any language', async () => {
    const user = await t.user()
    const pairs = [
      ['Ошибка подключения к БАЗЕ', 'базе'],
      ['ΟΔΟΣΗΜΑΝΣΗ στην ΟΔΟΣ', 'οδος'],
      ['Große Straße', 'STRASSE'],
      ['İstanbul sunucusu', 'istanbul'],
      ['データベース接続エラー', '接続'],
      ['数据库连接失败', '连接失败'],
      ['ça MARCHE après', 'ÇA marche APRÈS'],
      ['deploy 🚀 done', '🚀 DONE'],
      ['Cafe\u0301 au lait', 'CAFÉ'],
    ] as const
    for (const [text] of pairs) await remember(user, 'p', text)
    for (const [text, needle] of pairs) {
      const found = await find(user, needle)
      expect(
        found.map((hit) => hit.snippet),
        needle,
      ).toEqual([text])
    }
  })

  test('title and content are searched, not across their border; newest first; the limit holds', async () => {
    const user = await t.user()
    await remember(user, 'p', 'second part', { title: 'Deploy plan' })
    t.later(1000)
    await remember(user, 'p', 'the deploy failed')
    expect((await find(user, 'DEPLOY')).map((hit) => hit.title)).toEqual([null, 'Deploy plan'])
    expect(await find(user, 'plan second')).toEqual([])
    expect(await find(user, 'deploy', { limit: 1 })).toHaveLength(1)
  })

  test('among many events an old one is found by its text and by its words', async () => {
    const user = await t.user()
    const raw_id = await remember(user, 'p', 'the worker deadlocked while it was migrating the ledger')
    await t.app.services.database.transaction(async (db) => {
      // Fillers straight into the table: the needle is then older than the newest events that are read one by one.
      const [pattern] = await db
        .selectFrom('context_events')
        .selectAll()
        .where('raw_id', '=', raw_id)
        .execute()
      if (!pattern) throw new Error('the event is there')
      const fillers = Array.from({ length: 400 }, (_, index) => ({
        ...pattern,
        event_no: pattern.event_no + 1000 + index,
        raw_id: `filler-${raw_id}-${index}`,
        created_at: new Date(Date.parse(pattern.created_at) + 1000 + index).toISOString(),
        content: 'nothing',
        search_text: 'nothing',
      }))
      await db.insertInto('context_events').values(fillers).execute()
      await db
        .updateTable('context_projects')
        .set({ events: 401 })
        .where('project_id', '=', pattern.project_id)
        .execute()
    })
    expect((await find(user, 'WORKER deadlocked while')).map((hit) => hit.raw_id)).toEqual([raw_id])
    expect((await find(user, 'migrating the ledger')).map((hit) => hit.raw_id)).toEqual([raw_id])
    expect(await find(user, 'worker is deadlocked')).toEqual([])
    const ranked = await find(user, 'ledger migration deadlock', { mode: 'ranked' })
    expect(ranked.map((hit) => hit.raw_id)).toEqual([raw_id])
    expect(ranked[0]?.snippet).toContain('deadlocked')
  })

  test('ranked: the event that answers more of the question comes first', async () => {
    const user = await t.user()
    const best = await remember(user, 'p', 'Fixed the connection pool: connections leaked on timeout')
    for (const text of ['a timeout in the tests', 'pool party', 'the connection to the printer'])
      await remember(user, 'p', text)
    const found = await find(user, 'connection pool leaks after timeouts', { mode: 'ranked' })
    expect(found[0]?.raw_id).toBe(best)
    expect(found).toHaveLength(4)
    expect(await find(user, 'unrelated', { mode: 'ranked' })).toEqual([])
  })

  test('only this project is searched, and a deleted event is gone from every index', async () => {
    const user = await t.user()
    const raw_id = await remember(user, 'p', 'needle one')
    await remember(user, 'q', 'needle two')
    expect(await find(user, 'needle')).toHaveLength(1)
    expect(await find(user, 'needle', { mode: 'ranked' })).toHaveLength(1)
    await user.delete(`${EVENTS}/${raw_id}`)
    await remember(user, 'p', 'another')
    expect(await find(user, 'needle')).toEqual([])
    expect(await find(user, 'needle', { mode: 'ranked' })).toEqual([])
  })

  test('total is the number of matches, and pages go through all of them once', async () => {
    const user = await t.user()
    const ids: string[] = []
    for (let n = 0; n < 23; n++) {
      ids.unshift(await remember(user, 'p', n % 2 === 0 ? `pelican number ${n}` : `a pelican, number ${n}`))
      t.later(1)
      await remember(user, 'p', `heron ${n}`)
      t.later(1)
    }
    for (const mode of ['substring', 'ranked']) {
      const seen: string[] = []
      for (const page of [1, 2, 3, 4]) {
        const { body } = await user.get(
          url('search', { project_key: 'p', query: 'Pelican', mode, limit: 10, page }),
        )
        expect(body).toMatchObject({ total: 23, page, limit: 10 })
        seen.push(...body.results.map((hit: { raw_id: string }) => hit.raw_id))
      }
      expect(mode === 'ranked' ? seen.toSorted() : seen).toEqual(mode === 'ranked' ? ids.toSorted() : ids)
    }
    const { body } = await user.tool('search_project_context', {
      project_key: 'p',
      query: 'pelican',
      limit: 2,
    })
    expect([body.data.total, body.data.results.length]).toEqual([23, 2])
    for (const page of [0, -1, 1.5, 'x'])
      expect((await user.get(url('search', { project_key: 'p', query: 'x', page }))).status).toBe(422)
    const far = await user.get(url('search', { project_key: 'p', query: 'pelican', page: 2 ** 30 }))
    expect(far.body).toMatchObject({ total: 23, results: [] })
  })

  test('total and pages also hold where the index is asked, in a project made of two', async () => {
    const user = await t.user()
    for (const project of ['p', 'q'])
      await Promise.all(
        Array.from({ length: 110 }, (_, n) => remember(user, project, `pelican ${n} of ${project}`)),
      )
    await remember(user, 'p', 'only here: albatross')
    const merge = { project_key: 'q', new_project_key: 'p', merge: true }
    expect((await user.post('/api/v1/project-context/projects/rename', merge)).status).toBe(200)
    for (const mode of ['substring', 'ranked']) {
      const seen = new Set<string>()
      for (let page = 1; page <= 5; page++) {
        const { body } = await user.get(
          url('search', { project_key: 'p', query: 'pelican', mode, limit: 50, page }),
        )
        expect(body.total).toBe(220)
        for (const { raw_id } of body.results) seen.add(raw_id)
      }
      expect(seen.size).toBe(220)
      const { body } = await user.get(url('search', { project_key: 'p', query: 'albatross', mode }))
      expect(body).toMatchObject({ total: 1, page: 1, limit: 10 })
    }
    const short = await user.get(url('search', { project_key: 'p', query: 'of' }))
    expect(short.body.total).toBe(220)
  })

  test('the tool searches too; a query and a limit are needed in range', async () => {
    const user = await t.user()
    await remember(user, 'p', 'found by the tool')
    const { body } = await user.tool('search_project_context', { project_key: 'p', query: 'TOOL' })
    expect(body.data.results).toHaveLength(1)
    for (const bad of [{ query: '' }, { limit: 0 }, { limit: 51 }, { mode: 'fuzzy' }]) {
      expect((await user.get(url('search', { project_key: 'p', query: 'x', ...bad }))).status).toBe(422)
      expect(
        (await user.tool('search_project_context', { project_key: 'p', query: 'x', ...bad })).status,
      ).toBe(422)
    }
    expect((await user.get(url('search', { project_key: 'nowhere', query: 'x' }))).body.results).toEqual([])
  })
})

onBothEngines('preferences', (t) => {
  const set = (user: Client, project_key: string, items: string[]) =>
    remember(user, project_key, items.map((item) => `- ${item}`).join('\n'), {
      event_type: 'fact_snapshot',
      meta: {
        fact_kind: project_key === '__user__/preferences' ? 'user_preferences' : 'project_preferences',
        confirmed_by_user: true,
      },
    })
  const read = async (user: Client, project_key: string): Promise<string | undefined> => {
    const { body } = await user.get(url('snapshot', { project_key }))
    return (project_key === '__user__/preferences' ? body.user_preferences : body.project_preferences)
      ?.content
  }
  const transfer = (
    user: Client,
    source_project_key: string,
    target_project_key: string,
    more: object = {},
  ) => {
    t.later(1000)
    return user.tool('transfer_preferences', {
      source_project_key,
      target_project_key,
      confirmed_by_user: true,
      ...more,
    })
  }

  test('merging keeps the order of the target, adds what is new, and changes nothing when repeated', async () => {
    const user = await t.user()
    await set(user, 'a/source', ['tabs', 'short answers', 'no emoji'])
    await set(user, 'a/target', ['no emoji', 'spaces'])
    const first = await transfer(user, 'a/source', 'a/target')
    expect(first.body.data).toMatchObject({
      source_project_key: 'a/source',
      target_project_key: 'a/target',
      items_copied: 2,
      items_skipped: 1,
      replaced: false,
    })
    expect(await read(user, 'a/target')).toBe('- no emoji\n- spaces\n- tabs\n- short answers')
    const again = await transfer(user, 'a/source', 'a/target')
    expect(again.body.data).toMatchObject({ items_copied: 0, items_skipped: 3, raw_id: null })
    expect(await read(user, 'a/source')).toBe('- tabs\n- short answers\n- no emoji')
  })

  test('replacing overwrites the target with the source; with items it only adds them', async () => {
    const user = await t.user()
    await set(user, 'b/source', ['one', 'two'])
    await set(user, 'b/target', ['three'])
    const some = await transfer(user, 'b/source', 'b/target', { items: ['two'], replace_target: true })
    expect(some.body.data).toMatchObject({ items_copied: 1, replaced: false })
    expect(await read(user, 'b/target')).toBe('- three\n- two')
    const all = await transfer(user, 'b/source', 'b/target', {
      replace_target: true,
      note: 'start afresh',
      client: 'c',
    })
    expect(all.body.data).toMatchObject({ items_copied: 1, items_skipped: 1, replaced: true })
    expect(await read(user, 'b/target')).toBe('- one\n- two')
    const again = await transfer(user, 'b/source', 'b/target', { replace_target: true })
    expect(again.body.data).toMatchObject({ replaced: false, raw_id: null })
  })

  test('to and from the preferences of the user, also into an empty target', async () => {
    const user = await t.user()
    await set(user, 'c/one', ['tabs', 'dark mode'])
    await transfer(user, 'c/one', '__user__/preferences', { items: ['- dark mode'] })
    expect(await read(user, '__user__/preferences')).toBe('- dark mode')
    const down = await transfer(user, '__user__/preferences', 'c/two')
    expect(down.body.data.items_copied).toBe(1)
    expect(await read(user, 'c/two')).toBe('- dark mode')
  })

  test('an item that was sent with a bullet is copied by the words that were sent', async () => {
    const user = await t.user()
    const project_preferences = ['- dark mode', '1. tabs']
    const turn = { project_key: 'e/one', user_message: 'both', agent_report: 'done', project_preferences }
    await user.tool('append_context_turn', turn)
    expect(await read(user, 'e/one')).toBe('- dark mode\n- 1. tabs')
    await transfer(user, 'e/one', 'e/two', { items: project_preferences })
    expect(await read(user, 'e/two')).toBe('- dark mode\n- 1. tabs')
  })

  test('makes no document that is longer than an event may be', async () => {
    const user = await t.user()
    await set(user, 'f/one', ['tabs '.repeat(20_000)])
    await set(user, 'f/two', ['rows '.repeat(20_000)])
    const refused = await transfer(user, 'f/one', 'f/two')
    expect([refused.status, refused.body.detail?.[0].loc]).toEqual([422, ['body', 'target_project_key']])
  })

  test('is refused for a missing item, for the same project, and without agreement', async () => {
    const user = await t.user()
    await set(user, 'd/one', ['tabs'])
    const missing = await transfer(user, 'd/one', 'd/two', { items: ['tabs', 'spaces'] })
    expect(missing.status).toBe(422)
    expect(missing.body.detail[0].loc).toEqual(['body', 'items', 1])
    expect(missing.body.detail[0].msg).toContain('spaces')
    expect((await transfer(user, 'd/one', 'D/One')).status).toBe(422)
    expect((await transfer(user, 'd/one', 'd/two', { confirmed_by_user: false })).status).toBe(422)
    expect((await transfer(user, 'd/nothing', 'd/two')).body.data).toMatchObject({
      items_copied: 0,
      raw_id: null,
    })
    expect(await read(user, 'd/two')).toBeUndefined()
  })
})

onBothEngines('projects', (t) => {
  const projects = async (user: Client) => (await user.get('/api/v1/project-context/projects')).body
  const rename = (user: Client, project_key: string, new_project_key: string, merge?: boolean) =>
    user.post('/api/v1/project-context/projects/rename', { project_key, new_project_key, merge })

  test('the list has the newest first, with aliases and counts, up to the limit', async () => {
    const user = await t.user()
    await remember(user, 'git@github.com:org/one.git', 'x')
    t.later(1000)
    await remember(user, 'two', 'x')
    const { items, total } = await projects(user)
    expect(total).toBe(2)
    expect(items.map((item: { project_key: string }) => item.project_key)).toEqual([
      'two',
      'github.com/org/one',
    ])
    expect(items[1].aliases).toEqual(['github.com/org/one', 'org/one'])
    const limited = await user.get(url('projects', { limit: 1 }))
    expect(limited.body.items).toHaveLength(1)
    expect(limited.body.total).toBe(2)
    expect((await user.get(url('projects', { limit: 201 }))).status).toBe(422)
  })

  test('renaming moves the memory to the new key', async () => {
    const user = await t.user()
    await remember(user, 'old/name', 'kept')
    const answer = await rename(user, 'Old/Name', 'https://github.com/new/name')
    expect(answer.body).toEqual({
      project_key: 'old/name',
      new_project_key: 'github.com/new/name',
      moved_events: 1,
    })
    expect((await user.get(url('snapshot', { project_key: 'new/name' }))).body.total_events).toBe(1)
    expect((await user.get(url('snapshot', { project_key: 'old/name' }))).body.total_events).toBe(0)
    expect((await rename(user, 'old/name', 'x')).status).toBe(404)
    expect((await rename(user, 'new/name', '__user__/preferences')).status).toBe(422)
  })

  test('an existing key needs merge, and then both memories are one: snapshot, search, order', async () => {
    const user = await t.user()
    for (const [index, key] of ['m/one', 'm/two', 'm/one', 'm/two'].entries()) {
      t.later(1000)
      await remember(user, key, `needle ${index}`)
    }
    const refused = await rename(user, 'm/one', 'm/two')
    expect(refused.status).toBe(409)
    expect(refused.body.code).toBe('project_exists')
    const merged = await rename(user, 'm/one', 'm/two', true)
    expect(merged.body).toEqual({ project_key: 'm/one', new_project_key: 'm/two', moved_events: 2 })
    const { body } = await user.get(url('snapshot', { project_key: 'm/two' }))
    expect(body.total_events).toBe(4)
    const contents = ['needle 3', 'needle 2', 'needle 1', 'needle 0']
    expect(body.recent_events.map((event: { content: string }) => event.content)).toEqual(contents)
    for (const mode of ['substring', 'ranked']) {
      const found = await user.get(url('search', { project_key: 'm/two', query: 'needle', mode }))
      expect(found.body.results).toHaveLength(4)
    }
    await remember(user, 'm/two', 'needle 4')
    expect((await projects(user)).items[0]).toMatchObject({ project_key: 'm/two', events: 5 })
  })

  test('deleting needs agreement, and then nothing is left', async () => {
    const user = await t.user('deleter')
    const raw_id = await remember(user, 'gone/soon', 'a needle')
    await remember(user, 'stays', 'a needle')
    const path = url('projects', { project_key: 'gone/soon' })
    expect((await user.delete(path)).status).toBe(422)
    expect((await user.delete(`${path}&confirmed_by_user=false`)).status).toBe(422)
    const { status, body } = await user.delete(`${path}&confirmed_by_user=true`)
    expect(status).toBe(200)
    expect(body).toEqual({ project_key: 'gone/soon', deleted_events: 1 })
    expect((await user.get(`${EVENTS}/${raw_id}`)).status).toBe(404)
    expect(
      (await user.get(url('search', { project_key: 'gone/soon', query: 'needle' }))).body.results,
    ).toEqual([])
    expect((await projects(user)).total).toBe(1)
    expect((await user.delete(`${path}&confirmed_by_user=true`)).status).toBe(404)
    const { read, engine } = t.app.services.database
    expect((await indexDifference(read, engine)).stray).toBe(0)
    expect(
      await read.selectFrom('context_events').select('raw_id').where('raw_id', '=', raw_id).execute(),
    ).toEqual([])
    const entries = await t.app.services.database.read
      .selectFrom('audit_log')
      .select('action')
      .where('actor_id', '=', user.userId)
      .execute()
    expect(entries.map((entry) => entry.action)).toContain('memory.project_deleted')
  })
})
