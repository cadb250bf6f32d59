import { parseArgs } from 'node:util'
import { fillWith } from './memory/fill.ts'
import { failing } from './recall/failures.ts'
import { randomFrom, remixedCards, remixedQueries, sentencesFrom } from './search/cards.ts'
import { loadCards } from './search/load.ts'
import { type Account, type BenchVault, openVault, register } from './search/vault.ts'
import { report } from './support/report.ts'

const USAGE = `npm run bench:recall -- [--engine sqlite|postgres] [--cards n] [--events n] [--rounds n]

How long recall takes beside 20 searches a second in the same process: failures of a few lines, logs of 60 kB, prompts and starts,
asked of one person with so many cards and a project with so many events. Every call keeps its row, on disk.`

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    cards: { type: 'string', default: '100000' },
    events: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '400' },
    help: { type: 'boolean', default: false },
  },
})
const { engine } = values
if (values.help || (engine !== 'sqlite' && engine !== 'postgres')) {
  console.error(USAGE)
  process.exit(2)
}

const BAR_MS = 30
const SEARCHES_A_SECOND = 20
const PROJECT = 'bench/recall'
const LOG_CHARACTERS = 60_000
/** A server runs for days. Before its code is compiled a call takes up to three times as long. */
const WARM_UP_CALLS = 100

type Asked = { kind: string; body: object }

const post = async ({ app }: BenchVault, { token }: Account, url: string, payload: object) => {
  const answer = await app.server.inject({
    method: 'POST',
    url,
    headers: { authorization: `Bearer ${token}` },
    payload,
  })
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${answer.payload}`)
  return answer
}

/** Every fifth line is an error, as in the log of a service in trouble. */
function logOf(sentences: readonly string[], seed: number): string {
  const random = randomFrom(seed)
  const lines: string[] = []
  for (let length = 0, n = 0; length < LOG_CHARACTERS; n++) {
    const level = n % 5 === 0 ? 'ERROR' : 'INFO'
    const line = `2026-03-14T10:22:${10 + (n % 50)}.123Z ${level} ${sentences[random(sentences.length)]}`
    lines.push(line)
    length += line.length + 1
  }
  return lines.join('\n')
}

function questions(sentences: readonly string[], queries: readonly string[]): Asked[] {
  const project_key = PROJECT
  return queries.map((query, n): Asked => {
    if (n % 10 === 0)
      return {
        kind: 'log of 60 kB',
        body: { moment: 'failure', project_key, text: `exit code 1\n${logOf(sentences, n)}` },
      }
    if (n % 10 === 1) return { kind: 'start', body: { moment: 'start', project_key } }
    if (n % 10 < 5) return { kind: 'prompt', body: { moment: 'prompt', project_key, text: query.padEnd(3) } }
    return {
      kind: 'failure',
      body: { moment: 'failure', project_key, text: failing('npm', `Error: ${query}`, n) },
    }
  })
}

/** Sends this many searches a second, whether or not the earlier ones have been answered. */
function searchesBeside(
  vault: BenchVault,
  owner: Account,
  queries: readonly string[],
): () => Promise<number> {
  const underWay = new Set<Promise<unknown>>()
  let asked = 0
  const timer = setInterval(() => {
    const query = (queries[asked++ % queries.length] ?? '').padEnd(3)
    const one = post(vault, owner, '/api/v1/search', { query }).finally(() => underWay.delete(one))
    underWay.add(one)
  }, 1000 / SEARCHES_A_SECOND)
  return async () => {
    clearInterval(timer)
    await Promise.all(underWay)
    return asked
  }
}

const at = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

function tell(kind: string, times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => at(sorted, share)) as [number, number, number]
  console.log(
    `  ${kind.padEnd(14)} ${String(times.length).padStart(4)} calls, p50 / p95 / p99: ${[p50, p95, p99].map((ms) => ms.toFixed(1)).join(' / ')} ms`,
  )
  return p95
}

const sentences = sentencesFrom(undefined)
const vault = await openVault(engine)
try {
  const owner = await register(vault.app, 'owner')
  const cards = Number(values.cards)
  const target = { ownerId: owner.userId, workspaceId: owner.workspaceId, status: 'unpublished' as const }
  await loadCards(vault.app.services, remixedCards(sentences, cards), () => target)
  const random = randomFrom(9)
  const events = Array.from({ length: Number(values.events) }, () => ({
    title: null,
    content: Array.from({ length: 4 }, () => sentences[random(sentences.length)]).join(' '),
  }))
  await fillWith(vault.app, owner, PROJECT, events)
  const rounds = Number(values.rounds)
  const queries = remixedQueries(sentences, rounds + WARM_UP_CALLS)
  const all = questions(sentences, queries)
  const asked = all.slice(0, rounds)
  // Other questions than those that are measured, which must not be known yet.
  for (const { body } of all.slice(rounds)) await post(vault, owner, '/api/v1/recall', body)
  const stop = searchesBeside(vault, owner, queries)
  const times = new Map<string, number[]>()
  const began = performance.now()
  for (const { kind, body } of asked) {
    const started = performance.now()
    await post(vault, owner, '/api/v1/recall', body)
    times.set(kind, [...(times.get(kind) ?? []), performance.now() - started])
    // As many recalls as searches: agents fail less often than this.
    await new Promise((resolve) => setTimeout(resolve, 1000 / SEARCHES_A_SECOND))
  }
  const searches = await stop()
  const seconds = (performance.now() - began) / 1000
  console.log(
    `${engine}, ${cards} cards, ${values.events} events, beside ${(searches / seconds).toFixed(1)} searches a second`,
  )
  for (const [kind, some] of times) tell(kind, some)
  const p95 = tell('all', [...times.values()].flat())
  const row = {
    what: `recall p95, ${engine}, ${cards} cards`,
    measured: `${p95.toFixed(1)} ms`,
    bar: `${BAR_MS} ms`,
  }
  report([{ ...row, met: p95 <= BAR_MS }])
  if (p95 > BAR_MS) process.exitCode = 1
} finally {
  await vault.destroy()
}
