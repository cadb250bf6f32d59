import { afterAll, expect, test } from 'vitest'
import { goodCard, record } from '../support/cards.ts'
import { onBothEngines } from '../support/engines.ts'
import { startModelStandIn } from '../support/model-stand-in.ts'

/** Looks like a key of a code host; made here, so that no file holds one. */
const secret = () => `ghp_${crypto.randomUUID().replaceAll('-', '')}q7Z4`

onBothEngines('secrets in fields where nobody looks', (t) => {
  test.each([
    ['the kind of an evidence', (s: string) => ({ evidences: [{ kind: s, content: 'log', meta: null }] })],
    [
      'a key of evidence metadata',
      (s: string) => ({ evidences: [{ kind: 'log', content: 'x', meta: { [s]: 1 } }] }),
    ],
    ['a key whose value is a number', (s: string) => ({ card_payload: { [s]: 7 } })],
    ['a key whose value is true', (s: string) => ({ card_payload: { deep: { [s]: true } } })],
    ['a key whose value is nothing', (s: string) => ({ card_payload: { [s]: null } })],
    ['a key over a list', (s: string) => ({ card_payload: { [s]: [] } })],
    ['a further key of a step', (s: string) => ({ steps: [{ order: 1, action: 'a', result: 'b', [s]: 1 }] })],
    ['a name of the environment', (s: string) => ({ environment: { [s]: 'yes' } })],
    ['a tag', (s: string) => ({ tags: [s] })],
  ])('%s keeps a card from being shared and published, and is not echoed', async (_, write) => {
    const user = await t.user()
    const value = secret()
    const card = await record(user, { ...goodCard(), ...write(value) })
    expect(card.warnings).toMatchObject([{ code: 'possible_secret', kind: 'github_token' }])
    for (const verb of ['share', 'publish']) {
      const refused = await user.post(`/api/v1/cards/${card.card_id}/${verb}`)
      expect([refused.status, refused.body.code]).toEqual([400, 'quality_rejected'])
      expect(refused.text).not.toContain(value)
    }
  })

  test.each([
    ['card_payload', (pin: number) => ({ card_payload: { password: pin } })],
    ['a list in card_payload', (pin: number) => ({ card_payload: { db: [{ dbPassword: pin }] } })],
    [
      'the meta of an evidence',
      (pin: number) => ({ evidences: [{ kind: 'log', content: 'x', meta: { 'smtp.password': pin } }] }),
    ],
  ])('a number under the name of a secret in %s keeps a card from being published', async (_, write) => {
    const user = await t.user()
    const pin = 8_000_000_000_000 + Math.floor(Math.random() * 1e12)
    const card = await record(user, { ...goodCard(), ...write(pin) })
    expect(card.warnings).toMatchObject([{ code: 'possible_secret', kind: 'password' }])
    const refused = await user.post(`/api/v1/cards/${card.card_id}/publish`)
    expect([refused.status, refused.body.code]).toEqual([400, 'quality_rejected'])
    expect(refused.text).not.toContain(String(pin))
  })

  test('a number under the name of a secret in the meta of an event is replaced', async () => {
    const user = await t.user()
    const pin = 8_000_000_000_000 + Math.floor(Math.random() * 1e12)
    const written = await user.post('/api/v1/project-context/events', {
      project_key: 'numbers',
      event_type: 'user_message',
      content: 'The database is up.',
      meta: { password: pin, retries: 1_000_000 },
    })
    expect(written.status).toBe(201)
    const listed = await user.get('/api/v1/project-context/events?project_key=numbers')
    expect(listed.text).not.toContain(String(pin))
    expect(listed.text).toContain('1000000')
  })

  test('the comment of a feedback, the name and policy of a workspace, the note of an invite code', async () => {
    const [author, reader] = [await t.user(), await t.user()]
    const card = await record(author, goodCard())
    await author.post(`/api/v1/cards/${card.card_id}/publish`)
    const value = secret()
    const given = await reader.post(`/api/v1/cards/${card.card_id}/feedback`, {
      kind: 'useful',
      comment: `works with ${value}`,
    })
    expect(given.body.comment).toBe('works with <GITHUB_TOKEN>')
    expect((await author.get(`/api/v1/cards/${card.card_id}/feedback`)).text).not.toContain(value)

    const made = await author.post('/api/v1/workspaces', {
      name: `Ops ${value}`,
      policy_json: { note: value },
    })
    expect(made.body).toMatchObject({ name: 'Ops <GITHUB_TOKEN>', policy_json: { note: '<GITHUB_TOKEN>' } })
    const changed = await author.patch(`/api/v1/workspaces/${made.body.workspace_id}`, { name: value })
    expect(changed.body.name).toBe('<GITHUB_TOKEN>')
    const code = await author.post('/api/v1/billing/invites', { note: value })
    expect(code.body.note).toBe('<GITHUB_TOKEN>')
  })

  test('the name of a person and of a key, the answers of the onboarding', async () => {
    const value = secret()
    const account = { email: `${crypto.randomUUID()}@example.com`, password: 'correct horse battery' }
    const made = await t.anonymous().post('/api/v1/auth/register', { ...account, display_name: value })
    expect([made.status, made.body.user.display_name]).toEqual([201, '<GITHUB_TOKEN>'])
    const user = await t.user()
    const renamed = await user.patch('/api/v1/auth/me', { display_name: `Jane ${value}` })
    expect(renamed.body.display_name).toBe('Jane <GITHUB_TOKEN>')
    const key = await user.post('/api/v1/auth/api-keys', { name: value })
    expect([key.status, key.body.name]).toEqual([201, '<GITHUB_TOKEN>'])
    const answers = { role: 'lead', note: value }
    const onboarded = await user.post('/api/v1/auth/onboarding', { answers })
    expect(onboarded.body.onboarding).toEqual({ role: 'lead', note: '<GITHUB_TOKEN>' })
  })

  test('a project is not named by a secret, at any door that names one', async () => {
    const user = await t.user()
    const value = secret()
    const event = { event_type: 'user_message', content: 'hello' }
    const written = [
      ['project_key', await user.tool('append_context_event', { project_key: value, ...event })],
      [
        'project_key',
        await user.post('/api/v1/project-context/events', { project_key: `org/${value}`, ...event }),
      ],
      [
        'project_key',
        await user.tool('append_context_turn', { project_key: value, user_message: 'a', agent_report: 'b' }),
      ],
    ] as const
    for (const [field, answer] of written) {
      expect(answer.status).toBe(422)
      expect(answer.body.detail[0].loc.at(-1)).toBe(field)
    }
    await user.tool('append_context_event', { project_key: 'org/repo', ...event })
    const renamed = await user.post('/api/v1/project-context/projects/rename', {
      project_key: 'org/repo',
      new_project_key: value,
    })
    expect([renamed.status, renamed.body.detail[0].loc.at(-1)]).toEqual([422, 'new_project_key'])
    const { body } = await user.get('/api/v1/project-context/projects')
    expect(body.items.map((item: { project_key: string }) => item.project_key)).toEqual(['org/repo'])

    // What an address carries for signing in is dropped, as ever.
    const address = await user.tool('append_context_event', {
      project_key: `https://me:${value}@git.example.com/org/other.git`,
      ...event,
    })
    expect(address.body.data.project_key).toBe('git.example.com/org/other')
  })
})

const model = await startModelStandIn()
afterAll(() => model.close())

onBothEngines(
  'a language model is somebody else’s machine',
  (t) => {
    test('no secret of a question or of one’s own cards reaches it by an action card', async () => {
      const user = await t.user()
      const value = secret()
      // Put together here, so that no scanner takes this file for a leak.
      const password = ['q7Z4', 'mB3x', 'Tr8v', 'k2W9'].join('')
      await record(user, {
        title: 'Numbat tunnel stalls',
        symptom: `Seen with ${value}`,
        fix_summary: `Set password = "${password}"`,
        steps: [{ order: 1, action: 'export it', result: 'done', api_key: password }],
        environment: { token: password },
      })
      const asked = { query: `numbat tunnel ${value}`, generate_action_card: true }
      const { body } = await user.post('/api/v1/search', asked)
      expect(body.action_card.sources).toHaveLength(1)
      const prompt = JSON.stringify(model.prompts.at(-1))
      expect(prompt).toContain('Numbat tunnel stalls')
      expect(prompt).toContain('<GITHUB_TOKEN>')
      for (const hidden of [value, password]) expect(prompt).not.toContain(hidden)
    })
  },
  { LLM_BASE_URL: model.url, LLM_MODEL: 'stand-in' },
)
