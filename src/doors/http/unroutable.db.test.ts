import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'
import { MISSES_PER_MINUTE } from './rate-limit.ts'

const BROKEN = [
  ['GET', '/api/v1/cards/%E0%A4%A'],
  ['GET', '/%'],
  ['GET', '/invite/%zz'],
  ['POST', '/mcp/tools/%zz'],
  ['PATCH', '/api/v1/cards/%ff'],
] as const

onBothEngines('addresses that the router cannot read', (t) => {
  const call = async (method: (typeof BROKEN)[number][0], url: string, headers = {}) => {
    const answer = await t.app.server.inject({ method, url, headers })
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
  }

  test('a broken percent escape is a 400 in our form, with the headers of every answer', async () => {
    const ordinary = await call('GET', '/api/v1/nothing')
    for (const [method, url] of BROKEN) {
      const answer = await call(method, url, { 'x-request-id': 'my-id.1' })
      expect([answer.status, answer.body.code], url).toEqual([400, 'bad_request'])
      expect(Object.keys(answer.body), url).toEqual(['detail', 'code'])
      expect(answer.body.detail, url).toContain('%25')
      expect(answer.headers['x-request-id'], url).toBe('my-id.1')
      for (const name of Object.keys(ordinary.headers))
        if (name !== 'cache-control') expect(answer.headers, url).toHaveProperty(name)
    }
    expect((await call('GET', '/api/v1/cards/%zz')).headers['cache-control']).toBe('no-store')
    expect((await call('GET', '/%')).headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('an id that is longer than any other has nothing at its address, whatever the method', async () => {
    const url = `/api/v1/cards/${'x'.repeat(1001)}`
    for (const method of ['GET', 'PATCH', 'POST'] as const) {
      const answer = await call(method, method === 'POST' ? `${url}/share` : url)
      expect([answer.status, answer.body.code], method).toEqual([404, 'not_found'])
      expect(answer.headers, method).toHaveProperty('x-request-id')
      expect(answer.headers['content-security-policy'], method).toContain("default-src 'none'")
    }
  })

  test('they are counted in the metrics', async () => {
    await call('GET', '/%')
    const { text } = await t.anonymous().get('/metrics')
    expect(text).toMatch(/http_requests_total\{method="GET",route="unknown",status="400"\}/)
  })
})

onBothEngines(
  'addresses that the router cannot read, with limits',
  (t) => {
    test('they count as misses of their host', async () => {
      const call = () => t.anonymous().get('/api/v1/%zz')
      const first = await call()
      expect([first.status, first.headers['ratelimit-limit']]).toEqual([400, String(MISSES_PER_MINUTE)])
      for (let i = 1; i < MISSES_PER_MINUTE; i++) await call()
      const last = await call()
      expect([last.status, last.body.code]).toEqual([429, 'rate_limited'])
      expect(last.headers).toHaveProperty('retry-after')
    })
  },
  { RATE_LIMIT: 'on' },
)

onBothEngines('NUL in the path of a route with a handler of its own', (t) => {
  test('is dropped, as everywhere: nothing is found', async () => {
    const user = await t.user()
    const id = crypto.randomUUID()
    for (const ids of [`%00${id}/attachments/${id}`, `${id}/attachments/${id}%00`])
      expect((await user.get(`/api/v1/support/tickets/${ids}`)).status, ids).toBe(403)
    for (const page of ['checkout', 'portal'])
      expect((await t.anonymous().get(`/billing/dev/${page}/a%00b`)).status, page).toBe(404)
  })
})
