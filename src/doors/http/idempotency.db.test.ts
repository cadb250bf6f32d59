import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { goodCard, record } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { report } from '../../../test/support/moderation.ts'
import { published } from '../../../test/support/publishing.ts'
import { type Ctx, contextFor, inTx, SELF_GUARDED } from '../../core/context.ts'
import { MAX_KEPT_BYTES, onceOnly } from '../../core/idempotency.ts'

onBothEngines('one Idempotency-Key at both doors', (t) => {
  const asker = async () => {
    const user = await t.user()
    const asked = async (url: string, key: string, body: object) => {
      const answer = await user.post(url, { query: 'gyroscope', ...body }, { 'idempotency-key': key })
      return [answer.status, answer.headers['idempotency-replayed'] ?? answer.body.code]
    }
    return {
      rest: (key: string, body = {}) => asked('/api/v1/search', key, body),
      tool: (key: string, body = {}) => asked('/mcp/tools/search_records', key, body),
    }
  }
  const FIRST = [200, undefined]
  const REPLAYED = [200, 'true']
  const TAKEN = [409, 'idempotency_conflict']

  test('the same body means another search where the defaults differ', async () => {
    const { rest, tool } = await asker()
    expect([await rest('a'), await tool('a')]).toEqual([FIRST, TAKEN])
    expect([await tool('b'), await rest('b')]).toEqual([FIRST, TAKEN])
  })

  test('a default that is written out is the same request, at either door', async () => {
    const { rest, tool } = await asker()
    expect([await rest('a'), await rest('a', { limit: 10 })]).toEqual([FIRST, REPLAYED])
    expect([await tool('b'), await tool('b', { limit: 5, tags: null })]).toEqual([FIRST, REPLAYED])
    expect([await rest('c', { limit: 5 }), await tool('c')]).toEqual([FIRST, REPLAYED])
    expect([await tool('d', { limit: 10 }), await rest('d')]).toEqual([FIRST, REPLAYED])
    expect([await rest('e'), await rest('e', { limit: 11 })]).toEqual([FIRST, TAKEN])
  })

  test('answers of one person have a total; beyond it a repetition is refused, and nothing is done twice', async () => {
    const [user, other] = [await t.user(), await t.user()]
    const long = 'a line of a log '.repeat(12_000)
    const texts = { symptom: long, fix_summary: long, root_cause: long, body: long }
    const { card_id } = await record(user, texts)
    const share = (key: string) => user.post(`/mcp/tools/share_card`, { card_id }, { 'idempotency-key': key })
    const answers = []
    for (let i = 0; i < MAX_KEPT_BYTES / 1_000_000; i++) answers.push((await share(`many ${i}`)).status)
    expect(new Set(answers)).toEqual(new Set([200]))
    const { rows } = await sql<{
      bytes: number
    }>`select coalesce(sum(octet_length(sealed_answer)), 0) as bytes
      from idempotency_keys`.execute(t.app.services.database.read)
    expect(Number(rows[0]?.bytes)).toBeLessThan(MAX_KEPT_BYTES + 1_000_000)
    const repeated = await share('many 0')
    expect([repeated.status, repeated.headers['idempotency-replayed']]).toEqual([200, 'true'])

    const card = { ...goodCard(), ...texts }
    const create = (one: typeof user) => one.post('/api/v1/cards', card, { 'idempotency-key': 'new' })
    const stats = async () => (await user.get('/api/v1/cards/stats')).body
    expect((await create(user)).status).toBe(201)
    const before = await stats()
    const again = await create(user)
    expect([again.status, again.body.code]).toEqual([409, 'idempotency_conflict'])
    expect(again.body.detail).toMatch(/was done. Its answer is not kept/)
    expect(await stats()).toEqual(before)
    for (const replayed of [undefined, 'true']) {
      const { status, headers } = await create(other)
      expect([status, headers['idempotency-replayed']]).toEqual([201, replayed])
    }
  }, 60_000)

  test('a call with a key has the isolation that it has without one, whatever it calls inside', async () => {
    const isolation = async ({ db }: Ctx) => {
      if (t.engine === 'sqlite') return 'serializable'
      const { rows } = await sql<{
        is: string
      }>`select current_setting('transaction_isolation') as is`.execute(db)
      return rows[0]?.is
    }
    const guarded = (ctx: Ctx) => inTx(ctx, isolation, SELF_GUARDED)
    const withKey = (name: string, run: (ctx: Ctx) => Promise<string | undefined>) =>
      onceOnly(
        { name },
        contextFor(t.app.services),
        { key: crypto.randomUUID(), credential: undefined, input: {} },
        async () => run,
      )
    const outer = await withKey('test.outer', (ctx) => inTx(ctx, guarded))
    expect(outer.output).toBe('serializable')
    const inner = await withKey('test.inner', guarded)
    expect(inner.output).toBe(t.engine === 'sqlite' ? 'serializable' : 'read committed')
  })

  test('a key is no way past the check of the input', async () => {
    const { rest, tool } = await asker()
    expect((await rest('a', { limit: 0 }))[0]).toBe(422)
    expect((await tool('b', { unknown: null }))[0]).toBe(422)
    expect((await tool('c', { query: null }))[0]).toBe(422)
    expect(await tool('b')).toEqual(FIRST)
  })
})

