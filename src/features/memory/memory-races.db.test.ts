import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, clientOf } from '../../../test/support/client.ts'
import { onBothEngines } from '../../../test/support/engines.ts'
import { type App, buildApp } from '../../app.ts'
import { readConfig } from '../../config.ts'

const EVENTS = '/api/v1/project-context/events'
const PROJECTS = '/api/v1/project-context/projects'
const RENAME = `${PROJECTS}/rename`

onBothEngines('memory that two nodes write', (t) => {
  let other: App
  beforeAll(async () => {
    other = await buildApp(readConfig(t.vault.env), { log: pino({ level: 'silent' }), jobs: [] })
  })
  afterAll(() => other.close())

  /** One person at both nodes. */
  async function someone() {
    const here = await t.user()
    return { here, there: clientOf(other, { authorization: `Bearer ${here.token}` }) }
  }
  const write = (as: Client, project_key: string, content: string, more = {}) =>
    as.post(EVENTS, { project_key, event_type: 'user_message', content, ...more })
  const contents = async (as: Client, project_key: string): Promise<string[]> =>
    (await as.get(`${EVENTS}?project_key=${project_key}&limit=100`)).body.items.map(
      (event: { content: string }) => event.content,
    )

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
