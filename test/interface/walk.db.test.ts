// The plain walk of the interface with nothing configured: no new rule may break it. On SQLite over a real server process.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { makeVault, type Vault } from '../support/engines.ts'
import { freePort } from '../support/postgres.ts'
import { spawnServer, untilReady } from '../support/process.ts'

type Server = { baseUrl: string; stop: () => Promise<unknown> }

// biome-ignore lint/suspicious/noExplicitAny: a walk looks into answers of many shapes
type Answer = { status: number; body: any }
type Caller = (method: string, path: string, body?: unknown) => Promise<Answer>

const callerOf =
  (server: Server, headers: Record<string, string> = {}): Caller =>
  async (method, path, body) => {
    const answer = await fetch(`${server.baseUrl}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
  }

type Member = { call: Caller; userId: string; email: string }

/** Registers somebody and acts with a key made by REST that names no scopes. */
async function newcomer(server: Server, name: string): Promise<Member> {
  const email = `${name}@example.com`
  const registered = await callerOf(server)('POST', '/api/v1/auth/register', {
    email,
    password: 'correct horse battery',
  })
  expect(registered.status, JSON.stringify(registered.body)).toBe(201)
  expect(registered.body.user.credits_balance).toBe(100)
  const session = callerOf(server, { authorization: `Bearer ${registered.body.access_token}` })
  const key = await session('POST', '/api/v1/auth/api-keys', { name: 'agent' })
  expect(key.status, JSON.stringify(key.body)).toBe(201)
  const call = callerOf(server, { 'x-api-key': key.body.api_key })
  return { call, userId: registered.body.user.user_id, email }
}

const CARD = {
  title: 'Container exits with code 137 while the build runs',
  symptom:
    'The container of the nightly build ends with exit code 137 and the log stops without any message.',
  fix_summary: 'Raise the memory limit of the build container to four gigabytes and restart the nightly job.',
  root_cause: 'The kernel ended the process because the container had used all of its memory.',
  tags: ['docker'],
}

const TEAM_CARD = {
  title: 'Rotate the signing certificate of the staging gateway',
  symptom: 'The staging gateway refuses clients because the signing certificate has reached its last day.',
  fix_summary:
    'Make a new certificate with the internal authority, put it into the vault and reload the gateway.',
  card_type: 'how_to',
}

async function made(answer: Promise<Answer>, status: number): Promise<Answer['body']> {
  const { status: got, body } = await answer
  expect(got, JSON.stringify(body)).toBe(status)
  return body
}

async function startProcess(vault: Vault): Promise<Server> {
  // As it comes: with its limits, and as many processes as it chooses.
  const server = await spawnServer({ DATA_DIR: vault.dataDir, RATE_LIMIT: 'on', WORKERS: '' })
  await untilReady(server)
  return server
}

async function startHere(vault: Vault): Promise<Server> {
  const config = readConfig({ ...vault.env, RATE_LIMIT: 'on', PORT: String(await freePort()) })
  const app: App = await buildApp(config)
  await app.server.listen({ host: config.host, port: config.port })
  return { baseUrl: config.baseUrl, stop: app.close }
}

describe.each(['sqlite', 'postgres'] as const)('the walk of the interface on %s', (engine) => {
  let vault: Vault
  let server: Server
  beforeAll(async () => {
    vault = await makeVault(engine)
    server = await (engine === 'sqlite' ? startProcess(vault) : startHere(vault))
  })
  afterAll(async () => {
    await server.stop()
    await vault.remove()
  })

  test('a card that one person publishes, another finds, pays for, reads and calls useful', async () => {
    const author = await newcomer(server, 'author')
    const reader = await newcomer(server, 'reader')

    const card = await made(author.call('POST', '/api/v1/cards', CARD), 201)
    expect(card).toMatchObject({ status: 'unpublished', owner_id: author.userId, case_id: card.card_id })
    const hidden = await reader.call('GET', `/api/v1/cards/${card.card_id}`)
    expect(hidden.status).toBe(404)
    const published = await made(author.call('POST', `/api/v1/cards/${card.card_id}/publish`), 200)
    expect(published).toMatchObject({ status: 'published', credits_earned: 5 })
    expect((await made(author.call('GET', '/api/v1/credits/balance'), 200)).balance).toBe(105)

    const question = { query: 'container exit code 137', scope: 'public' }
    const found = await made(reader.call('POST', '/api/v1/search', question), 200)
    expect(found).toMatchObject({ credits_charged: 5, credits_balance: 95 })
    expect(found.results[0]).toMatchObject({ card_id: card.card_id, hit_reason: 'public_hit_charged' })
    const read = await made(reader.call('GET', `/api/v1/cases/${card.card_id}`), 200)
    expect(read.fix_summary).toBe(CARD.fix_summary)

    const feedback = await made(
      reader.call('POST', `/api/v1/cases/${card.card_id}/feedback`, { kind: 'useful' }),
      201,
    )
    expect(feedback).toMatchObject({ kind: 'useful', credits_awarded: 1 })
    expect((await made(author.call('GET', '/api/v1/credits/balance'), 200)).balance).toBe(106)
    expect((await made(reader.call('GET', '/api/v1/credits/balance'), 200)).balance).toBe(95)
  })

  test('what a team shares, its members find, and nobody else', async () => {
    const lead = await newcomer(server, 'lead')
    const member = await newcomer(server, 'member')
    const stranger = await newcomer(server, 'stranger')

    const workspace = await made(lead.call('POST', '/api/v1/workspaces', { name: 'Platform' }), 201)
    expect(workspace).toMatchObject({ type: 'org', visibility: 'private', role: 'admin' })
    const address = `/api/v1/workspaces/${workspace.workspace_id}`
    const added = await made(lead.call('POST', `${address}/members/by-email`, { email: member.email }), 200)
    expect(added).toMatchObject({ user_id: member.userId, role: 'viewer' })

    const draft = { ...TEAM_CARD, workspace_id: workspace.workspace_id }
    const card = await made(lead.call('POST', '/api/v1/cases', draft), 201)
    const question = { query: 'rotate signing certificate', scope: 'workspace' }
    expect((await made(member.call('POST', '/api/v1/search', question), 200)).results).toEqual([])
    const shared = await made(lead.call('POST', `/api/v1/cases/${card.card_id}/share`), 200)
    expect(shared).toMatchObject({ status: 'published', workspace_id: workspace.workspace_id })

    const found = await made(member.call('POST', '/api/v1/search', question), 200)
    expect(found).toMatchObject({ credits_charged: 0, credits_balance: 100 })
    expect(found.results[0]).toMatchObject({ card_id: card.card_id, hit_reason: 'free_workspace_scope' })
    expect((await made(stranger.call('POST', '/api/v1/search', question), 200)).results).toEqual([])
    expect((await stranger.call('GET', `/api/v1/cards/${card.card_id}`)).status).toBe(404)
  })

  test('an agent does the same by its tools', async () => {
    const agent = await newcomer(server, 'agent')
    const tool = (name: string, body: unknown) => agent.call('POST', `/mcp/tools/${name}`, body)
    const project = { project_key: 'https://github.com/Org/Repo.git' }
    const turn = { user_message: 'Please mend the upload', agent_report: 'Mended; the disk was full' }
    await made(tool('append_context_turn', { ...project, ...turn, summary: null }), 200)
    const context = await made(tool('get_project_context', { project_key: 'org/repo' }), 200)
    expect(context.data.recent_events).toHaveLength(1)

    const recorded = await made(
      tool('record_card', { ...TEAM_CARD, title: 'Renew the certificate by hand' }),
      200,
    )
    expect(recorded).toMatchObject({ success: true, tool: 'record_card', credits_earned: 0 })
    const found = await made(tool('search_records', { query: 'renew certificate' }), 200)
    expect(found.data.results[0].card_id).toBe(recorded.data.card_id)
    expect(found.credits_charged).toBe(0)
    expect((await made(agent.call('GET', '/api/v1/auth/me'), 200)).user_id).toBe(agent.userId)
  })
})
