import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contextFor } from '../../src/core/context.ts'
import { maintainIndex } from '../../src/search-index/index.ts'
import { addLike } from '../support/cards.ts'
import { apiKeyOf, type LiveVault, liveVault, type Person, registerPerson } from '../support/live.ts'

let vault: LiveVault
let person: Person
let client: Client

beforeAll(async () => {
  vault = await liveVault({ RATE_LIMIT: 'off' })
  person = await registerPerson(vault)
  client = await connectAs(person)
})
afterAll(async () => {
  await client.close()
  await vault.close()
})

async function connectAs(whom: Person): Promise<Client> {
  const connected = new Client({ name: 'test', version: '1' })
  const headers = { 'x-api-key': await apiKeyOf(whom) }
  await connected.connect(
    new StreamableHTTPClientTransport(new URL(`${vault.url}/mcp`), { requestInit: { headers } }),
  )
  return connected
}

type Data = Record<string, unknown>

async function call(name: string, input: Data, by = client): Promise<{ data: Data; length: number }> {
  const result = await by.callTool({ name, arguments: input })
  const [content] = result.content as { text: string }[]
  expect(result.isError, content?.text).toBeFalsy()
  return { data: (result.structuredContent as { data: Data }).data, length: content?.text.length ?? 0 }
}

async function refusal(name: string, input: Data) {
  const result = await client.callTool({ name, arguments: input })
  expect(result.isError).toBe(true)
  return JSON.parse((result.content as { text: string }[])[0]?.text ?? '')
}

const CARD = {
  title: 'Pool exhausted under load',
  symptom: 'Requests hang',
  fix_summary: 'Release the client',
}

test('a long card is written and read without ever being answered whole', async () => {
  const { data: written } = await call('record_card', CARD)
  expect(written).toMatchObject({ status: 'unpublished', version: 1, review: { status: 'not_reviewed' } })
  expect(written.url).toBe(`${vault.url}/cards/${written.card_id}`)
  const { card_id } = written
  const body = Array.from({ length: 15_000 }, (_, line) => `line ${line}`).join('\n')
  const updated = await call('update_card', {
    card_id,
    body,
    title: CARD.title,
    evidences: [{ kind: 'log', content: 'the very last words' }],
  })
  expect(updated.data).toMatchObject({ version: 2, changed: ['body', 'evidences'] })
  expect(updated.length).toBeLessThan(700)

  const first = await call('get_card', { card_id })
  expect(first.data).toMatchObject({ ...CARD, part: 1, can_edit: true, evidence_count: 1 })
  expect(first.length).toBeLessThan(15_000)
  expect(first.data.evidences).toBeUndefined()
  let text = String(first.data.body)
  const parts = Number(first.data.parts)
  expect(parts).toBeGreaterThan(10)
  let last = first
  for (let part = 2; part <= parts; part++) {
    last = await call('get_card', { card_id, part })
    expect(last.length).toBeLessThan(15_000)
    text += last.data.body ?? ''
  }
  expect(text).toBe(body)
  expect(last.data.evidences).toEqual([{ kind: 'log', content: 'the very last words' }])

  const chosen = await call('get_card', { card_id, include: ['fix_summary', 'evidences'] })
  expect(chosen.data).toMatchObject({ fix_summary: CARD.fix_summary, part: 1, parts: 1 })
  expect(chosen.data.body).toBeUndefined()
  expect(chosen.data.evidences).toHaveLength(1)
  expect(await refusal('get_card', { card_id, part: parts + 1 })).toMatchObject({
    status: 422,
    detail: [{ loc: ['body', 'part'], msg: `There are ${parts} parts`, input: parts + 1 }],
  })
  expect(await refusal('get_card', { card_id, include: ['nothing'] })).toMatchObject({ status: 422 })
})

