import { expect, test } from 'vitest'
import type { Client } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

const MINUTE_MS = 60_000

onBothEngines('what was decided', (t) => {
  type Exchange = readonly [user: string, agent: string]

  const tell = async (who: Client, session_id: string, exchanges: readonly Exchange[]): Promise<string[]> => {
    const ids: string[] = []
    for (const [user_message, agent_report] of exchanges) {
      const turn = { project_key: 'org/shop', session_id, user_message, agent_report }
      const { status, body, text } = await who.post('/api/v1/project-context/turns', turn)
      expect(status, text).toBe(201)
      ids.push(body.raw_id)
      t.later(MINUTE_MS)
    }
    return ids
  }

  const ask = async (who: Client, text: string, more: object = {}) => {
    const asked = { moment: 'prompt', project_key: 'org/shop', text, ...more }
    const answer = await who.post('/api/v1/recall', asked)
    expect(answer.status, answer.text).toBe(200)
    return answer.body
  }

  const CHATTER: readonly (readonly Exchange[])[] = [
    [['Rename the folder utils to support.', 'Renamed, 41 imports changed.']],
    [['Why does the header flicker on Safari?', 'The sticky polyfill clones it.']],
    [['Add a button to copy the link.', 'Added CopyLink beside the title.']],
  ]

  const RETRIES: readonly Exchange[] = [
    [
      'send_with_retry keeps trying forever when the gateway is away. What should it do?',
      'I would cap it at ten attempts with a fixed pause of one second. Is that fine?',
    ],
    [
      'No, four attempts, and double the pause from 250 ms up to 3 seconds.',
      'Four attempts, doubling. Which answers are worth another try?',
    ],
    [
      'Only 502, 503 and 504. Never repeat a POST without an idempotency key.',
      'Settled: four attempts, 250 ms doubled up to 3 s, only for 502/503/504, POST only with an idempotency key.',
    ],
  ]

  const PROMPT =
    'The gateway is hammered when it is away and a customer paid twice. Please fix send_with_retry.'

  const talk = async (who: Client): Promise<string[]> => {
    for (const [n, some] of CHATTER.entries()) await tell(who, `chatter ${n}`, some)
    return tell(who, 'decision', RETRIES)
  }

  test('a prompt gets what came out of a conversation, not the question in other words', async () => {
    const me = await t.user()
    const ids = await talk(me)
    const said = await ask(me, PROMPT, { session_id: 'now' })
    expect(said.items).toHaveLength(1)
    expect(ids).toContain(said.items[0].id)
    for (const words of ['four attempts', '250 ms doubled up to 3 s', '502/503/504', 'idempotency key'])
      expect(said.text).toContain(words)
    expect(said.text).toMatch(/^## \d{4}-\d\d-\d\d \d\d:\d\d Earlier conversation$/m)
    expect(said.text.indexOf('You: No, four attempts')).toBeGreaterThan(0)
    expect(said.text.indexOf('You: No, four')).toBeLessThan(said.text.indexOf('Agent: Settled'))
    expect(said.text).not.toContain('Is that fine?')
    const again = await ask(me, `${PROMPT} It must not wait long.`, { session_id: 'now' })
    expect(again).toMatchObject({ silent: true, reason: 'already_shown' })
  })

  test('silence where nothing was decided, in the session itself, and for others', async () => {
    const [me, other] = [await t.user(), await t.user()]
    await talk(me)
    for (const text of [
      'Add a column with the weight to the parts list.',
      'Make the login page load faster.',
    ])
      expect(await ask(me, text)).toMatchObject({ silent: true })
    expect(await ask(me, PROMPT, { session_id: 'decision' })).toMatchObject({ silent: true })
    expect(await ask(other, PROMPT)).toMatchObject({ silent: true })
  })

  test('a small budget is kept, and its most telling sentences come', async () => {
    const me = await t.user()
    await talk(me)
    const said = await ask(me, PROMPT, { budget_chars: 400 })
    expect(said.text.length).toBeLessThanOrEqual(400)
    expect(said.text).toContain('502/503/504')
  })

  test('an amendment in other words comes with the rule that it amends, first and marked as later', async () => {
    const me = await t.user()
    await talk(me)
    await tell(me, 'amendment', [
      [
        'Amendment to what we settled about attempts: the bank throttles, so 250 ms doubled up to 3 s is too short.',
        'Shall the pause begin at one second?',
      ],
      [
        'Yes, one second doubled up to 30 seconds; still four attempts, only 502, 503 and 504.',
        'Amended, superseding the short pause: four attempts, one second doubled up to 30 s, idempotency key as before.',
      ],
    ])
    const { text, items } = await ask(me, PROMPT)
    expect(items).toHaveLength(2)
    expect(text.indexOf('up to 30 s')).toBeLessThan(text.indexOf('Settled: four attempts'))
    const day = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d`
    expect(text).toMatch(
      new RegExp(
        `^## (${day}) Earlier conversation, later than ${day}\n[^#]*## ${day} Earlier conversation, the one of \\1 is later and counts`,
        'm',
      ),
    )
  })

  test('a later decision about a fact is shown with the fact, dated', async () => {
    const me = await t.user()
    const facts = ['Prices in price_cache live for 60 minutes', 'The shop runs on Fastify']
    const turn = { project_key: 'org/shop', user_message: 'hello', agent_report: 'hello', facts }
    expect((await me.post('/api/v1/project-context/turns', turn)).status).toBe(201)
    t.later(MINUTE_MS)
    await tell(me, 'later', [
      ['From now on prices in price_cache live for 5 minutes only, not 60.', 'Changed to 5 minutes.'],
      ['Rename the folder utils.', 'Renamed.'],
    ])
    for (const moment of ['start', 'compact']) {
      const { text } = (await me.post('/api/v1/recall', { moment, project_key: 'org/shop' })).body
      const said =
        /^## \d{4}-\d\d-\d\d \d\d:\d\d, later than the project facts\nPrices in price_cache live for 60 minutes\nYou: From now on/m
      expect(text).toMatch(said)
      expect(text).not.toMatch(/later than the project facts\nThe shop/)
    }
    const asked = await ask(me, 'How long do prices live in price_cache? 60 minutes?')
    expect(asked.text).toContain('5 minutes only, not 60')
  })

  test('what a person marks stays away, also when the same text is captured again', async () => {
    const [me, other] = [await t.user(), await t.user()]
    const [, , last = ''] = await talk(me)
    const marks = '/api/v1/project-context/marks'
    const passage = 'Only 502, 503 and 504.'
    expect((await other.post(marks, { raw_id: last })).status).toBe(404)
    expect((await me.post(marks, { raw_id: last, passage: 'Only 501.' })).status).toBe(422)
    expect((await me.post(marks, { raw_id: last, passage: 'Settled' })).status).toBe(422)
    const part = await me.post(marks, { raw_id: last, reason: 'wrong', passage })
    expect(part.body).toMatchObject({ raw_id: last, reason: 'wrong', whole: false })
    expect((await ask(me, PROMPT)).text).not.toContain(passage)
    const whole = await me.post(marks, { raw_id: last })
    expect(whole.body).toMatchObject({ reason: 'outdated', whole: true })
    await tell(me, 'again', [
      ['only 502, 503, and 504!  Never repeat a POST without an idempotency key.', 'Done.'],
    ])
    const said = await ask(me, PROMPT)
    expect(said.text).toContain('four attempts, and double the pause')
    expect(said.text).not.toMatch(/Settled|Never repeat a POST|50[234]/)
    const listed = (await me.get(`${marks}?project_key=org/shop`)).body
    expect(listed.items.map(({ mark_id }: { mark_id: string }) => mark_id)).toEqual([
      whole.body.mark_id,
      part.body.mark_id,
    ])
    expect((await other.delete(`${marks}/${whole.body.mark_id}`)).status).toBe(404)
    for (const { mark_id } of listed.items) expect((await me.delete(`${marks}/${mark_id}`)).status).toBe(204)
    expect((await ask(me, PROMPT)).text).toContain('Settled: four attempts')
    expect((await me.delete(`${marks}/${part.body.mark_id}`)).status).toBe(404)
  })
})
