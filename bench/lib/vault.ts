import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { App } from '../../src/app.ts'
import { startPostgres } from '../../test/support/postgres.ts'
import { UsageError } from './measure.ts'
import { type Server, type ServerOptions, startServer, stopLater } from './servers.ts'

/** Vaults for all benches and evaluations, filled through the REST door, so that any checkout can be filled. */

export type Engine = 'sqlite' | 'postgres'

export const engineOf = (name: string): Engine => {
  if (name === 'sqlite' || name === 'postgres') return name
  throw new UsageError(`Unknown engine ${name}. Use sqlite or postgres.`)
}

const POSTGRES = { shared_buffers: '512MB', max_wal_size: '4GB', max_connections: '200' }

export type Vault = Server & {
  databaseUrl: string | undefined
  /** With which another server serves the same vault. */
  env: Record<string, string>
  /** Where the engine keeps its files. */
  files: string
  /** Stops the server and leaves the vault, until `stop` removes it. */
  stopServer: () => Promise<void>
}

/** Starts a server process on an empty vault of that engine, or on what `DATA_DIR` has. */
export async function startVault(
  engine: Engine = 'sqlite',
  { env: given = {}, ...options }: ServerOptions = {},
): Promise<Vault> {
  const postgres = engine === 'postgres' ? await startPostgres({ settings: POSTGRES }) : undefined
  const databaseUrl = postgres?.url()
  const dataDir = given.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'knowledge-vault-bench-'))
  const env = { ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}), ...given, DATA_DIR: dataDir }
  const remove = stopLater(async () => {
    await postgres?.destroy()
    if (given.DATA_DIR === undefined) rmSync(dataDir, { recursive: true, force: true })
  })
  const server = await startServer({ ...options, env })
  const stop = async () => {
    await server.stop()
    await remove()
  }
  return { ...server, databaseUrl, env, files: postgres?.dataDir ?? dataDir, stopServer: server.stop, stop }
}

export type OpenVault = { url: string; app: App; stop: () => Promise<void> }