test('a card that another replaced or took in says so, as a tool answer and as a resource', async () => {
  const [former, next, taken] = await Promise.all(
    ['A former fix', 'The fix of today', 'The former fix again'].map(
      async (title) => (await call('record_card', { ...CARD, title })).data.card_id as string,
    ),
  )
  await person.post(`/api/v1/cards/${next}/links`, { to_card_id: former, kind: 'supersedes' })
  await person.post(`/api/v1/cards/${taken}/merge`, { into_card_id: next })
  const { data } = await call('get_card', { card_id: former })
  expect([data.card_id, data.superseded_by, data.merged_from]).toEqual([former, next, undefined])
  const { data: merged } = await call('get_card', { card_id: taken })
  expect([merged.card_id, merged.superseded_by, merged.merged_from]).toEqual([next, undefined, taken])
  const resource = await client.readResource({ uri: `card://${former}` })
  expect((resource.contents[0] as { text: string }).text).toContain(`took its place: card://${next}.`)
})

test('a rule of the review that finds many places is named once', async () => {
  const body = Array.from({ length: 12 }, () => `Text<!-- ${'x '.repeat(30)}-->`).join('\n\n')
  const { data } = await call('record_card', { ...CARD, body })
  const { data: shared } = await call('share_card', { card_id: data.card_id })
  const { reasons } = shared.review as { reasons: string[] }
  expect(reasons).toContain('hidden_text')
  expect(reasons).toEqual([...new Set(reasons)])
})

test('who can read a shared card is said, and that sharing in a personal workspace reaches nobody', async () => {
  const { data: alone } = await call('record_card', CARD)
  const { data: kept } = await call('share_card', { card_id: alone.card_id })
  expect(kept.readers).toMatch(/^Only you\. Nobody else is in this personal workspace\./)
  const { workspace_id } = (await person.post('/api/v1/workspaces', { name: 'Readers' })).body
  const mate = await registerPerson(vault, 'reader@example.com')
  await person.post(`/api/v1/workspaces/${workspace_id}/members`, { user_id: mate.userId })
  const { data } = await call('record_card', { ...CARD, workspace_id })
  const { data: shared } = await call('share_card', { card_id: data.card_id })
  expect(shared.readers).toBe((await person.get(`/api/v1/cards/${data.card_id}`)).body.readers.text)
})

test('the tool endpoint answers whole, and has no use for parts', async () => {
  const { data } = await call('record_card', CARD)
  const whole = await person.tool('get_card', { card_id: data.card_id })
  expect(whole.body.data).toMatchObject({ case_id: data.card_id, owner_id: person.userId })
  expect((await person.tool('get_card', { card_id: data.card_id, part: 1 })).status).toBe(422)
  const updated = await person.tool('update_card', { card_id: data.card_id, tags: ['pool'] })
  expect(updated.body.data).toMatchObject({ ...CARD, changed: ['tags'] })
})

test('a hit is an id, a title, the beginning of the fix, why and whose; own and team need one call', async () => {
  const colleague = await registerPerson(vault, 'colleague@example.com')
  const { workspace_id } = (await colleague.post('/api/v1/workspaces', { name: 'Team' })).body
  await colleague.post(`/api/v1/workspaces/${workspace_id}/members`, { user_id: person.userId })
  const theirs = await colleague.post('/api/v1/cards', { ...CARD, title: 'Zebra in the pool', workspace_id })
  await colleague.post(`/api/v1/cards/${theirs.body.card_id}/share`)
  const { data: mine } = await call('record_card', {
    ...CARD,
    title: 'Zebra at home',
    fix_summary: `Feed it.\n${'More and more. '.repeat(200)}`,
  })

  const own = (await call('search_records', { query: 'zebra' })).data.results as Data[]
  expect(own.map((hit) => hit.card_id)).toEqual([mine.card_id])
  expect(Object.keys(own[0] ?? {}).sort()).toEqual(
    ['card_id', 'fix_summary', 'hit_reason', 'home', 'score', 'title', 'why'].sort(),
  )
  expect(own[0]).toMatchObject({
    home: 'you',
    why: expect.stringContaining('zebra'),
    hit_reason: 'free_personal_scope',
  })
  expect(String(own[0]?.fix_summary)).toMatch(/^Feed it\. More.*…$/)
  expect(String(own[0]?.fix_summary).length).toBeLessThanOrEqual(200)

  const both = (await call('search_records', { query: 'zebra', include_workspaces: true })).data
    .results as Data[]
  expect(both.map(({ home, hit_reason }) => `${home} ${hit_reason}`).sort()).toEqual([
    `team ${workspace_id} free_workspace_scope`,
    'you free_personal_scope',
  ])
  const wrong = { query: 'zebra', scope: 'public', include_workspaces: true }
  expect(await refusal('search_records', wrong)).toMatchObject({
    status: 422,
    detail: [{ loc: ['body', 'include_workspaces'], input: true }],
  })
})

