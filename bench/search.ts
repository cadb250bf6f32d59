import { parseArgs } from 'node:util'
import {
  COMPARE_OPTIONS,
  compare,
  drive,
  median,
  percentile,
  postsBy,
  type Table,
  timeEach,
} from './lib/measure.ts'
import { cpuMs, residentMb } from './lib/servers.ts'
import { madeUpCards, madeUpQueries } from './lib/texts.ts'
import { engineOf, fillCards, register, settle, startVault } from './lib/vault.ts'

/** A tenant with few cards in a vault of many. */
const TENANT_CARDS = 50
/** Other queries than the measured ones: a server that has just started takes twice as long. */
const WARM_UP_QUERIES = 300

export async function run(args: string[]): Promise<Table[]> {
  const { values } = parseArgs({
    args,
    options: {
      ...COMPARE_OPTIONS,
      cards: { type: 'string', default: '10000' },
      queries: { type: 'string', default: '100' },
      seconds: { type: 'string', default: '5' },
    },
  })
  const cards = values.quick ? 200 : Number(values.cards)
  const queries = values.quick ? 10 : Number(values.queries)
  const seconds = values.quick ? 1 : Number(values.seconds)
  const engine = engineOf(values.engine)
  const table = await compare(values, {
    title: `POST /api/v1/search, ${engine}, ${cards} cards, half of them in the library`,
    open: async (folder) => {
      const vault = await startVault(engine, { folder })
      const owner = await register(vault.url, 'owner')
      const tenant = await register(vault.url, 'tenant')
      await fillCards(vault.url, owner, madeUpCards(cards), { isPublished: (n) => n % 2 === 0 })
      await fillCards(vault.url, tenant, madeUpCards(TENANT_CARDS, 43))
      await settle(vault, values.quick)
      const kinds = [
        { name: 'library', person: tenant, scope: 'public' },
        { name: 'own cards', person: owner, scope: 'personal' },
        { name: `${TENANT_CARDS} own cards`, person: tenant, scope: 'personal' },
      ].map(({ name, person, scope }) => ({
        name,
        ask: (query: string) => postsBy(person.headers)('/api/v1/search', { query: query.padEnd(3), scope }),
      }))
      const warmUp = madeUpQueries(values.quick ? 10 : WARM_UP_QUERIES, 1)
      for (const { ask } of kinds) await timeEach(vault.url, warmUp.map(ask))
      return { vault, kinds }
    },
    measure: async ({ vault, kinds }, round) => {
      const figures: Record<string, number> = {}
      const asked = madeUpQueries(queries, 100 + round)
      for (const { name, ask } of kinds) {
        const before = cpuMs(vault.pid)
        const times = await timeEach(vault.url, asked.map(ask))
        figures[`${name}: p50, ms`] = median(times)
        figures[`${name}: p95, ms`] = percentile(times, 0.95)
        figures[`${name}: CPU, ms`] = (cpuMs(vault.pid) - before) / times.length
      }
      const [library] = kinds
      if (library) {
        const load = await drive(vault.url, asked.map(library.ask), seconds)
        figures['library, 8 connections: a second'] = load.requestsPerSecond
        figures['library, 8 connections: p99, ms'] = load.p99
      }
      figures['resident, MB'] = residentMb(vault.pid)
      return figures
    },
    close: ({ vault }) => vault.stop(),
  })
  return [table]
}
