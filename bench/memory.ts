import { parseArgs } from 'node:util'
import { COMPARE_OPTIONS, compare, median, percentile, type Table, timeEach } from './lib/measure.ts'
import { cpuMs } from './lib/servers.ts'
import { madeUpEvents, madeUpQueries, randomFrom, SENTENCES } from './lib/texts.ts'
import { engineOf, fillEvents, register, settle, startVault } from './lib/vault.ts'

/** Returns a piece of a sentence, cut anywhere. */
function needle(random: (below: number) => number): string {
  const sentence = SENTENCES[random(SENTENCES.length)] as string
  const from = random(sentence.length - 25)
  return sentence
    .slice(from, from + 5 + random(20))
    .trim()
    .padEnd(3, 'e')
}

export async function run(args: string[]): Promise<Table[]> {
  const { values } = parseArgs({
    args,
    options: {
      ...COMPARE_OPTIONS,
      large: { type: 'string', default: '10000' },
      small: { type: 'string', default: '500' },
      others: { type: 'string', default: '5000' },
      requests: { type: 'string', default: '60' },
    },
  })
  const size = (given: string, quick: number) => (values.quick ? quick : Number(given))
  const [large, small, others] = [size(values.large, 200), size(values.small, 20), size(values.others, 50)]
  const requests = size(values.requests, 10)
  const engine = engineOf(values.engine)
  const table = await compare(values, {
    title: `memory, ${engine}: projects of ${large} and ${small} events, ${others} events in others`,
    open: async (folder) => {
      const vault = await startVault(engine, { folder })
      const owner = await register(vault.url, 'owner')
      await fillEvents(vault.url, owner, 'bench/small', madeUpEvents(small, 1))
      await fillEvents(vault.url, owner, 'bench/others', madeUpEvents(others, 2))
      await fillEvents(vault.url, owner, 'bench/large', madeUpEvents(large, 3))
      await settle(vault, values.quick)
      return { vault, headers: owner.headers }
    },
    measure: async ({ vault, headers }, round) => {
      const random = randomFrom(100 + round)
      const snapshot = (key: string) => `/api/v1/project-context/snapshot?project_key=bench/${key}`
      const search = (query: string, mode: string) =>
        `/api/v1/project-context/search?project_key=bench/large&mode=${mode}&query=${encodeURIComponent(query)}`
      const queries = madeUpQueries(requests, 100 + round)
      const kinds: Record<string, (n: number) => string> = {
        'snapshot, small': () => snapshot('small'),
        'snapshot, large': () => snapshot('large'),
        'search substring': () => search(needle(random), 'substring'),
        'search substring, nothing there': (n) => search(`zq${n}xv${round}`, 'substring'),
        'search ranked': (n) => search(queries[n] as string, 'ranked'),
      }
      const figures: Record<string, number> = {}
      for (const [kind, pathOf] of Object.entries(kinds)) {
        const asked = Array.from({ length: requests }, (_, n) => ({ path: pathOf(n), headers }))
        const before = cpuMs(vault.pid)
        const times = await timeEach(vault.url, asked)
        figures[`${kind}: p50, ms`] = median(times)
        figures[`${kind}: p95, ms`] = percentile(times, 0.95)
        figures[`${kind}: CPU, ms`] = (cpuMs(vault.pid) - before) / requests
      }
      return figures
    },
    close: ({ vault }) => vault.stop(),
  })
  return [table]
}