test('resources list projects and recent cards, and templates complete', async () => {
  const { data } = await call('record_card', { ...CARD, title: 'Umbrella in the rain' })
  const turn = await call('append_context_turn', {
    project_key: 'https://github.com/acme/umbrella.git',
    user_message: 'open it',
    agent_report: 'opened',
  })
  const { resources } = await client.listResources()
  const uris = resources.map(({ uri }) => uri)
  expect(uris).toContain(`card://${data.card_id}`)
  expect(uris).toContain(`project://${encodeURIComponent('github.com/acme/umbrella')}`)
  const event = await client.readResource({ uri: `event://${turn.data.raw_id}` })
  expect((event.contents[0] as { text: string }).text).toContain('opened')

  const complete = async (uri: string, name: string, value: string) =>
    (await client.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion
      .values
  expect(await complete('project://{project_key}', 'project_key', 'UMBR')).toEqual([
    'github.com/acme/umbrella',
  ])
  expect(await complete('card://{card_id}', 'card_id', 'umbrella in')).toEqual([data.card_id])
  expect(await complete('card://{card_id}', 'card_id', String(data.card_id))).toEqual([data.card_id])
  expect(await complete('event://{raw_id}', 'raw_id', '0')).toEqual([])

  const stranger = await connectAs(await registerPerson(vault, 'resources@example.com'))
  expect((await stranger.listResources()).resources.map(({ uri }) => uri)).toEqual(['vault://guide'])
  await expect(stranger.readResource({ uri: `event://${turn.data.raw_id}` })).rejects.toThrow(/not found/i)
  await stranger.close()
})

test('completion looks past the newest hundred, takes ids in capitals, and says if others may match', async () => {
  const flyer = await registerPerson(vault, 'flyer@example.com')
  const by = await connectAs(flyer)
  const complete = async (name: 'card_id' | 'project_key', value: string) => {
    const uri = name === 'card_id' ? 'card://{card_id}' : 'project://{project_key}'
    return (await by.complete({ ref: { type: 'ref/resource', uri }, argument: { name, value } })).completion
  }
  const card_id = String(
    (await call('record_card', { ...CARD, title: 'Zeppelin over a lake' }, by)).data.card_id,
  )
  expect(await complete('card_id', card_id.toUpperCase())).toEqual({
    values: [card_id],
    total: 1,
    hasMore: false,
  })
  const others = Array.from({ length: 100 }, () => ({
    card_id: crypto.randomUUID(),
    title: 'Another one',
    filter_text: 'another one',
    created_at: '2099-01-01T00:00:00.000Z',
  }))
  await addLike(vault.app, 'cards', ['card_id', card_id], others)
  expect(await complete('card_id', 'zeppelin OVER')).toEqual({ values: [card_id], total: 1, hasMore: false })
  expect(await complete('card_id', card_id)).toEqual({ values: [], hasMore: true })

  const project_key = 'acme/zeppelin'
  const content = 'It flies.'
  await call('append_context_event', { project_key, event_type: 'agent_report', content }, by)
  const addProjects = (count: number) =>
    vault.app.services.database.transaction(async (db) => {
      const mine = db.selectFrom('context_projects').selectAll().where('user_id', '=', flyer.userId)
      const row = await mine.where('project_key', '=', project_key).executeTakeFirstOrThrow()
      const like = Array.from({ length: count }, () => {
        const project_id = crypto.randomUUID()
        const last_event_at = '2099-01-01T00:00:00.000Z'
        return { ...row, project_id, project_key: `other/${project_id}`, last_event_at }
      })
      await db.insertInto('context_projects').values(like).execute()
    })
  await addProjects(199)
  expect(await complete('project_key', 'ZEPP')).toEqual({ values: [project_key], total: 1, hasMore: false })
  expect(await complete('project_key', 'other/')).toMatchObject({ total: 199, hasMore: true })
  await addProjects(1)
  expect(await complete('project_key', 'zepp')).toEqual({ values: [], hasMore: true })
  await by.close()
})

test('a found event is read whole, in parts', async () => {
  const content = 'w'.repeat(30_000)
  const { data, length } = await call('append_context_event', {
    project_key: 'acme/long',
    event_type: 'agent_report',
    content: `needle ${content}`,
  })
  expect(length).toBeLessThan(400)
  const found = (await call('search_project_context', { project_key: 'acme/long', query: 'needle' })).data
  expect(found.results).toMatchObject([{ raw_id: data.raw_id }])
  const parts = await Promise.all(
    [1, 2, 3].map((part) => call('get_context_event', { raw_id: data.raw_id, part })),
  )
  expect(parts.map((part) => part.data.content).join('')).toBe(`needle ${content}`)
  expect(parts[0]?.data).toMatchObject({ parts: 3, project_key: 'acme/long' })
  const whole = await person.tool('get_context_event', { raw_id: data.raw_id })
  expect(whole.body.data.content).toBe(`needle ${content}`)
})

test('a search by words says what it corrected, which time it took and what is weak', async () => {
  const project_key = 'acme/words'
  for (const content of ['The webhook of the shop was left open.', 'Deploys of the shop wait for approval.'])
    await call('append_context_event', { project_key, event_type: 'user_message', content })
  const { data } = await call('search_project_context', { project_key, query: 'open webhok today' })
  expect(data).toMatchObject({
    results: [],
    corrected: { webhok: 'webhook' },
    period: { to: expect.any(String) },
  })
  const [first] = data.related as Data[]
  expect(first?.snippet).toContain('webhook')
  const vague = await call('search_project_context', {
    project_key,
    query: 'shop invoices rounded wrongly twice',
  })
  expect((vague.data.related as Data[])[0]).toMatchObject({ weak: true })
  await call('record_card', {
    title: 'Kubernetes probes',
    symptom: 'Pods restart',
    fix_summary: 'Longer delay',
  })
  // New words are known for corrections after the index was tended.
  await maintainIndex(contextFor(vault.app.services))
  const found = await call('search_records', { query: 'kuberentes probes' })
  expect(found.data.corrected).toEqual({ kuberentes: 'kubernetes' })
})

test('the context of a busy project has a bound by itself, and the one that is asked for', async () => {
  for (let turn = 0; turn < 30; turn++)
    await call('append_context_turn', {
      project_key: 'acme/busy',
      user_message: `ask ${turn}`,
      agent_report: 'a report of many words '.repeat(80),
      facts: 'a fact of some length '.repeat(200),
    })
  const plain = await call('get_project_context', { project_key: 'acme/busy' })
  expect(plain.length).toBeLessThanOrEqual(24_000)
  expect(plain.data.left_out).toBeDefined()
  const small = await call('get_project_context', { project_key: 'acme/busy', max_total_chars: 6000 })
  expect(small.length).toBeLessThanOrEqual(6000)
  expect(small.data).toMatchObject({ total_events: 60, left_out: { events: expect.any(Number) } })
  expect((small.data.recent_events as Data[])[0]?.content).toContain('ask 29')
  const large = await call('get_project_context', { project_key: 'acme/busy', max_total_chars: 200_000 })
  expect(large.length).toBeGreaterThan(24_000)
  for (const path of ['max_total_chars=999', 'max_total_chars=200001'])
    expect((await person.get(`/api/v1/project-context/snapshot?project_key=acme/busy&${path}`)).status).toBe(
      422,
    )
  const rest = await person.get('/api/v1/project-context/snapshot?project_key=acme/busy&max_total_chars=3000')
  const contents = [rest.body.facts, ...rest.body.recent_events].map((event: Data) => String(event.content))
  expect(contents.join('').length).toBeLessThanOrEqual(3000)
  expect(rest.body.left_out.events).toBeGreaterThan(0)
  expect(
    (await person.get('/api/v1/project-context/snapshot?project_key=acme/busy')).body.left_out,
  ).toBeUndefined()
})
