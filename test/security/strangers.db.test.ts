import { beforeAll, expect, test } from 'vitest'
import { capabilities, rawRoutes } from '../../src/capabilities.ts'
import type { Capability, Route } from '../../src/core/capability.ts'
import { parseRoute } from '../../src/doors/http/routes.ts'
import { busyVault } from '../support/busy.ts'
import { goodCard } from '../support/cards.ts'
import { type Answer, clientOf } from '../support/client.ts'
import { onBothEngines } from '../support/engines.ts'
import { foreignCard } from '../support/foreign-card.ts'

/** Stands in every text that the owner wrote: if a stranger's answer holds it, something leaked. */
const MARK = 'zebrafishmark'

/** Fields that name something of somebody's; plans, packs and one's own conversation are nobody's. */
const NAMES =
  /^(?!plan_id|pack_id|conversation_id)(\w+_id|\w+_ids|project_key|source_project_key|target_project_key|token)$/

const named = (capability: Capability) =>
  Object.keys(capability.input.shape).filter((field) => NAMES.test(field))

/** Memory has a namespace for each person: the same key names something else, and may answer with success. */
const OWN_NAMESPACE = new Set([
  'memory.snapshot',
  'memory.search',
  'memory.append',
  'memory.append_turn',
  'memory.list_events',
  'memory.list_marks',
  'memory.transfer_preferences',
  'memory.rename_project',
  'memory.delete_project',
  'memory.list_projects',
  'memory.learn_commits',
  'memory.list_commits',
  'memory.delete_commits',
  'memory.names',
  'notices.mark_read',
  'recall',
  'drafts.offer',
])

/** A filter by a workspace that is not theirs may also answer with nothing. */
const FILTERS = new Set([
  'search.cards',
  'search.box',
  'cards.list',
  'cases.list',
  'cards.stats',
  'materials.list',
  'moderation.list',
])

const READING = '6f6f6f6f-0000-4000-8000-000000000007'
const COMMIT = {
  ref: 'd'.repeat(40),
  committed_at: '2025-01-02T03:04:05Z',
  message: `Why\n\nThe file src/secret.ts must stay, because of ${MARK}.`,
  files: ['src/secret.ts'],
}

type World = Awaited<ReturnType<typeof makeWorld>>

async function makeWorld(t: Parameters<typeof busyVault>[0]) {
  const busy = await busyVault(t, 7)
  const owner = busy.author
  const ok = (answer: Answer) => {
    if (answer.status >= 300) throw new Error(answer.text)
    return answer.body
  }
  const inTeam = { workspace_id: busy.team.workspace_id }
  const evidences = [{ kind: 'log', content: MARK }]
  const card = ok(await owner.post('/api/v1/cards', { ...goodCard(MARK), ...inTeam, evidences }))
  ok(await owner.patch(`/api/v1/cards/${card.card_id}`, { scope_notes: MARK }))
  const comment = ok(await owner.post(`/api/v1/cards/${card.card_id}/comments`, { body: MARK }))
  const gone = ok(await owner.post('/api/v1/cards', goodCard(`${MARK}gone`)))
  await owner.delete(`/api/v1/cards/${gone.card_id}`)
  const written = { project_key: 'example/secret', event_type: 'user_message', content: MARK }
  const event = ok(await owner.post('/api/v1/project-context/events', written))
  const learned = { project_key: 'example/secret', reading_id: READING, commits: [COMMIT] }
  ok(await owner.post('/api/v1/project-context/commits', learned))
  const said = { ...written, content: `${MARK} is what we decided to do` }
  const decided = ok(await owner.post('/api/v1/project-context/events', said))
  const mark = ok(await owner.post('/api/v1/project-context/marks', { raw_id: decided.raw_id }))
  const material = ok(await owner.post('/api/v1/raw-materials', { content: MARK, ...inTeam }))
  const candidates = [{ command: 'npm test', failure: `Error: ${MARK}`, success: 'ok', report: MARK }]
  const drafts = ok(await owner.post('/api/v1/drafts', { candidates }))
  const key = ok(await owner.post('/api/v1/auth/api-keys', { name: MARK }))
  const kept = ok(await owner.post('/api/v1/searches/saved', { query: MARK }))
  const [session] = ok(await owner.get('/api/v1/auth/sessions'))
  ok(await owner.patch(`/api/v1/workspaces/${inTeam.workspace_id}`, { name: MARK }))
  return {
    owner,
    stranger: await t.user('stranger'),
    ids: {
      card_id: card.card_id,
      draft_id: drafts.results[0].draft_id,
      deleted_card_id: gone.card_id,
      comment_id: comment.comment_id,
      raw_id: event.raw_id,
      mark_id: mark.mark_id,
      material_id: material.raw_id,
      key_id: key.key_id,
      search_id: kept.search_id,
      session_id: session.session_id,
      workspace_id: busy.team.workspace_id,
      invite_id: busy.pending.invite.invite_id,
      ticket_id: busy.ticketId,
      user_id: busy.reader.userId,
    },
  }
}

