import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { capabilities } from '../../src/capabilities.ts'
import { type ToolCapability, toolsOf } from '../../src/core/invoke.ts'
import { goodCard, type Person, record } from '../support/cards.ts'
import { TestVault } from '../support/engines.ts'
import { byMcp, byRest, byTool, type Door, normal, type Outcome } from './doors.ts'

type Input = Record<string, unknown>
/** Makes the world that a call needs, anew for each door, and says who calls with what. */
type Scene = (t: TestVault) => Promise<{ as: Person; input: Input }>

const word = () => crypto.randomUUID().replaceAll('-', '')

const own =
  (input: (me: Person) => Promise<Input> | Input): Scene =>
  async (t) => {
    const as = await t.user()
    return { as, input: await input(as) }
  }

const workspaceOf = async (me: Person): Promise<string> =>
  (await me.post('/api/v1/workspaces', { name: 'Team' })).body.workspace_id

const inTeam =
  (
    input: (workspaceId: string, other: Person, admin: Person) => Promise<Input> | Input,
    caller: 'admin' | 'other' = 'admin',
  ): Scene =>
  async (t) => {
    const [admin, other] = [await t.user('admin'), await t.user('other')]
    const made = await input(await workspaceOf(admin), other, admin)
    return { as: caller === 'admin' ? admin : other, input: made }
  }

const invited = async (admin: Person, workspace_id: string, email: string) =>
  (await admin.post(`/api/v1/workspaces/${workspace_id}/invites`, { email, role: 'editor' })).body

const member = async (admin: Person, workspace_id: string, other: Person) => {
  await admin.post(`/api/v1/workspaces/${workspace_id}/members`, { user_id: other.userId, role: 'viewer' })
  return { workspace_id, user_id: other.userId }
}

const event = async (me: Person, content: string): Promise<string> =>
  (
    await me.post('/api/v1/project-context/events', {
      project_key: 'org/repo',
      event_type: 'agent_report',
      content,
    })
  ).body.raw_id

const SCENES: Record<string, Scene> = {
  search_records: own(async (me) => {
    const unique = word()
    await record(me, { title: `Pool ${unique} exhausted under load`, fix_summary: 'Release every client' })
    return { query: unique, limit: 5, scope: 'personal' }
  }),
  get_card: own(async (me) => ({
    card_id: (await record(me, { evidences: [{ kind: 'log', content: 'line' }] })).card_id,
    include_evidences: true,
  })),
  verify_card: own(async (me) => ({
    card_id: (await record(me)).card_id,
    outcome: 'worked',
    environment: { node: '24' },
  })),
  recall: own(async (me) => {
    const unique = word()
    await record(me, { title: `Pool ${unique} exhausted`, symptom: `Error: pool ${unique} exhausted` })
    const text = `$ npm test\nexit code 1\nError: pool ${unique} exhausted`
    return { moment: 'failure', text, session_id: 'a session', environment: { node: '24' } }
  }),
  list_workspaces: own(async (me) => {
    await workspaceOf(me)
    return { include_public: false }
  }),
  create_workspace: own(() => ({
    name: 'Platform',
    visibility: 'unlisted',
    policy_json: { allow_publish: false },
  })),
  add_workspace_member_by_email: inTeam((workspace_id, other) => ({
    workspace_id,
    email: other.email,
    role: 'editor',
  })),
  list_workspace_members: inTeam(async (workspace_id, other, admin) => {
    await member(admin, workspace_id, other)
    return { workspace_id }
  }),
  update_workspace_member_role: inTeam(async (workspace_id, other, admin) => ({
    ...(await member(admin, workspace_id, other)),
    role: 'admin',
  })),
  remove_workspace_member: inTeam((workspace_id, other, admin) => member(admin, workspace_id, other)),
  invite_workspace_member: inTeam((workspace_id) => ({
    workspace_id,
    email: 'guest@example.com',
    role: 'viewer',
  })),
  list_workspace_invites: inTeam(async (workspace_id, other, admin) => {
    await invited(admin, workspace_id, other.email)
    return { workspace_id, include_history: true }
  }),
  resend_workspace_invite: inTeam(async (workspace_id, other, admin) => ({
    workspace_id,
    invite_id: (await invited(admin, workspace_id, other.email)).invite.invite_id,
  })),
  revoke_workspace_invite: inTeam(async (workspace_id, other, admin) => ({
    workspace_id,
    invite_id: (await invited(admin, workspace_id, other.email)).invite.invite_id,
  })),
  accept_workspace_invite: inTeam(
    async (workspace_id, other, admin) => ({
      token: (await invited(admin, workspace_id, other.email)).token,
    }),
    'other',
  ),
  get_project_context: own(async (me) => {
    await event(me, 'first')
    return { project_key: 'https://github.com/org/repo.git', limit_events: 10, max_chars_per_event: 200 }
  }),
  search_project_context: own(async (me) => {
    await event(me, 'the needle is here')
    return { project_key: 'org/repo', query: 'NEEDLE', limit: 10 }
  }),
  record_card: own(() => ({
    ...goodCard(word()),
    card_type: 'how_to',
    tags: ['pool'],
    environment: { node: '24' },
    steps: [{ order: 1, action: 'release', result: 'free' }],
    evidences: [{ kind: 'log', content: 'timeout' }],
  })),
  append_context_event: own(() => ({
    project_key: 'org/repo',
    event_type: 'user_message',
    content: 'please mend it',
    meta: { turn: 1 },
    client: 'test',
  })),
  append_context_turn: own(() => ({
    project_key: 'org/repo',
    user_message: 'please mend it',
    agent_report: 'mended',
    summary: 'mending',
    facts: ['one', 'two'],
    project_preferences: 'tabs',
  })),
  transfer_preferences: own(async (me) => {
    await me.post('/api/v1/project-context/turns', {
      project_key: 'org/repo',
      user_message: 'm',
      agent_report: 'r',
      project_preferences: ['tabs', 'short names'],
    })
    return {
      source_project_key: 'org/repo',
      target_project_key: 'org/other',
      confirmed_by_user: true,
      items: ['tabs'],
    }
  }),
  get_context_event: own(async (me) => ({ raw_id: await event(me, 'all of it') })),
  delete_context_event: own(async (me) => ({
    raw_id: await event(me, 'gone soon'),
    confirmed_by_user: true,
  })),
  update_card: own(async (me) => ({
    card_id: (await record(me)).card_id,
    root_cause: 'a new cause',
    evidences: [{ kind: 'diff', content: '+1' }],
  })),
  publish_card: own(async (me) => ({ card_id: (await record(me, goodCard(word()))).card_id })),
  share_card: inTeam(async (workspace_id, _other, admin) => ({
    card_id: (await record(admin, { workspace_id })).card_id,
  })),
  unpublish_card: inTeam(async (workspace_id, _other, admin) => {
    const { card_id } = await record(admin, { workspace_id })
    await admin.post(`/api/v1/cards/${card_id}/share`)
    return { card_id }
  }),
}