onBothEngines('a registration with an Idempotency-Key over the session of another account', (t) => {
  const PAGE = { 'x-session': 'cookie', 'x-requested-with': 'kvault-web' }
  const cookieOf = (answer: { headers: object }) =>
    String((answer.headers as { 'set-cookie'?: unknown })['set-cookie']).split(';')[0] ?? ''

  test('is repeated with the same answer, whichever session the repetition comes with', async () => {
    const { email } = await t.user('former')
    const login = { email, password: 'correct horse battery' }
    const former = cookieOf(await t.anonymous().post('/api/v1/auth/login', login, PAGE))
    const account = { ...login, email: `twice-${t.engine}@example.com` }
    const register = (cookie: string, body: object = account) =>
      t
        .anonymous()
        .post('/api/v1/auth/register', body, { ...PAGE, cookie, 'idempotency-key': 'over a session' })
    const first = await register(former)
    expect(first.status).toBe(201)
    const sessions = { former, begun: cookieOf(first), none: '' }
    for (const [which, cookie] of Object.entries(sessions)) {
      const again = await register(cookie)
      expect([again.status, again.headers['idempotency-replayed']], which).toEqual([201, 'true'])
      expect([again.body, cookieOf(again)]).toEqual([first.body, cookieOf(first)])
    }
    const me = await t.anonymous().get('/api/v1/auth/me', { cookie: cookieOf(first) })
    expect(me.body.email).toBe(account.email)
    const other = await register(cookieOf(first), { ...account, password: 'another password' })
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict'])
  })
})

/** A request with a key sees what one without a key has just done, although both began before it was done. */
onBothEngines('requests with and without an Idempotency-Key at the same moment', (t) => {
  const withKey = () => ({ 'idempotency-key': crypto.randomUUID() })
  const ROUNDS = 5

  test('publish the same text once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const text = goodCard()
      const [first, second] = [await t.user(), await t.user()]
      const cards = [await record(first, text), await record(second, text)]
      const answers = await Promise.all([
        first.post(`/api/v1/cards/${cards[0]?.card_id}/publish`),
        second.post(`/api/v1/cards/${cards[1]?.card_id}/publish`, undefined, withKey()),
      ])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    }
  })

  test('both report a card', async () => {
    const owner = await t.user()
    for (let round = 0; round < ROUNDS; round++) {
      const { card_id } = await published(owner)
      const [one, other] = [await t.user(), await t.user()]
      const answers = await Promise.all([
        report(one, card_id, 'spam'),
        other.post(`/api/v1/cards/${card_id}/report`, { kind: 'spam' }, withKey()),
      ])
      expect(answers.map(({ status }) => status)).toEqual([201, 201])
    }
  })

  test('a card that the review refuses keeps its review, and nothing is kept for the key', async () => {
    const owner = await t.user()
    const text = { title: 'Broken', symptom: 'It is broken', fix_summary: 'It is broken', body: null }
    const byRest = (card_id: string, headers = {}) =>
      owner.post(`/api/v1/cards/${card_id}/publish`, undefined, headers)
    const byTool = (card_id: string, headers = {}) =>
      owner.post('/mcp/tools/publish_card', { card_id }, headers)
    for (const [publish, headers] of [[byRest], [byRest, withKey()], [byTool, withKey()]] as const) {
      const { card_id } = await record(owner, text)
      for (let time = 0; time < 2; time++)
        expect(await publish(card_id, headers)).toMatchObject({
          status: 400,
          body: { code: 'quality_rejected' },
        })
      const { body } = await owner.get(`/api/v1/cards/${card_id}`)
      expect(body).toMatchObject({ status: 'unpublished', review: { status: 'rejected' } })
    }
  })

  test('the same key four times at once has one effect', async () => {
    const owner = await t.user()
    const { card_id } = await record(owner)
    const key = withKey()
    const ask = () => owner.post(`/api/v1/cards/${card_id}/publish`, undefined, key)
    const answers = await Promise.all([ask(), ask(), ask(), ask()])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'])).toHaveLength(3)
  })
})
