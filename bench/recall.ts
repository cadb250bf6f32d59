import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  COMPARE_OPTIONS,
  compare,
  median,
  percentile,
  postsBy,
  type Request,
  type Table,
  time,
} from './lib/measure.ts'
import { cpuMs } from './lib/servers.ts'
import { madeUpCards, madeUpEvents, madeUpQueries, randomFrom, SENTENCES } from './lib/texts.ts'
import { engineOf, fillCards, fillEvents, register, settle, startVault } from './lib/vault.ts'
import { failing } from './recall/executions.ts'

const SEARCHES_A_SECOND = 20
const PROJECT = 'bench/recall'
const LOG_CHARACTERS = 60_000
const WARM_UP_CALLS = 60

/** Returns a log in which every fifth line is an error. */
function logOf(seed: number): string {
  const random = randomFrom(seed)
  const lines: string[] = []
  for (let length = 0, n = 0; length < LOG_CHARACTERS; n++) {
    const level = n % 5 === 0 ? 'ERROR' : 'INFO'
    const line = `2026-03-14T10:22:${10 + (n % 50)}.123Z ${level} ${SENTENCES[random(SENTENCES.length)]}`
    lines.push(line)
    length += line.length + 1
  }
  return lines.join('\n')
}

type Question = { kind: string; body: object }

function questionOf(query: string, n: number): Question {
  const project_key = PROJECT
  if (n % 10 === 0)
    return {
      kind: 'log of 60 kB',
      body: { moment: 'failure', project_key, text: `exit code 1\n${logOf(n)}` },
    }
  if (n % 10 === 1) return { kind: 'start', body: { moment: 'start', project_key } }
  if (n % 10 < 5) return { kind: 'prompt', body: { moment: 'prompt', project_key, text: query.padEnd(3) } }
  return {
    kind: 'failure',
    body: { moment: 'failure', project_key, text: failing('npm', `Error: ${query}`, n) },
  }
}

/** Sends searches at a steady rate, whether or not the earlier ones have been answered. */
function startSearches(url: string, requests: readonly Request[]): () => Promise<void> {
  const underWay = new Set<Promise<unknown>>()
  let sent = 0
  const timer = setInterval(() => {
    const one: Promise<unknown> = time(url, requests[sent++ % requests.length] as Request).finally(() =>
      underWay.delete(one),
    )
    underWay.add(one)
  }, 1000 / SEARCHES_A_SECOND)
  return async () => {
    clearInterval(timer)
    await Promise.all(underWay)
  }
}

export async function run(args: string[]): Promise<Table[]> {
  const { values } = parseArgs({
    args,
    options: {
      ...COMPARE_OPTIONS,
      cards: { type: 'string', default: '10000' },
      events: { type: 'string', default: '2000' },
      calls: { type: 'string', default: '100' },
    },
  })
  const size = (given: string, quick: number) => (values.quick ? quick : Number(given))
  const [cards, events, calls] = [size(values.cards, 200), size(values.events, 50), size(values.calls, 20)]
  const engine = engineOf(values.engine)
  const table = await compare(values, {
    title: `POST /api/v1/recall, ${engine}, ${cards} cards, ${events} events, beside ${SEARCHES_A_SECOND} searches a second`,
    open: async (folder) => {
      const vault = await startVault(engine, { folder })
      const owner = await register(vault.url, 'owner')
      await fillCards(vault.url, owner, madeUpCards(cards))
      await fillEvents(vault.url, owner, PROJECT, madeUpEvents(events))
      await settle(vault, values.quick)
      const post = postsBy(owner.headers)
      const recall = ({ body }: Question) => time(vault.url, post('/api/v1/recall', body))
      for (const [n, query] of madeUpQueries(values.quick ? 5 : WARM_UP_CALLS, 1).entries())
        await recall(questionOf(query, n))
      const searches = madeUpQueries(200, 3).map((query) =>
        post('/api/v1/search', { query: query.padEnd(3) }),
      )
      return { vault, recall, searches }
    },
    measure: async ({ vault, recall, searches }, round) => {
      const times = new Map<string, number[]>()
      const pause = randomFrom(round)
      const stop = startSearches(vault.url, searches)
      const before = cpuMs(vault.pid)
      for (const [n, query] of madeUpQueries(calls, 100 + round).entries()) {
        const question = questionOf(query, round * calls + n)
        const ms = await recall(question)
        times.set(question.kind, [...(times.get(question.kind) ?? []), ms])
        // A steady pause would meet the searches in a rhythm.
        await sleep(pause(2000 / SEARCHES_A_SECOND))
      }
      const cpu = cpuMs(vault.pid) - before
      await stop()
      times.set('all', [...times.values()].flat())
      const figures = [...times]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([kind, some]) => [
          [`${kind}: p50, ms`, median(some)],
          [`${kind}: p95, ms`, percentile(some, 0.95)],
        ])
      return { ...Object.fromEntries(figures), 'CPU of a call and the searches beside it, ms': cpu / calls }
    },
    close: ({ vault }) => vault.stop(),
  })
  return [table]
}
