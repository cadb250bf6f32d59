import { beforeAll, describe, expect, test } from 'vitest'
import { goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines, type TestVault } from '../../../test/support/engines.ts'
import { contextFor, inTx } from '../../core/context.ts'
import { foldChanges } from '../../search-index/index.ts'
import { book } from '../credits/ledger.ts'

const search = async (as: Person, query: string, more: Record<string, unknown> = {}) =>
  as.post('/api/v1/search', { query, ...more })

const idsOf = (answer: { body: { results: { card_id: string }[] } }) =>
  answer.body.results.map((result) => result.card_id)

async function publish(as: Person, card: { card_id: string }): Promise<void> {
  const answer = await as.post(`/api/v1/cards/${card.card_id}/publish`)
  if (answer.status !== 200) throw new Error(`publish: ${answer.status} ${answer.text}`)
}

/** Brings a balance to an exact sum. */
async function setBalance(t: TestVault, person: Person, wanted: number): Promise<void> {
  const ctx = contextFor(t.app.services)
  const { body } = await person.get('/api/v1/credits/balance')
  await inTx(ctx, (ctx) =>
    book(ctx, {
      userId: person.userId,
      delta: wanted - body.balance,
      reason: 'adjustment',
      cause: `test:${wanted}:${body.balance}`,
    }),
  )
}

