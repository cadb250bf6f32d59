import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'

onBothEngines('the tool door', (t) => {
  test('a tool answers in the form of MCPToolResponse', async () => {
    const user = await t.user()
    const answer = await user.tool('get_ai_guide')
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      success: true,
      tool: 'get_ai_guide',
      credits_charged: 0,
      credits_earned: 0,
    })
    expect(answer.body.data).toEqual((await t.anonymous().get('/ai-guide')).body)
  })

  test('the guide takes another base address', async () => {
    const user = await t.user()
    const { body } = await user.tool('get_ai_guide', { base_url: 'https://vault.example.com/' })
    expect(body.data.base_url).toBe('https://vault.example.com')
    expect(body.data.authentication.mcp_endpoint).toBe('https://vault.example.com/mcp')
    const rest = await t.anonymous().get('/ai-guide?base_url=http://localhost/')
    expect(rest.body.authentication.mcp_endpoint).toBe('http://localhost/mcp')
  })

  test('tool inputs are strict: an unknown key, a wrong type and a list as body are refused with their location', async () => {
    const user = await t.user()
    const unknown = await user.tool('get_ai_guide', { baseurl: 'x' })
    expect(unknown.status).toBe(422)
    expect(unknown.body.detail).toMatchObject([{ type: 'extra_forbidden', loc: ['body', 'baseurl'] }])
    const wrong = await user.tool('get_ai_guide', { base_url: 5 })
    expect(wrong.body.detail).toMatchObject([{ type: 'string_type', loc: ['body', 'base_url'] }])
    expect((await user.tool('get_ai_guide', ['x'])).status).toBe(422)
  })

  test('evidences are strict too, by tool and not by REST; steps may have keys of their own', async () => {
    const user = await t.user()
    const card = { title: 'A title', symptom: 'What one sees', fix_summary: 'What helps' }
    const evidences = [{ kind: 'log', content: 'a line', metadata: { source: 'nginx' } }]
    const steps = [{ order: 1, action: 'Look', result: 'Seen', seconds: 3 }]
    const refused = await user.tool('record_card', { ...card, steps, evidences })
    expect(refused.status).toBe(422)
    expect(refused.body.detail).toMatchObject([
      { type: 'extra_forbidden', loc: ['body', 'evidences', 0, 'metadata'] },
    ])
    const made = await user.tool('record_card', { ...card, steps })
    expect(made.body.data.steps[0]).toEqual(steps[0])
    const { card_id } = made.body.data
    const update = await user.tool('update_card', { card_id, evidences })
    expect(update.body.detail).toMatchObject([{ loc: ['body', 'evidences', 0, 'metadata'] }])
    expect((await user.get(`/api/v1/cards/${card_id}`)).body.evidence_count).toBe(0)
    expect((await user.post('/api/v1/cards', { ...card, evidences })).status).toBe(201)
  })

  test('null for what may be left out is absent by tool, an error by REST, and a value where null is one', async () => {
    const user = await t.user()
    const search = {
      query: 'gyroscope',
      track: null,
      tags: null,
      limit: null,
      scope: null,
      workspace_ids: null,
    }
    const found = await user.tool('search_records', search)
    expect([found.status, found.body.data.scope]).toEqual([200, 'personal'])
    expect((await user.post('/api/v1/search', search)).status).toBe(422)
    const card = { title: 'A title', symptom: 'What one sees', fix_summary: 'What helps' }
    const made = await user.tool('record_card', { ...card, root_cause: 'Wear', steps: null, evidences: null })
    expect(made.body.data).toMatchObject({ steps: [], root_cause: 'Wear' })
    const { card_id } = made.body.data
    const changed = await user.tool('update_card', { card_id, root_cause: null, title: null })
    expect(changed.body.data).toMatchObject({ root_cause: null, title: 'A title' })
    const needed = await user.tool('record_card', { ...card, title: null })
    expect(needed.body.detail).toMatchObject([{ type: 'string_type', loc: ['body', 'title'] }])
    expect((await user.tool('search_records', { query: 'gyroscope', nothing: null })).status).toBe(422)
  })

  test('without a credential 401, with a wrong one 401, with a narrow one 403 that names the scope', async () => {
    expect((await t.anonymous().tool('get_ai_guide')).status).toBe(401)
    const wrong = await t.anonymous().post('/mcp/tools/get_ai_guide', {}, { 'x-api-key': 'kv_unknown' })
    expect(wrong.status).toBe(401)
    const user = await t.user()
    const key = await user.post('/api/v1/auth/api-keys', { name: 'narrow', scopes: ['publish'] })
    const narrow = await t.anonymous().post('/mcp/tools/get_ai_guide', {}, { 'x-api-key': key.body.api_key })
    expect(narrow.status).toBe(403)
    expect(narrow.body).toMatchObject({ code: 'missing_scope', required_scopes: ['search'] })
  })

  test('an unknown tool is a 404 that leads to the manifest, a GET on a tool a 405', async () => {
    const user = await t.user()
    const unknown = await user.tool('search_everything')
    expect(unknown.status).toBe(404)
    expect(unknown.body.detail).toContain('/mcp/manifest')
    expect((await user.get('/mcp/tools/get_ai_guide')).status).toBe(405)
  })

  test('the manifest needs no credential and describes each tool with its input schema and endpoint', async () => {
    const { status, body } = await t.anonymous().get('/mcp/manifest')
    expect(status).toBe(200)
    expect(body.version).toBe('1.5.10')
    const guide = body.tools.find((tool: { name: string }) => tool.name === 'get_ai_guide')
    expect(guide).toMatchObject({ scopes: ['search'], read_only: true, destructive: false })
    expect(guide.endpoint).toBe(`${body.base_url}/mcp/tools/get_ai_guide`)
    expect(guide.input_schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
    })
  })
})