const KINDS: Record<string, string> = { 'cards.link': 'related', 'cards.report': 'spam' }

/** A valid input in which every name is the owner's. */
function inputFor(capability: Capability, { ids }: World): Record<string, unknown> {
  const isMaterial = capability.name.startsWith('materials.')
  const samples: Record<string, unknown> = {
    ...ids,
    raw_id: isMaterial ? ids.material_id : ids.raw_id,
    card_id: capability.name === 'cards.undelete' ? ids.deleted_card_id : ids.card_id,
    target_workspace_id: ids.workspace_id,
    default_workspace_id: ids.workspace_id,
    actor_id: ids.user_id,
    app_id: crypto.randomUUID(),
    session_id: ids.session_id,
    workspace_ids: [ids.workspace_id],
    reading_id: READING,
    commits: [COMMIT],
    project_key: 'example/secret',
    source_project_key: 'example/secret',
    target_project_key: 'example/other',
    new_project_key: 'example/new',
    token: 'x'.repeat(43),
    new_password: 'another long password',
    email: 'nobody@example.com',
    role: 'admin',
    version: 1,
    kind: KINDS[capability.name] ?? (isMaterial ? 'note' : 'useful'),
    matter_id: crypto.randomUUID(),
    ban_id: crypto.randomUUID(),
    revision: 1,
    decision: 'hide',
    reason: capability.name === 'memory.mark' ? 'wrong' : 'Because I want it.',
    note: 'Look at it.',
    outcome: 'worked',
    to_card_id: ids.card_id,
    into_card_id: ids.card_id,
    link_id: crypto.randomUUID(),
    cites: ['npm:fastify@^5'],
    review_after_days: 30,
    dismissed: true,
    query: 'zebrafish',
    server: 'https://other.example',
    cards: [foreignCard()],
    moment: 'prompt',
    candidates: [{ command: 'npm test', failure: 'Error: strange', success: 'ok' }],
    text: `${MARK} ${MARK}1 ${MARK}2`,
    content: 'text',
    message: 'text',
    body: 'text',
    event_type: 'user_message',
    user_message: 'm',
    agent_report: 'r',
    confirmed_by_user: true,
    name: 'Renamed',
    confirm_name: MARK,
    scope: 'workspace',
    ...goodCard('stranger'),
  }
  const fields = Object.keys((capability.tool?.input ?? capability.input).shape)
  return Object.fromEntries(
    fields.filter((field) => samples[field] !== undefined).map((field) => [field, samples[field]]),
  )
}

/** They refuse a workspace as a wrong input, the same for one that is not there; accounts and homes are tested for it. */
const REFUSE_AS_INPUT = new Set(['settings.replace', 'keys.create'])

const targets = capabilities.filter(
  (capability) => named(capability).length > 0 && !REFUSE_AS_INPUT.has(capability.name),
)

/** What is wrong with an answer to a stranger, if anything. */
function complaint(capability: Capability, door: string, status: number, text: string): string[] {
  const isGuessedLink = status === 400 && text.includes('"invalid_token"')
  const allowed = OWN_NAMESPACE.has(capability.name)
    ? status < 422
    : isGuessedLink || status === 403 || status === 404 || (FILTERS.has(capability.name) && status === 200)
  const what = `${capability.name} at ${door}: ${status} ${text.slice(0, 200)}`
  return [...(text.includes(MARK) ? [`LEAK ${what}`] : []), ...(allowed ? [] : [what])]
}

