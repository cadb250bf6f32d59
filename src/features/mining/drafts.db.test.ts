import { expect, test } from 'vitest'
import { goodCard, type Person, record, team } from '../../../test/support/cards.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { contextFor } from '../../core/context.ts'
import { putBack, waiting } from '../../db/queue.ts'
import { DAY_MS } from '../../shared/time.ts'
import { MINING } from '../memory/index.ts'
import { dropOldDrafts, mineDueSessions } from './job.ts'

const never = new AbortController().signal

const word = () => `w${crypto.randomUUID().replaceAll('-', '')}`
const candidate = (name = word(), more: object = {}) => ({
  command: 'npm test',
  exit_code: 1,
  failure: `Error: Cannot find module '${name}'`,
  success: '12 passed',
  commands: [`npm install ${name}`],
  report: `I installed ${name} because it was never declared.`,
  ...more,
})

type Command = { command: string; exit_code: number; output: string }
const turn = (sessionId: string, commands: Command[], files: string[] = []) => ({
  project_key: 'acme/shop',
  user_message: 'Please go on.',
  agent_report: 'I changed what was needed.',
  session_id: sessionId,
  client: 'test-hook',
  meta: { activity: { commands, files, tests: [], environment: { node: '24.1' } } },
})

onBothEngines('drafts from one’s own work', (t) => {
  const mined = () => mineDueSessions(contextFor(t.app.services), never)
  const dueCount = async () => (await waiting(t.app.services.database.read, MINING, 10)).length
  const drafts = async (user: Person, status = 'open') =>
    (await user.get(`/api/v1/drafts?status=${status}`)).body
  const offer = (user: Person, ...candidates: object[]) => user.post('/api/v1/drafts', { candidates })
  const made = async (user: Person, ...more: Parameters<typeof candidate>) =>
    (await offer(user, candidate(...more))).body.results[0].draft_id as string

  test('a session during which the database goes away is mined later', async () => {
    const user = await t.user()
    const failing = { command: 'npm test', exit_code: 1, output: `Error: Cannot find module '${word()}'` }
    const passing = { command: 'npm test', exit_code: 0, output: '12 passed' }
    await user.post('/api/v1/project-context/turns', turn('away', [failing, passing], ['package.json']))
    await mined()
    await expect.poll(dueCount).toBe(0)
    const { database } = t.app.services
    const project = await database.read
      .selectFrom('context_projects')
      .select(['user_id', 'project_id'])
      .where('user_id', '=', user.userId)
      .executeTakeFirstOrThrow()
    const marked_at = t.app.services.now().toISOString()
    await database.transaction((db) => putBack(db, MINING, { ...project, session_id: 'away', marked_at }))
    const away = new Error('the database is away')
    let writes = 0
    const flaky: typeof database = {
      ...database,
      // The first one claims the session, the second one writes what was found.
      transaction: (fn, options) =>
        ++writes === 2 ? Promise.reject(away) : database.transaction(fn, options),
      isUnavailable: (error) => error === away,
    }
    const job = mineDueSessions(contextFor({ ...t.app.services, database: flaky }), never)
    await expect(job).rejects.toThrow('away')
    expect(await waiting(database.read, MINING, 10)).toEqual([{ ...project, session_id: 'away', marked_at }])
    await mined()
    expect(await dueCount()).toBe(0)
  })

  /** Sends a turn of which a draft is made, and returns the id of its event. */
  const mineTurn = async (user: Person, sessionId: string, project_key = 'acme/shop'): Promise<string> => {
    const failing = { command: 'npm test', exit_code: 1, output: `Error: Cannot find module '${word()}'` }
    const passing = { command: 'npm test', exit_code: 0, output: '12 passed' }
    const body = { ...turn(sessionId, [failing, passing], ['package.json']), project_key }
    const { raw_id } = (await user.post('/api/v1/project-context/turns', body)).body
    await mined()
    // Or the job of the server is at it.
    await expect.poll(() => sessionsOf(user, 'card_drafts')).toContain(sessionId)
    return raw_id
  }
  const sessionsOf = (user: Person, table: 'card_drafts' | 'recoveries') =>
    t.app.services.database.read
      .selectFrom(table)
      .select('session_id')
      .where('user_id', '=', user.userId)
      .orderBy('session_id')
      .execute()
      .then((rows) => rows.map(({ session_id }) => session_id))

  test('a project that is deleted for good takes its drafts along, accepted ones stay', async () => {
    const [user, other] = [await t.user(), await t.user()]
    await mineTurn(other, 'theirs')
    await mineTurn(user, 'accepted')
    const [draft] = (await drafts(user)).items
    const { card_id } = (await user.post(`/api/v1/drafts/${draft.draft_id}/accept`, {})).body
    await mineTurn(user, 'open')
    // One session about two projects.
    await mineTurn(user, 'both', 'acme/tools')
    await user.post('/api/v1/project-context/turns', turn('both', []))
    expect(await sessionsOf(user, 'card_drafts')).toEqual(['accepted', 'both', 'open'])
    const projects = '/api/v1/project-context/projects'
    const remove = (key: string) => user.delete(`${projects}?project_key=${key}&confirmed_by_user=true`)
    expect((await remove('acme/shop')).status).toBe(200)
    expect(await sessionsOf(user, 'card_drafts')).toEqual(['accepted', 'both'])
    expect(await sessionsOf(user, 'recoveries')).toEqual(['both'])
    expect((await user.get(`/api/v1/cards/${card_id}`)).status).toBe(200)
    // A draft has the key that its project had then.
    await user.post(`${projects}/rename`, { project_key: 'acme/tools', new_project_key: 'acme/toolbox' })
    expect((await remove('acme/toolbox')).status).toBe(200)
    expect(await sessionsOf(user, 'card_drafts')).toEqual(['accepted'])
    expect(await sessionsOf(user, 'recoveries')).toEqual([])
    expect(await sessionsOf(other, 'card_drafts')).toEqual(['theirs'])
  })

  test('a turn that is deleted for good takes the drafts of its session along', async () => {
    const user = await t.user()
    const rawId = await mineTurn(user, 'deleted')
    await mineTurn(user, 'kept')
    await mineTurn(user, 'dismissed')
    const { items } = await drafts(user)
    expect((await user.post(`/api/v1/drafts/${items[0].draft_id}/dismiss`, {})).status).toBeLessThan(300)
    expect((await user.delete(`/api/v1/project-context/events/${rawId}`)).status).toBe(204)
    expect(await sessionsOf(user, 'card_drafts')).toEqual(['dismissed', 'kept'])
    const note = {
      project_key: 'acme/shop',
      event_type: 'user_message',
      content: 'Hello',
      session_id: 'kept',
    }
    const { raw_id } = (await user.post('/api/v1/project-context/events', note)).body
    expect((await user.delete(`/api/v1/project-context/events/${raw_id}`)).status).toBe(204)
    expect(await sessionsOf(user, 'card_drafts')).toEqual(['dismissed', 'kept'])
  })

  test('the last event of a project takes along all that was made under its keys', async () => {
    const user = await t.user()
    const rawId = await mineTurn(user, 'mined', 'acme/last')
    const offered = { candidates: [candidate()], project_key: 'acme/last' }
    const { body } = await user.post('/api/v1/drafts', offered)
    expect(body.results[0].draft_id).toBeDefined()
    await mineTurn(user, 'elsewhere', 'acme/other')
    expect((await drafts(user)).total).toBe(3)
    expect((await user.delete(`/api/v1/project-context/events/${rawId}`)).status).toBe(204)
    expect(await sessionsOf(user, 'card_drafts')).toEqual(['elsewhere'])
    expect(await sessionsOf(user, 'recoveries')).toEqual(['elsewhere'])
  })

  test('a session that waits is mined also when its project is merged before', async () => {
    const user = await t.user()
    const keys = ['acme/merged', 'acme/whole']
    for (const project_key of keys)
      await user.post('/api/v1/project-context/turns', { ...turn('waits', []), project_key })
    await mined()
    await expect.poll(dueCount).toBe(0)
    const { database, now } = t.app.services
    const [merged, whole] = await database.read
      .selectFrom('context_projects')
      .select(['user_id', 'project_id'])
      .where('user_id', '=', user.userId)
      .orderBy('project_key')
      .execute()
    const mark = { session_id: 'waits', marked_at: now().toISOString() }
    if (!merged || !whole) throw new Error('There are two projects')
    for (const project of [merged, whole])
      await database.transaction((db) => putBack(db, MINING, { ...project, ...mark }))
    await database.transaction((db) => putBack(db, MINING, { ...merged, ...mark, session_id: 'too' }))
    const rename = { project_key: keys[0], new_project_key: keys[1], merge: true }
    expect((await user.post('/api/v1/project-context/projects/rename', rename)).status).toBe(200)
    const due = (await waiting(database.read, MINING, 10)).sort((a, b) =>
      a.session_id < b.session_id ? -1 : 1,
    )
    expect(due).toEqual([
      { ...whole, ...mark, session_id: 'too' },
      { ...whole, ...mark },
    ])
    await mined()
    expect(await dueCount()).toBe(0)
  })

  test('the failure and the cure stand in different turns of a session', async () => {
    const user = await t.user()
    const name = word()
    const failing = { command: 'npm test', exit_code: 1, output: `Error: Cannot find module '${name}'` }
    const passing = { command: 'npm test', exit_code: 0, output: '12 passed' }
    const append = (body: object) => user.post('/api/v1/project-context/turns', body)
    expect((await append(turn('one', [failing]))).status).toBe(201)
    await mined()
    await expect.poll(dueCount).toBe(0)
    // Another session with the success has nothing to do with it.
    await append(turn('two', [passing], ['package.json']))
    await mined()
    await expect.poll(dueCount).toBe(0)
    expect((await drafts(user)).total).toBe(0)
    await append(turn('one', [passing], ['package.json']))
    await Promise.all([mined(), mined()])
    // The turn woke the job of the server too; whichever comes first makes the draft.
    await expect.poll(async () => (await drafts(user)).total).toBe(1)
    const { items } = await drafts(user)
    expect(items[0]).toMatchObject({
      status: 'open',
      title: expect.stringMatching(`^\`[^\`]+\` fails: Cannot find module '${name}'`),
      environment: { node: '24.1' },
      evidence: { command: 'npm test', files: ['package.json'], attempts: 1 },
      looks_like: null,
      client: 'test-hook',
    })
    const notices = (await user.get('/api/v1/notices')).body
    expect(notices.items).toMatchObject([{ kind: 'drafts.new', actor_id: null }])
    const stranger = await t.user()
    expect((await drafts(stranger)).total).toBe(0)
    expect((await stranger.get(`/api/v1/drafts/${items[0].draft_id}`)).status).toBe(404)
    const found = await user.post('/api/v1/search', { query: name, scope: 'personal' })
    expect(found.body.total).toBe(0)
  })

  test('what a hook saw is kept when the agent sends a longer report of the same exchange', async () => {
    const user = await t.user()
    const append = (body: object) => user.post('/api/v1/project-context/turns', body)
    const commands = (name: string) => [
      { command: 'npm test', exit_code: 1, output: `Error: Cannot find module '${name}'` },
      { command: 'npm test', exit_code: 0, output: '12 passed' },
    ]
    for (const isHookFirst of [true, false]) {
      const sessionId = `both ${isHookFirst}`
      const hook = turn(sessionId, commands(word()), ['package.json'])
      const { meta: _, ...told } = {
        ...hook,
        client: 'agent',
        agent_report: 'It was never declared. '.repeat(9),
      }
      const [first, second] = isHookFirst ? [hook, told] : [told, hook]
      await append(first)
      expect((await append(second)).body.merged).toBe(true)
      const { items } = (await user.get(`/api/v1/project-context/events?project_key=acme/shop`)).body
      const kept = items.filter((event: { session_id: string }) => event.session_id === sessionId)
      expect(kept).toHaveLength(1)
      expect(kept[0].content).toContain('never declared')
      expect(kept[0].meta.activity.commands).toHaveLength(2)
    }
  })

  test('accepted with other words it is a card with both outputs as evidence, once', async () => {
    const user = await t.user()
    const id = await made(user)
    const accept = () => user.post(`/api/v1/drafts/${id}/accept`, { title: 'The client has to be declared' })
    const answers = await Promise.all([accept(), accept()])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409])
    const accepted = answers.find(({ status }) => status === 201)?.body
    expect(accepted).toMatchObject({ outcome: 'recorded', title: 'The client has to be declared' })
    const refused = answers.find(({ status }) => status === 409)
    expect(refused?.body.code).toBe('draft_decided')
    expect(refused?.body.detail).toBe(`This draft is already accepted; its card is ${refused?.body.card_id}.`)
    const card = (await user.get(`/api/v1/cards/${accepted.card_id}?include_evidences=true`)).body
    expect(card).toMatchObject({ status: 'unpublished', version: 1, evidence_count: 2 })
    expect(card.fix_summary).toContain('npm install')
    expect((await user.get('/api/v1/cards/stats')).body.total).toBe(1)
    expect(await drafts(user, 'accepted')).toMatchObject({ total: 1, items: [{ card_id: accepted.card_id }] })
  })

  test('it goes where its owner puts new cards', async () => {
    const { editor, viewer, workspaceId } = await team(t)
    const settings = (await editor.get('/api/v1/user/settings')).body
    await editor.put('/api/v1/user/settings', { ...settings, default_workspace_id: workspaceId })
    const accepted = await editor.post(`/api/v1/drafts/${await made(editor)}/accept`, {})
    const card = (await editor.get(`/api/v1/cards/${accepted.body.card_id}`)).body
    expect(card.workspace_id).toBe(workspaceId)
    const id = await made(viewer)
    expect((await viewer.post(`/api/v1/drafts/${id}/accept`, { workspace_id: workspaceId })).status).toBe(403)
    expect((await drafts(viewer)).total).toBe(1)
  })

  test('a card that the team already has is confirmed instead', async () => {
    const { admin, viewer, workspaceId } = await team(t)
    const name = word()
    const symptom = `npm test fails with exit code 1: Error: Cannot find module '${name}'`
    const known = await record(admin, {
      ...goodCard(),
      title: `Error: Cannot find module '${name}'`,
      symptom,
      workspace_id: workspaceId,
    })
    await admin.post(`/api/v1/cards/${known.card_id}/share`)
    const id = await made(viewer, name)
    const draft = (await viewer.get(`/api/v1/drafts/${id}`)).body
    expect(draft.looks_like).toEqual({ card_id: known.card_id, title: known.title })
    const accepted = await viewer.post(`/api/v1/drafts/${id}/accept`, { as: 'verdict' })
    expect(accepted.body).toMatchObject({ outcome: 'confirmed', card_id: known.card_id })
    const verdicts = (await viewer.get(`/api/v1/cards/${known.card_id}/verdicts`)).body
    expect(verdicts.items).toMatchObject([{ outcome: 'worked', is_mine: true }])
    expect((await viewer.get('/api/v1/cards/stats')).body.total).toBe(0)
    // Whoever leaves the team is not told of its card.
    const other = await made(viewer, `${name}`, { failure: `Error: Cannot find module '${name}' again here` })
    await admin.delete(`/api/v1/workspaces/${workspaceId}/members/${viewer.userId}`)
    expect((await viewer.get(`/api/v1/drafts/${other}`)).body.looks_like).toBeNull()
    expect((await viewer.post(`/api/v1/drafts/${other}/accept`, { as: 'verdict' })).status).toBe(404)
    expect((await drafts(viewer)).total).toBe(1)
  })

  test('what is solved without a draft is counted by reason, for its owner and for the day', async () => {
    const user = await t.user()
    const pair = (name: string) => {
      const command = `npm run ${name}`
      return [
        { command, exit_code: 1, output: `Error: Cannot find module '${name}'` },
        { command, exit_code: 0, output: '12 passed' },
      ]
    }
    const names = [word(), word(), word(), word(), word()]
    const send = (session: string, commands: Command[], files: string[]) =>
      user.post('/api/v1/project-context/turns', turn(session, commands, files))
    await send('solved', names.flatMap(pair), ['package.json'])
    const flaky = { command: 'npm run sync', exit_code: 1, output: 'Error: connect ETIMEDOUT 10.0.0.1:443' }
    await send('flaky', [flaky, { ...flaky, exit_code: 0, output: '12 passed' }], ['package.json'])
    await send('same', pair(word()), [])
    await mined()
    await expect
      .poll(async () => (await drafts(user)).not_made)
      .toEqual([
        { reason: 'daily_limit', count: 2 },
        { reason: 'nothing_changed', count: 1 },
        { reason: 'transient', count: 1 },
      ])
    expect((await drafts(user)).total).toBe(3)
    const other = await t.user()
    expect((await drafts(other)).not_made).toEqual([])
    t.later(DAY_MS)
    expect((await drafts(user)).not_made).toEqual([])
  })

  test('a card proposed from the memory of an exchange names the draft of the same exchange', async () => {
    const user = await t.user()
    const report = 'The client was never declared. I installed it and the tests pass.'
    const name = word()
    const commands = [
      { command: 'npm test', exit_code: 1, output: `Error: Cannot find module '${name}'` },
      { command: 'npm install x', exit_code: 0, output: 'added 1 package' },
      { command: 'npm test', exit_code: 0, output: '12 passed' },
    ]
    const send = async (session: string, agent_report: string, of: Command[]) =>
      (await user.post('/api/v1/project-context/turns', { ...turn(session, of), agent_report })).body.raw_id
    const raw_id = await send('both', report, commands)
    const later = await send('both', 'Something else entirely, about the colours of the page.', [])
    await mined()
    await expect.poll(async () => (await drafts(user)).total).toBe(1)
    const [draft] = (await drafts(user)).items
    const propose = async (id: string) =>
      (await user.post(`/api/v1/project-context/events/${id}/card-proposal`, {})).body.draft
    expect(await propose(raw_id)).toEqual({ draft_id: draft.draft_id, title: draft.title })
    expect(draft.title).toBe(`\`npm test\` fails: Cannot find module '${name}'`)
    expect(draft.root_cause).toBe('The client was never declared.')
    expect(await propose(later)).toBeNull()
    await user.post(`/api/v1/drafts/${draft.draft_id}/dismiss`)
    expect(await propose(raw_id)).toBeNull()
  })

  test('three a day, each error once, none that is recorded already', async () => {
    const user = await t.user()
    const [one, two, three, four] = [word(), word(), word(), word()]
    const first = await offer(
      user,
      candidate(one),
      candidate(one),
      candidate(two),
      candidate(three),
      candidate(four),
    )
    expect(first.body.made).toBe(3)
    const skipped = first.body.results.map((result: { skipped: string | null }) => result.skipped)
    expect(skipped).toEqual([null, 'known', null, null, 'daily_limit'])
    t.later(DAY_MS)
    const symptom = `npm test fails: Error: Cannot find module '${four}'`
    await record(user, { title: `Error: Cannot find module '${four}'`, symptom })
    expect((await offer(user, candidate(four))).body.results[0].skipped).toBe('recorded')
    const many = await Promise.all([...Array(5)].map(() => offer(user, candidate())))
    expect(many.map(({ body }) => body.made).reduce((sum, n) => sum + n)).toBe(3)
    const quiet = await offer(user, candidate('x', { failure: '   ' }))
    expect(quiet.body.results[0].skipped).toBe('no_error')
  })

  test('dismissed it stays away, unless it is reopened, and all are gone after thirty days', async () => {
    const user = await t.user()
    const name = word()
    const id = await made(user, name)
    const url = `/api/v1/drafts/${id}`
    expect((await user.post(`${url}/dismiss`)).status).toBe(204)
    expect((await user.post(`${url}/dismiss`)).status).toBe(204)
    expect((await drafts(user)).total).toBe(0)
    expect((await offer(user, candidate(name))).body.results[0].skipped).toBe('known')
    expect((await user.post(`${url}/accept`, {})).body.code).toBe('draft_decided')
    expect((await user.post(`${url}/reopen`)).status).toBe(204)
    expect((await drafts(user)).total).toBe(1)
    await user.post(`${url}/accept`, {})
    expect((await user.post(`${url}/reopen`)).status).toBe(409)
    expect((await user.post(`${url}/dismiss`)).status).toBe(409)
    t.later(31 * DAY_MS)
    await dropOldDrafts(contextFor(t.app.services))
    const left = await t.app.services.database.read
      .selectFrom('card_drafts')
      .select('draft_id')
      .where('user_id', '=', user.userId)
      .execute()
    expect(left).toEqual([])
  })

  test('secrets are replaced, and missing or oversized fields are refused', async () => {
    const user = await t.user()
    const key = ['ghp', 'a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6'].join('_')
    const id = await made(user, word(), { report: `I set the token ${key} and it works now.` })
    const text = (await user.get(`/api/v1/drafts/${id}`)).text
    expect(text).not.toContain(key)
    const origin = {
      project_key: `https://me:${key}@git.example/acme/shop`,
      session_id: `s ${key}`,
      client: `c ${key}`,
    }
    const told = await user.post('/api/v1/drafts', { candidates: [candidate(word())], ...origin })
    expect(told.body.made).toBe(1)
    expect((await user.get('/api/v1/auth/me/export')).text).not.toContain(key)
    const bare = { commands: [], report: '' }
    const silent = await made(user, word(), bare)
    const refused = await user.post(`/api/v1/drafts/${silent}/accept`, {})
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('fix_summary')
    expect((await user.post(`/api/v1/drafts/${silent}/accept`, { as: 'verdict' })).status).toBe(422)
    expect((await offer(user)).status).toBe(422)
    expect((await offer(user, candidate('y', { failure: 'e'.repeat(5000) }))).status).toBe(422)
    expect((await offer(user, candidate('y', { command: '\u0007' }))).status).toBe(422)
    expect((await user.post(`/api/v1/drafts/${crypto.randomUUID()}/accept`, {})).status).toBe(404)
  })
})