onBothEngines('search', (t) => {
  let me: Person
  beforeAll(async () => {
    me = await t.user('searcher')
  })

  test('a card is found by the next request, as it is now', async () => {
    const card = await record(me, { title: 'Kettle whistles at dawn' })
    expect(idsOf(await search(me, 'whistling kettles'))).toEqual([card.card_id])
    await me.patch(`/api/v1/cards/${card.card_id}`, { title: 'Teapot hums at dusk' })
    expect(idsOf(await search(me, 'kettle whistle'))).toEqual([])
    expect(idsOf(await search(me, 'humming teapot'))).toEqual([card.card_id])
    await me.delete(`/api/v1/cards/${card.card_id}`)
    expect(idsOf(await search(me, 'humming teapot'))).toEqual([])
  })

  test('a result says what it is and why it came', async () => {
    const card = await record(me, {
      title: 'Gyroscope <drift> in flight',
      symptom: 'After <b>take-off</b> the gyroscope & compass disagree by "ten" degrees',
      tags: ['avionics'],
      environment: { firmware: '4.2.1' },
    })
    const { body, status } = await search(me, 'gyroscope compass')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      query: 'gyroscope compass',
      scope: 'personal',
      total: 1,
      credits_charged: 0,
      credits_balance: 100,
      action_card: null,
    })
    expect(body.results[0]).toMatchObject({
      card_id: card.card_id,
      case_id: card.card_id,
      track: 'debug',
      status: 'unpublished',
      owner_name: 'searcher',
      tags: ['avionics'],
      environment: { firmware: '4.2.1' },
      hit_reason: 'free_personal_scope',
      matched_terms: ['gyroscope', 'compass'],
      feedback: { useful: 0, not_applicable: 0, outdated: 0 },
      likely_outdated: false,
      snippet:
        'After &lt;b&gt;take-off&lt;/b&gt; the <mark>gyroscope</mark> &amp; <mark>compass</mark> disagree by &quot;ten&quot; degrees',
    })
    expect(body.results[0].score).toBeGreaterThan(0.95)
    expect(body.results[0].weak).toBe(false)
    expect(body.results[0].why).toEqual([
      { where: 'title', words: ['gyroscope'] },
      { where: 'symptom', words: ['gyroscope', 'compass'] },
    ])
  })

  test('a hit by the title alone has its mark', async () => {
    const card = await record(me, { title: 'The zeppelin will not moor' })
    const { body } = await search(me, 'zeppelin')
    expect(idsOf({ body })).toEqual([card.card_id])
    expect(body.results[0].snippet).toBe('The <mark>zeppelin</mark> will not moor')
  })

  test('one missing word does not blank the answer, and more matching words come first', async () => {
    const one = await record(me, { title: 'Marmalade spills' })
    const two = await record(me, { title: 'Marmalade spills over the breakfast tray' })
    const found = idsOf(await search(me, 'marmalade on the breakfast xylophone'))
    expect(found).toEqual([two.card_id, one.card_id])
  })

  test('a slip of the finger and a part of an identifier still find', async () => {
    const card = await record(me, { title: 'handleOctopusReconnect throws' })
    await foldChanges(contextFor(t.app.services))
    expect(idsOf(await search(me, 'octopsu'))).toEqual([card.card_id])
    expect(idsOf(await search(me, 'topusreconn'))).toEqual([card.card_id])
  })

  test('every language finds its cards', async () => {
    const japanese = await record(me, { title: '梅雨の時期に接続が切れる' })
    const hebrew = await record(me, { title: 'החיבור נכשל בלילה' })
    const emoji = await record(me, { title: 'Build shows 🦔 forever' })
    expect(idsOf(await search(me, '接続が切れた'))).toContain(japanese.card_id)
    expect(idsOf(await search(me, 'נכשל החיבור'))).toEqual([hebrew.card_id])
    const divided = await record(me, { title: 'Otter\u00adcounter stalls', symptom: 'ﾍﾞｰｽﾞ ends' })
    for (const query of ['ottercounter', 'otter\u00adcounter', 'ベーズ', 'ﾍﾞｰｽﾞ'])
      expect(idsOf(await search(me, query)), query).toEqual([divided.card_id])
    expect((await me.tool('search_records', { query: '🦔' })).body.data.results[0].card_id).toBe(
      emoji.card_id,
    )
  })

  test.each([
    ['quotes', '"unbalanced \' quote'],
    ['operators', 'AND OR NOT NEAR(pool, 3)'],
    ['wildcards', 'pool* % _ ?'],
    ['columns', 'title:pool ^pool -pool +pool'],
    ['injection', "pool'); drop table cards; --"],
    ['brackets', '((((( [pool] {pool}'],
    ['regular expressions', '(a+)+$ \\d \\'],
    ['signs alone', '!!! ??? ...'],
    ['NUL', 'pool\u0000exhausted'],
    ['a lone surrogate', 'pool \ud800 exhausted'],
    ['right to left', '\u202epool\u202c מאגר'],
    ['tsquery', "pool <-> exhausted & !timeout | 'x':*A"],
    ['a hundred thousand characters', 'pool exhausted '.repeat(7000).slice(0, 100_000)],
    ['one long word', 'x'.repeat(100_000)],
  ])('%s in a query is plain text', async (_, query) => {
    const answer = await search(me, query)
    expect(answer.status).toBe(200)
    expect(Array.isArray(answer.body.results)).toBe(true)
  })

  test('rare characters, which take two units each, are looked for as others are', async () => {
    const owner = await t.user()
    const [name, missing] = ['\u{20bb7}\u{20bb7}', '\u{2000b}\u{2000b}\u{2000b}']
    const card = await record(owner, { title: `The name ${name} is cut` })
    for (const scope of ['personal', 'workspace', 'public']) {
      const answer = await search(owner, missing, { scope })
      expect([answer.status, answer.body.results], scope).toEqual([200, []])
    }
    expect(idsOf(await search(owner, `cut ${name}`))).toEqual([card.card_id])
  })

  test('notes on the scope and the text of evidence are found and quoted', async () => {
    const author = await t.user()
    const card = await record(author, {
      evidences: [
        { kind: 'log', content: 'worker 7: ECONNREFUSED zanzibarite at tcp.connect' },
        {
          kind: 'log',
          content: `${'noise '.repeat(4000)}in-the-middle-quagga${' filler'.repeat(4000)} ends-with-okapi`,
        },
      ],
    })
    expect((await search(author, 'narwhalitis')).body.results).toEqual([])
    await author.patch(`/api/v1/cards/${card.card_id}`, {
      scope_notes: 'Only where narwhalitis is installed',
    })
    for (const [word, quoted] of [
      ['zanzibarite', 'ECONNREFUSED <mark>zanzibarite</mark>'],
      ['narwhalitis', 'where <mark>narwhalitis</mark> is'],
      ['okapi', 'ends-with-<mark>okapi</mark>'],
    ] as const) {
      const [hit] = (await search(author, word)).body.results
      expect(hit, word).toMatchObject({ card_id: card.card_id, matched_terms: [word] })
      expect(hit.snippet).toContain(quoted)
    }
    // Of a long log the beginning and the end are searched, not what stands between them.
    expect((await search(author, 'quagga')).body.results).toEqual([])
    await author.patch(`/api/v1/cards/${card.card_id}`, {
      evidences: [{ kind: 'log', content: 'added later: dugongitis' }],
    })
    expect((await search(author, 'dugongitis')).body.results[0].card_id).toBe(card.card_id)
    await author.patch(`/api/v1/cards/${card.card_id}`, { scope_notes: null })
    expect((await search(author, 'narwhalitis')).body.results).toEqual([])
  })

  test('a word in title or symptom says more than the same word many times in a log', async () => {
    const author = await t.user()
    const plain = goodCard()
    const inLog = await record(author, {
      ...goodCard(),
      evidences: [{ kind: 'log', content: 'vicunaerror '.repeat(300) }],
    })
    const inSymptom = await record(author, { ...plain, symptom: `${plain.symptom} with vicunaerror` })
    const other = goodCard()
    const inTitle = await record(author, { ...other, title: `${other.title} vicunaerror` })
    const ids = (await search(author, 'vicunaerror')).body.results.map(
      (hit: { card_id: string }) => hit.card_id,
    )
    expect(ids).toEqual([inTitle.card_id, inSymptom.card_id, inLog.card_id])
  })

  test('evidence of others is found by those who may read the card, and by nobody else', async () => {
    const { workspaceId, editor, viewer } = await team(t)
    const card = await record(editor, {
      workspace_id: workspaceId,
      evidences: [{ kind: 'log', content: 'the axolotlfault of last night' }],
    })
    const find = async (as: Person) =>
      (await search(as, 'axolotlfault', { scope: 'workspace' })).body.results.length
    expect([await find(editor), await find(viewer)]).toEqual([1, 0])
    await editor.post(`/api/v1/cards/${card.card_id}/share`)
    expect([await find(editor), await find(viewer), await find(await t.user())]).toEqual([1, 1, 0])
  })

  test('what the two doors ask for', async () => {
    expect((await search(me, 'ab')).status).toBe(422)
    expect((await search(me, 'abc', { limit: 51 })).status).toBe(422)
    expect((await search(me, 'abc', { scope: 'everything' })).status).toBe(422)
    expect((await search(me, 'abc', { workspace_ids: ['x'] })).status).toBe(422)
    expect((await search(me, 'abc', { tags: 'a,b' })).status).toBe(422)
    expect((await me.tool('search_records', { query: 'a' })).status).toBe(200)
    expect((await me.tool('search_records', { query: 'abc', limit: 21 })).status).toBe(422)
    expect((await me.tool('search_records', { query: 'abc', generate_action_card: true })).status).toBe(422)
    expect((await me.tool('search_records', { query: 'abc' })).body.data).not.toHaveProperty('action_card')
    expect((await me.post('/api/v1/search', { query: 'abc' })).body).toHaveProperty('action_card', null)
    expect((await t.anonymous().post('/api/v1/search', { query: 'abc' })).status).toBe(401)
  })

  describe('filters', () => {
    let searcher: Person
    const made: Record<string, string> = {}
    beforeAll(async () => {
      searcher = await t.user()
      const put = async (name: string, more: Record<string, unknown>) => {
        made[name] = (await record(searcher, { title: `Walrus ${name}`, ...more })).card_id
      }
      await put('plain', {})
      await put('tagged', { tags: ['Sea', 'ice'] })
      await put('node20', { environment: { Node: '20.11.1' } })
      await put('node2', { environment: { node: '2' } })
      await put('guide', { card_type: 'how_to', tags: ['sea'] })
    })
    const found = async (more: Record<string, unknown>) =>
      new Set(idsOf(await search(searcher, 'walrus', more)))

    test('tags: all of them, in any case', async () => {
      expect(await found({ tags: ['SEA'] })).toEqual(new Set([made.tagged, made.guide]))
      expect(await found({ tags: ['sea', 'Ice'] })).toEqual(new Set([made.tagged]))
      expect(await found({ tags: ['sea', 'desert'] })).toEqual(new Set())
    })

    test('environment: equal, or a version prefix', async () => {
      expect(await found({ environment: { node: '20' } })).toEqual(new Set([made.node20]))
      expect(await found({ environment: { NODE: '20.11' } })).toEqual(new Set([made.node20]))
      expect(await found({ environment: { node: '2' } })).toEqual(new Set([made.node2]))
      expect(await found({ environment: { node: '20', os: 'linux' } })).toEqual(new Set())
    })

    test('track, and filters together', async () => {
      expect(await found({ track: 'build' })).toEqual(new Set([made.guide]))
      expect(await found({ track: 'debug', tags: ['sea'] })).toEqual(new Set([made.tagged]))
    })

    test('workspaces: none but those named', async () => {
      expect((await found({ workspace_ids: [searcher.workspaceId] })).size).toBe(5)
      expect((await found({ workspace_ids: [me.workspaceId] })).size).toBe(0)
    })
  })

  test('workspace scope: shared cards and my own, in my teams', async () => {
    const { workspaceId, editor, viewer } = await team(t)
    const shared = await record(editor, { title: 'Flamingo shared', workspace_id: workspaceId })
    await editor.post(`/api/v1/cards/${shared.card_id}/share`)
    const kept = await record(editor, { title: 'Flamingo kept', workspace_id: workspaceId })
    expect(new Set(idsOf(await search(editor, 'flamingo', { scope: 'workspace' })))).toEqual(
      new Set([shared.card_id, kept.card_id]),
    )
    const seen = await search(viewer, 'flamingo', { scope: 'workspace' })
    expect(idsOf(seen)).toEqual([shared.card_id])
    expect(seen.body.results[0].hit_reason).toBe('free_workspace_scope')
    expect(idsOf(await search(me, 'flamingo', { scope: 'workspace', workspace_ids: [workspaceId] }))).toEqual(
      [],
    )
  })

  describe('the public library', () => {
    test('a hit costs 5 once; nothing found costs nothing; own cards are free', async () => {
      const author = await t.user('author')
      const reader = await t.user('reader')
      const card = await record(author, { ...goodCard('pelican'), title: 'Pelican outage in the harbour' })
      await publish(author, card)

      const hit = await search(reader, 'pelican harbour', { scope: 'public' })
      expect(hit.body).toMatchObject({ credits_charged: 5, credits_balance: 95 })
      expect(hit.body.results[0]).toMatchObject({ card_id: card.card_id, hit_reason: 'public_hit_charged' })

      const miss = await search(reader, 'qqqqqq zzzzzz', { scope: 'public' })
      expect(miss.body).toMatchObject({ results: [], total: 0, credits_charged: 0, credits_balance: 95 })

      const own = await search(author, 'pelican harbour', { scope: 'public' })
      expect(own.body.credits_charged).toBe(0)
      expect(own.body.results[0].hit_reason).toBe('free_own_card')

      const { body: history } = await reader.get('/api/v1/credits/history')
      expect(
        history.items.map((entry: { reason: string; delta: number }) => [entry.reason, entry.delta]),
      ).toEqual([
        ['public_search', -5],
        ['signup_bonus', 100],
      ])
      const tool = await reader.tool('search_records', { query: 'pelican', scope: 'public' })
      expect(tool.body).toMatchObject({ success: true, credits_charged: 5 })
    })

    test('too few credits: 402, nothing shown, nothing charged', async () => {
      const author = await t.user()
      await publish(
        author,
        await record(author, { ...goodCard('ibis'), title: 'Ibis stuck in the mud flat' }),
      )
      const poor = await t.user()
      await setBalance(t, poor, 4)
      const answer = await search(poor, 'ibis mud', { scope: 'public' })
      expect(answer.status).toBe(402)
      expect(answer.body).toMatchObject({ code: 'insufficient_credits', balance: 4, required: 5 })
      expect(answer.text).not.toContain('Ibis')
      expect((await poor.get('/api/v1/credits/balance')).body.balance).toBe(4)
    })

    test('60 searches at once with 12 credits charge exactly twice', async () => {
      const author = await t.user()
      await publish(
        author,
        await record(author, { ...goodCard('heron'), title: 'Heron blocks the weir gate' }),
      )
      const reader = await t.user()
      await setBalance(t, reader, 12)
      const answers = await Promise.all(
        Array.from({ length: 60 }, () => search(reader, 'heron weir', { scope: 'public' })),
      )
      const count = (status: number) => answers.filter((answer) => answer.status === status).length
      expect([count(200), count(402)]).toEqual([2, 58])
      expect((await reader.get('/api/v1/credits/balance')).body).toMatchObject({
        balance: 2,
        lifetime_spent: 98,
      })
    })

    test('the same Idempotency-Key charges once', async () => {
      const author = await t.user()
      await publish(
        author,
        await record(author, { ...goodCard('stork'), title: 'Stork nests on the chimney' }),
      )
      const reader = await t.user()
      const ask = () =>
        reader.post(
          '/api/v1/search',
          { query: 'stork chimney', scope: 'public' },
          { 'idempotency-key': 'once' },
        )
      const [first, second] = [await ask(), await ask()]
      expect(second.body).toEqual(first.body)
      expect((await reader.get('/api/v1/credits/balance')).body.balance).toBe(95)
    })

    test('a card that leaves the library is not found any more, at once', async () => {
      const author = await t.user()
      const card = await record(author, { ...goodCard('puffin'), title: 'Puffin burrow collapses in spring' })
      await publish(author, card)
      await author.post(`/api/v1/cards/${card.card_id}/unpublish`)
      const answer = await search(me, 'puffin burrow', { scope: 'public' })
      expect(answer.body).toMatchObject({ results: [], credits_charged: 0 })
    })
  })

  test('the action card follows the best hit’s steps, names its sources, and is the same every time', async () => {
    const planner = await t.user()
    const card = await record(planner, {
      title: 'Badger sett floods',
      steps: [
        { order: 2, action: 'Raise the entrance', result: 'dry' },
        { order: 1, action: 'Dig a trench', result: 'drained' },
      ],
      environment: { soil: 'clay' },
    })
    await record(planner, {
      title: 'Badger sett collapses',
      root_cause: 'The soil above the tunnel is loose and dry. '.repeat(10),
      fix_summary: 'Shore the tunnel up',
    })
    const ask = () => search(planner, 'badger sett', { generate_action_card: true })
    const { body } = await ask()
    expect(body.action_card).toMatchObject({
      title: 'Badger sett floods',
      steps: [
        { order: 1, action: 'Dig a trench', from_card_id: card.card_id },
        { order: 2, action: 'Raise the entrance', from_card_id: card.card_id },
        { order: 3, action: 'Shore the tunnel up' },
      ],
      cautions: ['“Badger sett floods” was written for soil clay.'],
    })
    expect(body.action_card.sources).toHaveLength(2)
    expect((await ask()).body.action_card).toEqual(body.action_card)
    expect((await search(planner, 'qqqqqq', { generate_action_card: true })).body.action_card).toBeNull()
  })

  test('the action card keeps every step, in any script, and the same words only once', async () => {
    const planner = await t.user()
    const actions = [
      'Остановить службу',
      'Очистить кэш',
      '停止服务',
      '清除缓存',
      'Σταμάτα την υπηρεσία',
      'أوقف الخدمة',
      'ลบไฟล์',
      'ลาไฟล',
    ]
    const steps = [...actions, 'остановить — службу!'].map((action, i) => ({ order: i + 1, action }))
    await record(planner, { title: 'Ocelot cache is stale', steps })
    const { body } = await search(planner, 'ocelot cache is stale', { generate_action_card: true })
    expect(body.action_card.steps.map((step: { action: string }) => step.action)).toEqual(actions)
  })
})

onBothEngines(
  'search with CREDITS=off',
  (t) => {
    test('public hits are free, and say so', async () => {
      const [author, reader] = [await t.user(), await t.user()]
      await publish(
        author,
        await record(author, { ...goodCard('egret'), title: 'Egret trips the sensor line' }),
      )
      await setBalance(t, reader, 0)
      const { body, status } = await search(reader, 'egret sensor', { scope: 'public' })
      expect(status).toBe(200)
      expect(body).toMatchObject({ credits_charged: 0, credits_balance: 0 })
      expect(body.results[0].hit_reason).toBe('credits_off')
    })
  },
  { CREDITS: 'off' },
)
