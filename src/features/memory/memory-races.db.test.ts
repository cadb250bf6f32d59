import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, clientOf } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { type App, buildApp } from '../../app.ts'
import { readConfig } from '../../config.ts'

const EVENTS = '/api/v1/project-context/events'
const PROJECTS = '/api/v1/project-context/projects'
const RENAME = `${PROJECTS}/rename`
const TRANSFER = '/api/v1/project-context/preferences/transfer'

onBothEngines('memory that two nodes write', (t) => {
  let other: App
  /** By how much the clock of the other node is wrong. */
  let fastMs = 0
  beforeAll(async () => {
    other = await buildApp(readConfig(t.vault.env), {
      log: pino({ level: 'silent' }),
      jobs: [],
      now: () => new Date(Date.now() + fastMs),
    })
  })
  afterAll(() => other.close())

  /** One person at both nodes. */
  async function someone() {
    const here = await t.user()
    return { here, there: clientOf(other, { authorization: `Bearer ${here.token}` }) }
  }
  const write = (as: Client, project_key: string, content: string, more = {}) =>
    as.post(EVENTS, { project_key, event_type: 'user_message', content, ...more })
  const prefer = (as: Client, project_key: string, content: string) =>
    write(as, project_key, content, {
      event_type: 'fact_snapshot',
      meta: { fact_kind: 'project_preferences' },
    })
  const contents = async (as: Client, project_key: string): Promise<string[]> =>
    (await as.get(`${EVENTS}?project_key=${project_key}&limit=100`)).body.items.map(
      (event: { content: string }) => event.content,
    )

  /** Agents append to the project from both nodes until the work is done. Everything has to succeed. */
  async function whileAppending(
    { here, there }: Awaited<ReturnType<typeof someone>>,
    project_key: string,
    work: () => Promise<void>,
  ): Promise<void> {
    let isDone = false
    const agent = async (as: Client) => {
      while (!isDone) expect((await write(as, project_key, 'a step of the work')).status).toBe(201)
    }
    const agents = [agent(there), agent(there), agent(here)]
    await work().finally(() => {
      isDone = true
    })
    await Promise.all(agents)
  }

  test('an event of a project whose name another one gets at the same moment stays reachable', async () => {
    const { here, there } = await someone()
    for (let round = 0; round < 8; round++) {
      const [from, to] = [`from-${round}`, `to-${round}`]
      await write(here, from, 'before')
      const [renamed, written] = await Promise.all([
        here.post(RENAME, { project_key: from, new_project_key: to }),
        write(there, to, 'meanwhile'),
      ])
      expect([renamed.status, written.status]).toEqual([renamed.status === 200 ? 200 : 409, 201])
      const reached = [...(await contents(here, from)), ...(await contents(here, to))]
      expect(reached.sort(), `round ${round}`).toEqual(['before', 'meanwhile'])
    }
  })

  test('events, projects and preferences can be changed while agents append', async () => {
    const person = await someone()
    const { here } = person
    const project_key = 'busy'
    await prefer(here, 'source', '- tabs')
    await whileAppending(person, project_key, async () => {
      for (let round = 0; round < 4; round++) {
        const { raw_id } = (await write(here, project_key, 'to be deleted')).body
        expect((await here.delete(`${EVENTS}/${raw_id}`)).status).toBe(204)

        await prefer(here, 'source', `- tabs ${round}`)
        const transfer = { source_project_key: 'source', target_project_key: project_key }
        const transferred = await here.post(TRANSFER, { ...transfer, confirmed_by_user: true })
        expect([transferred.status, transferred.body.items_copied]).toEqual([200, 1])

        await write(here, `merged-${round}`, 'from elsewhere')
        const merged = await here.post(RENAME, {
          project_key: `merged-${round}`,
          new_project_key: project_key,
          merge: true,
        })
        expect([merged.status, merged.body.moved_events]).toEqual([200, 1])

        const renamed = await here.post(RENAME, { project_key, new_project_key: `renamed-${round}` })
        expect(renamed.status).toBe(200)
        // An agent may not have written again yet.
        await write(here, project_key, 'there again')
        const deleted = await here.delete(`${PROJECTS}?project_key=${project_key}&confirmed_by_user=true`)
        expect(deleted.status).toBe(200)
        expect(deleted.body.deleted_events).toBeGreaterThan(0)
        await write(here, project_key, 'there again')
      }
    })
    const { body } = await here.get(`${PROJECTS}?limit=200`)
    for (const project of body.items) {
      const page = await contents(here, project.project_key)
      expect(page, project.project_key).toHaveLength(Math.min(project.events, 100))
    }
  })

  test('what is written last is the newest, also if a node with a fast clock wrote before', async () => {
    const { here, there } = await someone()
    const project_key = 'clocks'
    fastMs = 60_000
    for (const [step, node] of [there, here, there, here].entries()) {
      await write(node, project_key, `event ${step}`)
      await prefer(node, project_key, `- document ${step}`)
      await write(node, '__user__/preferences', `- preference ${step}`, {
        event_type: 'fact_snapshot',
        meta: { fact_kind: 'user_preferences', confirmed_by_user: true },
      })
    }
    fastMs = 0
    const { body } = await here.get(`/api/v1/project-context/snapshot?project_key=${project_key}`)
    expect(body.project_preferences.content).toBe('- document 3')
    expect(body.user_preferences.content).toBe('- preference 3')
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const page = await here.get(
        `${EVENTS}?project_key=${project_key}&event_type=user_message&limit=1${cursor}`,
      )
      seen.push(...page.body.items.map((event: { content: string }) => event.content))
      if (!page.body.next_cursor) break
      cursor = `&cursor=${page.body.next_cursor}`
    }
    expect(seen).toEqual(['event 3', 'event 2', 'event 1', 'event 0'])
  })

  test('two merges in opposite directions at the same moment lose nothing', async () => {
    const { here, there } = await someone()
    for (let round = 0; round < 4; round++) {
      const [one, two] = [`one-${round}`, `two-${round}`]
      await write(here, one, 'first')
      await write(here, two, 'second')
      const merge = (as: Client, project_key: string, new_project_key: string) =>
        as.post(RENAME, { project_key, new_project_key, merge: true })
      const answers = await Promise.all([merge(here, one, two), merge(there, two, one)])
      // The second one finds its target gone, and renames.
      expect(answers.map((answer) => answer.status)).toEqual([200, 200])
      const left = [...(await contents(here, one)), ...(await contents(here, two))]
      expect(left.sort()).toEqual(['first', 'second'])
    }
  })
})
