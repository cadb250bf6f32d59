import { parseArgs } from 'node:util'
import Fastify from 'fastify'
import { COMPARE_OPTIONS, compare, drive, postsBy, type Request, type Table } from './lib/measure.ts'
import { cpuMs, repository, type Server, startProcess } from './lib/servers.ts'
import { madeUpEvents } from './lib/texts.ts'
import { call, createApiKey, register, startVault } from './lib/vault.ts'

const BODY_BYTES = 4096

const CARD = {
  title: 'npm ci fails with EACCES in the build image',
  symptom: 'npm ci ends with EACCES: permission denied, mkdir node_modules, but only inside the build image.',
  fix_summary:
    'The image copies the sources as root and builds as the user node. Copy with --chown=node:node.',
  root_cause: 'Files that were copied belong to root.',
  tags: ['npm', 'docker'],
  environment: { node: '24.1', os: 'debian' },
  body: Array.from(madeUpEvents(20), ({ content }) => content)
    .join('\n\n')
    .slice(0, BODY_BYTES),
}

type Case = { name: string; request: Request; bare: Server }

/** Answers the bytes that the environment names: the program that a route is compared with. */
async function serveBare(): Promise<void> {
  const body = Buffer.from(process.env.BODY_BASE64 ?? '', 'base64')
  const app = Fastify()
  app.route({
    method: ['GET', 'POST'],
    url: '/',
    handler: async (_request, reply) =>
      reply.header('content-type', 'application/json; charset=utf-8').send(body),
  })
  await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
  process.on('SIGTERM', () => process.exit(0))
}

async function openCase(url: string, name: string, request: Request): Promise<Case> {
  const sample = await fetch(url + request.path, {
    method: request.method ?? 'GET',
    headers: request.headers ?? {},
    ...(request.body ? { body: request.body } : {}),
  })
  const bytes = Buffer.from(await sample.arrayBuffer())
  const bare = await startProcess([import.meta.filename], '/', {
    folder: repository,
    env: { BODY_BASE64: bytes.toString('base64') },
  })
  return { name, request, bare }
}

async function load(server: Server, request: Request, seconds: number) {
  const before = cpuMs(server.pid)
  const { requestsPerSecond, requests } = await drive(server.url, request, seconds)
  return { requestsPerSecond, cpuMs: (cpuMs(server.pid) - before) / requests }
}

export async function run(args: string[]): Promise<Table[]> {
  const { values } = parseArgs({
    args,
    options: {
      ...COMPARE_OPTIONS,
      workers: { type: 'string', default: 'auto' },
      seconds: { type: 'string', default: '4' },
    },
  })
  const seconds = values.quick ? 1 : Number(values.seconds)
  const { workers } = values
  const table = await compare(values, {
    title: `routes with an API key and a card of 4 kB, 8 connections, workers: ${workers === 'auto' ? 'as shipped' : workers}`,
    open: async (folder) => {
      const vault = await startVault('sqlite', { folder, workers })
      const headers = await createApiKey(vault.url, await register(vault.url, 'caller'))
      const { card_id } = await call(vault.url, 'POST', '/api/v1/cards', CARD, headers)
      const post = postsBy(headers)
      const requests: Record<string, Request> = {
        'read a card': { path: `/api/v1/cards/${card_id}`, headers },
        'record a card': post('/api/v1/cards', CARD),
        'append a turn': post('/mcp/tools/append_context_turn', {
          project_key: 'bench/project',
          user_message: CARD.symptom,
          agent_report: CARD.body,
        }),
      }
      const cases: Case[] = []
      for (const [name, request] of Object.entries(requests)) {
        cases.push(await openCase(vault.url, name, request))
        await drive(vault.url, request, seconds)
      }
      return { vault, cases }
    },
    measure: async ({ vault, cases }) => {
      const figures: Record<string, number> = {}
      for (const { name, request, bare } of cases) {
        const plain = await load(bare, { ...request, path: '/' }, seconds)
        const ours = await load(vault, request, seconds)
        figures[`${name}: a second`] = ours.requestsPerSecond
        figures[`${name}: of the bare route`] = ours.requestsPerSecond / plain.requestsPerSecond
        figures[`${name}: CPU, ms`] = ours.cpuMs
      }
      return figures
    },
    close: async ({ vault, cases }) => {
      await vault.stop()
      for (const { bare } of cases) await bare.stop()
    },
  })
  return [table]
}

if (import.meta.main) await serveBare()
