import { parseArgs } from 'node:util'
import { COMPARE_OPTIONS, compare, drive, postsBy, type Table } from './lib/measure.ts'
import { cpuMs } from './lib/servers.ts'
import { madeUpEvents } from './lib/texts.ts'
import { createApiKey, engineOf, fillEvents, register, startVault } from './lib/vault.ts'

const PROJECTS = 64
/** Turns that differ from each other. */
const TURNS = 5000

export async function run(args: string[]): Promise<Table[]> {
  const { values } = parseArgs({
    args,
    options: {
      ...COMPARE_OPTIONS,
      events: { type: 'string', default: '2000' },
      seconds: { type: 'string', default: '8' },
    },
  })
  const events = values.quick ? 100 : Number(values.events)
  const seconds = values.quick ? 1 : Number(values.seconds)
  const engine = engineOf(values.engine)
  const texts = [...madeUpEvents(TURNS, 77)].map(({ content }) => content)
  const table = await compare(values, {
    title: `append_context_turn, 8 connections, ${PROJECTS} projects, ${engine}, ${events} events before`,
    open: async (folder) => {
      const vault = await startVault(engine, { folder })
      const person = await register(vault.url, 'writer')
      await fillEvents(vault.url, person, 'bench/project0', madeUpEvents(events))
      const post = postsBy(await createApiKey(vault.url, person))
      const requests = texts.map((text, n) =>
        post('/mcp/tools/append_context_turn', {
          project_key: `bench/project${n % PROJECTS}`,
          user_message: text.slice(0, 200),
          agent_report: text,
        }),
      )
      await drive(vault.url, requests, Math.min(3, seconds))
      return { vault, requests }
    },
    measure: async ({ vault, requests }) => {
      const before = cpuMs(vault.pid)
      const load = await drive(vault.url, requests, seconds)
      return {
        'turns a second': load.requestsPerSecond,
        'p50, ms': load.p50,
        'p99, ms': load.p99,
        'CPU of a turn, ms': (cpuMs(vault.pid) - before) / load.requests,
      }
    },
    close: ({ vault }) => vault.stop(),
  })
  return [table]
}
