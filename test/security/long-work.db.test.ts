import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { BODY_BYTES_PER_MINUTE } from '../../src/doors/http/rate-limit.ts'
import { goodCard } from '../support/cards.ts'
import { onBothEngines } from '../support/engines.ts'

/** A large request neither stops the process nor costs a caller less than it costs the server. */

const MINUTE = BODY_BYTES_PER_MINUTE.person
/** So many answers show that others get their turn every few milliseconds; without, there are three or four. */
const MANY = 5

const repeatTo = (unit: string, length: number) => unit.repeat(length / unit.length)
const HEADERS = repeatTo(`Authorization: Bearer ${'a.b-c_d/'.repeat(240)}\n`, 199_000)
const LOG =
  '2026-01-02T03:04:05Z INFO worker 7 finished job 123 of queue mail in 45 ms, password=<PASSWORD>\n'
onBothEngines(
  'long work',
  (t) => {
    /** How many others are answered while the request is on its way, and its answer. */
    async function answeredDuring<T>(request: Promise<T>): Promise<{ others: number; answer: T }> {
      let isDone = false
      const answer = request.finally(() => {
        isDone = true
      })
      let others = 0
      for (; !isDone; others++) {
        await t.anonymous().get('/health')
        await sleep(1)
      }
      return { others, answer: await answer }
    }

    test('of a large card and its publication lets others be answered', async () => {
      const user = await t.user()
      const evidences = Array.from({ length: 40 }, (_, i) => ({ kind: 'log', content: `${i} ${HEADERS}` }))
      const made = await answeredDuring(user.post('/api/v1/cards', { ...goodCard(), evidences }))
      expect(made.answer.status).toBe(201)
      expect(made.others).toBeGreaterThan(MANY)
      const id = made.answer.body.card_id
      const published = await answeredDuring(user.post(`/api/v1/cards/${id}/publish`, {}))
      expect(published.answer.status).toBe(200)
      expect(published.others).toBeGreaterThan(MANY)
    }, 120_000)

    test('is charged to its caller, who waits once the minute is spent, and to nobody else', async () => {
      const [user, other] = [await t.user(), await t.user()]
      const spent = async (one: typeof user) => {
        const key = `work:${one.userId}`
        return MINUTE - t.app.services.limits.look(key, MINUTE).remaining
      }
      const write = (one: typeof user) => one.post('/api/v1/cards', goodCard())
      const material = { content: repeatTo(LOG, 900_000) }
      expect((await user.post('/api/v1/raw-materials', material)).status).toBe(201)
      expect(await spent(user)).toBeGreaterThan(50_000)
      expect(await spent(other)).toBe(0)
      t.app.services.limits.owe(`work:${user.userId}`, MINUTE, 2 * MINUTE)
      const refused = await write(user)
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(100)
      expect((await write(other)).status).toBe(201)
    })

    test('words that the index counts later are charged to their writer, and those of an ordinary card are not', async () => {
      const user = await t.user()
      const spent = () => MINUTE - t.app.services.limits.look(`work:${user.userId}`, MINUTE).remaining
      const words = (mark: string) =>
        Array.from({ length: 4000 }, (_, i) => `${mark}${i.toString(36)}q`).join(' ')
      const charged = async (
        change: Promise<{ status: number; text: string; body: { card_id: string } }>,
      ) => {
        const before = spent()
        const answer = await change
        expect(answer.status, answer.text).toBeLessThan(300)
        return { more: spent() - before, id: answer.body?.card_id }
      }
      const { more, id } = await charged(user.post('/api/v1/cards', { ...goodCard(), body: words('new') }))
      expect(more).toBeGreaterThan(1_000_000)
      const edited = await charged(user.patch(`/api/v1/cards/${id}`, { body: words('other') }))
      expect(edited.more).toBeGreaterThan(2_000_000)
      expect((await charged(user.delete(`/api/v1/cards/${id}`))).more).toBeGreaterThan(1_000_000)
      const event = { project_key: 'acme/shop', event_type: 'agent_report', content: words('said') }
      const said = await charged(user.post('/api/v1/project-context/events', event))
      expect(said.more).toBeGreaterThan(250_000)
      const { more: ordinary } = await charged(
        user.post('/api/v1/cards', { ...goodCard(), body: repeatTo(LOG, 50_000) }),
      )
      expect(ordinary).toBeLessThan(1_000_000)
    })
  },
  { RATE_LIMIT: 'on' },
)
