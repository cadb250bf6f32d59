import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { sampler } from '../../../test/redaction/samples.ts'
import { collateAsWords } from '../../../test/support/collation.ts'
import { onBothEngines } from '../../../test/support/engines.ts'

const { randomFrom } = sampler(6)

const EVENTS = '/api/v1/project-context/events'
const SNAPSHOT = '/api/v1/project-context/snapshot'
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const accessKey = () => `AKIA${randomFrom('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)}`
const query = (values: Record<string, string | undefined>) =>
  new URLSearchParams(JSON.parse(JSON.stringify(values)) as Record<string, string>).toString()

onBothEngines('events', (t) => {
  test('each of the five types can be appended, read and deleted', async () => {
    const user = await t.user()
    for (const event_type of ['user_message', 'agent_report', 'turn', 'summary', 'fact_snapshot']) {
      const created = await user.post(EVENTS, {
        project_key: 'git@github.com:Org/Types.git',
        event_type,
        title: 'a label',
        content: `content of a ${event_type}`,
        session_id: 'session-1',
        client: 'a client',
        meta: { nested: { list: [1, 'two', null] } },
      })
      expect(created.status).toBe(201)
      expect(created.body).toMatchObject({
        project_key: 'github.com/org/types',
        event_type,
        title: 'a label',
        content: `content of a ${event_type}`,
        session_id: 'session-1',
        client: 'a client',
        meta: { nested: { list: [1, 'two', null] } },
        workspace_id: user.workspaceId,
        redactions: [],
        truncated: false,
      })
      const url = `${EVENTS}/${created.body.raw_id}`
      const { provenance, ...whole } = (await user.get(url)).body
      expect(whole).toEqual(created.body)
      expect(provenance).toEqual({ owner: 'you', workspace: user.workspaceId, reviewed: false })
      expect((await user.delete(url)).status).toBe(204)
      expect((await user.get(url)).status).toBe(404)
      expect((await user.delete(url)).status).toBe(404)
    }
    const projects = await user.get('/api/v1/project-context/projects')
    expect(projects.body).toEqual({ items: [], total: 0 })
  })

  test('an encoded NUL in a key is left out, as in every text', async () => {
    const user = await t.user()
    const written = await user.post(EVENTS, {
      project_key: 'https://github.com/org/re%00po',
      event_type: 'turn',
      content: 'x',
    })
    expect([written.status, written.body.project_key]).toEqual([201, 'github.com/org/repo'])
    const snapshot = await user.get(`${SNAPSHOT}?${query({ project_key: 'github.com/org%00/repo' })}`)
    expect(snapshot.body.total_events).toBe(1)
    const renamed = await user.post('/api/v1/project-context/projects/rename', {
      project_key: 'org/repo',
      new_project_key: 'github.com/org/%00other',
    })
    expect(renamed.body.new_project_key).toBe('github.com/org/other')
  })

  test('the tool deletes only when the user has agreed', async () => {
    const user = await t.user()
    const { body } = await user.tool('append_context_event', {
      project_key: 'p',
      event_type: 'turn',
      content: 'x',
    })
    const raw_id = body.data.raw_id
    expect((await user.tool('delete_context_event', { raw_id })).status).toBe(422)
    expect((await user.tool('delete_context_event', { raw_id, confirmed_by_user: false })).status).toBe(422)
    expect((await user.get(`${EVENTS}/${raw_id}`)).status).toBe(200)
    const deleted = await user.tool('delete_context_event', { raw_id, confirmed_by_user: true, client: 'c' })
    expect(deleted.status).toBe(200)
    expect((await user.get(`${EVENTS}/${raw_id}`)).status).toBe(404)
  })

  test('the audit log keeps which client deleted an event, at both doors and without secrets', async () => {
    const user = await t.user()
    const secret = accessKey()
    const append = async () =>
      (await user.post(EVENTS, { project_key: 'p', event_type: 'turn', content: 'x' })).body.raw_id as string
    const [byTool, byRest, unnamed] = [await append(), await append(), await append()]
    const deletion = { raw_id: byTool, confirmed_by_user: true, client: `claude-code ${secret}` }
    expect((await user.tool('delete_context_event', deletion)).status).toBe(200)
    expect((await user.delete(`${EVENTS}/${byRest}?client=kvault`)).status).toBe(204)
    expect((await user.delete(`${EVENTS}/${unnamed}`)).status).toBe(204)
    const rows = await t.app.services.database.read
      .selectFrom('audit_log')
      .select(['subject_id', 'details'])
      .where('action', '=', 'memory.event_deleted')
      .where('actor_id', '=', user.userId)
      .execute()
    const kept = new Map(rows.map((row) => [row.subject_id, JSON.parse(row.details)]))
    expect(kept.get(byTool).client).toMatch(/^claude-code /)
    expect(kept.get(byTool).client).not.toContain(secret)
    expect(kept.get(byRest)).toEqual({ client: 'kvault' })
    expect(kept.get(unnamed)).toEqual({})
  })

  test('secrets never reach the store: title, content, metadata', async () => {
    const user = await t.user()
    const keys = [accessKey(), accessKey(), accessKey()]
    const password = `Zq4${randomFrom(LETTERS, 14)}`
    const { body } = await user.post(EVENTS, {
      project_key: 'org/secrets',
      event_type: 'turn',
      title: `deploy with ${keys[0]}`,
      content: `first ${keys[1]}\u0007 and\r\nthen ${keys[2]}`,
      meta: { database: { password }, deep: [{ note: `password="${password}"` }] },
    })
    expect(body.title).toBe('deploy with <AWS_ACCESS_KEY>')
    expect(body.content).toBe('first <AWS_ACCESS_KEY> and\nthen <AWS_ACCESS_KEY>')
    expect(body.meta).toEqual({
      database: { password: '<PASSWORD>' },
      deep: [{ note: 'password="<PASSWORD>"' }],
    })
    expect(body.redactions).toEqual([
      { kind: 'aws_access_key', count: 3 },
      { kind: 'password', count: 2 },
    ])
    const rows = await t.app.services.database.read.selectFrom('context_events').selectAll().execute()
    const stored = JSON.stringify(rows)
    for (const secret of [...keys, password]) {
      expect(stored).not.toContain(secret)
      expect(stored.toLowerCase()).not.toContain(secret.toLowerCase())
    }
  })

  test.each([
    ['empty content', { content: '' }, ['body', 'content']],
    ['only control characters', { content: '\u0001\u0002' }, ['body', 'content']],
    ['an unknown event type', { event_type: 'note' }, ['body', 'event_type']],
    ['200,001 characters', { content: 'x'.repeat(200_001) }, ['body', 'content']],
    ['meta that is not an object', { meta: 'x' }, ['body', 'meta']],
    ['meta that is a list', { meta: [] }, ['body', 'meta']],
    ['an empty key', { project_key: '' }, ['body', 'project_key']],
    ['a blank key', { project_key: '  ' }, ['body', 'project_key']],
    ['a malformed workspace', { workspace_id: 'x' }, ['body', 'workspace_id']],
  ])('%s is refused and nothing is stored', async (_what, change, loc) => {
    const user = await t.user()
    const body = { project_key: 'p', event_type: 'turn', content: 'x', ...change }
    for (const answer of [await user.post(EVENTS, body), await user.tool('append_context_event', body)]) {
      expect(answer.status).toBe(422)
      expect(answer.body.detail[0].loc).toEqual(loc)
    }
    expect((await user.get('/api/v1/project-context/projects')).body.total).toBe(0)
  })

  test('200,000 characters are taken whole', async () => {
    const user = await t.user()
    const content = 'wörter '.repeat(28_571).padEnd(200_000, '!')
    const { status, body } = await user.post(EVENTS, { project_key: 'p', event_type: 'turn', content })
    expect(status).toBe(201)
    expect((await user.get(`${EVENTS}/${body.raw_id}`)).body.content).toBe(content)
  })

  test('the reserved key takes only confirmed user preferences', async () => {
    const user = await t.user()
    const good = {
      project_key: '__user__/preferences',
      event_type: 'fact_snapshot',
      content: '- short answers',
      meta: { fact_kind: 'user_preferences', confirmed_by_user: true },
    }
    for (const bad of [
      { ...good, event_type: 'turn' },
      { ...good, meta: { confirmed_by_user: true } },
      { ...good, meta: { fact_kind: 'project_facts', confirmed_by_user: true } },
      { ...good, meta: { fact_kind: 'user_preferences' } },
      { ...good, meta: { fact_kind: 'user_preferences', confirmed_by_user: 'true' } },
      { ...good, meta: null },
    ]) {
      const answer = await user.post(EVENTS, bad)
      expect(answer.status).toBe(422)
      for (const issue of answer.body.detail)
        expect(issue.msg, 'all three conditions, whatever is violated').toMatch(
          /event_type fact_snapshot .*meta\.fact_kind user_preferences .*meta\.confirmed_by_user true/,
        )
    }
    const none = await user.post(EVENTS, { ...good, event_type: 'turn', meta: {} })
    expect(none.body.detail.map((issue: { loc: string[] }) => issue.loc.at(-1))).toEqual([
      'event_type',
      'fact_kind',
      'confirmed_by_user',
    ])
    expect((await user.post(EVENTS, good)).status).toBe(201)
    const turn = { project_key: '__user__/preferences', user_message: 'a', agent_report: 'b' }
    expect((await user.tool('append_context_turn', turn)).status).toBe(422)
  })

  test('an address that ends like the reserved key is not the reserved key', async () => {
    const user = await t.user()
    const snapshot = (project_key: string, content: string, meta: object) =>
      user.post(EVENTS, { project_key, event_type: 'fact_snapshot', content, meta })
    const confirmed = { fact_kind: 'user_preferences', confirmed_by_user: true }
    await snapshot('__user__/preferences', '- short answers', confirmed)
    for (const key of [
      'https://__user__/preferences',
      'git@__user__:preferences',
      'https://github.com/__user__/preferences',
    ]) {
      const other = await snapshot(key, '- nobody agreed', { fact_kind: 'project_preferences' })
      expect(other.body.project_key, key).toBe(key)
      const { data } = (await user.tool('get_project_context', { project_key: key })).body
      expect(data.user_preferences.content, key).toBe('- short answers')
    }
  })

  test('user preferences in an ordinary project are an event, and replace nothing', async () => {
    const user = await t.user()
    const snapshot = (fact_kind: string, content: string) =>
      user.tool('append_context_event', {
        project_key: 'org/misplaced',
        event_type: 'fact_snapshot',
        content,
        meta: { fact_kind, confirmed_by_user: true },
      })
    const own = await snapshot('project_preferences', '- tabs')
    expect(own.body.data).not.toHaveProperty('hint')
    const misplaced = await snapshot('user_preferences', '- answers in French')
    expect(misplaced.status).toBe(200)
    expect(misplaced.body.data.hint).toContain('__user__/preferences')
    const { data } = (await user.tool('get_project_context', { project_key: 'org/misplaced' })).body
    expect(data.project_preferences.content).toBe('- tabs')
    expect(data.user_preferences).toBeNull()
    expect(data.recent_events.map((event: { content: string }) => event.content)).toEqual([
      '- answers in French',
    ])
    const written = await user.post('/api/v1/project-context/events', {
      project_key: '__user__/preferences',
      event_type: 'fact_snapshot',
      content: '- answers in French',
      meta: { fact_kind: 'user_preferences', confirmed_by_user: true },
    })
    expect(written.status).toBe(201)
    expect(written.body).not.toHaveProperty('hint')
  })

  test('many writers at once lose nothing', async () => {
    const user = await t.user()
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        user.post(EVENTS, {
          project_key: index % 2 ? 'org/busy' : 'https://github.com/org/busy',
          event_type: 'turn',
          content: `event ${index}`,
        }),
      ),
    )
    expect(answers.map((answer) => answer.status)).toEqual(Array(12).fill(201))
    const { body } = await user.get(`${SNAPSHOT}?project_key=org/busy`)
    expect(body.total_events).toBe(12)
    expect(body.recent_events).toHaveLength(12)
  })
})

