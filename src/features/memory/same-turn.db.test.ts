import { expect, test } from 'vitest'
import { onBothEngines } from '../../../test/support/engines.ts'

onBothEngines('one exchange that two clients send', (t) => {
  type Turn = {
    client?: string
    session_id?: string
    user_message?: string
    agent_report: string
    meta?: object
  }

  async function someone() {
    const me = await t.user()
    const project_key = 'acme/once'
    const send = (turn: Turn) =>
      me.post('/api/v1/project-context/turns', {
        project_key,
        user_message: 'Mend the build',
        session_id: 'one',
        ...turn,
      })
    const turns = async (): Promise<string[]> => {
      const { body } = await me.get(
        `/api/v1/project-context/events?project_key=${project_key}&event_type=turn`,
      )
      return body.items.map((event: { content: string }) => event.content.split('Agent report:\n')[1])
    }
    return { me, send, turns }
  }

  test('is stored once, and the longer report stays, whichever comes first', async () => {
    const { me, send, turns } = await someone()
    const hook = await send({ client: 'hook', agent_report: 'done' })
    expect(hook.body.merged).toBeUndefined()
    const agent = await send({ agent_report: 'done, and this is what was left open' })
    expect(agent.body.merged).toBe(true)
    expect(await turns()).toEqual(['done, and this is what was left open'])
    const again = await send({ client: 'editor', agent_report: 'short' })
    expect(again.body).toMatchObject({ merged: true, raw_id: agent.body.raw_id })
    expect(await turns()).toEqual(['done, and this is what was left open'])

    const found = async (query: string) =>
      (await me.get(`/api/v1/project-context/search?project_key=acme/once&query=${query}`)).body.total
    expect(await found('left open')).toBe(1)
    const { body } = await me.get('/api/v1/project-context/snapshot?project_key=acme/once')
    expect(body.total_events).toBe(1)
  })

  test('keeps the documents that come with the shorter report', async () => {
    const { me, send } = await someone()
    await send({ client: 'hook', agent_report: 'a long report of what was done' })
    const answer = await me.post('/api/v1/project-context/turns', {
      project_key: 'acme/once',
      user_message: 'Mend the build',
      agent_report: 'done',
      session_id: 'one',
      client: 'agent',
      facts: ['the build needs Node 24'],
    })
    expect(answer.body).toMatchObject({
      merged: true,
      events: [{ event_type: 'turn' }, { fact_kind: 'project_facts' }],
    })
    const { body } = await me.get('/api/v1/project-context/snapshot?project_key=acme/once')
    expect(body.facts.content).toContain('Node 24')
    expect(body.total_events).toBe(2)
  })

  test('is two where each client sends the same few words again', async () => {
    const { me, send, turns } = await someone()
    const meta = { activity: { commands: [{ command: 'npm test', exit_code: 1, output: 'Error: boom' }] } }
    const [hook, agent] = ['hook', 'agent']
    const said = (client: string, agent_report: string, given?: object) =>
      send({ client, user_message: 'continue', agent_report, ...(given ? { meta: given } : {}) })
    const expectTurns = async (...reports: string[]) => expect(await turns()).toEqual(reports)

    await said(hook, 'one')
    expect((await said(agent, 'one, and what was left open')).body.merged).toBe(true)
    const second = await said(hook, 'two', meta)
    expect(second.body.merged).toBeUndefined()
    await expectTurns('two', 'one, and what was left open')
    expect((await said(agent, 'two, and what was left open')).body.merged).toBe(true)
    await expectTurns('two, and what was left open', 'one, and what was left open')

    expect((await said(agent, 'three, and what was left open')).body.merged).toBeUndefined()
    expect((await said(hook, '3')).body.merged).toBe(true)
    expect((await said(hook, '4', meta)).body.merged).toBeUndefined()
    expect(await turns()).toHaveLength(4)
    const { body } = await me.get(
      '/api/v1/project-context/events?project_key=acme/once&event_type=turn&limit=10',
    )
    expect(body.items.map((event: { meta: object | null }) => event.meta)).toEqual([
      meta,
      { merged_clients: [agent, hook] },
      { ...meta, merged_clients: [hook, agent] },
      { merged_clients: [hook, agent] },
    ])
  })

  test('is two where client, session, message or time say so', async () => {
    const { send, turns } = await someone()
    await send({ client: 'hook', agent_report: '1' })
    await send({ client: 'hook', agent_report: '2' })
    await send({ client: 'agent', session_id: 'two', agent_report: '3' })
    await send({ client: 'agent', user_message: 'Mend the tests', agent_report: '4' })
    expect(await turns()).toHaveLength(4)
    t.later(11 * 60_000)
    await send({ client: 'agent', agent_report: '5' })
    expect(await turns()).toHaveLength(5)
  })

  test('is compared by the beginning of a long message, whatever its spaces', async () => {
    const { send, turns } = await someone()
    const long = 'please '.repeat(600)
    await send({ client: 'hook', user_message: `${long}\n[… 80 more characters]`, agent_report: 'one' })
    await send({
      client: 'agent',
      user_message: `  ${long.replaceAll(' ', '\n')} (in short: please)`,
      agent_report: 'one',
    })
    expect(await turns()).toHaveLength(1)
  })

  test('is stored once also when both send it at the same moment', async () => {
    const { me, send, turns } = await someone()
    await me.post('/api/v1/project-context/events', {
      project_key: 'acme/once',
      event_type: 'summary',
      content: 'here already',
    })
    const answers = await Promise.all(
      ['hook', 'agent', 'editor'].map((client, at) => send({ client, agent_report: 'x'.repeat(at + 1) })),
    )
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201])
    expect(await turns()).toEqual(['xxx'])
  })
})
