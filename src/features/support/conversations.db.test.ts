import { randomUUID } from 'node:crypto'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Client, clientOf } from '../../../test/support/client.ts'
import { onBothEngines, QUICK_HASHING } from '../../../test/support/engines.ts'
import { type ModelStandIn, startModelStandIn } from '../../../test/support/model-stand-in.ts'
import { type App, buildApp } from '../../app.ts'
import { readConfig } from '../../config.ts'
import { contextFor } from '../../core/context.ts'
import { dropOldConversations } from './chat.ts'

const PLAIN = '/api/v1/chat/support'
const STREAM = '/api/v1/chat/support/stream'
const FIRST = 'How do I cancel my plan?'
const HOUR_MS = 3_600_000

onBothEngines('a conversation with support', (t) => {
  let model: ModelStandIn
  /** Two processes on one database. */
  let app: App
  let other: App
  let offsetMs = 0
  const start = () =>
    buildApp(readConfig({ ...t.vault.env, LLM_BASE_URL: model.url, LLM_MODEL: 'stand-in' }), {
      passwordHashing: QUICK_HASHING,
      log: pino({ level: 'silent' }),
      jobs: [],
      now: () => new Date(Date.now() + offsetMs),
    })

  beforeAll(async () => {
    model = await startModelStandIn()
    app = await start()
    other = await start()
  })
  afterAll(async () => {
    await app.close()
    await other.close()
    await model.close()
  })
  beforeEach(() => {
    model.behave = 'answer'
  })

  /** What the model was shown of the conversation, without our own words about the guide. */
  const shown = () =>
    (model.prompts.at(-1) as { role: string; content: string }[])
      .filter(({ role }) => role !== 'system')
      .map(({ content }) => content)
  const stranger = (at: App = app) => clientOf(at, {})
  const signedIn = async (at: App = app) =>
    clientOf(at, { authorization: `Bearer ${(await t.user()).token}` })
  const ask = async (as: Client, body: object) => (await as.post(PLAIN, body)).body
  const rows = () => app.services.database.read.selectFrom('support_conversations').selectAll().execute()

  test('continues with only the new message and the id of the answer, in any process', async () => {
    const { conversation_id, reply } = await ask(stranger(), { message: FIRST })
    await ask(stranger(other), { message: 'And for a team?', conversation_id })
    expect(shown()).toEqual([FIRST, reply, 'And for a team?'])
    const streamed = await stranger().post(STREAM, { message: 'Thanks', conversation_id })
    expect(streamed.text).toContain(`"conversation_id":"${conversation_id}"`)
    expect(shown()).toEqual([FIRST, reply, 'And for a team?', reply, 'Thanks'])
    await ask(stranger(), { message: 'After the stream', conversation_id })
    expect(shown().slice(-3)).toEqual(['Thanks', reply, 'After the stream'])
  })

  test('a history from the caller wins, even an empty one, and the conversation continues with it', async () => {
    const { conversation_id, reply } = await ask(stranger(), { message: FIRST })
    await ask(stranger(), { message: 'Second', conversation_id, history: [] })
    expect(shown()).toEqual(['Second'])
    const history = [
      { role: 'user', content: 'Mine' },
      { role: 'assistant', content: 'Yours' },
    ]
    await ask(stranger(), { message: 'Third', conversation_id, history })
    expect(shown()).toEqual(['Mine', 'Yours', 'Third'])
    await ask(stranger(), { message: 'Fourth', conversation_id })
    expect(shown()).toEqual(['Mine', 'Yours', 'Third', reply, 'Fourth'])
  })

  test('is forgotten an hour after its last message', async () => {
    const { conversation_id } = await ask(stranger(), { message: FIRST })
    offsetMs += HOUR_MS - 1000
    await ask(stranger(), { message: 'Still there?', conversation_id })
    expect(shown()[0]).toBe(FIRST)
    offsetMs += HOUR_MS
    const late = await ask(stranger(), { message: 'And now?', conversation_id })
    expect(shown()).toEqual(['And now?'])
    expect(late.conversation_id).toBe(conversation_id)
    offsetMs += HOUR_MS
    await dropOldConversations(contextFor(app.services))
    expect(await rows()).toEqual([])
  })

  test('belongs to the signed-in caller, whatever its id; nobody else can continue it', async () => {
    const [me, someone] = [await signedIn(), await signedIn()]
    const conversation_id = 'my-own'
    await ask(me, { message: FIRST, conversation_id })
    for (const other of [someone, stranger()]) {
      await ask(other, { message: 'What did they ask?', conversation_id })
      expect(shown()).toEqual(['What did they ask?'])
    }
    await ask(me, { message: 'And for a team?', conversation_id })
    expect(shown()[0]).toBe(FIRST)
    const taken = (await ask(me, { message: FIRST })).conversation_id
    await ask(stranger(), { message: 'With the id of somebody else', conversation_id: taken })
    expect(shown()).toHaveLength(1)
  })

  test('without an account an id that can be guessed is handed back and not gone on with', async () => {
    for (const conversation_id of ['abc', '1', 'x'.repeat(100)]) {
      const first = await ask(stranger(), { message: FIRST, conversation_id })
      expect(first.conversation_id).toBe(conversation_id)
      await ask(stranger(), { message: 'Again', conversation_id })
      expect(shown()).toEqual(['Again'])
    }
    const own = randomUUID()
    await ask(stranger(), { message: FIRST, conversation_id: own })
    await ask(stranger(), { message: 'Again', conversation_id: own })
    expect(shown()[0]).toBe(FIRST)
  })

  test('two messages at once are both remembered', async () => {
    const { conversation_id } = await ask(stranger(), { message: FIRST })
    await Promise.all([
      ask(stranger(), { message: 'One', conversation_id }),
      ask(stranger(other), { message: 'Two', conversation_id }),
    ])
    await ask(stranger(), { message: 'Three', conversation_id })
    expect(shown()).toHaveLength(7)
    expect(shown()).toEqual(expect.arrayContaining([FIRST, 'One', 'Two', 'Three']))
  })

  test('is bounded, is unreadable in the database, and holds no secret', async () => {
    const secret = `AK${'IA'}${'Z7Q2'.repeat(4)}`
    const { conversation_id } = await ask(stranger(), { message: `${FIRST} My key is ${secret}` })
    for (let n = 0; n < 6; n++)
      await ask(stranger(), { message: `${n} ${'long '.repeat(790)}`, conversation_id })
    const text = shown().join(' ')
    expect(text).not.toContain(secret)
    expect(text.length).toBeLessThan(16_000 + 4000 + 100)
    expect(shown()).not.toContain(FIRST)
    const stored = JSON.stringify(await rows())
    for (const hidden of [conversation_id, 'long', 'cancel', secret]) expect(stored).not.toContain(hidden)
  })

  test('goes with the account', async () => {
    const person = await t.user()
    const me = clientOf(app, { authorization: `Bearer ${person.token}` })
    await ask(me, { message: FIRST })
    expect((await rows()).map((row) => row.user_id)).toContain(person.userId)
    expect(
      (
        await me.post('/api/v1/auth/me/delete', {
          confirmed_by_user: true,
          password: 'correct horse battery',
        })
      ).status,
    ).toBe(200)
    expect((await rows()).map((row) => row.user_id)).not.toContain(person.userId)
  })
})
