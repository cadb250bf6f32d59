import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'

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

  test('a key is no way past the check of the input', async () => {
    const { rest, tool } = await asker()
    expect((await rest('a', { limit: 0 }))[0]).toBe(422)
    expect((await tool('b', { unknown: null }))[0]).toBe(422)
    expect((await tool('c', { query: null }))[0]).toBe(422)
    expect(await tool('b')).toEqual(FIRST)
  })
})