onBothEngines('turns', (t) => {
  test('one call writes the turn and the documents that came with it', async () => {
    const user = await t.user()
    const answer = await user.tool('append_context_turn', {
      project_key: 'org/turns',
      user_message: 'please fix it',
      agent_report: 'fixed it',
      summary: 'fixing things',
      facts: ['uses node', 'uses\nsqlite'],
      project_preferences: 'tabs',
      session_id: 's',
      client: 'c',
      meta: { branch: 'main' },
    })
    expect(answer.status).toBe(200)
    const { data } = answer.body
    expect(data.raw_ids).toHaveLength(4)
    expect(
      data.events.map((event: { event_type: string; fact_kind: string }) => [
        event.event_type,
        event.fact_kind,
      ]),
    ).toEqual([
      ['turn', null],
      ['summary', null],
      ['fact_snapshot', 'project_facts'],
      ['fact_snapshot', 'project_preferences'],
    ])
    const { body } = await user.get(`${SNAPSHOT}?project_key=org/turns`)
    expect(body.total_events).toBe(4)
    expect(body.summary.content).toBe('fixing things')
    expect(body.facts.content).toBe('- uses node\n- uses sqlite')
    expect(body.facts.meta).toEqual({ branch: 'main', fact_kind: 'project_facts' })
    expect(body.project_preferences.content).toBe('tabs')
    expect(body.recent_events).toHaveLength(1)
    expect(body.recent_events[0].event_type).toBe('turn')
    expect(body.recent_events[0].content).toContain('please fix it')
    expect(body.recent_events[0].content).toContain('fixed it')
  })

  test('a turn alone writes one event', async () => {
    const user = await t.user()
    const turn = { project_key: 'org/alone', user_message: 'a', agent_report: 'b' }
    const { status, body } = await user.post('/api/v1/project-context/turns', turn)
    expect(status).toBe(201)
    expect(body.raw_ids).toEqual([body.raw_id])
  })

  test.each([
    ['no report', { agent_report: undefined }],
    ['an empty message', { user_message: '' }],
    ['an empty list', { facts: [] }],
    ['a list of blanks', { facts: [' '] }],
    ['a list that is a number', { summary: 7 }],
    ['more than an event takes', { agent_report: 'x'.repeat(150_000), user_message: 'x'.repeat(150_000) }],
    ['an unknown field', { sumary: 'typo' }],
    ['a message of control characters', { user_message: '\u0007' }],
    ['a report of control characters', { agent_report: '\u0001\u009f' }],
    ['a summary of control characters', { summary: '\u0007' }],
    ['facts of control characters', { facts: '\u0007' }],
    ['preferences of control characters', { project_preferences: ['\u0007'] }],
  ])('%s: nothing is written', async (_what, change) => {
    const user = await t.user()
    const answer = await user.tool('append_context_turn', {
      project_key: 'org/none',
      user_message: 'a',
      agent_report: 'b',
      summary: 'c',
      ...change,
    })
    expect(answer.status).toBe(422)
    expect(answer.body.detail[0].loc).toEqual(['body', Object.keys(change)[0]])
    expect((await user.get(`${SNAPSHOT}?project_key=org/none`)).body.total_events).toBe(0)
  })
})

