import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { run, serversOf } from '../../test/support/cluster.ts'
import { remixedQueries, sentencesFrom } from '../search/cards.ts'
import { PASSWORD } from '../search/vault.ts'
import { postsBy, type Request } from '../support/load.ts'
import { JSON_HEADERS, postJson } from '../support/post-json.ts'
import { projectOf } from './fill.ts'

/** There are at least so many: see fill.ts. */
const PEOPLE_ASKING = 8
const CARDS_READ = 500

export type Kinds = Record<string, (n: number) => Request>

/** What a vault is asked, the n-th time: by other people, for other words and cards. */
export async function kindsFor(database: string, service: string): Promise<Kinds> {
  const people: Record<string, string>[] = []
  for (let n = 0; n < PEOPLE_ASKING; n++) {
    const credentials = { email: `person${n}@example.com`, password: PASSWORD }
    const { access_token } = await postJson(service, '/api/v1/auth/login', credentials)
    people.push({ ...JSON_HEADERS, authorization: `Bearer ${access_token}` })
  }
  const { rows } = await run(
    database,
    `select card_id from cards where status = 'published' and deleted_at is null order by card_id limit ${CARDS_READ}`,
  )
  const queries = remixedQueries(sentencesFrom(undefined), 1000, 11)
  const pick = <T>(from: readonly T[], n: number) => from[n % from.length] as T
  const headers = (n: number) => pick(people, n)
  const text = (n: number) => pick(queries, n).padEnd(3)
  return {
    'search the library': (n) => postsBy(headers(n))('/api/v1/search', { query: text(n), scope: 'public' }),
    'read a card': (n) => ({ path: `/api/v1/cards/${pick(rows, n).card_id}`, headers: headers(n) }),
    'restore memory': (n) => ({
      path: `/api/v1/project-context/snapshot?project_key=${projectOf(n % PEOPLE_ASKING)}`,
      headers: headers(n),
    }),
    'record a card': (n) =>
      postsBy(headers(n))('/api/v1/cards', { title: text(n), symptom: text(n), fix_summary: text(n) }),
    'append a turn': (n) =>
      postsBy(headers(n))('/mcp/tools/append_context_turn', {
        project_key: projectOf(n % PEOPLE_ASKING),
        user_message: text(n),
        agent_report: text(n),
      }),
  }
}

/** Milliseconds of one request. */
export async function time(
  url: string,
  { path, method = 'GET', headers = {}, body }: Request,
): Promise<number> {
  const begin = performance.now()
  const answer = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return performance.now() - begin
}

export function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const TICKS_PER_SECOND = 100
const OWN = [11, 12]
const OF_ENDED_CHILDREN = [13, 14]

function ticks(pid: number, fields: readonly number[]): number {
  const values = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return fields.reduce((sum, field) => sum + Number(values[field]), 0)
}

const childrenOf = (pid: number): number[] => {
  try {
    return execFileSync('pgrep', ['-P', String(pid)])
      .toString()
      .trim()
      .split('\n')
      .map(Number)
  } catch {
    return []
  }
}

/** CPU seconds of a server and all its processes, also of those that have ended. It says what work costs even on a busy machine. */
export function serverSeconds(main: number): number {
  const living = childrenOf(main).map((child) => {
    try {
      return ticks(child, OWN)
    } catch {
      // It has just ended, and counts with its parent the next time.
      return 0
    }
  })
  return (ticks(main, [...OWN, ...OF_ENDED_CHILDREN]) + living.reduce((a, b) => a + b, 0)) / TICKS_PER_SECOND
}

/** What the coordinator sends to a worker for itself, beside the tasks of a statement. */
const ITS_OWN =
  "'(assign_distributed_transaction_id|lock_shard_resources|dump_local_wait_edges|pg_prepared_xacts|pg_dist_)'"

const CALLS = `select coalesce(sum(calls), 0)::int as n from pg_stat_statements
  where dbid = (select oid from pg_database where datname = current_database()) and query !~ ${ITS_OWN}`

export type Calls = { statements: number; tasks: number }

/** Statements that the coordinator has run since the last call, and tasks that the workers have run for them. */
export async function callsOn(database: string): Promise<Calls> {
  const [coordinator = '', ...workers] = await serversOf(database)
  // The coordinator makes it on the workers too.
  await run(coordinator, 'create extension if not exists pg_stat_statements')
  const read = async (url: string): Promise<number> => (await run(url, CALLS)).rows[0].n
  let tasks = 0
  for (const worker of workers) tasks += await read(worker)
  const statements = await read(coordinator)
  for (const server of [coordinator, ...workers]) await run(server, 'select pg_stat_statements_reset()')
  return { statements, tasks }
}
