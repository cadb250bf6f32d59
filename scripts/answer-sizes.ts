/** Measures what answers cost a model at the MCP door, and writes it into docs/guide/tools.md: npm run docs */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { type App, buildApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { FIRST_TEXTS } from '../src/shared/card-fields.ts'

export type Size = { what: string; tokens: number; most: number | undefined }

const PAGE = join(import.meta.dirname, '..', 'docs', 'guide', 'tools.md')
const CHARACTERS_PER_TOKEN = 4
/** Ids and times differ from run to run, their lengths hardly. */
const ROUNDED_TO = 10
const PROTOCOL = '2025-11-25'
const PROJECT = 'https://github.com/acme/shop'

type Call = (method: string, params: object) => Promise<string>

async function signedIn(app: App): Promise<Call> {
  const post = (url: string, headers: Record<string, string>, payload: object) =>
    app.server.inject({ method: 'POST', url, headers, payload })
  const account = { email: 'sizes@example.com', password: 'correct horse battery' }
  const { access_token } = (await post('/api/v1/auth/register', {}, account)).json()
  const headers = {
    authorization: `Bearer ${access_token}`,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': PROTOCOL,
  }
  return async (method, params) => {
    const answer = await post('/mcp', headers, { jsonrpc: '2.0', id: 1, method, params })
    const data = /^data: (.*)$/m.exec(answer.body)?.[1] ?? answer.body
    const { result, error } = JSON.parse(data)
    if (error || result.isError) throw new Error(data)
    return method === 'tools/call' ? result.content[0].text : JSON.stringify(result)
  }
}

const sentences = (about: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${about} shows itself in a way of its own in place ${at}.`).join(
    ' ',
  )

const cardAbout = (about: string) => ({
  title: `The connection pool is exhausted under load in the ${about} service`,
  symptom: sentences(`A request that waits for the pool of ${about}`, 8),
  fix_summary: sentences(`A client that is released in ${about}`, 8),
  root_cause: sentences(`An error that skips the release in ${about}`, 4),
  tags: ['pool', 'database', about],
  environment: { node: '24.1', postgres: '18' },
})

const SERVICES = ['billing', 'search', 'mail', 'orders', 'stock', 'reports']
const TURN = {
  project_key: PROJECT,
  user_message: 'Mend the build, please.',
  agent_report: sentences('The build', 30),
  client: 'agent',
}
const DOCUMENTS = {
  summary: sentences('The focus', 20),
  facts: Array.from({ length: 60 }, (_, at) => `Fact ${at}: ${sentences('the shop', 1)}`),
  project_preferences: Array.from({ length: 20 }, (_, at) => `Preference ${at}: short names`),
}

async function measured(call: Call): Promise<Size[]> {
  const sizes: Size[] = []
  const measure = async (what: string, most: number | undefined, method: string, params: object) => {
    const text = await call(method, params)
    sizes.push({ what, most, tokens: Math.ceil(text.length / CHARACTERS_PER_TOKEN) })
    return text
  }
  const tool = (name: string, input: object, most?: number, what = `\`${name}\``) =>
    measure(what, most, 'tools/call', { name, arguments: input })

  await measure('all tools, as listed', 5000, 'tools/list', {})
  for (const about of SERVICES.slice(1))
    await call('tools/call', { name: 'record_card', arguments: cardAbout(about) })
  const written = await tool('record_card', cardAbout('billing'), 150)
  const card_id = /"card_id":"([^"]+)"/.exec(written)?.[1] ?? ''
  await tool('update_card', { card_id, body: sentences('The long story', 2000), tags: ['pool'] }, 150)
  await tool('search_records', { query: 'connection pool exhausted' }, 700, '`search_records`, five hits')
  await tool('get_card', { card_id, include: FIRST_TEXTS }, undefined, '`get_card`, without the long text')
  await tool('get_card', { card_id }, undefined, '`get_card`, a full part')
  await tool('share_card', { card_id }, 150)
  for (let turn = 0; turn < 40; turn++) {
    const arguments_ = { ...TURN, user_message: `Request ${turn}. ${sentences('It', 4)}`, ...DOCUMENTS }
    await call('tools/call', { name: 'append_context_turn', arguments: arguments_ })
  }
  await tool('append_context_turn', TURN, 150)
  const event = { project_key: PROJECT, event_type: 'agent_report', content: TURN.agent_report }
  await tool('append_context_event', event, 150)
  const bounded = { project_key: PROJECT, max_total_chars: 6000 }
  await tool(
    'get_project_context',
    bounded,
    1500,
    '`get_project_context`, `max_total_chars` 6000, a busy project',
  )
  await tool('get_project_context', { project_key: PROJECT }, 6000, '`get_project_context`, a busy project')
  const found = '`search_project_context`, ten events'
  await tool('search_project_context', { project_key: PROJECT, query: 'build' }, undefined, found)
  return sizes
}

/** All of it on a vault of its own, with a busy project and cards of some length. */
export async function answerSizes(): Promise<Size[]> {
  const folder = mkdtempSync(join(tmpdir(), 'knowledge-vault-sizes-'))
  const config = readConfig({ DATA_DIR: folder, RATE_LIMIT: 'off' })
  const app = await buildApp(config, { log: pino({ level: 'silent' }), shedding: false })
  try {
    return await measured(await signedIn(app))
  } finally {
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const rounded = (tokens: number) => Math.ceil(tokens / ROUNDED_TO) * ROUNDED_TO
const grouped = (count: number) => count.toLocaleString('en-US')

const HEAD = '| What a model reads | Tokens | At most |\n|---|---|---|\n'
/** The table, from its head to its last row. */
const TABLE = /\| What a model reads[^\n]*\n(?:\|[^\n]*\n)*/

export function pageWith(page: string, sizes: readonly Size[]): string {
  const rows = sizes.map(
    ({ what, tokens, most }) => `| ${what} | ${grouped(rounded(tokens))} | ${most ? grouped(most) : ''} |\n`,
  )
  return page.replace(TABLE, HEAD + rows.join(''))
}

export const readPage = (): string => readFileSync(PAGE, 'utf8')

if (import.meta.main) writeFileSync(PAGE, pageWith(readPage(), await answerSizes()))
