import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { goodCard } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { capabilities } from '../../capabilities.ts'
import { MIN_COMPRESSED, SECRET_ANSWERS } from './compression.ts'

/** Names of answered fields that are a credential, or as good as one. */
const SECRET_FIELD =
  /"(access_token|api_key|token|\w*secret\w*|invite_url|confirm_url|checkout_url|portal_url|conversation_id)":\{/
/** The words of the guide, not a secret. */
const HARMLESS = new Set(['guide.read', 'guide.tool'])

test('every capability whose answer holds a credential is left out', () => {
  const holds = capabilities.filter(({ name, output }) => {
    const schema = JSON.stringify(z.toJSONSchema(output, { unrepresentable: 'any' }))
    return SECRET_FIELD.test(schema) && !HARMLESS.has(name)
  })
  expect(holds.map(({ name }) => name).filter((name) => !SECRET_ANSWERS.has(name))).toEqual([])
  const names = new Set(capabilities.map(({ name }) => name))
  expect([...SECRET_ANSWERS].filter((name) => !names.has(name))).toEqual([])
})

onBothEngines('compression', (t) => {
  const made = async () => {
    const user = await t.user()
    const long = { ...goodCard('long'), body: 'line of a log\n'.repeat(200) }
    const card = (await user.post('/api/v1/cards', long)).body
    const get = (url: string, headers: Record<string, string> = {}) =>
      t.app.server.inject({ url, headers: { authorization: `Bearer ${user.token}`, ...headers } })
    return { user, get, url: `/api/v1/cards/${card.card_id}`, card }
  }

  test('JSON over 1 kB is compressed as the caller asks, and not otherwise', async () => {
    const { get, url } = await made()
    const plain = await get(url)
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'accept-encoding'])
    const wanted: [accept: string, encoding: string | undefined][] = [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['gzip;q=0', undefined],
      ['identity', undefined],
      ['zstd', undefined],
    ]
    for (const [accept, encoding] of wanted) {
      const answer = await get(url, { 'accept-encoding': accept })
      expect(answer.headers['content-encoding'], accept).toBe(encoding)
      const unpack =
        { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? ''] ?? ((body: Buffer) => body)
      expect(JSON.parse(unpack(answer.rawPayload).toString()), accept).toEqual(plain.json())
      expect(Number(answer.headers['content-length']), accept).toBe(answer.rawPayload.length)
    }
    const short = await get('/api/v1/credits/balance', { 'accept-encoding': 'br' })
    expect([short.headers['content-encoding'], short.headers.vary]).toEqual([undefined, undefined])
  })

  test('a long answer is compressed beside the main thread, and a tag of other bytes is a weak one', async () => {
    const { user, get, url, card } = await made()
    await user.patch(url, { body: 'another line of a log\n'.repeat(8000) })
    const answer = await get(url, { 'accept-encoding': 'br' })
    expect(answer.rawPayload.length).toBeLessThan(4000)
    expect(JSON.parse(brotliDecompressSync(answer.rawPayload).toString()).body).toHaveLength(176_000)
    expect([(await get(url)).headers.etag, answer.headers.etag]).toEqual(['"2"', 'W/"2"'])
    const changed = await user.patch(
      url,
      { title: `${card.title} again` },
      { 'if-match': String(answer.headers.etag) },
    )
    expect(changed.status).toBe(200)
  })

  test('a browser gets it only for requests of our own pages', async () => {
    const { get, url } = await made()
    const encodingWith = async (headers: Record<string, string>) =>
      (await get(url, { 'accept-encoding': 'br', ...headers })).headers['content-encoding']
    expect(await encodingWith({ 'sec-fetch-site': 'same-origin' })).toBe('br')
    for (const site of ['cross-site', 'same-site'])
      expect(await encodingWith({ 'sec-fetch-site': site })).toBe(undefined)
    expect(await encodingWith({ cookie: 'kv_session=kvs_x' })).toBe(undefined)
    expect(await encodingWith({ cookie: 'kv_session=kvs_x', 'sec-fetch-site': 'same-origin' })).toBe('br')
  })

  test('answers with credentials stay as they are; pages for everybody are compressed', async () => {
    const { user } = await made()
    for (let n = 0; n < 5; n++) await user.post('/api/v1/billing/invites', {})
    const codes = await t.app.server.inject({
      url: '/api/v1/billing/invites',
      headers: { authorization: `Bearer ${user.token}`, 'accept-encoding': 'br' },
    })
    expect([codes.statusCode, codes.headers['content-encoding'], codes.headers.vary]).toEqual([
      200,
      undefined,
      undefined,
    ])
    expect(codes.payload.length).toBeGreaterThan(MIN_COMPRESSED)
    for (const url of ['/openapi.json', '/mcp/manifest', '/guide/cards', '/docs/assets/swagger-ui.css']) {
      const page = await t.app.server.inject({ url, headers: { 'accept-encoding': 'gzip' } })
      expect([page.statusCode, page.headers['content-encoding'], page.headers.vary], url).toEqual([
        200,
        'gzip',
        'accept-encoding',
      ])
      const whole = await t.app.server.inject({ url })
      expect(gunzipSync(page.rawPayload).equals(whole.rawPayload), url).toBe(true)
    }
  })
})