const UNKNOWN = '00000000-0000-7000-8000-000000000000'
const tools = toolsOf(capabilities)
const withRoute = tools.filter((tool) => tool.rest?.length)

test('every tool with a route has a scene', () => {
  expect(Object.keys(SCENES).sort()).toEqual(withRoute.map((tool) => tool.tool.name).sort())
})

/** What differs between doors does not depend on the engine, so one is enough. */
describe('the same call at every door', () => {
  const t = new TestVault('sqlite', {})
  beforeAll(() => t.up())
  afterAll(() => t.down())

  /** A tool that declares an answer of its own leaves out what it does not declare, and changes nothing else. */
  const declaredBy = ({ tool }: ToolCapability, data: unknown) =>
    tool.output
      ? Object.fromEntries(
          Object.entries(data as object).filter(([field]) => field in (tool.output?.shape ?? {})),
        )
      : data

  /** What a model gets: the thin form that the declaration makes of the whole answer. */
  const thinned = ({ tool: { thin } }: ToolCapability, whole: Outcome): Outcome => {
    if (!thin) return whole
    const of = thin.of as (data: unknown, input: unknown, baseUrl: string) => object
    return {
      ...whole,
      data: thin.output.parse(of(whole.data, thin.input.parse({}), t.app.services.config.baseUrl)),
    }
  }

  describe.each(withRoute.map((tool) => [tool.tool.name, tool] as const))('%s', (name, tool) => {
    const play = async (door: Door) => {
      const scene = SCENES[name]
      if (!scene) throw new Error(`no scene for ${name}`)
      const { as, input } = await scene(t)
      return door(as, tool, input)
    }

    test('has the same outcome by REST, by tool endpoint and by MCP', async () => {
      const rest = await play(byRest)
      expect(rest.status, JSON.stringify(rest)).toBe(200)
      const moved = rest.data as { credits_charged?: number; credits_earned?: number }
      const whole = {
        ...rest,
        data: declaredBy(tool, rest.data),
        credits: { charged: moved.credits_charged ?? 0, earned: moved.credits_earned ?? 0 },
      }
      expect(normal(await play(byTool)), 'tool endpoint').toEqual(normal(whole))
      expect(normal(await play(byMcp)), 'MCP').toEqual(normal(thinned(tool, whole)))
    })

    test('is refused alike where something is missing, and where it does not exist', async () => {
      const as = await t.user()
      expect(normal(await byMcp(as, tool, {}))).toEqual(normal(await byTool(as, tool, {})))
      const schema = (tool.tool.input ?? tool.input).shape as Record<string, unknown>
      const target = ['card_id', 'workspace_id', 'raw_id'].find((field) => field in schema)
      const needed = await SCENES[name]?.(t)
      if (!target || !needed || !(target in needed.input)) return
      const input = { ...needed.input, [target]: UNKNOWN }
      const rest = await byRest(needed.as, tool, input)
      expect(rest.status).toBe(404)
      expect(await byTool(needed.as, tool, input)).toEqual(rest)
      expect(await byMcp(needed.as, tool, input)).toEqual(rest)
    })
  })

  test('get_ai_guide answers the same as /ai-guide', async () => {
    const as = await t.user()
    const tool = tools.find((candidate) => candidate.tool.name === 'get_ai_guide')
    if (!tool) throw new Error('no guide')
    const page = await t.anonymous().get('/ai-guide')
    expect((await byTool(as, tool, {})).data).toEqual(page.body)
    const { tools: _tools, ...rest } = page.body
    expect((await byMcp(as, tool, {})).data).toEqual(rest)
  })

  test('symptom inside body: both tool doors name the field and say to move it up', async () => {
    const as = await t.user()
    const tool = tools.find((candidate) => candidate.tool.name === 'record_card')
    if (!tool) throw new Error('no record_card')
    const wrong = { title: 'A title', body: { symptom: 's', fix_summary: 'f' } }
    const answer = await as.tool('record_card', wrong)
    expect(answer.status).toBe(422)
    const issue = answer.body.detail.find(({ loc }: { loc: string[] }) => loc.at(-1) === 'symptom')
    expect(issue).toMatchObject({ type: 'missing', loc: ['body', 'symptom'] })
    expect(issue.msg).toContain('top level')
    expect(await byMcp(as, tool, wrong)).toEqual(await byTool(as, tool, wrong))
  })
})