/** Serves an empty vault from this process, for evaluations that look inside. No background jobs run. */
export async function openVault(
  engine: Engine = 'sqlite',
  given: Record<string, string> = {},
): Promise<OpenVault> {
  const { buildApp } = await import('../../src/app.ts')
  const { readConfig } = await import('../../src/config.ts')
  const dataDir = mkdtempSync(join(tmpdir(), 'knowledge-vault-eval-'))
  const postgres = engine === 'postgres' ? await startPostgres({ settings: POSTGRES }) : undefined
  const settings = { DATA_DIR: dataDir, LOG_LEVEL: 'error', RATE_LIMIT: 'off', CREDITS: 'off', ...given }
  const app = await buildApp(
    readConfig({ ...settings, ...(postgres ? { DATABASE_URL: postgres.url() } : {}) }),
    { jobs: [], shedding: false },
  )
  await app.server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.server.address() as AddressInfo
  const stop = stopLater(async () => {
    await app.close()
    await postgres?.destroy()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return { url: `http://127.0.0.1:${port}`, app, stop }
}

export type Headers = Record<string, string>
export const JSON_HEADERS: Headers = { 'content-type': 'application/json' }

const BUSY = 503
const MAX_TRIES = 200
const RETRY_MS = 100

/** Sends a request and returns the JSON of its answer. Waits while the server is busy; throws for any other refusal. */
export async function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Headers = {},
  // biome-ignore lint/suspicious/noExplicitAny: a caller reads a few fields of an answer
): Promise<any> {
  for (let tries = 1; ; tries++) {
    const answer = await fetch(url + path, {
      method,
      headers: { ...(body === undefined ? {} : JSON_HEADERS), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (answer.ok) return text === '' ? undefined : JSON.parse(text)
    if (answer.status !== BUSY || tries === MAX_TRIES)
      throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`)
    await sleep(RETRY_MS)
  }
}

export type Person = { userId: string; workspaceId: string; headers: Headers }

const PASSWORD = 'correct horse battery'
const credentialsOf = (name: string) => ({ email: `${name}@example.com`, password: PASSWORD })

// biome-ignore lint/suspicious/noExplicitAny: the answer of a server
const personIn = ({ access_token, user }: any): Person => ({
  userId: user.user_id,
  workspaceId: user.personal_workspace_id,
  headers: { authorization: `Bearer ${access_token}` },
})

export const register = async (url: string, name: string): Promise<Person> =>
  personIn(await call(url, 'POST', '/api/v1/auth/register', { ...credentialsOf(name), display_name: name }))

export const signIn = async (url: string, name: string): Promise<Person> =>
  personIn(await call(url, 'POST', '/api/v1/auth/login', credentialsOf(name)))

/** Headers with a new API key of that person. */
export async function createApiKey(
  url: string,
  { headers }: Person,
): Promise<Headers & { 'x-api-key': string }> {
  const { api_key } = await call(url, 'POST', '/api/v1/auth/api-keys', { name: 'bench' }, headers)
  return { 'x-api-key': api_key }
}

const REQUESTS_AT_ONCE = 8

/** Does the work for each item, several at once. */
async function forEachAtOnce<T>(
  items: Iterable<T>,
  work: (item: T, n: number) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]()
  let n = 0
  const worker = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value, n++)
  }
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, worker))
}

export type Card = {
  title: string
  symptom: string
  fix_summary: string
  root_cause?: string | null
  body?: string
  tags?: string[]
  environment?: Record<string, string>
}

/** The server refuses blank texts. */
const visible = (text: string) => (/[^\p{White_Space}\p{C}]/u.test(text) ? text : '-')

export type FillOptions = {
  /** Publishes the cards for which this is true. */
  isPublished?: (n: number) => boolean
}

/** Records cards of a person. Returns their ids in the order of the cards. */
export async function fillCards(
  url: string,
  { headers }: Person,
  cards: Iterable<Card>,
  { isPublished = () => false }: FillOptions = {},
): Promise<string[]> {
  const ids: string[] = []
  await forEachAtOnce(cards, async (card, n) => {
    const body = { ...card, symptom: visible(card.symptom), fix_summary: visible(card.fix_summary) }
    const { card_id } = await call(url, 'POST', '/api/v1/cards', body, headers)
    if (isPublished(n)) await call(url, 'POST', `/api/v1/cards/${card_id}/publish`, {}, headers)
    ids[n] = card_id
  })
  return ids
}

export type Event = { title?: string | undefined; content: string }

/** Appends events to a project of a person. Returns their ids in the order of the texts. */
export async function fillEvents(
  url: string,
  { headers }: Person,
  project_key: string,
  events: Iterable<Event>,
): Promise<string[]> {
  const ids: string[] = []
  await forEachAtOnce(events, async (event, n) => {
    const body = { project_key, event_type: 'turn', ...event, content: visible(event.content) }
    ids[n] = (await call(url, 'POST', '/api/v1/project-context/events', body, headers)).raw_id
  })
  return ids
}

/** What a server does in the background after it was filled. */
const SETTLE_MS = 5000

/** Waits until the index of a filled vault is written, and lets PostgreSQL count its rows. */
export async function settle({ databaseUrl }: Pick<Vault, 'databaseUrl'>, isQuick = false): Promise<void> {
  await sleep(isQuick ? SETTLE_MS / 5 : SETTLE_MS)
  if (databaseUrl === undefined) return
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('vacuum analyze')
  await client.end()
}

/** Writes the index of a vault that this process serves. */
export async function settleIndex({ app }: OpenVault): Promise<void> {
  const { contextFor } = await import('../../src/core/context.ts')
  const { maintainIndex } = await import('../../src/search-index/index.ts')
  await maintainIndex(contextFor(app.services))
}
