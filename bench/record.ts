import { parseArgs } from 'node:util'
import { COMPARE_OPTIONS, compare, drive, postsBy, type Table } from './lib/measure.ts'
import { cpuMs } from './lib/servers.ts'
import { madeUpCards } from './lib/texts.ts'
import { createApiKey, engineOf, fillCards, register, startVault } from './lib/vault.ts'

/** Cards that differ from each other, so that none is a repetition. */
const BODIES = 5000

export async function run(args: string[]): Promise<Table[]> {
  const { values } = parseArgs({
    args,
    options: {
      ...COMPARE_OPTIONS,
      cards: { type: 'string', default: '2000' },
      seconds: { type: 'string', default: '8' },
    },
  })
  const cards = values.quick ? 100 : Number(values.cards)
  const seconds = values.quick ? 1 : Number(values.seconds)
  const engine = engineOf(values.engine)
  const bodies = [...madeUpCards(BODIES, 77)]
  const table = await compare(values, {
    title: `POST /api/v1/cards, 8 connections, ${engine}, a vault of ${cards} cards and more`,
    open: async (folder) => {
      const vault = await startVault(engine, { folder })
      const person = await register(vault.url, 'writer')
      await fillCards(vault.url, person, madeUpCards(cards))
      const post = postsBy(await createApiKey(vault.url, person))
      const requests = bodies.map((card) => post('/api/v1/cards', card))
      await drive(vault.url, requests, Math.min(3, seconds))
      return { vault, requests }
    },
    measure: async ({ vault, requests }) => {
      const before = cpuMs(vault.pid)
      const load = await drive(vault.url, requests, seconds)
      return {
        'cards a second': load.requestsPerSecond,
        'p50, ms': load.p50,
        'p99, ms': load.p99,
        'CPU of a card, ms': (cpuMs(vault.pid) - before) / load.requests,
      }
    },
    close: ({ vault }) => vault.stop(),
  })
  return [table]
}