onBothEngines('project keys', (t) => {
  const append = async (user: Awaited<ReturnType<typeof t.user>>, project_key: string) =>
    (await user.post(EVENTS, { project_key, event_type: 'turn', content: `to ${project_key}` })).body
      .project_key
  const total = async (user: Awaited<ReturnType<typeof t.user>>, project_key: string) =>
    (await user.get(`${SNAPSHOT}?${query({ project_key })}`)).body.total_events

  test('all spellings of a repository are one project', async () => {
    const user = await t.user()
    for (const key of [
      'https://github.com/Org/Repo.git',
      'git@github.com:Org/Repo',
      'ssh://git@github.com/Org/Repo',
      'github.com/org/repo',
      'org/repo',
    ])
      expect(await append(user, key)).toBe('github.com/org/repo')
    expect(await total(user, 'Org/Repo')).toBe(5)
  })

  test('org/repo takes the host of the first address that names it, also for what was written before', async () => {
    const user = await t.user()
    expect(await append(user, 'org/first')).toBe('org/first')
    expect(await total(user, 'https://gitlab.com/org/first')).toBe(1)
    expect(await append(user, 'https://gitlab.com/org/first')).toBe('gitlab.com/org/first')
    expect(await total(user, 'org/first')).toBe(2)
    expect(await append(user, 'https://github.com/org/first')).toBe('github.com/org/first')
    expect(await total(user, 'gitlab.com/org/first')).toBe(2)
    expect(await total(user, 'github.com/org/first')).toBe(1)
    expect(await append(user, 'org/first')).toBe('gitlab.com/org/first')
  })

  test('the same path on two hosts stays apart', async () => {
    const user = await t.user()
    await append(user, 'https://github.com/org/two')
    await append(user, 'https://gitlab.com/org/two')
    expect(await total(user, 'github.com/org/two')).toBe(1)
    expect(await total(user, 'gitlab.com/org/two')).toBe(1)
    const { body } = await user.get('/api/v1/project-context/projects')
    expect(body.total).toBe(2)
    expect(body.items[1]).toMatchObject({
      project_key: 'github.com/org/two',
      aliases: ['github.com/org/two', 'org/two'],
      events: 1,
    })
  })

  test('aliases are listed in the order of their bytes, whatever collation the database has', async () => {
    const user = await t.user()
    await collateAsWords(t, 'context_project_aliases', 'alias')
    await append(user, 'ssh://git@_z/org/repo')
    const { body } = await user.get('/api/v1/project-context/projects')
    expect(body.items[0].aliases).toEqual(['_z/org/repo', 'org/repo'])
  })

  test('plain names count with their case', async () => {
    const user = await t.user()
    await append(user, 'My Project')
    expect(await total(user, ' My Project ')).toBe(1)
    expect(await total(user, 'my project')).toBe(0)
  })

  test('letters and hosts have one spelling, and a project that was stored by another is still found', async () => {
    const user = await t.user()
    for (const key of ['e\u0301', 'é']) expect(await append(user, key)).toBe('é')
    for (const key of ['https://bücher.de/O\u0308/r', 'xn--bcher-kva.de/ö/r'])
      expect(await append(user, key)).toBe('xn--bcher-kva.de/ö/r')
    for (const [table, column] of [
      ['context_projects', 'project_key'],
      ['context_project_aliases', 'alias'],
    ] as const)
      await t.app.services.database.transaction((db) =>
        sql`update ${sql.table(table)} set ${sql.ref(column)} = ${'e\u0301'}
          where user_id = ${user.userId} and ${sql.ref(column)} = 'é'`.execute(db),
      )
    expect(await append(user, 'e\u0301')).toBe('e\u0301')
    expect(await append(user, 'é')).toBe('é')
    expect(await total(user, 'e\u0301')).toBe(3)
    expect(await total(user, 'é')).toBe(1)
  })

  test('a key that no index of PostgreSQL holds is refused on both engines', async () => {
    const user = await t.user()
    // Letters that do not repeat: others would be compressed.
    const key = Array.from({ length: 900 }, (_, i) => String.fromCodePoint(0x20000 + i * 37)).join('')
    const event = { event_type: 'turn', content: 'c' }
    for (const project_key of [key, `https://host.example/a/${key}`]) {
      const { status, body } = await user.post(EVENTS, { project_key, ...event })
      expect([status, body.detail[0].loc]).toEqual([422, ['body', 'project_key']])
    }
    expect(await append(user, key.slice(0, 1000))).toBe(key.slice(0, 1000))
  })
})

