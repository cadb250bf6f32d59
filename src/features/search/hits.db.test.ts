import { beforeAll, describe, expect, test } from 'vitest'
import { goodCard, type Person, record } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { contextFor } from '../../core/context.ts'
import { maintainIndex, usualTuning } from '../../search-index/index.ts'

type Result = { card_id: string; score: number; weak: boolean; snippet: string; title: string }

const TITLES = [
  'Postgres refuses connections after a failover',
  'Webpack build runs out of memory on the runner',
  'Kubernetes pods stay pending without a volume',
  'Make target rebuilds everything each time',
  'Editor loses its address bar in the browser',
  'Python import fails inside of a virtual environment',
  'Nginx answers 502 while the upstream restarts',
  'Redis evicts session keys under memory pressure',
  'Git push is rejected by a protected branch',
  'Docker image grows after every small change',
]

onBothEngines('what is a hit', (t) => {
  let [author, reader]: Person[] = []
  const ids = new Map<string, string>()
  const ask = async (query: string, more: Record<string, unknown> = {}) => {
    const { body, status } = await (reader as Person).post('/api/v1/search', { query, ...more })
    expect(status).toBe(200)
    return body as {
      results: Result[]
      total: number
      credits_charged: number
      corrected: Record<string, string>
      read_as: unknown
    }
  }
  const titlesOf = ({ results }: { results: Result[] }) => results.map(({ title }) => title)

  beforeAll(async () => {
    ;[author, reader] = [await t.user('author'), await t.user('reader')]
    for (const title of TITLES) {
      const card = await record(author, { ...goodCard(), title })
      await author.post(`/api/v1/cards/${card.card_id}/publish`)
      ids.set(title, card.card_id)
      await record(reader, { ...goodCard(), title })
    }
    await maintainIndex(contextFor(t.app.services))
  })

  test('a question about something else has no hit and costs nothing', async () => {
    for (const query of [
      'how to bake a chocolate cake at home',
      'auditory cortex of newborn mice',
      'auditory',
      'stress',
      'the memory of childhood summers by the lake with grandmother',
      'the',
      'is it a',
    ]) {
      const answer = await ask(query, { scope: 'public' })
      expect(answer, query).toMatchObject({ results: [], total: 0, credits_charged: 0 })
    }
  })

  test('one’s own things still come, last and marked, and are not counted', async () => {
    for (const query of ['how to bake a chocolate cake and make it moist', 'the']) {
      const answer = await ask(query)
      expect(answer.total, query).toBe(0)
      expect(answer.results.length, query).toBeGreaterThan(0)
      for (const { weak, score } of answer.results) {
        expect(weak).toBe(true)
        expect(score).toBeLessThan(0.5)
      }
    }
    const sure = await ask('kubernetes pods stay pending')
    expect(sure.results[0]).toMatchObject({ weak: false, title: TITLES[2] })
    expect(sure.total).toBe(1)
  })

  test('a card about another code is no hit, and costs nothing', async () => {
    const title = 'Quokka TS importer ends with exit code 137'
    const { card_id } = await record(author as Person, { ...goodCard(), title })
    await (author as Person).post(`/api/v1/cards/${card_id}/publish`)
    const asked = await ask('quokka importer exit code 137', { scope: 'public' })
    expect(asked).toMatchObject({ results: [{ card_id }], total: 1, credits_charged: 5 })
    for (const query of ['quokka importer exit code 255', 'TS 2345']) {
      const other = await ask(query, { scope: 'public' })
      expect(other, query).toMatchObject({ results: [], total: 0, credits_charged: 0 })
    }
    const own = await (author as Person).post('/api/v1/search', { query: 'quokka importer exit code 255' })
    expect(own.body.total).toBe(0)
    expect(own.body.results[0]).toMatchObject({ card_id, weak: true })
    await (author as Person).delete(`/api/v1/cards/${card_id}`)
  })

  test('a name with another number is never meant, one with a slip in its letters is', async () => {
    const title = 'The worker stops with ERR_QUOKKA_LEASE_413'
    const { card_id } = await record(author as Person, { ...goodCard(), title })
    await (author as Person).post(`/api/v1/cards/${card_id}/publish`)
    await maintainIndex(contextFor(t.app.services))
    for (const query of ['ERR_QUOKKA_LEASE_412', 'err_quokka_lease_4133']) {
      const other = await ask(query, { scope: 'public' })
      expect(other, query).toMatchObject({ total: 0, credits_charged: 0, corrected: {} })
    }
    const slip = await ask('ERR_QUOKA_LEASE_413', { scope: 'public' })
    expect(slip).toMatchObject({
      results: [{ card_id }],
      corrected: { err_quoka_lease_413: 'errquokkalease413' },
    })
    await (author as Person).delete(`/api/v1/cards/${card_id}`)
  })

  test('min_score cuts', async () => {
    const all = await ask('memory pressure of redis sessions')
    const weakest = Math.min(...all.results.map(({ score }) => score))
    const best = Math.max(...all.results.map(({ score }) => score))
    expect(weakest).toBeLessThan(best)
    const cut = await ask('memory pressure of redis sessions', { min_score: best })
    expect(cut.results.every(({ score }) => score >= best)).toBe(true)
    expect(titlesOf(cut)).toContain(TITLES[7])
    for (const min_score of [-0.1, 1.1, 'high'])
      expect((await (reader as Person).post('/api/v1/search', { query: 'redis', min_score })).status).toBe(
        422,
      )
    const text = await (reader as Person).post('/api/v1/search', { query: 'redis', min_score: '0.5' })
    expect(text.body.detail).toMatchObject([
      { type: 'float_type', loc: ['body', 'min_score'], msg: 'Input should be a valid number' },
    ])
  })

  test('a corrected word is named, and its quoted form is searched as it is', async () => {
    const answer = await ask('kubernets pods stay pendign', { scope: 'public' })
    expect(titlesOf(answer)).toEqual([TITLES[2]])
    expect(answer.corrected).toEqual({ pendign: 'pending' })
    // Two swapped letters leave a short word hardly a trigram.
    const swapped = await ask('dokcer image grows', { scope: 'public' })
    expect(swapped).toMatchObject({ corrected: { dokcer: 'docker' }, results: [{ title: TITLES[9] }] })
    expect(answer.credits_charged).toBe(5)
    // Nothing is shown in the library, and the answer says which query would find something.
    expect(await ask('pods stay +"pendign"', { scope: 'public' })).toMatchObject({
      results: [],
      credits_charged: 0,
      read_as: { phrases: ['pendign'], nearest: 'pods stay pendign' },
    })
    expect((await ask('webpack build')).corrected).toEqual({})
  })

  test('a match by corrected words only, for a part of the query, is not a hit', async () => {
    const answer = await ask('webapck gloriously unhinged marmalade', { scope: 'public' })
    expect(answer).toMatchObject({ results: [], credits_charged: 0 })
  })

  test('a match by unsure corrections only is weak, by its score too', async () => {
    const someone = await t.user()
    await record(someone, { ...goodCard(), title: 'Résumé upload in the portal' })
    await maintainIndex(contextFor(t.app.services))
    const { results, total } = (await someone.post('/api/v1/search', { query: 'resumee uplod' })).body
    expect(total).toBe(0)
    expect(results).toMatchObject([{ weak: true, score: expect.any(Number) }])
    expect(results[0].score).toBeLessThan(0.5)
  })

  test('a line of a card behind forty unknown words, or wrapped in a log, comes first', async () => {
    const unknown = Array.from({ length: 40 }, (_, i) => `zq${i}xv${i * 7}`).join(' ')
    const addresses = Array.from({ length: 34 }, (_, i) => `0x7ffd3c2a${(4096 + i * 17).toString(16)}`).join(
      '\n',
    )
    for (const noise of [unknown, addresses]) {
      const answer = await ask(`${noise}\n${TITLES[0]}`)
      expect(answer.results[0]?.title).toBe(TITLES[0])
    }
  })

  test('a name is matched whole or spoken, never by a part', async () => {
    const someone = await t.user()
    const find = async (query: string) =>
      (await someone.post('/api/v1/search', { query })).body.results.map(({ title }: Result) => title)
    const whole = 'Jackson throws NoSuchMethodError at start'
    const spoken = 'The loader says no such method: error in module seven'
    for (const title of [whole, spoken, 'There is no error in such a method', 'No luck with the printer'])
      await record(someone, { title, symptom: 'one', fix_summary: 'two', root_cause: 'three' })
    expect(await find('jackson NoSuchMethodError')).toEqual([whole, spoken])
    expect(await find('NoSuchMethodError')).toEqual([whole, spoken])
    expect(await find('NoSuchMethod')).toEqual([whole, spoken])
  })

  test('a code, and a name in small letters, are the same in every spelling', async () => {
    const someone = await t.user()
    const titles = {
      typed: 'error TS2345: Argument of type string',
      other: 'TS7016 after a restart of the TS server',
      spaced: 'ORA-12154 at sign-in',
      windows: 'Update ends with 0x80070005',
      name: 'Full localStorage in Safari',
      word: 'The sessionstorage is empty',
      long: 'A pod in CrashLoopBackOff',
      snake: 'list_objects_v2 lists too few',
      failure: 'A ConditionalCheckFailedException at night',
      notBegun: 'The thermoelectricPump stands still',
    }
    for (const title of Object.values(titles))
      await record(someone, { title, symptom: 'one', fix_summary: 'two', root_cause: 'three' })
    // Words that are new to the vault are known for likenesses a moment later.
    await maintainIndex(contextFor(t.app.services))
    for (const [query, title] of [
      ...['ts2345', 'TS 2345', 'ts-2345', 'TS(2345)', 'error 2345', '2345'].map((q) => [q, titles.typed]),
      ...['ora-12154', 'ORA12154', 'ORA 12154'].map((q) => [q, titles.spaced]),
      ['80070005', titles.windows],
      ['localstorage', titles.name],
      ['sessionStorage', titles.word],
      ['crashloop', titles.long],
      ['listobjects', titles.snake],
    ] as const) {
      const { body } = await someone.post('/api/v1/search', { query })
      expect(body.results[0], query).toMatchObject({ title, weak: false })
      expect(body.total, query).toBe(1)
    }
    const { body: begun } = await someone.post('/api/v1/search', { query: 'conditionalcheckfailed' })
    expect(begun.corrected).toEqual({ conditionalcheckfailed: 'conditionalcheckfailedexception' })
    for (const query of ['night_restart', 'thermoelec'])
      expect((await someone.post('/api/v1/search', { query })).body.total, query).toBe(0)
  })

  test('the name of a product is one word, and a name is the same in capitals and without', async () => {
    const someone = await t.user()
    const titles = {
      java: 'Java 17 lacks jaxb',
      script: 'JavaScript heap runs full',
      failure: 'A JavaScriptError in the console',
      mac: 'Mac OS hides a folder',
      ios: 'iOS drops the token',
      capitals: 'readableStream ends early',
      small: 'A readablestream never ends',
    }
    for (const title of Object.values(titles))
      await record(someone, { title, symptom: 'one', fix_summary: 'two', root_cause: 'three' })
    const find = async (query: string) => {
      const { body } = await someone.post('/api/v1/search', { query })
      return titlesOf({ results: body.results.filter(({ weak }: Result) => !weak) }).sort()
    }
    expect(await find('java')).toEqual([titles.java])
    for (const query of ['javascript', 'JavaScript'])
      expect(await find(query), query).toEqual([titles.failure, titles.script])
    expect(await find('java-script')).toContain(titles.script)
    expect(await find('script')).toEqual([])
    for (const query of ['macos', 'macOS', 'mac os']) expect(await find(query), query).toEqual([titles.mac])
    expect(await find('ios')).toEqual([titles.ios])
    for (const query of ['readablestream', 'readableStream', 'ReadableStream'])
      expect(await find(query), query).toEqual([titles.small, titles.capitals])
  })

  test('after a clear winner, cards that share some of its words are cut', async () => {
    const someone = await t.user()
    const right = 'Jackson throws NoSuchMethodError after the upgrade'
    const others = Array.from({ length: 14 }, (_, i) => `Jackson reads date ${i} wrong`)
    for (const title of [right, ...others]) await record(someone, { ...goodCard(), title })
    for (const query of ['jackson NoSuchMethodError', 'jackson NoSuchMethodError after an upgrade']) {
      const { body } = await someone.post('/api/v1/search', { query, limit: 50 })
      const results: Result[] = body.results
      expect(body.total).toBe(1)
      expect(results[0]).toMatchObject({ title: right, weak: false })
      expect(results.slice(1).every(({ weak }) => weak)).toBe(true)
      expect(results).toHaveLength(15)
    }
  })

  test('a card in other words of the field comes, weak, explained, and at no price', async () => {
    const [someone, stranger] = [await t.user(), await t.user()]
    const title = 'The wombat resizer dies with out of memory'
    const { card_id } = await record(someone, {
      title,
      symptom: 'one',
      fix_summary: 'two',
      root_cause: 'three',
    })
    await someone.post(`/api/v1/cards/${card_id}/publish`)
    await maintainIndex(contextFor(t.app.services))
    const { body } = await someone.post('/api/v1/search', { query: 'OOM' })
    expect(body).toMatchObject({
      total: 0,
      corrected: {},
      results: [{ title, weak: true, matched_terms: ['memory'] }],
    })
    const other = await stranger.post('/api/v1/search', { query: 'OOM', scope: 'public' })
    expect(other.body).toMatchObject({ results: [], credits_charged: 0 })
    // A quoted word is asked for as it is.
    const quoted = await someone.post('/api/v1/search', { query: 'wombat +"oom"' })
    expect(quoted.body.total).toBe(0)
    await someone.delete(`/api/v1/cards/${card_id}`)
  })

  describe.each([
    ['read whole', usualTuning().readWhole],
    ['asked by the index', 0],
  ])('syntax, scopes %s', (_, readWhole) => {
    let someone: Person
    beforeAll(async () => {
      t.app.services.searchTuning.readWhole = readWhole
      someone = await t.user()
      const put = (title: string, more: Record<string, unknown> = {}) =>
        record(someone, { symptom: 'one', fix_summary: 'two', root_cause: 'three', title, ...more })
      await put('Gateway connection refused by peer', { tags: ['Net Work'] })
      await put('Gateway refused a connection', { card_type: 'how_to', tags: ['proxy'] })
      await put('Timeouts of every kind', {
        symptom: 'the gateway and its connection, ソース 错误',
        card_type: 'decision',
      })
      await maintainIndex(contextFor(t.app.services))
    })
    const find = async (query: string) => {
      const { body } = await someone.post('/api/v1/search', { query })
      return { titles: new Set(titlesOf(body)), readAs: body.read_as }
    }

    test('a phrase alone or with a plus must occur as it is', async () => {
      for (const query of ['"connection refused"', 'gateway +"connection refused"']) {
        const { titles, readAs } = await find(query)
        expect(titles, query).toEqual(new Set(['Gateway connection refused by peer']))
        expect(readAs, query).toMatchObject({ phrases: ['connection refused'] })
      }
    })

    test('quotation marks in a question prefer, and exclude nothing', async () => {
      for (const [phrase, first] of [
        ['connection refused', 'Gateway connection refused by peer'],
        ['refused a connection', 'Gateway refused a connection'],
      ]) {
        const { titles, readAs } = await find(`why is the gateway "${phrase}"`)
        expect([...titles][0], phrase).toBe(first)
        expect(titles.size, phrase).toBe(3)
        expect(readAs, phrase).toMatchObject({ phrases: [], preferred: [phrase] })
      }
      expect((await find('gateway "closed by the kraken"')).titles.size).toBe(3)
    })

    test('an empty answer shows the nearest reading, all of it weak', async () => {
      for (const [query, nearest, count] of [
        ['"refused by connection"', 'refused by connection', 3],
        ['gateway +"kraken"', 'gateway kraken', 3],
        ['refused type:lesson_learned', 'refused', 2],
        ['in:title connection -refused', 'connection -refused', 1],
        ['"refused by connection" -peer', 'refused by connection -peer', 2],
      ] as const) {
        const { body } = await someone.post('/api/v1/search', { query })
        expect(body, query).toMatchObject({ total: 0, read_as: { nearest } })
        expect(body.results, query).toHaveLength(count)
        for (const { weak, score } of body.results) expect(weak && score < 0.5, query).toBe(true)
        const cut = await someone.post('/api/v1/search', { query, min_score: 0.5 })
        expect(cut.body.results, query).toEqual([])
      }
    })

    test('tag, type, title and words to leave out', async () => {
      expect((await find('gateway tag:proxy')).titles).toEqual(new Set(['Gateway refused a connection']))
      expect((await find('gateway tag:"net work"')).titles).toEqual(
        new Set(['Gateway connection refused by peer']),
      )
      expect((await find('gateway type:decision')).titles).toEqual(new Set(['Timeouts of every kind']))
      expect((await find('gateway in:title')).titles).toEqual(
        new Set(['Gateway connection refused by peer', 'Gateway refused a connection']),
      )
      expect((await find('gateway -refused')).titles).toEqual(new Set(['Timeouts of every kind']))
    })

    test('words to leave out are left out of what a phrase or a tag finds, and as a whole', async () => {
      for (const [query, left] of [
        ['"gateway" -refused', ['Timeouts of every kind']],
        ['tag:proxy -gateway', []],
        ['"gateway" -错误 -peer', ['Gateway refused a connection']],
        ['gateway -ソース -peer', ['Gateway refused a connection']],
        // Cards with a part of a name, or with some of the pairs of characters, stay.
        ['in:title gateway -ConnectionRefused', 2],
        ['gateway -データベース', 3],
      ] as const) {
        const { titles } = await find(query)
        expect(typeof left === 'number' ? titles.size : [...titles], query).toEqual(left)
      }
    })

    test('a query without syntax is searched as plain words', async () => {
      const { titles, readAs } = await find('gateway tag:latest')
      expect(titles.size).toBe(3)
      expect(readAs).toBeNull()
    })
  })
})

onBothEngines('hits that are very long', (t) => {
  test('are read up to a number of characters', async () => {
    const someone = await t.user('writer')
    const body = 'marmot '.repeat(30_000).slice(0, 199_000)
    await record(someone, { ...goodCard(), title: 'Marmot', body })
    for (let i = 1; i < 26; i++) await record(someone, { ...goodCard(), title: `Marmot ${i}` })
    // As if the others had been recorded so too: it is about reading, and to index them takes far longer.
    await t.app.services.database.transaction((db) =>
      db.updateTable('cards').set({ body }).where('owner_id', '=', someone.userId).execute(),
    )
    const found = await someone.post('/api/v1/search/box', {
      query: 'marmot',
      sections: ['mine'],
      limit: 1000,
    })
    expect(found.body.mine.results).toHaveLength(25)
  })
})