onBothEngines('a stranger', (t) => {
  let world: World
  beforeAll(async () => {
    world = await makeWorld(t)
  })

  const ownersView = async () => {
    const { owner, ids } = world
    const looks = [
      `/api/v1/cards/${ids.card_id}?include_evidences=true`,
      `/api/v1/workspaces/${ids.workspace_id}`,
      `/api/v1/cards/${ids.card_id}/comments`,
      `/api/v1/workspaces/${ids.workspace_id}/members`,
      `/api/v1/workspaces/${ids.workspace_id}/invites`,
      `/api/v1/raw-materials/${ids.material_id}`,
      `/api/v1/project-context/events/${ids.raw_id}`,
      '/api/v1/project-context/projects',
      '/api/v1/project-context/names?project_key=example/secret',
      '/api/v1/credits/balance',
      '/api/v1/searches',
    ]
    const keys = (await owner.get('/api/v1/auth/api-keys')).body.map((key: { key_id: string }) => key.key_id)
    return [keys, ...(await Promise.all(looks.map(async (look) => (await owner.get(look)).body)))]
  }

  test('reaches nothing of somebody else by any capability, at any door, and changes nothing', async () => {
    const before = await ownersView()
    expect(JSON.stringify(before)).toContain(MARK)
    expect(targets.length).toBeGreaterThan(35)
    const { stranger } = world
    const wrong: string[] = []
    for (const capability of targets) {
      const input = inputFor(capability, world)
      for (const route of capability.rest ?? []) {
        const { status, text } = await byRest(stranger, capability, route, input)
        wrong.push(...complaint(capability, route, status, text))
      }
      if (!capability.tool) continue
      const tool = await stranger.tool(capability.tool.name, input)
      wrong.push(...complaint(capability, 'tool', tool.status, tool.text))
      const params = { name: capability.tool.name, arguments: input }
      const mcp = await stranger.post(
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
        { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
      )
      const status = /"isError":true/.test(mcp.text) ? 403 : 200
      wrong.push(...complaint(capability, 'MCP', status, mcp.text))
    }
    expect(wrong).toEqual([])
    expect(await ownersView()).toEqual(before)
  })

  test('without any credential gets a 401 from everything that is not public', async () => {
    const nobody = clientOf(t.app, {})
    for (const capability of capabilities.filter(({ scopes }) => scopes !== 'public')) {
      for (const route of capability.rest ?? []) {
        const { status } = await byRest(nobody, capability, route, inputFor(capability, world))
        expect(status, `${capability.name} at ${route}`).toBe(401)
      }
      if (capability.tool) expect((await nobody.tool(capability.tool.name, {})).status).toBe(401)
    }
    for (const { route } of rawRoutes.filter((raw) => raw.scopes !== 'public')) {
      const { method, path } = parseRoute(route)
      const url = path.replaceAll(/\{\w+\}/g, crypto.randomUUID())
      expect((await t.app.server.inject({ method, url })).statusCode, route).toBe(401)
    }
  })

  test('a key with one scope opens only what asks for that scope', async () => {
    const made = await world.owner.post('/api/v1/auth/api-keys', { name: 'narrow', scopes: ['search'] })
    const narrow = clientOf(t.app, { 'x-api-key': made.body.api_key })
    for (const capability of capabilities) {
      if (capability.scopes === 'public' || capability.scopes.every((scope) => scope === 'search')) continue
      for (const route of capability.rest ?? []) {
        const { status, body } = await byRest(narrow, capability, route, {})
        expect([status, body?.code], `${capability.name} at ${route}`).toEqual([403, 'missing_scope'])
      }
      if (capability.tool)
        expect((await narrow.tool(capability.tool.name, {})).body.code).toBe('missing_scope')
    }
  })
})

function byRest(
  caller: ReturnType<typeof clientOf>,
  capability: Capability,
  route: Route,
  input: Record<string, unknown>,
): Promise<Answer> {
  const { method, path } = parseRoute(route)
  const rest = { ...input }
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const field = capability.aliases?.[name] ?? name
    delete rest[field]
    return encodeURIComponent(String(input[field] ?? crypto.randomUUID()))
  })
  const hasBody = method === 'POST' || method === 'PUT' || method === 'PATCH'
  const inQuery = Object.entries(rest).filter(([field]) => !hasBody || capability.query?.includes(field))
  const query = new URLSearchParams(inQuery.map(([field, value]): [string, string] => [field, String(value)]))
  const address = query.size > 0 ? `${url}?${query}` : url
  if (method === 'GET') return caller.get(address)
  if (method === 'DELETE') return caller.delete(address)
  const send = { POST: caller.post, PUT: caller.put, PATCH: caller.patch }[method]
  return send(address, rest)
}
