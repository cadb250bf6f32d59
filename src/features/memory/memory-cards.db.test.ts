import { afterAll, beforeAll, expect, test } from 'vitest'
import { goodCard, type Person, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { type ModelStandIn, startModelStandIn } from '../../../test/support/model-stand-in.ts'

const EVENTS = '/api/v1/project-context/events'
const UNKNOWN = '01890000-0000-7000-8000-000000000000'

const turnOf = async (me: Person, more: Record<string, unknown> = {}): Promise<string> =>
  (
    await me.post('/api/v1/project-context/turns', {
      project_key: 'org/repo',
      user_message: 'The import fails with ECONNREFUSED after the upgrade of the database.',
      agent_report: 'Cause: the socket moved.\n\nFix: Set the new path of the socket in the pool.',
      ...more,
    })
  ).body.raw_id

onBothEngines('a card from memory', (t) => {
  test('is proposed from one exchange, and nothing is stored', async () => {
    const me = await t.user()
    const proposal = await me.post(`${EVENTS}/${await turnOf(me)}/card-proposal`, {})
    expect(proposal.status).toBe(200)
    expect(proposal.body).toMatchObject({
      method: 'rules',
      title: 'The import fails with ECONNREFUSED after the upgrade of the database',
      root_cause: 'the socket moved.',
      fix_summary: 'Set the new path of the socket in the pool.',
      redactions: [],
    })
    expect((await me.get('/api/v1/cards')).body.total).toBe(0)
  })

  test('joins message and report that were kept apart', async () => {
    const me = await t.user()
    const write = async (event_type: string, content: string) =>
      (await me.post(EVENTS, { project_key: 'org/repo', event_type, content })).body.raw_id
    const message = await write('user_message', 'The nightly job stops with a lock timeout.')
    const report = await write('agent_report', 'Fix: Wait for ten seconds.')
    const { body } = await me.post(`${EVENTS}/${message}/card-proposal`, { also_raw_ids: [report] })
    expect(body).toMatchObject({ title: 'The nightly job stops with a lock timeout' })
    expect(body.fix_summary).toBe('Wait for ten seconds.')
  })

  test('records where it came from, and shows this only to its owner', async () => {
    const { admin, editor, workspaceId } = await team(t)
    const raw_id = await turnOf(editor)
    const made = await editor.post(`${EVENTS}/${raw_id}/card`, { ...goodCard(), workspace_id: workspaceId })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ source_event_id: raw_id, evidence_count: 1 })
    const card = `/api/v1/cards/${made.body.card_id}?include_evidences=true`
    const own = (await editor.get(card)).body
    expect(own.evidences).toMatchObject([{ kind: 'memory', meta: null }])
    expect((await editor.get(`${EVENTS}/${own.source_event_id}`)).status).toBe(200)

    await editor.post(`/api/v1/cards/${made.body.card_id}/share`)
    const seen = await admin.get(card)
    expect(seen.body.title).toBe(own.title)
    expect(seen.text).not.toContain(raw_id)
    const listed = await admin.get(`/api/v1/cards?scope=workspace&workspace_id=${workspaceId}`)
    expect(listed.text).not.toContain(raw_id)
    expect((await admin.get(`${EVENTS}/${raw_id}`)).status).toBe(404)
  })

  test('is only for the author of the event', async () => {
    const [me, stranger] = [await t.user(), await t.user()]
    const raw_id = await turnOf(me)
    for (const id of [raw_id, UNKNOWN]) {
      expect((await stranger.post(`${EVENTS}/${id}/card-proposal`, {})).status).toBe(404)
      expect((await stranger.post(`${EVENTS}/${id}/card`, goodCard())).status).toBe(404)
    }
    const joined = await stranger.post(`${EVENTS}/${await turnOf(stranger)}/card-proposal`, {
      also_raw_ids: [raw_id],
    })
    expect(joined.status).toBe(404)
    expect((await stranger.get('/api/v1/cards')).body.total).toBe(0)
    const many = { also_raw_ids: Array.from({ length: 11 }, () => raw_id) }
    expect((await me.post(`${EVENTS}/${raw_id}/card-proposal`, many)).status).toBe(422)
  })
})

let model: ModelStandIn
const env: Record<string, string> = {}
beforeAll(async () => {
  model = await startModelStandIn()
  env.LLM_BASE_URL = model.url
})
afterAll(() => model.close())

onBothEngines(
  'a card from memory by the model',
  (t) => {
    test('has the words of the model, cleaned; the rules fill what is missing or fails', async () => {
      const me = await t.user()
      const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')
      const raw_id = await turnOf(me, { user_message: `The push is denied with ${secret} as the token.` })
      model.says = `Here: {"title": "Push is denied", "symptom": "Denied for ${secret}", "root_cause": 7}`
      const { body } = await me.post(`${EVENTS}/${raw_id}/card-proposal`, {})
      expect(body).toMatchObject({
        method: 'model',
        title: 'Push is denied',
        root_cause: 'the socket moved.',
        fix_summary: 'Set the new path of the socket in the pool.',
      })
      expect(JSON.stringify([body, model.prompts])).not.toContain(secret)
      expect(body.symptom).toMatch(/^Denied for <\w+>$/)

      for (const says of ['no JSON at all', '{"title": ']) {
        model.says = says
        expect((await me.post(`${EVENTS}/${raw_id}/card-proposal`, {})).body.method).toBe('rules')
      }
      model.behave = 'refuse'
      expect((await me.post(`${EVENTS}/${raw_id}/card-proposal`, {})).body.method).toBe('rules')
      model.behave = 'answer'
    })
  },
  env,
)