describe('memory is private', () => {
  onBothEngines('privacy', (t) => {
    test('no other person reaches an event through any route or tool, whatever the role', async () => {
      const author = await t.user('author')
      const admin = await t.user('admin')
      const made = await admin.post('/api/v1/workspaces', { name: 'Team' })
      const workspace_id = made.body.workspace_id
      await admin.post(`/api/v1/workspaces/${workspace_id}/members`, {
        user_id: author.userId,
        role: 'viewer',
      })
      const project_key = 'org/private'
      const written = await author.post(EVENTS, {
        project_key,
        workspace_id,
        event_type: 'fact_snapshot',
        content: '- the author alone knows this',
        meta: { fact_kind: 'project_preferences' },
      })
      expect(written.status).toBe(201)
      expect(written.body.workspace_id).toBe(workspace_id)
      const raw_id = written.body.raw_id
      const text = 'author alone'

      for (const scope of [{ workspace_id }, {}]) {
        const q = query({ project_key, ...scope })
        const seen = [
          await admin.get(`${SNAPSHOT}?${q}`),
          await admin.get(`/api/v1/project-context/search?${q}&query=alone`),
          await admin.get(`/api/v1/project-context/search?${q}&query=alone&mode=ranked`),
          await admin.get(`/api/v1/project-context/projects?${query(scope)}`),
          await admin.delete(`/api/v1/project-context/projects?${q}&confirmed_by_user=true`),
          await admin.post('/api/v1/project-context/projects/rename', {
            project_key,
            new_project_key: 'org/mine',
            ...scope,
          }),
          await admin.post('/api/v1/project-context/preferences/transfer', {
            source_project_key: project_key,
            target_project_key: 'org/mine',
            confirmed_by_user: true,
            ...scope,
          }),
          await admin.tool('get_project_context', { project_key, ...scope }),
          await admin.tool('search_project_context', { project_key, query: 'alone', ...scope }),
          await admin.tool('transfer_preferences', {
            source_project_key: project_key,
            target_project_key: 'org/mine',
            confirmed_by_user: true,
            ...scope,
          }),
          await admin.tool('append_context_turn', {
            project_key,
            user_message: 'mine',
            agent_report: 'also mine',
            ...scope,
          }),
        ]
        for (const answer of seen) expect(answer.text).not.toContain(text)
      }
      expect((await admin.get(`${EVENTS}/${raw_id}`)).status).toBe(404)
      expect((await admin.delete(`${EVENTS}/${raw_id}`)).status).toBe(404)
      expect((await admin.tool('delete_context_event', { raw_id, confirmed_by_user: true })).status).toBe(404)
      const mine = await author.get(`${SNAPSHOT}?${query({ project_key, workspace_id })}`)
      expect(mine.body.project_preferences.content).toContain(text)
      expect(mine.body.total_events).toBe(1)
    })

    test('a workspace in which the caller is not a member cannot be named', async () => {
      const user = await t.user()
      const other = await t.user()
      // Everybody may know of a public one.
      for (const [visibility, status] of Object.entries({ private: 404, public: 403 })) {
        const made = await other.post('/api/v1/workspaces', { name: 'Not yours', visibility })
        const workspace_id = made.body.workspace_id
        const event = { project_key: 'p', event_type: 'turn', content: 'x', workspace_id }
        expect((await user.post(EVENTS, event)).status).toBe(status)
        expect((await user.get(`${SNAPSHOT}?${query({ project_key: 'p', workspace_id })}`)).status).toBe(
          status,
        )
        const projects = `/api/v1/project-context/projects?${query({ workspace_id })}`
        expect((await user.get(projects)).status).toBe(status)
      }
    })

    test('without a credential, or without the scope, nothing is answered', async () => {
      const user = await t.user()
      const key = await user.post('/api/v1/auth/api-keys', { name: 'reader', scopes: ['search'] })
      expect((await t.anonymous().get(`${SNAPSHOT}?project_key=p`)).status).toBe(401)
      const answer = await t
        .anonymous()
        .post(
          EVENTS,
          { project_key: 'p', event_type: 'turn', content: 'x' },
          { 'x-api-key': key.body.api_key },
        )
      expect(answer.status).toBe(403)
      expect(answer.body.code).toBe('missing_scope')
    })
  })
})
