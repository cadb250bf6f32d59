import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'

onBothEngines('the value that a 422 shows', (t) => {
  test('a refusal of a feature shows what was sent in body and query', async () => {
    const user = await t.user()
    const plan = await user.post('/api/v1/billing/checkout', { plan_id: 'bogus' })
    expect(plan.body.detail).toMatchObject([{ loc: ['body', 'plan_id'], input: 'bogus' }])
    const filter = await user.get('/api/v1/cases?q=abc')
    expect(filter.body.detail).toMatchObject([{ loc: ['query', 'q'], input: 'abc' }])
  })

  test('the same at the tool door, also inside an object, and null where nothing was sent', async () => {
    const user = await t.user()
    const refused = await user.tool('append_context_event', {
      project_key: '__user__/preferences',
      event_type: 'turn',
      content: 'x',
      meta: { fact_kind: 'project_facts' },
    })
    expect(refused.body.detail).toMatchObject([
      { loc: ['body', 'event_type'], input: 'turn' },
      { loc: ['body', 'meta', 'fact_kind'], input: 'project_facts' },
      { loc: ['body', 'meta', 'confirmed_by_user'], input: null },
    ])
  })

  test('a header is named as one at every door, and a body that is no JSON as the body', async () => {
    const user = await t.user()
    const long = { 'idempotency-key': 'k'.repeat(300) }
    const card = { title: 'A', symptom: 'B', fix_summary: 'C' }
    for (const url of ['/api/v1/cards', '/mcp/tools/record_card']) {
      const { body } = await user.post(url, card, long)
      expect(body.detail, url).toMatchObject([{ loc: ['header', 'Idempotency-Key'] }])
    }
    const sent = await t.app.server.inject({
      method: 'DELETE',
      url: '/api/v1/samples',
      headers: { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' },
      payload: '{',
    })
    expect(sent.json().detail).toMatchObject([{ type: 'json_invalid', loc: ['body'] }])
  })

  test('is there for the first ten mistakes; the others are named without it', async () => {
    const tags = Array.from({ length: 12 }, (_, i) => i)
    const refused = await (await t.user()).post('/api/v1/cards', {
      title: 'A',
      symptom: 'B',
      fix_summary: 'C',
      tags,
    })
    const inputs = refused.body.detail.map(({ input }: { input: unknown }) => input)
    expect(inputs).toEqual([...tags.slice(0, 10), null, null])
  })

  test('ends before a character that does not fit whole: half of one is no JSON to strict readers', async () => {
    const user = await t.user()
    const value = `${'x'.repeat(199)}😀`
    const refused = await user.post('/api/v1/cards', { [value]: 1, tags: value, title: { [value]: value } })
    expect(refused.status).toBe(422)
    expect(refused.text).not.toMatch(/\\ud[89a-f]/)
    const unknown = await user.tool('get_card', { [value]: value })
    expect([unknown.status, unknown.body.detail[0].type]).toEqual([422, 'missing'])
    expect(unknown.text).not.toMatch(/\\ud[89a-f]/)
  })

  test('what may be a secret stays hidden', async () => {
    const user = await t.user()
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
    const refused = await user.tool('append_context_event', {
      project_key: secret,
      event_type: 'turn',
      content: 'x',
    })
    expect(refused.status).toBe(422)
    expect(refused.body.detail).toMatchObject([{ loc: ['body', 'project_key'], input: '<GITHUB_TOKEN>' }])
    const card = { title: 'A title', symptom: 'What one sees', fix_summary: 'What helps' }
    // In a long text, a list, a field that is not known, the name of a field; also where the echo is cut inside of it.
    const cut = `${'a word '.repeat(27)}${secret}`
    const sent = {
      ...card,
      title: cut.repeat(9),
      tags: [[secret]],
      evil: cut,
      [secret]: 1,
      note: { pwd: 'Tr0ub4-dor3x9' },
    }
    const everywhere = await user.post('/api/v1/cards', sent)
    expect(everywhere.status).toBe(422)
    const answers = [everywhere, await user.tool('record_card', { ...sent, title: undefined })]
    for (const { text } of answers) expect(text).not.toMatch(/ghp_|Tr0ub4/)
    const named = await user.tool('append_context_event', {
      project_key: 7,
      event_type: 'turn',
      content: 'x',
    })
    expect(named.body.detail).toMatchObject([{ loc: ['body', 'project_key'], input: 7 }])
    const long = await user.post('/api/v1/cards', card, { 'idempotency-key': 'k'.repeat(256) })
    expect(long.body.detail).toMatchObject([{ loc: ['header', 'Idempotency-Key'], input: null }])
  })

  test('a missing field of the body shows the body, without the path', async () => {
    const user = await t.user()
    const url = `/api/v1/workspaces/${user.workspaceId}/members/by-email`
    const none = await user.post(url, {})
    expect(none.body.detail).toMatchObject([{ type: 'missing', loc: ['body', 'email'], input: {} }])
    expect(none.body.detail[0].input).toEqual({})
    expect((await user.post(url)).body.detail[0].input).toEqual({})
    const other = await user.post(url, { role: 'viewer', password: 'tiny-pw' })
    expect(other.body.detail[0].input).toEqual({ role: 'viewer', password: '<hidden>' })
  })

  test('a body that is no object is shown', async () => {
    const user = await t.user()
    for (const [body, input] of [
      ['[1]', [1]],
      ['5', 5],
      ['null', null],
    ] as const) {
      const expected = [{ type: 'dict_type', loc: ['body'], input }]
      expect((await user.post('/api/v1/cards', body)).body.detail).toMatchObject(expected)
      expect((await user.tool('record_card', body)).body.detail).toMatchObject(expected)
    }
  })
})
