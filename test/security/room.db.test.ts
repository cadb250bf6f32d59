import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dropOldAttachments } from '../../src/features/support/ticket-routes.ts'
import { DAY_MS } from '../../src/shared/time.ts'
import { addLike, goodCard, record } from '../support/cards.ts'
import { onBothEngines, TestVault } from '../support/engines.ts'

const TICKETS = '/api/v1/support/tickets'
const MIB = 1024 * 1024

async function openTicket(t: TestVault, bytes: number, headers: Record<string, string> = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries({ email: 'a@example.com', subject: 'Help', message: 'Please' }))
    form.append(name, value)
  if (bytes > 0) form.append('attachments', new Blob([Buffer.alloc(bytes, 120)]), 'log.txt')
  const encoded = new Response(form)
  const answer = await t.app.server.inject({
    method: 'POST',
    url: TICKETS,
    headers: { 'content-type': encoded.headers.get('content-type') ?? '', ...headers },
    payload: Buffer.from(await encoded.arrayBuffer()),
  })
  return { status: answer.statusCode, body: answer.json() }
}

const hasFolder = (t: TestVault, ticketId: string) => existsSync(join(t.vault.dataDir, 'tickets', ticketId))

onBothEngines(
  'uploads',
  (t) => {
    test('without an account have a total, also when they come at once; signed-in people are not limited by it', async () => {
      const together = await Promise.all([1, 2, 3, 4].map(() => openTicket(t, MIB - 1000)))
      const statuses = together.map(({ status }) => status).sort()
      expect(statuses).toEqual([200, 200, 507, 507])
      const refused = await openTicket(t, MIB)
      expect([refused.status, refused.body.code]).toEqual([507, 'insufficient_storage'])
      expect((await openTicket(t, 0)).status).toBe(200)
      const user = await t.user()
      expect((await openTicket(t, MIB, { authorization: `Bearer ${user.token}` })).status).toBe(200)
    })

    test('of one person have a total too, also when they come at once', async () => {
      const [user, other] = [await t.user(), await t.user()]
      const of = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` })
      const together = await Promise.all([1, 2, 3, 4, 5].map(() => openTicket(t, MIB - 1000, of(user))))
      expect(together.map(({ status }) => status).sort()).toEqual([200, 200, 200, 507, 507])
      const refused = await openTicket(t, MIB, of(user))
      expect([refused.status, refused.body.code]).toEqual([507, 'insufficient_storage'])
      expect((await openTicket(t, 0, of(user))).status).toBe(200)
      expect((await openTicket(t, MIB, of(other))).status).toBe(200)
    })

    test('of a ticket that was closed long ago are removed, and its text stays', async () => {
      const user = await t.user()
      const { body } = await openTicket(t, 100, { authorization: `Bearer ${user.token}` })
      await t.app.services.database.transaction((db) =>
        db
          .updateTable('support_tickets')
          .set({ status: 'closed', closed_at: t.app.services.now().toISOString() })
          .where('ticket_id', '=', body.ticket_id)
          .execute(),
      )
      t.later(89 * DAY_MS)
      await dropOldAttachments(t.app.services)
      expect(hasFolder(t, body.ticket_id)).toBe(true)
      t.later(2 * DAY_MS)
      await dropOldAttachments(t.app.services)
      expect(hasFolder(t, body.ticket_id)).toBe(false)
      const { read } = t.app.services.database
      const left = await read
        .selectFrom('support_attachments')
        .selectAll()
        .where('ticket_id', '=', body.ticket_id)
        .execute()
      expect(left).toEqual([])
      expect(
        await read
          .selectFrom('support_tickets')
          .selectAll()
          .where('ticket_id', '=', body.ticket_id)
          .executeTakeFirst(),
      ).toMatchObject({
        message: 'Please',
      })
    })
  },
  { ANONYMOUS_UPLOADS_MB: '2', ATTACHMENTS_MB_PER_PERSON: '3' },
)

onBothEngines(
  'a disk that is nearly full',
  (t) => {
    test('takes no attachments, and says so; tickets without them are taken', async () => {
      const refused = await openTicket(t, 10)
      expect([refused.status, refused.body.code]).toEqual([507, 'insufficient_storage'])
      expect((await openTicket(t, 0)).status).toBe(200)
    })
  },
  { MIN_FREE_DISK_MB: '999999999' },
)

onBothEngines('a card', (t) => {
  test('has a payload, steps and evidence of bounded size', async () => {
    const user = await t.user()
    const large = { x: 'y'.repeat(64 * 1024) }
    const step = { order: 1, action: 'Do it' }
    const refused: [string, object][] = [
      ['card_payload', { card_payload: large }],
      ['steps', { steps: [{ ...step, ...large }] }],
      ['steps', { steps: Array.from({ length: 60 }, () => ({ ...step, result: 'z'.repeat(20_000) })) }],
      ['evidences', { evidences: [{ kind: 'log', content: 'x', meta: large }] }],
    ]
    for (const [field, more] of refused) {
      const answer = await user.post('/api/v1/cards', { ...goodCard(), ...more })
      expect([answer.status, answer.body.detail[0].loc[1]], field).toEqual([422, field])
    }
    const fits = { x: 'y'.repeat(64 * 1024 - 10) }
    expect((await user.post('/api/v1/cards', { ...goodCard(), card_payload: fits })).status).toBe(201)
  })

  test('in a list is shown whole as long as 2 MiB reach, then by its beginning', async () => {
    const user = await t.user()
    const body = 'b'.repeat(190_000)
    const payload = { note: 'p'.repeat(1000) }
    const card = { steps: [{ order: 1, action: 'Do it' }], card_payload: payload }
    const long = { body, root_cause: '\u0001'.repeat(20_000) }
    await record(user, { ...card, ...long })
    for (let i = 1; i < 12; i++) await record(user, card)
    // Further long texts are written past the doors, here and below: to send and to read them is not what this is about.
    await t.app.services.database.transaction((db) =>
      db.updateTable('cards').set(long).where('owner_id', '=', user.userId).execute(),
    )
    for (const url of ['/api/v1/cards?page_size=100', '/api/v1/cases?page_size=100']) {
      const list = await user.get(url)
      expect(list.text.length).toBeLessThan(2 * MIB)
      expect(list.body.items).toHaveLength(12)
      const truncated = list.body.items.map((item: { truncated?: boolean }) => item.truncated === true)
      expect(truncated).toEqual(truncated.toSorted())
      expect(truncated[0]).toBe(false)
      expect(truncated[11]).toBe(true)
      const [first] = list.body.items
      expect(first).toMatchObject({ body, card_payload: payload, steps: [{ order: 1 }] })
      expect(list.body.items[11]).toMatchObject({
        body: null,
        card_payload: null,
        steps: null,
      })
      expect(list.body.items[11].root_cause).toHaveLength(301)
      const whole = await user.get(`/api/v1/cards/${list.body.items[11].card_id}`)
      expect(whole.body).toMatchObject({ body, card_payload: payload })
    }
  })

  test('in a list is shown whole beside one that is too long, or that takes most of the room', async () => {
    const user = await t.user()
    const { card_id } = await record(user, { steps: [{ order: 1, action: 'Do it' }] })
    const others = Array.from({ length: 99 }, () => ({ card_id: crypto.randomUUID() }))
    await addLike(t.app, 'cards', ['card_id', card_id], others)
    const truncatedWith = async (body: string) => {
      await t.app.services.database.transaction((db) =>
        db.updateTable('cards').set({ body }).where('card_id', '=', card_id).execute(),
      )
      const { items } = (await user.get('/api/v1/cards?page_size=100')).body
      expect(items).toHaveLength(100)
      return items.filter((item: { truncated?: boolean }) => item.truncated).length
    }
    expect(await truncatedWith('b'.repeat(500_000))).toBe(0)
    expect(await truncatedWith('b'.repeat(2 * MIB))).toBe(1)
  })

  test('shows evidence whole as long as 8 MiB reach', async () => {
    const user = await t.user()
    const card = await record(user, {})
    const url = `/api/v1/cards/${card.card_id}`
    const evidences = [{ kind: 'log', content: 'e'.repeat(195_000), meta: { a: 1 } }]
    expect((await user.patch(url, { evidences })).status).toBe(200)
    const further = [7 * MIB, MIB, 1000].map((length, i) => ({
      evidence_id: crypto.randomUUID(),
      position: i + 1,
      content: 'e'.repeat(length),
    }))
    await addLike(t.app, 'card_evidences', ['card_id', card.card_id], further)
    const shown = await user.get(`${url}?include_evidences=true`)
    expect(shown.text.length).toBeGreaterThan(7 * MIB)
    expect(shown.text.length).toBeLessThan(9 * MIB)
    const [first, second, ...others] = shown.body.evidences
    expect(first).toMatchObject({ content: evidences[0]?.content, meta: { a: 1 } })
    expect([first.truncated, second.truncated, second.content.length]).toEqual([
      undefined,
      undefined,
      7 * MIB,
    ])
    const short = { truncated: true, content: 'e'.repeat(300), meta: null }
    expect(others).toMatchObject([short, short])
  })

  test('shares this room among a card and those that were merged into it', async () => {
    const user = await t.user()
    const evidences = [{ kind: 'log', content: 'e' }]
    const [into, ...merged] = [await record(user), await record(user), await record(user)]
    for (const card of [into, ...merged]) {
      const url = `/api/v1/cards/${card.card_id}`
      expect((await user.patch(url, { evidences })).status).toBe(200)
      const further = [{ evidence_id: crypto.randomUUID(), position: 1, content: 'e'.repeat(5 * MIB) }]
      await addLike(t.app, 'card_evidences', ['card_id', card.card_id], further)
    }
    for (const { card_id } of merged)
      expect((await user.post(`/api/v1/cards/${card_id}/merge`, { into_card_id: into.card_id })).status).toBe(
        200,
      )
    const shown = await user.get(`/api/v1/cards/${into.card_id}?include_evidences=true`)
    expect(shown.text.length).toBeLessThan(9 * MIB)
    expect(
      shown.body.evidences.map((piece: { truncated?: boolean; from_card_id?: string }) => [
        piece.from_card_id ?? into.card_id,
        piece.truncated === true,
      ]),
    ).toEqual([
      [into.card_id, false],
      [into.card_id, false],
      [merged[0].card_id, false],
      [merged[0].card_id, true],
      [merged[1].card_id, true],
      [merged[1].card_id, true],
    ])
  })

  test('takes no more than a thousand pieces of evidence', async () => {
    const user = await t.user()
    const card = await record(user, {})
    const url = `/api/v1/cards/${card.card_id}`
    const small = Array.from({ length: 100 }, () => ({ kind: 'log', content: 'e' }))
    expect((await user.patch(url, { evidences: small })).status).toBe(200)
    const further = Array.from({ length: 800 }, (_, i) => ({
      evidence_id: crypto.randomUUID(),
      position: small.length + i,
    }))
    await addLike(t.app, 'card_evidences', ['card_id', card.card_id], further)
    await t.app.services.database.transaction((db) =>
      db
        .updateTable('cards')
        .set({ evidence_count: small.length + further.length })
        .where('card_id', '=', card.card_id)
        .execute(),
    )
    expect((await user.patch(url, { evidences: small })).status).toBe(200)
    const refused = await user.patch(url, { evidences: small.slice(0, 1) })
    expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['body', 'evidences']])
  })
})

onBothEngines('a list', (t) => {
  const META = { x: 'y'.repeat(60_000) }
  const LONG = { meta: JSON.stringify(META) }
  const ITEMS = 45
  type Item = { truncated?: boolean; meta?: object | null; policy_json?: object | null }
  const expectBounded = (answer: { text: string }, items: Item[], isWhole: (item: Item) => boolean) => {
    expect(answer.text.length).toBeLessThan(2.2 * MIB)
    expect(items).toHaveLength(ITEMS)
    expect(items.slice(0, 30).every((item) => isWhole(item) && item.truncated !== true)).toBe(true)
    expect(items.slice(-5).every((item) => !isWhole(item) && item.truncated === true)).toBe(true)
  }

  test('of raw materials has 2 MiB at most, and says what is cut', async () => {
    const user = await t.user()
    for (let i = 0; i < ITEMS; i++)
      await user.post('/api/v1/raw-materials', { content: 'c', title: 't'.repeat(300) })
    await t.app.services.database.transaction((db) =>
      db.updateTable('raw_materials').set(LONG).where('owner_id', '=', user.userId).execute(),
    )
    const list = await user.get('/api/v1/raw-materials?page_size=100')
    expectBounded(list, list.body.items, (item) => item.meta !== null)
    const last = list.body.items.at(-1)
    expect(last.title.length).toBeLessThan(210)
    const { body } = await user.get(`/api/v1/raw-materials/${last.raw_id}`)
    expect([body.meta, body.title.length, body.truncated]).toEqual([META, 300, false])
  })

  test('of memory has 2 MiB at most, in the timeline and in the snapshot', async () => {
    const user = await t.user()
    const event = { project_key: 'p', event_type: 'turn', content: 'c' }
    for (let i = 0; i < ITEMS; i++) await user.post('/api/v1/project-context/events', event)
    await t.app.services.database.transaction((db) =>
      db.updateTable('context_events').set(LONG).where('user_id', '=', user.userId).execute(),
    )
    const timeline = await user.get('/api/v1/project-context/events?project_key=p&limit=100')
    expectBounded(timeline, timeline.body.items, (item) => item.meta !== null)
    const snapshot = await user.get('/api/v1/project-context/snapshot?project_key=p&limit_events=100')
    expectBounded(snapshot, snapshot.body.recent_events, (item) => item.meta !== null)
    const { raw_id } = timeline.body.items.at(-1)
    expect((await user.get(`/api/v1/project-context/events/${raw_id}`)).body.meta).toEqual(META)
  })

  test('of memory is searched for two letters only in its newest 32 MiB', async () => {
    const user = await t.user()
    const project = { project_key: 'long', event_type: 'turn' }
    const append = (content: string) => user.post('/api/v1/project-context/events', { ...project, content })
    await append('only here: zq')
    const first = await append('x'.repeat(190_000))
    const search = (query: string) =>
      user.get(`/api/v1/project-context/search?project_key=long&query=${query}`)
    expect((await search('zq')).body.total).toBe(1)
    // As if the text between were much longer; nobody has to send it for that.
    await t.app.services.database.transaction((db) =>
      db
        .updateTable('context_events')
        .set({
          search_text:
            t.engine === 'postgres' ? sql`repeat('x', ${sql.lit(33 * MIB)})` : 'x'.repeat(33 * MIB),
        })
        .where('raw_id', '=', first.body.raw_id)
        .execute(),
    )
    await append('newest: zw')
    expect((await search('zw')).body.total).toBe(1)
    expect((await search('zq')).body.total).toBe(0)
    expect((await search('only here')).body.total).toBe(1)
  })

  test('of workspaces has 2 MiB at most, whoever has added one to them', async () => {
    const [maker, added] = [await t.user(), await t.user()]
    const policy_json = META
    for (let i = 1; i < ITEMS; i++) {
      const { workspace_id } = (await maker.post('/api/v1/workspaces', { name: `W${i}` })).body
      await maker.post(`/api/v1/workspaces/${workspace_id}/members`, { user_id: added.userId })
    }
    await t.app.services.database.transaction((db) =>
      db
        .updateTable('workspaces')
        .set({ policy_json: JSON.stringify(policy_json) })
        .where('created_by', '=', maker.userId)
        .execute(),
    )
    // The last one is the reader's own, which has no policy.
    const list = await added.get('/api/v1/workspaces?include_public=false')
    expect(list.text.length).toBeLessThan(2.2 * MIB)
    const items: Item[] = list.body.items
    expect(items).toHaveLength(ITEMS)
    expect([items[0]?.policy_json, items[0]?.truncated]).toEqual([policy_json, undefined])
    expect([items.at(-2)?.policy_json, items.at(-2)?.truncated]).toEqual([null, true])
    const { workspace_id } = list.body.items.at(-2)
    expect((await added.get(`/api/v1/workspaces/${workspace_id}`)).body.policy_json).toEqual(policy_json)
  })

  test('of API keys cannot grow without end', async () => {
    const user = await t.user()
    const now = new Date().toISOString()
    await t.app.services.database.transaction((db) =>
      db
        .insertInto('api_keys')
        .values(
          Array.from({ length: 499 }, (_, i) => ({
            key_id: crypto.randomUUID(),
            key_hash: `${user.userId}-${i}`,
            user_id: user.userId,
            name: 'one of many',
            prefix: 'kv_',
            scopes: '[]',
            created_at: now,
            last_used_at: null,
            share_recorded: 0,
            expires_at: null,
          })),
        )
        .execute(),
    )
    const create = () => user.post('/api/v1/auth/api-keys', { name: 'one more' })
    const made = await Promise.all([create(), create(), create()])
    expect(made.map((answer) => answer.status).sort()).toEqual([201, 409, 409])
    expect((await create()).body.code).toBe('too_many_keys')
    expect(
      (await user.delete(`/api/v1/auth/api-keys/${made.find((a) => a.status === 201)?.body.key_id}`)).status,
    ).toBe(204)
    expect((await create()).status).toBe(201)
  })
})

const EVENTS = '/api/v1/project-context/events'

/** What goes on, and what is refused, while there is too little space for long texts. */
function testLongWrites(t: TestVault): void {
  test('takes no long texts at any door, and says why; the rest goes on', async () => {
    const user = await t.user()
    const { card_id } = await record(user)
    const long = 'l'.repeat(5000)
    const url = `/api/v1/cards/${card_id}`
    const event = { project_key: 'p', event_type: 'agent_report', content: long }
    const viaMcp = await t.app.server.inject({
      method: 'POST',
      url: '/mcp',
      headers: { authorization: `Bearer ${user.token}`, accept: 'application/json, text/event-stream' },
      payload: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'append_context_event', arguments: event },
      },
    })
    expect(viaMcp.statusCode).toBe(503)
    const refused = [
      await user.post('/api/v1/cards', goodCard('long', { body: long })),
      await user.patch(url, { body: long }),
      await user.post(`${url}/comments`, { body: long }),
      await user.post(EVENTS, event),
      await user.post('/api/v1/raw-materials', { content: long }),
      await user.tool('append_context_event', event),
    ]
    for (const { status, body, headers } of refused) {
      expect([status, body.code, headers['retry-after']]).toEqual([503, 'unavailable', '60'])
      expect(body.detail).toMatch(
        /^The disk of the server is nearly full: texts over 4 KB are not taken now\./,
      )
    }
    const goesOn = [
      await user.post(EVENTS, { ...event, content: 'short' }),
      await user.patch(url, { root_cause: 'short' }),
      await user.get(url),
      await user.post('/api/v1/recall', { moment: 'failure', text: `$ npm test\nexit code 1\n${long}` }),
      await user.post('/api/v1/auth/login', { email: user.email, password: 'correct horse battery' }),
      await user.delete(url),
    ]
    expect(goesOn.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 204])
  })

  test('counts the bytes of a body that states no length', async () => {
    const user = await t.user()
    const send = (content: string) =>
      t.app.server.inject({
        method: 'POST',
        url: EVENTS,
        headers: {
          authorization: `Bearer ${user.token}`,
          'content-type': 'application/json',
          'transfer-encoding': 'chunked',
        },
        payload: Readable.from([JSON.stringify({ project_key: 'p', event_type: 'agent_report', content })]),
      })
    expect((await send('short')).statusCode).toBe(201)
    expect((await send('l'.repeat(5000))).statusCode).toBe(503)
  })
}

describe('a disk with less than MIN_FREE_DISK_MB on sqlite', () => {
  const t = new TestVault('sqlite', { MIN_FREE_DISK_MB: '999999999' })
  beforeAll(() => t.up())
  afterAll(() => t.down())
  testLongWrites(t)
})

describe('a database above MAX_DATABASE_MB on postgres', () => {
  const t = new TestVault('postgres', { MAX_DATABASE_MB: '1' })
  beforeAll(() => t.up())
  afterAll(() => t.down())
  testLongWrites(t)
})

test('on PostgreSQL neither the disk of DATA_DIR nor a large MAX_DATABASE_MB keeps anybody from writing', async () => {
  const t = new TestVault('postgres', { MIN_FREE_DISK_MB: '999999999', MAX_DATABASE_MB: '1000000' })
  await t.up()
  const user = await t.user()
  expect((await user.post('/api/v1/raw-materials', { content: 'l'.repeat(5000) })).status).toBe(201)
  await t.down()
})
